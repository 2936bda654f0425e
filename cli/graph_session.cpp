#include <rhizome/cli/graph_session.hpp>
#include <rhizome/cli/progress_bar.hpp>
#include <rhizome/cli/stopwatch.hpp>
#include <rhizome/io/metis.hpp>
#include <rhizome/io/store_reader.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace rhizome::cli {
namespace {

graph_session open(command_context& context, session_options const& options, std::uint64_t vertex_count) {
    graph_session graph;
    graph.options = options;
    graph.session = open_session(vertex_count, options);
    if (options.space.empty() && graph.session->space_name() != "cuda") {
        std::string_view constexpr prefix = "no usable GPU: ";
        std::string reason = cuda_unusable_because();
        if (reason.starts_with(prefix)) reason.erase(0, prefix.size());
        context.notice =
            fmt::format("no usable GPU ({}): running on {}", reason, graph.session->space_name());
    }
    return graph;
}

/// In pieces: the scratch of a batch grows with the batch, and a whole graph is the largest there is.
void insert_all(session& session, std::span<graph::edge const> edges) {
    constexpr std::size_t piece_edges = std::size_t{1} << 24;
    for (std::size_t first = 0; first < edges.size(); first += piece_edges)
        session.insert_edges(edges.subspan(first, std::min(piece_edges, edges.size() - first)));
}

void add_reverses(std::vector<graph::edge>& edges) {
    std::size_t const count = edges.size();
    edges.reserve(2 * count);
    for (std::size_t i = 0; i < count; ++i) {
        auto const [source, target] = edges[i];
        if (source != target) edges.push_back({target, source});
    }
}

/// Batch by batch, so that the host never holds all edges.
graph_session load_stored(command_context& context, std::string const& path) {
    constexpr std::size_t batch_edges = std::size_t{1} << 22;
    session_options options = context.args.session();
    io::store_reader reader(path);
    io::store_header const& header = reader.header();
    reader.expect_no_erased();
    bool const reverses = options.directed && !header.directed;
    options.directed = options.directed || header.directed;
    options.in_arcs = options.in_arcs || header.in_arcs;
    options.self_loops = options.self_loops && header.self_loops;
    graph_session graph = open(context, options, header.vertices);
    if (header.value_bytes != 0)
        context.notice += fmt::format("{}values of type {} are left out: the tool's graphs have none",
                                      context.notice.empty() ? "" : "; ", header.value_type);
    progress_bar progress(stderr_is_terminal() && !context.quiet());
    // In the order of the file, and all of them taken, many edges at once need no sort and little scratch.
    bool const as_stored = !reverses && options.self_loops == header.self_loops;
    std::uint64_t room = std::clamp<std::uint64_t>(
        header.edges, 1, as_stored ? graph.session->first_load_edges() : batch_edges);
    auto const read = std::make_unique_for_overwrite<graph::edge[]>(room);
    std::vector<graph::edge> both_ways;
    for (;;) {
        progress.show(reader.fraction_read(), "loading " + path);
        stopwatch const reading;
        std::span<graph::edge const> edges(read.get(), reader.next_edges({read.get(), room}, nullptr));
        if (reverses) {
            both_ways.assign(edges.begin(), edges.end());
            add_reverses(both_ways);
            edges = both_ways;
        }
        graph.read_ms += reading.elapsed_ms();
        if (edges.empty()) return graph;
        graph.build_ms += measure_ms(*graph.session, [&] { insert_all(*graph.session, edges); });
        room = std::min<std::uint64_t>(room, batch_edges);
    }
}

} // namespace

graph_session load_graph(command_context& context, std::string const& path) {
    if (io::is_stored_graph(path)) return load_stored(context, path);
    session_options const options = context.args.session();
    stopwatch const reading;
    io::graph_file file = io::read_metis(path);
    if (options.directed) add_reverses(file.edges);
    double const read_ms = reading.elapsed_ms();
    graph_session graph = open(context, options, file.vertex_count);
    graph.read_ms = read_ms;
    graph.build_ms = measure_ms(*graph.session, [&] { insert_all(*graph.session, file.edges); });
    return graph;
}

graph_session empty_graph(command_context& context, std::uint64_t vertex_count) {
    return open(context, context.args.session(), vertex_count);
}

nlohmann::ordered_json to_json(graph_session const& graph) {
    session const& session = *graph.session;
    return {{"space", session.space_name()},
            {"device", session.device_name()},
            {"allocator", session.allocator_name()},
            {"layout", session.layout_name()},
            {"directed", graph.options.directed},
            {"vertices", session.vertex_count()},
            {"edges", session.edge_count()},
            {"arcs", session.arc_count()},
            {"read_ms", graph.read_ms},
            {"build_ms", graph.build_ms}};
}

std::string to_text(graph_session const& graph, std::string const& path) {
    session const& session = *graph.session;
    return fmt::format("graph     {}: {} vertices, {} {}edges, {} arcs\n"
                       "space     {} ({}), allocator {}, layout {}\n"
                       "loading   read {:.1f} ms, built {:.1f} ms\n",
                       path, session.vertex_count(), session.edge_count(),
                       graph.options.directed ? "directed " : "", session.arc_count(), session.space_name(),
                       session.device_name(), session.allocator_name(), session.layout_name(), graph.read_ms,
                       graph.build_ms);
}

std::string bytes_text(std::uint64_t bytes) {
    constexpr char const* units[] = {"KiB", "MiB", "GiB", "TiB"};
    if (bytes < 1024) return fmt::format("{} B", bytes);
    double value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    for (; value >= 1024 && unit < 3; ++unit)
        value /= 1024;
    return fmt::format("{:.1f} {}", value, units[unit]);
}

} // namespace rhizome::cli
