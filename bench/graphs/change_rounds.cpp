// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/graphs/change_rounds.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace rhizome::bench {
namespace {

/// Neighbouring vertices of the sources of a local batch, for each of its edges.
constexpr std::uint64_t vertices_per_edge = 4;

} // namespace

change_rounds::change_rounds(graph_input const& input, std::string const& pattern, std::uint64_t edges,
                             std::uint64_t seed)
    : input_(input), edges_(edges), are_local_(pattern == "local"), are_present_(pattern == "present"),
      slides_(pattern == "window"), random_(seed) {
    if (slides_ && input.timed_edges.empty())
        throw std::invalid_argument("a window: the edges of the graph have no times");
    std::uint64_t const window = input.timed_edges.size() / 2;
    std::uint64_t const most = slides_ ? window : are_present_ ? input.edges.size() : edges;
    if (edges > most)
        throw std::invalid_argument(
            fmt::format("batches of {} of the {} {} edges", edges, most, slides_ ? "timed" : "present"));
    if (!slides_) return;
    window_.vertices = input.vertices;
    for (std::uint64_t i = 0; i < window; ++i)
        if (++count_of(input.timed_edges[i]) == 1) window_.edges.push_back(input.timed_edges[i]);
    std::sort(window_.edges.begin(), window_.edges.end());
}

std::array<edge_change, 2> change_rounds::next() {
    if (slides_) return slide();
    edge_change one{are_present_, draw()};
    edge_change other{!are_present_, one.edges};
    return {std::move(one), std::move(other)};
}

std::array<edge_change, 2> change_rounds::slide() {
    auto const& timed = input_.timed_edges;
    std::uint64_t const window = timed.size() / 2;
    std::array<edge_change, 2> round{edge_change{true, {}}, edge_change{false, {}}};
    for (std::uint64_t i = 0; i < edges_; ++i) {
        graph::edge const& edge = timed[(begin_ + i) % timed.size()];
        if (--count_of(edge) == 0) round[0].edges.push_back(edge);
    }
    for (std::uint64_t i = 0; i < edges_; ++i) {
        graph::edge const& edge = timed[(begin_ + window + i) % timed.size()];
        if (++count_of(edge) == 1) round[1].edges.push_back(edge);
    }
    begin_ = (begin_ + edges_) % timed.size();
    return round;
}

graph::edge change_rounds::draw_new(std::uint64_t first, std::uint64_t region) {
    for (std::uint64_t attempts = 0; attempts < 1000 + 100 * edges_; ++attempts) {
        auto const one = static_cast<graph::vertex_id>(first + random_() % region);
        auto const other = static_cast<graph::vertex_id>(first + random_() % region);
        graph::edge const drawn{std::min(one, other), std::max(one, other)};
        if (one != other && !std::binary_search(input_.edges.begin(), input_.edges.end(), drawn))
            return drawn;
    }
    throw std::runtime_error(fmt::format("{} new edges were not found", edges_));
}

std::vector<graph::edge> change_rounds::draw() {
    std::uint64_t const region =
        are_local_ ? std::min(edges_ * vertices_per_edge, input_.vertices) : input_.vertices;
    std::uint64_t const first = random_() % (input_.vertices - region + 1);
    std::vector<graph::edge> edges;
    // Most draws of a large share of the edges would repeat others.
    if (are_present_ && edges_ > input_.edges.size() / 2)
        std::sample(input_.edges.begin(), input_.edges.end(), std::back_inserter(edges), edges_, random_);
    for (std::uint64_t attempts = 0; edges.size() < edges_; ++attempts) {
        if (attempts > 1000)
            throw std::runtime_error(
                fmt::format("{} {} edges were not found", edges_, are_present_ ? "present" : "new"));
        while (edges.size() < edges_)
            edges.push_back(are_present_ ? input_.edges[random_() % input_.edges.size()]
                                         : draw_new(first, region));
        std::sort(edges.begin(), edges.end());
        edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    }
    std::shuffle(edges.begin(), edges.end(), random_);
    return edges;
}

} // namespace rhizome::bench
