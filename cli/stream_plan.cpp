// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/algorithm_runs.hpp>
#include <rhizome/cli/command.hpp>
#include <rhizome/cli/graph_files.hpp>
#include <rhizome/cli/parse_values.hpp>
#include <rhizome/cli/search_sources.hpp>
#include <rhizome/cli/stream_plan.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/graph/limits.hpp>
#include <rhizome/io/packed_file.hpp>
#include <rhizome/io/stream_format.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace rhizome::cli {
namespace {

std::string every_option(runtime::algorithm_info const& info) { return std::string(info.name) + "-every"; }

bool searches(runtime::algorithm_info const& info) { return has_parameter(info, "source"); }
bool searches(stream_plan const& plan) {
    return std::any_of(plan.algorithms.begin(), plan.algorithms.end(),
                       [](planned_algorithm const& each) { return searches(*each.info); });
}

/// "pagerank, triangles": the algorithms whose results can follow a graph.
std::string maintained_names() {
    std::string names;
    for (runtime::algorithm_info const& each : runtime::algorithms())
        if (each.is_maintained) names += (names.empty() ? "" : ", ") + std::string(each.name);
    return names;
}

/// The value of --maintain: NAME or NAME:V for a search from vertex V, commas between them.
std::vector<planned_algorithm> maintained_algorithms(arguments const& args) {
    std::vector<planned_algorithm> all;
    std::string const text = args.text("maintain");
    for (std::size_t begin = 0; begin <= text.size();) {
        std::size_t const end = std::min(text.find(',', begin), text.size());
        std::string const word = text.substr(begin, end - begin);
        begin = end + 1;
        std::size_t const colon = std::min(word.find(':'), word.size());
        std::string const name = word.substr(0, colon);
        auto const known = runtime::algorithms();
        auto const info = std::find_if(known.begin(), known.end(), [&](runtime::algorithm_info const& each) {
            return each.is_maintained && each.name == name;
        });
        if (info == known.end())
            throw usage_error(
                fmt::format("--maintain: found '{}', expected some of {}", name, maintained_names()));
        planned_algorithm planned{&*info, 1, arguments_for(*info, args), true};
        if (colon < word.size()) {
            if (!searches(*info))
                throw usage_error(
                    fmt::format("--maintain: found '{}', but {} does not search from a vertex", word, name));
            planned.sources = source_numbers({word.substr(colon + 1)});
        } else if (searches(*info)) {
            planned.sources = source_numbers(source_words(args));
        }
        for (planned_algorithm const& other : all)
            if (other.info == planned.info)
                throw usage_error(fmt::format("--maintain: {} is named twice", name));
        all.push_back(std::move(planned));
    }
    return all;
}

/// The options of the algorithms that are `meant`: "--bfs-every and --sssp-every".
template <class Meant>
std::string options_of_those(Meant const& meant) {
    std::vector<std::string> options;
    for (runtime::algorithm_info const& each : runtime::algorithms())
        if (meant(each)) options.push_back("--" + every_option(each));
    std::string text;
    for (std::size_t i = 0; i < options.size(); ++i)
        text += (i == 0 ? "" : i + 1 == options.size() ? " and " : ", ") + options[i];
    return text;
}
std::string options_that_search() {
    return options_of_those([](runtime::algorithm_info const& info) { return searches(info); });
}

/// Adds the options of all algorithms. Several may take the same argument.
std::vector<option_text> with_algorithms(std::vector<option_text> options) {
    std::vector<option_text> arguments;
    for (runtime::algorithm_info const& each : runtime::algorithms()) {
        options.push_back(
            {every_option(each),
             fmt::format("{} after every K batches{}", each.stream_option_help,
                         each.needs_weights() ? "; the graph then keeps weights, as with --output" : ""),
             "K"});
        for (option_text const& argument : options_for(each))
            if (std::none_of(arguments.begin(), arguments.end(),
                             [&](option_text const& other) { return other.name == argument.name; }))
                arguments.push_back(argument);
    }
    options.insert(options.end(), arguments.begin(), arguments.end());
    return options;
}

} // namespace

bool needs_weights(stream_plan const& plan) {
    return std::any_of(plan.algorithms.begin(), plan.algorithms.end(),
                       [](planned_algorithm const& each) { return each.info->needs_weights(); });
}

std::string options_that_need_weights() {
    return options_of_those([](runtime::algorithm_info const& info) { return info.needs_weights(); });
}

command_text stream_text() {
    return {
        .name = "stream",
        .words = "GRAPH UPDATES | [--vertices N] UPDATES",
        .summary = "applies a stream of edge updates to a graph, batch by batch",
        .details =
            "GRAPH is a graph file of any format (see --format); with --vertices the stream starts from N\n"
            "vertices without edges. UPDATES has one of these formats, known by content (--stream-format\n"
            "overrules it):\n"
            "  updates    '+ u v [w]' inserts, '- u v' erases\n"
            "  graphbolt  'a u v [w]' inserts, 'd u v [w]' erases\n"
            "  temporal   'u v t [w]' inserts at time t (SNAP); with a header '% ...' 'u v w t' (KONECT),\n"
            "             where a w of -1 erases if the header says 'dynamic'. A comment or first line with\n"
            "             names, such as 'source target weight time', says what columns hold\n"
            "Lines with '#' or '%' are comments. '-' is standard input. All but stored graphs may be\n"
            "compressed (.gz, .bz2, .zst, .xz). A temporal list is read whole and sorted by time before the "
            "first\n"
            "batch; with --sorted it is in order already and is read batch by batch, as the others are.\n"
            "\n"
            "Vertices count from 0, where METIS files count from 1. Updates of vertices that do not exist\n"
            "are rejected; with --grow-vertices the graph gets them instead. With --map-ids vertices have\n"
            "names, any numbers or words. A name that is new gets the next vertex number. The vertices of\n"
            "GRAPH have the names or numbers of its file: in METIS files 1, 2, 3, ... If neither GRAPH nor\n"
            "--vertices is given, a temporal list turns both options on.\n"
            "\n"
            "A batch is --batch updates, or with --time-step all updates of one step of time; the first\n"
            "step begins with the first update. With --window the command erases old edges: after each\n"
            "batch, an edge that the stream inserted is present only if its last update is an insertion in\n"
            "the window. The window is the time W before the last update of the batch (30d), or the last N\n"
            "insertions of the stream (100000e). These erasures count as updates of the batch; 'expired' in\n"
            "--json is their number. Edges of GRAPH that the stream does not name stay.\n"
            "\n"
            "With --output, edges keep their weights if GRAPH or the first batch of UPDATES has any: an "
            "edge\n"
            "without one gets 1, and inserting a present edge gives it the new one. Weights are numbers of\n"
            "type double; METIS files hold whole ones. Weights and sizes of vertices and times of edges\n"
            "are left out. Without --output and algorithms that need weights, they are only checked.\n"
            "\n"
            "Each batch is reduced to its net effect, the last update of each edge, and applied:\n"
            "insertions, then erasures. Its line counts each of its updates once: inserted; present\n"
            "(inserted though there already); erased; absent (erased though not there); other, which are:\n"
            "duplicate; superseded (by a later update of the batch); rejected (an endpoint is no vertex);\n"
            "self-loops refused. The summary and --json tell them apart. Rejected updates change nothing: a\n"
            "notice counts them at the end, and the exit code is 0; with --strict the first batch that has "
            "one\n"
            "ends the command with exit code 1. updates/s is over the times of insert and erase. A batch "
            "that\n"
            "does not fit in memory ends the command.\n"
            "\n"
            "Searches start from the vertices of --source that the graph has by then.\n"
            "\n"
            "With --maintain the results of algorithms follow the graph: after each batch they are repaired\n"
            "from the edges that it changed, or computed anew where that is expected to take less time. The\n"
            "summary and --json tell how often. Layout: the default one; space: host or cuda.\n"
            "\n"
            "While a batch is applied, the next ones are read, reduced and copied to the device, so that\n"
            "the times of reading, net effect, insert and erase add up to more than the whole. Those of\n"
            "insert and erase hold no copy, but what they wait for one. The summary tells the whole as\n"
            "well, and updates/s over it. --threads also limits the threads that read and reduce.\n"
            "\n"
            "With --devices the vertices are divided among GPUs, scattered by their numbers. The\n"
            "command starts a process for each GPU of this machine, or joins the job in which mpirun, "
            "torchrun\n"
            "or Slurm has started it. Rank 0 reads the files and prints the report. --memory-limit, "
            "--heap-bytes\n"
            "and --threads are divided among the ranks. Layout, allocator: the default ones. Not offered "
            "over\n"
            "several devices: --maintain, weights, --triangles-every in directed graphs, and of the\n"
            "algorithms all but PageRank, triangles, breadth-first search and components.\n",
        .examples = "  rhizome stream road.graph day.updates.gz --batch 1000000 --pagerank-every 10\n"
                    "  rhizome stream --vertices 1000000 all.updates --json > batches.jsonl\n"
                    "  rhizome stream weighted.graph day.updates --output after.graph.gz\n"
                    "  rhizome stream sx-mathoverflow.txt.gz --time-step 30d --window 365d\n"
                    "  rhizome stream social.graph day.updates --maintain pagerank,triangles,bfs:0\n"
                    "  rhizome stream large.graph day.updates --devices 2 --pagerank-every 10",
        .options = with_algorithms(
            {{"vertices", "start from N vertices without edges; no GRAPH is given then", "N"},
             {"batch", "updates per batch", "N", "100000"},
             {"time-step", "instead of --batch: a batch is all updates in T units of time, also s, m, h, d",
              "T"},
             {"window",
              "erase an edge W units of time after its insertion (also s, m, h, d), or N insertions later "
              "(Ne)",
              "W"},
             parallel_option(),
             {"stream-format", "format of the stream (default: known by its content)", "NAME", std::nullopt,
              io::stream_format_names()},
             {"sorted", "the temporal list is in the order of its times; read it batch by batch"},
             {"grow-vertices", "an update may name a vertex that does not exist: the graph gets it"},
             {"map-ids", "vertices have names, any numbers or words"},
             {"source",
              fmt::format(
                  "numbers of the vertices from which {} search, counted from 0, commas between them; "
                  "with --map-ids in the order in which names appeared",
                  options_that_search()),
              "N[,N...]", "0"},
             {"maintain",
              fmt::format("keep results up to date after every batch, repaired from what it changed: some of "
                          "{}; NAME:V searches from vertex V",
                          maintained_names()),
              "NAME[,NAME...]"},
             {"validate-every",
              "after every K batches check all invariants of the graph, and compare the results of "
              "--maintain "
              "with those computed anew",
              "K"},
             {"devices",
              "divide the graph among N GPUs, with a process for each; with space host: among N ranks, which "
              "are "
              "threads",
              "N"},
             {"strict", "an update that names no vertex is a failure"},
             {"output",
              "write the last graph: METIS (undirected; .graph.gz: compressed), stored where the name ends "
              "in .rhz, or another format as 'rhizome convert' does; -: to standard output",
              "FILE"},
             {"weights", fmt::format("with --output or {}: give all edges weights, 1 where none is named",
                                     options_that_need_weights())},
             {"drop-weights", "with --output: leave weights out"}}),
        .json_summary =
            "a JSON object in a line of its own for each batch (not with --quiet), then one with the "
            "graph and the summary"};
}

namespace {

void refuse_over_devices(std::string const& option, bool given) {
    if (given) throw usage_error(fmt::format("--devices: --{} is not offered over several devices", option));
}

} // namespace

void check_output(stream_plan const& plan, bool directed) {
    if (directed && !plan.output_path.empty() && !plan.output_format->holds_directed)
        throw usage_error(
            fmt::format("--output: {} files hold undirected graphs only; one named .rhz holds any",
                        plan.output_format->title));
}

void check_sources(stream_plan const& plan, std::uint64_t vertices) {
    if (plan.grows_vertices) return;
    for (planned_algorithm const& each : plan.algorithms)
        for (graph::vertex_id const source : each.sources)
            if (source >= vertices)
                throw usage_error(
                    vertices == 0
                        ? fmt::format("--source: found '{}', but the graph has no vertices", source)
                        : fmt::format("--source: found '{}', expected a vertex of the graph: 0 to {}", source,
                                      vertices - 1));
}

void check_devices(stream_plan const& plan, bool directed, bool in_arcs) {
    if (plan.devices == 0 || !directed) return;
    for (planned_algorithm const& each : plan.algorithms) {
        if (each.info->name == "pagerank" && !in_arcs)
            throw usage_error("--devices: --pagerank-every in a directed graph needs --in-arcs");
        if (each.info->name == "triangles")
            throw usage_error("--devices: --triangles-every is for undirected graphs");
    }
}

stream_plan stream_plan_of(arguments const& args) {
    stream_plan plan;
    if (args.has("vertices")) {
        plan.vertices = args.count("vertices", 0, graph::most_rows<graph::vertex_id>);
        plan.updates_path = args.words(1, 1)[0];
    } else {
        auto const& words = args.words(1, 2);
        if (words.size() == 2) plan.graph_path = words[0];
        plan.updates_path = words.back();
        plan.starts_empty = words.size() == 1;
    }
    plan.grows_vertices = args.has("grow-vertices");
    plan.maps_names = args.has("map-ids");
    plan.reading.is_sorted = args.has("sorted");
    plan.reading.threads = args.session().threads;
    if (args.has("stream-format")) plan.reading.format = io::stream_format_named(args.text("stream-format"));
    if (args.has("window")) plan.window = parse_window("window", args.text("window"));
    auto const every = [&](std::string const& option) {
        return args.has(option) ? args.count(option, 1) : 0;
    };
    constexpr std::uint64_t most_batch_updates =
        (std::uint64_t{1} << 31) - 1; // 32-bit counts of arcs in a batch
    plan.batches.batch_updates = args.count("batch", 1, most_batch_updates);
    if (args.has("time-step")) {
        if (args.has("batch")) throw usage_error("--batch and --time-step exclude each other");
        plan.batches = {most_batch_updates, parse_time("time-step", args.text("time-step"))};
    }
    for (runtime::algorithm_info const& each : runtime::algorithms()) {
        runtime::algorithm_arguments given = arguments_for(each, args);
        if (std::uint64_t const batches = every(every_option(each)); batches > 0) {
            plan.algorithms.push_back({&each, batches, std::move(given)});
            if (searches(each)) plan.algorithms.back().sources = source_numbers(source_words(args));
        }
    }
    if (args.has("maintain")) {
        for (planned_algorithm& each : maintained_algorithms(args)) {
            if (args.has(every_option(*each.info)))
                throw usage_error(fmt::format("--maintain {} and --{} exclude each other", each.info->name,
                                              every_option(*each.info)));
            plan.algorithms.push_back(std::move(each));
        }
    }
    plan.validate_every = every("validate-every");
    if (args.has("source") && !searches(plan))
        throw usage_error(fmt::format("--source is for {}: nothing else searches", options_that_search()));
    if (args.has("output")) {
        plan.output_path = args.text("output");
        if (auto const* const format = format_by_name(plan.output_path)) plan.output_format = format;
        if (args.has("directed")) check_output(plan, true);
        (void)io::packing_by_name(plan.output_path);
    }
    if (args.has("devices")) {
        constexpr std::uint64_t most_devices = 1024;
        plan.devices = static_cast<int>(args.count("devices", 1, most_devices));
        refuse_over_devices("maintain", args.has("maintain"));
        for (planned_algorithm const& each : plan.algorithms)
            refuse_over_devices(every_option(*each.info), !each.info->over_ranks);
        refuse_over_devices("weights", args.has("weights"));
    }
    plan.strict = args.has("strict");
    plan.gives_weights = args.has("weights");
    plan.drops_weights = args.has("drop-weights");
    if (plan.gives_weights && plan.drops_weights)
        throw usage_error("--weights and --drop-weights exclude each other");
    for (planned_algorithm const& each : plan.algorithms)
        if (plan.drops_weights && each.info->needs_weights())
            throw usage_error(
                fmt::format("--{} and --drop-weights exclude each other", every_option(*each.info)));
    if ((plan.gives_weights || plan.drops_weights) && plan.output_path.empty() && !needs_weights(plan))
        throw usage_error(fmt::format("--weights and --drop-weights are for --output, {}: nothing else "
                                      "depends on weights",
                                      options_that_need_weights()));
    return plan;
}

} // namespace rhizome::cli
