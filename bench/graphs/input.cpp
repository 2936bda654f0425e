// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/graphs/input.hpp>
#include <rhizome/io/generate/mesh.hpp>
#include <rhizome/io/generate/rgg.hpp>
#include <rhizome/io/generate/rmat.hpp>
#include <rhizome/io/generate/road.hpp>
#include <rhizome/io/graph_format.hpp>
#include <rhizome/io/packed_file.hpp>
#include <rhizome/io/write_graph.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace rhizome::bench {
namespace {

constexpr unsigned rmat_edge_factor = 16;
constexpr double damping = 0.85; // the default of the algorithm

unsigned mesh_side(unsigned scale) {
    double const wanted = static_cast<double>(std::uint64_t{1} << scale);
    auto const cube = [](unsigned side) { return static_cast<double>(side) * side * side; };
    unsigned side = 1;
    while (cube(side + 1) <= wanted)
        ++side;
    return cube(side + 1) - wanted < wanted - cube(side) ? side + 1 : side;
}

/// Whether io::read_graph() knows the ending: not those of archives, notes and unfinished downloads.
bool is_graph_file(std::string const& name) {
    std::string const plain = io::without_packing(name);
    io::graph_format const* const format = io::format_by_name(plain);
    return format != nullptr && format->read != nullptr && (!format->is_stored || plain == name);
}

/// Without self-loops; edges of equal times keep their order.
std::vector<graph::edge> in_order_of_times(io::graph_file const& file) {
    std::vector<std::size_t> order(file.edge_times.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return file.edge_times[a] < file.edge_times[b]; });
    std::vector<graph::edge> edges;
    for (std::size_t const i : order)
        if (file.edges[i].source != file.edges[i].target) edges.push_back(file.edges[i]);
    return edges;
}

io::graph_file generate(std::string const& kind, unsigned scale, std::uint64_t seed) {
    if (kind == "rgg") return io::generate_rgg(scale, seed);
    if (kind == "road") return io::generate_road(scale, seed);
    if (kind == "rmat") return io::generate_rmat(scale, rmat_edge_factor, seed);
    return io::generate_mesh(mesh_side(scale));
}

} // namespace

std::vector<std::string> const& graph_kinds() {
    static std::vector<std::string> const kinds{"rgg", "mesh", "road", "rmat"};
    return kinds;
}

std::vector<graph::edge> graph_input::both_directions() const {
    std::vector<graph::edge> arcs_of_edges = edges;
    arcs_of_edges.reserve(arcs());
    for (graph::edge const each : edges)
        arcs_of_edges.push_back({each.target, each.source});
    return arcs_of_edges;
}

host_rows graph_input::rows() const {
    host_rows result;
    result.offsets.resize(vertices + 1);
    for (graph::edge const each : edges) {
        ++result.offsets[each.source + 1];
        ++result.offsets[each.target + 1];
    }
    for (std::size_t v = 0; v < vertices; ++v)
        result.offsets[v + 1] += result.offsets[v];
    result.targets.resize(arcs());
    std::vector<std::uint64_t> next(result.offsets.begin(), result.offsets.end() - 1);
    // The edges ascend: a row first gets its lower neighbours, as their rows come, and then the higher ones.
    for (graph::edge const each : edges) {
        result.targets[next[each.source]++] = each.target;
        result.targets[next[each.target]++] = each.source;
    }
    return result;
}

graph_input simple_graph_of(io::graph_file file) {
    for (graph::edge& each : file.edges)
        if (each.source > each.target) std::swap(each.source, each.target);
    std::vector<graph::edge> timed = in_order_of_times(file);
    std::erase_if(file.edges, [](graph::edge each) { return each.source == each.target; });
    std::sort(file.edges.begin(), file.edges.end());
    file.edges.erase(std::unique(file.edges.begin(), file.edges.end()), file.edges.end());
    return {file.vertex_count, std::move(file.edges), std::move(timed)};
}

std::string dataset_file(std::string const& name) {
    char const* const folder = std::getenv("RHIZOME_DATASETS");
    if (folder == nullptr || *folder == '\0') return "";
    std::error_code unreadable; // a folder that is not there holds no file
    std::string best;
    for (auto const& entry : std::filesystem::directory_iterator(folder, unreadable)) {
        std::string const found = entry.path().filename().string();
        if (!found.starts_with(name + ".") || !is_graph_file(found) || !entry.is_regular_file()) continue;
        if (best.empty() || found < best) best = found;
    }
    return best.empty() ? "" : (std::filesystem::path(folder) / best).string();
}

graph_input make_graph_input(std::string const& kind, unsigned scale, std::uint64_t seed) {
    auto const& kinds = graph_kinds();
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
        std::string const path = std::filesystem::is_regular_file(kind) ? kind : dataset_file(kind);
        if (path.empty()) throw std::invalid_argument("there is no graph '" + kind + "'");
        return simple_graph_of(io::read_graph(path));
    }
    io::graph_file file = generate(kind, scale, seed);
    return {file.vertex_count, std::move(file.edges)};
}

std::vector<double> rank_plainly(graph_input const& input, unsigned iterations) {
    auto const n = static_cast<double>(input.vertices);
    std::vector<double> degrees(input.vertices);
    for (graph::edge const each : input.edges) {
        degrees[each.source] += 1;
        degrees[each.target] += 1;
    }
    std::vector<double> ranks(input.vertices, 1 / n);
    std::vector<double> given(input.vertices);
    for (unsigned i = 0; i < iterations; ++i) {
        double dangling = 0;
        for (std::size_t v = 0; v < ranks.size(); ++v) {
            if (degrees[v] == 0) dangling += ranks[v];
            given[v] = degrees[v] == 0 ? 0 : ranks[v] / degrees[v];
        }
        std::vector<double> received(input.vertices);
        for (graph::edge const each : input.edges) {
            received[each.target] += given[each.source];
            received[each.source] += given[each.target];
        }
        for (std::size_t v = 0; v < ranks.size(); ++v)
            ranks[v] = (1 - damping) / n + damping * (received[v] + dangling / n);
    }
    return ranks;
}

std::uint64_t count_triangles_plainly(graph_input const& input) {
    // Every triangle once, by its smallest vertex: a common higher neighbour of both ends of an edge.
    std::vector<std::uint64_t> first(input.vertices + 1);
    for (graph::edge const each : input.edges)
        ++first[each.source + 1];
    for (std::size_t v = 0; v < input.vertices; ++v)
        first[v + 1] += first[v];
    std::uint64_t triangles = 0;
    for (graph::edge const each : input.edges) {
        std::uint64_t left = first[each.source];
        std::uint64_t right = first[each.target];
        while (left < first[each.source + 1] && right < first[each.target + 1]) {
            graph::vertex_id const a = input.edges[left].target;
            graph::vertex_id const b = input.edges[right].target;
            triangles += a == b ? 1 : 0;
            left += a <= b ? 1 : 0;
            right += b <= a ? 1 : 0;
        }
    }
    return triangles;
}

} // namespace rhizome::bench
