// SPDX-License-Identifier: Apache-2.0
#include <rhizome/algorithms/bfs_options.hpp>
#include <rhizome/bench/graphs/batch_shape.hpp>
#include <rhizome/bench/graphs/search_checks.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace rhizome::bench {
namespace {

/// Whether the input has an edge between the two.
bool has_edge(graph_input const& input, graph::vertex_id a, graph::vertex_id b) {
    return std::binary_search(input.edges.begin(), input.edges.end(),
                              graph::edge{std::min(a, b), std::max(a, b)});
}

} // namespace

graph::vertex_id source_of(std::string const& kind, graph_input const& input) {
    if (kind != "rmat") return input.edges.empty() ? 0 : input.edges.front().source; // edges ascend
    std::vector<std::uint32_t> degrees(input.vertices);
    for (graph::edge const each : input.edges) {
        ++degrees[each.source];
        ++degrees[each.target];
    }
    return static_cast<graph::vertex_id>(std::max_element(degrees.begin(), degrees.end()) - degrees.begin());
}

std::string broken_search_rule(graph_input const& input, graph::vertex_id source,
                               std::vector<std::uint32_t> const& levels,
                               std::vector<graph::vertex_id> const& parents) {
    if (levels.size() != input.vertices || parents.size() != input.vertices)
        return fmt::format("{} levels and {} parents for {} vertices", levels.size(), parents.size(),
                           input.vertices);
    for (std::size_t v = 0; v < levels.size(); ++v) {
        bool const reached = levels[v] != algorithms::unreached;
        if (reached != (parents[v] != graph::no_vertex))
            return fmt::format("vertex {} has a level without a parent, or the reverse", v);
        if ((levels[v] == 0) != (v == source))
            return fmt::format("vertex {} has level {}, and the source is {}", v, levels[v], source);
        if (v == source && parents[v] != source)
            return fmt::format("the source {} has the parent {}", v, parents[v]);
        if (!reached || v == source) continue;
        auto const id = static_cast<graph::vertex_id>(v);
        if (parents[v] >= input.vertices || levels[parents[v]] + 1 != levels[v])
            return fmt::format("vertex {} has level {}, and its parent {} is not one level below", v,
                               levels[v], parents[v]);
        if (!has_edge(input, id, parents[v]))
            return fmt::format("no edge leads from vertex {} to its parent {}", v, parents[v]);
    }
    for (graph::edge const each : input.edges) {
        auto const [low, high] = std::minmax(levels[each.source], levels[each.target]);
        if (high - low > 1) // unreached is the largest number
            return fmt::format("the ends of the edge {} - {} have the levels {} and {}", each.source,
                               each.target, levels[each.source], levels[each.target]);
    }
    return "";
}

std::vector<graph::vertex_id> components_by_union_find(graph_input const& input) {
    std::vector<graph::vertex_id> parents(input.vertices);
    std::iota(parents.begin(), parents.end(), graph::vertex_id{0});
    auto const root = [&](graph::vertex_id v) {
        for (; parents[v] != v; v = parents[v])
            parents[v] = parents[parents[v]];
        return v;
    };
    for (graph::edge const each : input.edges) {
        graph::vertex_id const a = root(each.source);
        graph::vertex_id const b = root(each.target);
        parents[std::max(a, b)] = std::min(a, b); // so that a root is the least of its tree
    }
    for (std::size_t v = 0; v < parents.size(); ++v)
        parents[v] = root(static_cast<graph::vertex_id>(v));
    return parents;
}

std::vector<std::uint32_t> cores_plainly(graph_input const& input) {
    host_rows const rows = input.rows();
    auto const n = static_cast<std::size_t>(input.vertices);
    std::vector<std::uint32_t> degrees(n);
    std::vector<std::size_t> starts(1); // of the vertices of each degree, in `order`
    for (std::size_t v = 0; v < n; ++v) {
        degrees[v] = static_cast<std::uint32_t>(rows.offsets[v + 1] - rows.offsets[v]);
        if (degrees[v] + std::size_t{2} > starts.size()) starts.resize(degrees[v] + std::size_t{2});
        ++starts[degrees[v] + std::size_t{1}];
    }
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<graph::vertex_id> order(n);
    std::vector<std::size_t> places(n);
    std::vector<std::size_t> next = starts;
    for (std::size_t v = 0; v < n; ++v) {
        places[v] = next[degrees[v]]++;
        order[places[v]] = static_cast<graph::vertex_id>(v);
    }
    for (std::size_t i = 0; i < n; ++i) {
        graph::vertex_id const v = order[i];
        for (std::uint64_t j = rows.offsets[v]; j < rows.offsets[v + std::size_t{1}]; ++j) {
            graph::vertex_id const other = rows.targets[j];
            if (degrees[other] <= degrees[v]) continue;
            // It changes places with the first vertex of its degree that is left, and its degree falls.
            std::size_t const first = std::max(starts[degrees[other]], i + 1);
            graph::vertex_id const moved = order[first];
            std::swap(order[first], order[places[other]]);
            std::swap(places[moved], places[other]);
            starts[degrees[other]] = first + 1;
            --degrees[other];
        }
    }
    return degrees;
}

double weight_of(graph::edge each, std::uint64_t seed) {
    auto const [low, high] = std::minmax(each.source, each.target);
    std::uint64_t const bits =
        batch_shape::mixed(batch_shape::mixed(seed) ^ (std::uint64_t{low} << 32 | high));
    std::uint64_t const weight = 1 + (bits >> 32) * 255 / (std::uint64_t{1} << 32);
    return static_cast<double>(weight);
}

std::string broken_path_rule(graph_input const& input, std::uint64_t seed, graph::vertex_id source,
                             std::vector<double> const& distances,
                             std::vector<graph::vertex_id> const& parents) {
    if (distances.size() != input.vertices || parents.size() != input.vertices)
        return fmt::format("{} distances and {} parents for {} vertices", distances.size(), parents.size(),
                           input.vertices);
    for (std::size_t v = 0; v < distances.size(); ++v) {
        bool const reached = std::isfinite(distances[v]);
        if (reached != (parents[v] != graph::no_vertex))
            return fmt::format("vertex {} has a distance without a parent, or the reverse", v);
        if ((distances[v] == 0) != (v == source))
            return fmt::format("vertex {} has distance {}, and the source is {}", v, distances[v], source);
        if (v == source && parents[v] != source)
            return fmt::format("the source {} has the parent {}", v, parents[v]);
        if (!reached || v == source) continue;
        graph::edge const last{parents[v], static_cast<graph::vertex_id>(v)};
        if (last.source >= input.vertices || !has_edge(input, last.source, last.target))
            return fmt::format("no edge leads from vertex {} to its parent {}", v, parents[v]);
        if (distances[last.source] + weight_of(last, seed) != distances[v])
            return fmt::format("vertex {} has distance {}, its parent {} distance {}, and the edge weight {}",
                               v, distances[v], last.source, distances[last.source], weight_of(last, seed));
    }
    for (graph::edge const each : input.edges) {
        auto const [low, high] = std::minmax(distances[each.source], distances[each.target]);
        if (high > low + weight_of(each, seed)) // unreached is infinite
            return fmt::format("the ends of the edge {} - {} have the distances {} and {}, its weight is {}",
                               each.source, each.target, distances[each.source], distances[each.target],
                               weight_of(each, seed));
    }
    return "";
}

} // namespace rhizome::bench
