#include <rhizome/cli/graph_files.hpp>
#include <rhizome/cli/graph_session.hpp>
#include <rhizome/cli/machine_memory.hpp>
#include <rhizome/cli/progress_bar.hpp>
#include <rhizome/cli/report.hpp>
#include <rhizome/cli/stopwatch.hpp>
#include <rhizome/cli/text_columns.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/host/parallel.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/store_reader.hpp>
#include <rhizome/io/stored_numbers.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace rhizome::cli {
namespace {

/// A share of what is available stays free, for batches on the host and for others on the machine.
std::uint64_t default_memory_limit() { return available_memory_bytes() / 16 * 15; }

runtime::value_type values_if(bool weights) {
    return weights ? runtime::value_type::float64 : runtime::value_type::none;
}

bool runs_on_cuda(runtime::graph_choice const& options) {
    return options.space.empty() ? runtime::cuda_unusable_because().empty() : options.space == "cuda";
}

graph_session open(command_context& context, runtime::graph_choice const& options,
                   std::uint64_t vertex_count) {
    graph_session graph;
    graph.options = options;
    bool const limit_is_ours = !context.args.has("memory-limit") && !runs_on_cuda(options);
    if (limit_is_ours) graph.options.memory_limit_bytes = default_memory_limit();
    try {
        graph.options.vertices = vertex_count;
        graph.session = runtime::open_graph(graph.options);
    } catch (std::invalid_argument const& error) {
        throw usage_error(keeps_weights(options)
                              ? std::string(error.what()) + "; --drop-weights leaves the weights out"
                              : error.what());
    } catch (exec::out_of_memory const& error) {
        if (!limit_is_ours) throw;
        throw std::runtime_error(fmt::format(
            "{}, as much as this machine has free; --memory-limit sets another limit", error.what()));
    }
    if (options.space.empty() && graph.session->names().space != "cuda") {
        std::string_view constexpr prefix = "no usable GPU: ";
        std::string reason = runtime::cuda_unusable_because();
        if (reason.starts_with(prefix)) reason.erase(0, prefix.size());
        context.notice =
            fmt::format("no usable GPU ({}): running on {}", reason, graph.session->names().space);
    }
    return graph;
}

/// Edges, each of which may have a weight.
struct edge_list {
    std::vector<graph::edge> edges;
    std::vector<double> weights; ///< one an edge, or none

    void add_reverses() {
        std::size_t const count = edges.size();
        edges.reserve(2 * count);
        for (std::size_t i = 0; i < count; ++i) {
            auto const [source, target] = edges[i];
            if (source == target) continue;
            edges.push_back({target, source});
            if (!weights.empty()) weights.push_back(weights[i]);
        }
    }
};

/// In pieces: the scratch of a batch grows with the batch, and a whole graph is the largest there is. A graph
/// without edges that is built from rows takes all ascending edges at once: they need little scratch, and
/// later pieces would be merged. `weights`: one for each edge, or none; a graph with weights then gives each
/// edge 1.
void insert_all(runtime::any_graph& session, std::span<graph::edge const> edges,
                std::span<double const> weights) {
    constexpr std::size_t usual_edges = std::size_t{1} << 24;
    constexpr std::size_t most_edges = 0x7fff'ffff; // with two arcs each
    bool const at_once = edges.size() > usual_edges && session.builds_rows() && session.edge_count() == 0 &&
                         std::is_sorted(edges.begin(), edges.end());
    std::size_t const piece_edges = at_once ? most_edges : usual_edges;
    std::vector<double> ones;
    if (weights.empty() && session.value_type() != runtime::value_type::none) {
        ones.assign(edges.size(), 1.0);
        weights = ones;
    }
    for (std::size_t first = 0; first < edges.size(); first += piece_edges) {
        std::size_t const count = std::min(piece_edges, edges.size() - first);
        session.insert_edges(edges.subspan(first, count),
                             weights.empty() ? weights : weights.subspan(first, count));
    }
}

/// Reads a stored graph into a graph that is open and empty.
class stored_loader {
public:
    /// `reverses`: each edge is inserted both ways. `reads_weights`: the values of the file become weights.
    stored_loader(command_context& context, std::string const& path, io::store_reader& reader,
                  graph_session& graph, bool reverses, bool reads_weights)
        : path_(path), reader_(reader), header_(reader.header()), graph_(graph), session_(*graph.session),
          progress_(shows_progress(context)), reverses_(reverses), reads_weights_(reads_weights) {}

    void load() {
        // In the order of the file, and all of them taken, many edges at once need no sort and little
        // scratch.
        bool const as_stored = !reverses_ && graph_.options.self_loops == header_.self_loops;
        if (!as_stored || !load_rows()) load_batches(as_stored ? session_.first_load_edges() : batch_edges);
    }

private:
    static constexpr std::uint64_t batch_edges = std::uint64_t{1} << 22;

    /// All rows at once. Returns false if the graph is not built from rows, if they are too large, or if
    /// memory is short; the graph is then still empty.
    [[nodiscard]] bool load_rows() {
        bool const has_weights = session_.value_type() != runtime::value_type::none;
        std::uint64_t const bytes =
            reader_.rows_bytes(reads_weights_) + (has_weights ? header_.edges * sizeof(double) : 0);
        std::uint64_t const limit = graph_.options.memory_limit_bytes == 0
                                        ? default_memory_limit()
                                        : graph_.options.memory_limit_bytes;
        if (!session_.builds_rows() || header_.edges == 0 || bytes > limit / io::rows_memory_parts)
            return false;
        progress_.show(0, "loading " + path_);
        stopwatch const reading;
        exec::thread_team team(graph_.options.threads == 0 ? std::max(1u, std::thread::hardware_concurrency())
                                                           : graph_.options.threads);
        io::stored_arrays rows = reader_.read_rows(team, reads_weights_);
        std::vector<double> weights(has_weights && !reads_weights_ ? header_.edges : 0, 1.0);
        if (reads_weights_) {
            std::span<std::byte const> const values(rows.values.get(), header_.edges * header_.value_bytes);
            weights.reserve(header_.edges);
            io::append_numbers(path_, header_, values, header_.edges, weights);
            rows.values.reset();
        }
        graph_.read_ms += reading.elapsed_ms();
        try {
            graph_.build_ms += measure_ms(session_, [&] {
                session_.insert_rows_in_space({.offsets = rows.offsets.get(),
                                               .targets = rows.targets.get(),
                                               .values = has_weights ? weights.data() : nullptr,
                                               .vertices = header_.vertices,
                                               .arcs = header_.edges});
            });
        } catch (exec::out_of_memory const&) {
            reader_.rewind(); // batches take less
            return false;
        }
        return true;
    }

    /// Batch by batch, so that the host never holds all edges.
    void load_batches(std::uint64_t first_edges) {
        std::uint64_t room = std::clamp<std::uint64_t>(header_.edges, 1, first_edges);
        auto const read = std::make_unique_for_overwrite<graph::edge[]>(room);
        std::vector<std::byte> values(reads_weights_ ? room * header_.value_bytes : 0);
        edge_list both_ways;
        std::vector<double> weights;
        for (;;) {
            progress_.show(reader_.fraction_read(), "loading " + path_);
            stopwatch const reading;
            std::span<graph::edge const> edges(
                read.get(), reader_.next_edges({read.get(), room}, reads_weights_ ? values.data() : nullptr));
            weights.clear();
            if (reads_weights_) io::append_numbers(path_, header_, values, edges.size(), weights);
            if (reverses_) {
                both_ways.edges.assign(edges.begin(), edges.end());
                both_ways.weights.swap(weights);
                both_ways.add_reverses();
                both_ways.weights.swap(weights);
                edges = both_ways.edges;
            }
            graph_.read_ms += reading.elapsed_ms();
            if (edges.empty()) return;
            graph_.build_ms += measure_ms(session_, [&] { insert_all(session_, edges, weights); });
            room = std::min(room, batch_edges);
        }
    }

    std::string const& path_;
    io::store_reader& reader_;
    io::store_header const& header_;
    graph_session& graph_;
    runtime::any_graph& session_;
    progress_bar progress_;
    bool reverses_;
    bool reads_weights_;
};

graph_session load_stored(command_context& context, std::string const& path, edge_weights wanted) {
    runtime::graph_choice options = context.args.session();
    io::store_reader reader(path);
    io::store_header const& header = reader.header();
    reader.expect_no_erased();
    bool const reverses = options.directed && !header.directed;
    bool const numbers = io::has_number_values(header);
    bool const reads_weights = wanted != edge_weights::drop && numbers;
    options.directed = options.directed || header.directed;
    options.in_arcs = options.in_arcs || header.in_arcs;
    options.self_loops = options.self_loops && header.self_loops;
    options.values = values_if(reads_weights || wanted == edge_weights::give_to_all);
    graph_session graph = open(context, options, header.vertices);
    graph.value_type = header.value_type;
    if (wanted != edge_weights::drop && header.value_bytes != 0 && !numbers)
        context.add_notice(
            fmt::format("values of type {} are left out: the tool keeps numbers only", header.value_type));
    stored_loader(context, path, reader, graph, reverses, reads_weights).load();
    return graph;
}

std::vector<double> as_numbers(std::string const& path, std::vector<std::uint64_t> const& weights) {
    for (std::uint64_t const weight : weights)
        if (weight > io::largest_exact_number)
            throw io::file_error(
                path,
                fmt::format("holds the edge weight {}; the tool keeps whole numbers up to 2^53", weight));
    return {weights.begin(), weights.end()};
}

edge_statistics statistics_of_file(io::graph_file const& file) {
    return statistics_of(file.edges, file.vertex_count, file.directed);
}

/// `wants_statistics`: the result has file_statistics.
graph_session load(command_context& context, std::string const& path, edge_weights wanted,
                   bool wants_statistics) {
    runtime::graph_choice options = context.args.session();
    graph_source source(path, named_format(context.args));
    if (source.is_stored()) {
        graph_session stored = load_stored(context, path, wanted);
        if (wants_statistics) stored.file_statistics = statistics_of_file(io::read_stored_graph(path, false));
        return stored;
    }
    progress_bar progress(shows_progress(context));
    stopwatch const reading;
    io::graph_file file = source.read(false, {.directed = options.directed, .progress = [&](double share) {
                                                  progress.show(share, "reading " + path);
                                              }});
    bool const has_weights = !file.edge_weights.empty() || !file.edge_values.empty();
    bool const has_vertex_weights = !file.vertex_weights.empty() || !file.vertex_sizes.empty();
    options.values =
        values_if(wanted == edge_weights::give_to_all || (wanted != edge_weights::drop && has_weights));
    double const read_ms = reading.elapsed_ms();
    std::optional<edge_statistics> file_statistics;
    if (wants_statistics) file_statistics = statistics_of_file(file);
    stopwatch const preparing;
    edge_list list{std::move(file.edges), {}};
    if (keeps_weights(options))
        list.weights =
            file.edge_values.empty() ? as_numbers(path, file.edge_weights) : std::move(file.edge_values);
    if (options.directed && !file.directed) list.add_reverses();
    options.directed = options.directed || file.directed;
    double const prepare_ms = preparing.elapsed_ms();
    progress.show(-1, fmt::format("building the graph of {} edges", list.edges.size()));
    graph_session graph = open(context, options, file.vertex_count);
    if (source.format().counts_from_one) graph.counts_from_one = source.format().title;
    graph.has_vertex_weights = has_vertex_weights;
    if (has_weights)
        graph.value_type =
            file.value_type.empty() ? std::string(io::stored_type_name<std::uint64_t>) : file.value_type;
    graph.read_ms = read_ms + prepare_ms;
    graph.file_statistics = file_statistics;
    graph.build_ms =
        measure_ms(*graph.session, [&] { insert_all(*graph.session, list.edges, list.weights); });
    return graph;
}

} // namespace

graph_session load_graph(command_context& context, std::string const& path, edge_weights wanted) {
    return load(context, path, wanted, false);
}

graph_session load_graph_with_statistics(command_context& context, std::string const& path) {
    return load(context, path, edge_weights::drop, true);
}

graph_session empty_graph(command_context& context, std::uint64_t vertex_count, bool weights) {
    runtime::graph_choice options = context.args.session();
    options.values = values_if(weights);
    return open(context, options, vertex_count);
}

nlohmann::ordered_json to_json(graph_session const& graph) {
    runtime::any_graph const& session = *graph.session;
    nlohmann::ordered_json limit = nullptr;
    if (graph.options.memory_limit_bytes != 0) limit = graph.options.memory_limit_bytes;
    return {{"space", session.names().space},
            {"device", session.device_name()},
            {"allocator", session.names().allocator},
            {"layout", session.names().layout},
            {"directed", graph.options.directed},
            {"weights", keeps_weights(graph.options)},
            {"vertices", session.vertex_count()},
            {"edges", session.edge_count()},
            {"arcs", session.arc_count()},
            {"memory_limit_bytes", limit},
            {"read_ms", graph.read_ms},
            {"build_ms", graph.build_ms}};
}

std::string to_text(graph_session const& graph, std::string const& path) {
    runtime::any_graph const& session = *graph.session;
    std::string const edges = graph.options.directed ? "directed edge" : "edge";
    std::string text = fmt::format(
        "graph     {}: {}, {}, {}{}\nspace     {} ({}), layout {}, allocator {}\n"
        "loading   read {:.1f} ms, built {:.1f} ms\n",
        path, counted(session.vertex_count(), "vertex", "vertices"),
        counted(session.edge_count(), edges, edges + "s"), counted(session.arc_count(), "arc", "arcs"),
        keeps_weights(graph.options) ? ", with weights" : "", session.names().space, session.device_name(),
        session.names().layout, session.names().allocator, graph.read_ms, graph.build_ms);
    if (!graph.counts_from_one.empty())
        text += fmt::format(
            "vertices  count from 0 here and from 1 in {} files: vertex v stands there as v + 1\n",
            graph.counts_from_one);
    return text;
}

} // namespace rhizome::cli
