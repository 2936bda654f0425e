// SPDX-License-Identifier: Apache-2.0
// What can be measured of graphs, and with which values by default.
#include <rhizome/bench/graphs/input.hpp>
#include <rhizome/bench/graphs/subject.hpp>
#include <rhizome/bench/graphs/workloads.hpp>
#include <rhizome/bench/harness/common_choices.hpp>
#include <rhizome/bench/papers/ouroboros/ouroboros_fig4.hpp>
#include <rhizome/cli/parse_values.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/io/message_text.hpp>
#include <rhizome/runtime/catalogue.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <utility>

namespace rhizome::bench {
namespace {

/// "contiguous with ouroboros-page-array" and so on: the graph types without values, or with weights.
std::vector<std::string> graph_type_names(bool weighted = false) {
    runtime::value_type const values = weighted ? runtime::value_type::float64 : runtime::value_type::none;
    std::vector<std::string> names;
    for (runtime::graph_type const& type : runtime::graph_types())
        if (type.values == values) names.push_back(type.layout + " with " + type.allocator);
    return names;
}

std::vector<std::string> graph_layout_names() {
    std::vector<std::string> names;
    for (runtime::named_choice const& layout : runtime::layouts())
        names.push_back(layout.name);
    return names;
}

constexpr std::uint64_t default_scale = 20;
constexpr std::uint64_t default_iterations = 100;
constexpr std::uint64_t million = 1'000'000;

std::string joined(std::vector<std::string> const& names) { return fmt::format("{}", fmt::join(names, ",")); }

struct defaults {
    std::string edges = {};      ///< "": has no batches
    std::string patterns = {};   ///< "": random
    bool of_results = false;     ///< the patterns are those of run_maintained()
    std::string rounds = {};     ///< "": has none
    bool has_direction = true;   ///< false: undirected
    std::string iterations = {}; ///< "": has none
    bool has_order = false;      ///< of the edges in batches
    bool has_baseline = false;
    std::string warm_up = {};     ///< "": has none
    std::string repetitions = {}; ///< "": has none
};

bool is_generated(std::string const& graph) {
    return std::find(graph_kinds().begin(), graph_kinds().end(), graph) != graph_kinds().end();
}

/// A generated graph, or a file.
std::string normal_graph(std::string const& option, std::string const& text) {
    if (is_generated(text) || std::filesystem::is_regular_file(text) || !dataset_file(text).empty())
        return text;
    throw cli::usage_error(fmt::format("--{}: there is no {}, only {}, and files: by path, or by name in the "
                                       "folder RHIZOME_DATASETS",
                                       option, io::quoted(text), fmt::join(graph_kinds(), ", ")));
}

std::vector<choice> choices_of(defaults const& by_default) {
    choice graphs{"graph", "graphs: rgg, mesh, road, rmat", "NAMES", joined(graph_kinds()),
                  true,    normal_name(graph_kinds())};
    if (by_default.of_results) {
        graphs.summary += "; or a file, or its name in RHIZOME_DATASETS";
        graphs.normalize = normal_graph;
    }
    std::vector<choice> choices{std::move(graphs),
                                {"scale", "graphs of about 2^SCALE vertices; 4 to 26", "SCALES",
                                 std::to_string(default_scale), true, normal_count(4, 26)}};
    if (!by_default.edges.empty())
        choices.push_back(
            {"edges", "edges per batch (10k, 1M)", "COUNTS", by_default.edges, true, normal_edges});
    if (by_default.of_results)
        choices.push_back({"pattern",
                           "edges of a batch: random; local, among neighbouring vertices; present, that the "
                           "graph has; window, of a file with times: those that leave and enter a window",
                           "NAMES", by_default.patterns, true,
                           normal_name({"random", "local", "present", "window"})});
    else if (!by_default.patterns.empty())
        choices.push_back({"pattern",
                           "sources of a batch: random; pressure, of 1000 neighbouring vertices; hub, one",
                           "NAMES", by_default.patterns, true, normal_name({"random", "pressure", "hub"})});
    if (by_default.has_order)
        choices.push_back({"order", "edges in batches: random; ascending, as in a file", "NAMES",
                           "random,ascending", true, normal_name({"random", "ascending"})});
    if (by_default.has_direction)
        choices.push_back({"direction", "directed: edges are arcs; undirected: two arcs each", "NAMES",
                           "directed", true, normal_name({"directed", "undirected"})});
    if (!by_default.iterations.empty())
        choices.push_back({"iterations", "iterations of PageRank a measurement", "N", by_default.iterations,
                           false, normal_count(1, 10'000)});
    choices.push_back({"layout", "layouts of the graph", "NAMES", graph_layout_names().front(), true,
                       normal_name(graph_layout_names())});
    choices.push_back({"allocator", "allocators of the graph", "NAMES", "ouroboros-page-virtual-array", true,
                       normal_allocator});
    choices.push_back(space_choice());
    if (by_default.has_baseline)
        choices.push_back({"baseline", "none, or boost: Boost.Graph on the same graph, host only", "NAME",
                           "none", false, normal_name({"none", "boost"})});
    if (!by_default.rounds.empty()) {
        choices.push_back({"rounds", "batches inserted and erased before the second look", "N",
                           by_default.rounds, false, normal_count(0, million)});
        choices.push_back({"load-batch", "edges per batch while loading; 0: all at once", "N",
                           std::to_string(million), false, normal_count(0, 1000 * million)});
    }
    add_repetition_choices(choices, by_default.warm_up, by_default.repetitions);
    add_machine_choices(choices);
    return choices;
}

std::uint64_t highest(std::string const& edges) {
    std::uint64_t most = 0;
    for (std::size_t begin = 0; begin < edges.size();) {
        std::size_t const end = std::min(edges.find(',', begin), edges.size());
        most = std::max<std::uint64_t>(most,
                                       std::stoull(normal_edges("edges", edges.substr(begin, end - begin))));
        begin = end + 1;
    }
    return most;
}

/// Defaults are for a large GPU; cells elsewhere become smaller, so that a run ends soon.
struct fit_to_space {
    std::uint64_t edges; ///< highest of the defaults
    std::uint64_t iterations;

    std::string operator()(cell& which, std::set<std::string> const& chosen,
                           space_description const& space) const {
        if (is_generated(which.text("graph"))) return lower(which, chosen, space);
        which.set("scale", "0"); // a file has its own size
        std::set<std::string> others = chosen;
        others.insert("scale");
        std::string const note = lower(which, others, space);
        if (chosen.contains("scale"))
            return join(note,
                        fmt::format("{}: --scale is for generated graphs; files are measured as they are",
                                    which.benchmark));
        if (space.name != "simt") return note;
        return join(note, fmt::format("{} on simt: files are not made smaller", which.benchmark));
    }

private:
    static std::string join(std::string const& note, std::string const& other) {
        return note.empty() ? other : note + "; " + other;
    }
    std::string lower(cell& which, std::set<std::string> const& chosen,
                      space_description const& space) const {
        fitting fit(which, chosen);
        if (space.name == "simt") {
            fit.lower("scale", default_scale, 8);
            fit.lower("edges", edges, 1000);
            fit.lower("iterations", iterations, 2);
            fit.lower("rounds", 10, 2);
            fit.lower("load-batch", million, 1000);
            if (which.has("warm-up")) fit.lower("warm-up", which.count("warm-up"), 0);
            if (which.has("repetitions")) fit.lower("repetitions", which.count("repetitions"), 1);
            return fit.note(space, "an emulator is slow");
        }
        if (space.name != "host") return "";
        // Boost.Graph looks up every pair of neighbours: minutes for hubs.
        bool const slow_baseline = which.benchmark == "triangles" && which.text("baseline") == "boost";
        fit.lower("scale", default_scale, slow_baseline ? 12 : 14);
        fit.lower("edges", edges, 100'000);
        fit.lower("load-batch", million, 100'000);
        fit.lower("iterations", iterations, 10);
        return fit.note(space, "a few cores are no GPU");
    }
};

using workload = std::function<cell_result(graph_subject&, cell const&, graph_input const&)>;

cell_result run_on(cell const& which, bool weighted, workload const& work) {
    graph_subject_options options{.layout = which.text("layout"),
                                  .allocator = which.text("allocator"),
                                  .vertices = 0,
                                  .directed = is_directed(which),
                                  .weighted = weighted};
    std::string const wanted = options.layout + " with " + options.allocator;
    std::vector<std::string> const known = graph_type_names(weighted);
    if (std::find(known.begin(), known.end(), wanted) == known.end())
        return {cell_status::not_served,
                fmt::format("this build has {}{}", fmt::join(known, ", "),
                            weighted ? " for weighted graphs" : ""),
                {}};
    graph_input const input = make_graph_input(
        which.text("graph"), static_cast<unsigned>(which.count("scale")), which.count("seed"));
    options.vertices = input.vertices;
    auto const opened = open_subject(space_of(which), options);
    return work(*opened, which, input);
}
template <cell_result (*Workload)(graph_subject&, cell const&, graph_input const&), bool Weighted = false>
cell_result run_on_graph(cell const& which) {
    return run_on(which, Weighted, Workload);
}

benchmark make(std::string const& name, std::string const& summary, char const* details,
               defaults const& by_default, std::function<cell_result(cell const&)> run) {
    fit_to_space const fit{highest(by_default.edges),
                           by_default.iterations.empty() ? 0 : std::stoull(by_default.iterations)};
    return {name, summary, details, choices_of(by_default), fit, std::move(run)};
}

/// One for each algorithm whose result can follow a graph, and one for six of them together.
std::vector<benchmark> maintained_benchmarks() {
    std::vector<benchmark> all;
    for (runtime::algorithm_info const& info : runtime::algorithms())
        if (info.is_maintained)
            all.push_back(make(
                fmt::format("maintained-{}", info.name),
                fmt::format("milliseconds from a batch to the result of {}", info.name),
                "Undirected graphs. insert and erase are the batches, which note what they change. _repair:\n"
                "the result is repaired, whatever that takes. _update: the way that is expected to take\n"
                "less time. anew: the static algorithm; for PageRank with the same bound of the error.\n"
                "speedup is anew over the mean of both updates, computed_anew the share of updates that\n"
                "computed anew, over_anew the mean of all updates over the median of anew.\n"
                "With 100 repetitions also 99th percentiles, with 1000 99.9th. A window has half of the\n"
                "timed edges of a file; --graph sx-mathoverflow --pattern window reads it.",
                {.edges = "100,1k,10k,100k,1M",
                 .patterns = "random,local,present",
                 .of_results = true,
                 .has_direction = false,
                 .warm_up = "3",
                 .repetitions = "7"},
                [&info](cell const& which) {
                    return run_on(
                        which, info.needs_weights(),
                        [&info](graph_subject& subject, cell const& each, graph_input const& input) {
                            return run_maintained(subject, each, input, info);
                        });
                }));
    all.push_back(
        make("maintained-together", "milliseconds from a batch to six results that all follow one graph",
             "Undirected graphs with weights. triangles, components, bfs, sssp, kcore and pagerank\n"
             "follow. insert and erase are the batches, which note what they change. _repairs: all\n"
             "results are repaired, whatever that takes. _updates: each the way that is expected to\n"
             "take less time; insert_bfs and the like are the parts of it. _and_repairs and\n"
             "_and_updates: the batch and these. anew: the six static algorithms. With 100\n"
             "repetitions also 99th percentiles, with 1000 99.9th.",
             {.edges = "100,1k,10k",
              .patterns = "random",
              .of_results = true,
              .has_direction = false,
              .warm_up = "3",
              .repetitions = "100"},
             run_on_graph<run_maintained_together, true>));
    return all;
}

} // namespace

std::vector<benchmark> graph_benchmarks() {
    std::string const iterations = std::to_string(default_iterations);
    std::vector<benchmark> all{
        make("updates", "a batch of edges that lie in the space already: milliseconds",
             "Inserts edges that the graph does not have, then erases them, over and over with batches of\n"
             "their own. Some edges of a batch repeat others. Times are of the whole calls. With 100\n"
             "repetitions also 99th percentiles, with 1000 99.9th: --edges 1,10,100 --repetitions 10000.",
             {.edges = "10k,100k,1M,10M",
              .patterns = "random,pressure,hub",
              .warm_up = "2",
              .repetitions = "7"},
             run_on_graph<run_updates>),
        make("memory", "bytes of the graph over bytes of compressed sparse rows",
             "After loading, after rounds of a batch inserted and erased, and compacted; lasting leaves "
             "scratch\n"
             "out, that is kept between batches. Sparse rows take 4 bytes a vertex and an arc.",
             {.edges = "1M", .rounds = "10"}, run_on_graph<run_memory>),
        make("build", "a graph from edges, and from sparse rows, in the space: milliseconds",
             "Every repetition builds a new graph, whose heap starts small and grows.",
             {.warm_up = "1", .repetitions = "5"}, run_on_graph<run_build>),
        make("snapshot", "from the graph to compressed sparse rows: milliseconds",
             "The memory that the snapshot takes is had anew each time.",
             {.warm_up = "2", .repetitions = "7"}, run_on_graph<run_snapshot>),
        make("pagerank", "milliseconds an iteration, on the live graph and on a snapshot",
             "Undirected graphs, ranks in 32 bits. All of a run's iterations, and what comes before them,\n"
             "divided by their number.",
             {.has_direction = false,
              .iterations = iterations,
              .has_baseline = true,
              .warm_up = "1",
              .repetitions = "5"},
             run_on_graph<run_pagerank>),
        make("triangles", "milliseconds a count, on the live graph and on a snapshot",
             "Undirected graphs; all that a count takes is in it, the ordering of the edges too.",
             {.has_direction = false, .has_baseline = true, .warm_up = "1", .repetitions = "5"},
             run_on_graph<run_triangles>),
        make("bfs", "milliseconds a breadth-first search, on the live graph and on a snapshot",
             "Undirected graphs, levels alone. From vertex 0, or the first that has a neighbour; of R-MAT\n"
             "graphs from the vertex with most neighbours. live_rate counts each edge between reached\n"
             "vertices once, as Graph500 does.",
             {.has_direction = false, .warm_up = "1", .repetitions = "5"}, run_on_graph<run_bfs>),
        make("components", "milliseconds to find connected components, live and on a snapshot",
             "Undirected graphs. The result names the first vertex of the component of each vertex.",
             {.has_direction = false, .warm_up = "1", .repetitions = "5"}, run_on_graph<run_components>),
        make("kcore", "milliseconds to find all core numbers, live and on a snapshot",
             "Undirected graphs. All core numbers, not one core.",
             {.has_direction = false, .warm_up = "1", .repetitions = "5"}, run_on_graph<run_kcore>),
        make("sssp", "milliseconds to find shortest paths by weight, live and on a snapshot",
             "Undirected graphs, distances alone; sources as in bfs. Weights are hashes of the seed and the\n"
             "ends of the edge: whole numbers from 1 to 255, of type double.",
             {.has_direction = false, .warm_up = "1", .repetitions = "5"}, run_on_graph<run_sssp, true>),
        make("row-placement", "pages of rows requested lane by lane and in bulk: times, cache lines",
             "Undirected graphs, built by batches of --edges, with either way to request pages. Lines (128\n"
             "bytes) and sectors (32 bytes) are those in which the rows of 32 neighbouring vertices lie, "
             "which\n"
             "a warp of PageRank reads; packed_lines: if they lay side by side.",
             {.edges = "100k,1M",
              .has_direction = false,
              .iterations = "20",
              .has_order = true,
              .warm_up = "1",
              .repetitions = "5"},
             run_on_graph<run_row_placement>),
        ouroboros_fig4(),
    };
    std::vector<benchmark> const maintained = maintained_benchmarks();
    all.insert(all.end(), maintained.begin(), maintained.end());
    return all;
}

} // namespace rhizome::bench
