// SPDX-License-Identifier: Apache-2.0
// Random update streams with all that is unpleasant in them.
#pragma once

#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <random>
#include <vector>

namespace rhizome::tests {

template <class Id>
struct basic_update_batch {
    bool erasing;
    std::vector<graph::basic_edge<Id>> edges;
};

/// Gives batch after batch: uniform edges, hubs, repeats within a batch and of former batches, self-loops,
/// and endpoints that are no vertex. About one batch in three erases, half of it what was inserted before.
template <class Id>
class basic_update_stream {
public:
    using edge_type = graph::basic_edge<Id>;
    using batch_type = basic_update_batch<Id>;

    basic_update_stream(std::uint64_t seed, std::uint64_t vertices, std::uint64_t batch_edges)
        : random_(seed), vertices_(vertices), batch_edges_(batch_edges) {}

    [[nodiscard]] batch_type next() {
        batch_type batch{number_ % 3 == 2, {}};
        // Small and odd sizes, too: most of what can be wrong with a batch is at its ends.
        std::uint64_t const size =
            number_ % 5 == 1 ? 1 + random_() % 40 : batch_edges_ / 2 + random_() % batch_edges_;
        ++number_;
        while (batch.edges.size() < size)
            batch.edges.push_back(next_edge(batch));
        for (edge_type const& edge : batch.edges)
            if (random_() % 4 == 0) former_.push_back(edge);
        return batch;
    }

    /// Names of vertices that are to go: some of them twice, some of no vertex.
    [[nodiscard]] std::vector<Id> next_vertices() {
        std::vector<Id> names;
        for (std::uint64_t count = 1 + random_() % 5; names.size() < count;)
            names.push_back(any_vertex());
        if (random_() % 2 == 0) names.push_back(names.front());
        if (random_() % 2 == 0) names.push_back(no_vertex());
        if (random_() % 4 == 0) names.push_back(static_cast<Id>(random_() % 3 * (vertices_ / 3)));
        return names;
    }

private:
    /// No name of a vertex. Of 64 bits, its lower half may well be one.
    Id no_vertex() {
        if constexpr (sizeof(Id) == 8)
            if (random_() % 2 == 0) return Id{1} << 32 | any_vertex();
        return graph::no_vertex_of<Id>;
    }
    Id any_vertex() { return static_cast<Id>(random_() % vertices_); }

    edge_type next_edge(batch_type const& batch) {
        std::uint64_t const dice = random_() % 100;
        if (dice < 1) return {any_vertex(), static_cast<Id>(vertices_ + random_() % 3)};
        if (dice < 2) return {no_vertex(), any_vertex()};
        if (dice < 6) {
            Id const vertex = any_vertex();
            return {vertex, vertex};
        }
        if (dice < 12 && !batch.edges.empty()) return batch.edges[random_() % batch.edges.size()];
        if (dice < (batch.erasing ? 60u : 20u) && !former_.empty()) {
            edge_type const edge = former_[random_() % former_.size()];
            return random_() % 4 == 0 ? edge_type{edge.target, edge.source} : edge;
        }
        auto const hub = static_cast<Id>(random_() % 3 * (vertices_ / 3));
        if (dice < 70) return {hub, any_vertex()};
        if (dice < 80) return {any_vertex(), hub};
        return {any_vertex(), any_vertex()};
    }

    std::mt19937_64 random_;
    std::uint64_t vertices_;
    std::uint64_t batch_edges_;
    std::uint64_t number_ = 0;
    std::vector<edge_type> former_;
};
using update_stream = basic_update_stream<graph::vertex_id>;

} // namespace rhizome::tests
