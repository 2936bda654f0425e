// SPDX-License-Identifier: Apache-2.0
// Update streams for a given graph.
#pragma once

#include <rhizome/io/edge_key_set.hpp>
#include <rhizome/io/generate/random.hpp>
#include <rhizome/io/update.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rhizome::io {

/// The composition of a generated stream. Shares are in [0, 1].
struct update_mix {
    double insert_share = 0.5;      ///< of all updates; the others erase. 0: no insertions
    double near_share = 0.5;        ///< of the inserted pairs: ids at most 64 apart; the others uniform
    double repeat_share = 0.02;     ///< of all updates: repeats the update before
    double no_effect_share = 0.02;  ///< of all updates: inserts a present edge or erases an absent one
    double self_loop_share = 0.001; ///< of all updates
    /// New edges leave one of so many vertices, which are drawn from the seed. 0: any vertex.
    std::uint64_t source_count = 0;
    double burst_share = 0; ///< of all updates: in bursts, whose new edges leave one vertex per burst
    std::uint64_t burst_length = 1000; ///< updates per burst
    bool oldest_first = false;         ///< erases the edge that is there the longest, instead of a random one

    /// Throws std::invalid_argument naming the share that is out of range, or burst_length if that is 0.
    void check() const;
};

/// Draws updates one by one and keeps track of the graph that they lead to. Except for the shares of
/// update_mix, insertions take random absent pairs and deletions take random present edges. If there is no
/// edge to erase, it inserts one; with insert_share 0 it erases an absent edge instead. The same graph, mix
/// and seed give the same stream on every machine.
/// With oldest_first the stream is that of a window over time: edges leave it in the order in which they came
/// (those of the graph at first in the order of `edges`). Bursts begin at random times; each has burst_length
/// updates and a vertex of its own, from the sources if these are limited.
class update_generator {
public:
    /// Throws std::invalid_argument if an end of an edge is not below `vertex_count`, if there is no vertex,
    /// if the mix has more sources than there are vertices, or if mix.check() throws.
    update_generator(std::uint64_t vertex_count, std::span<graph::edge const> edges, bool directed,
                     update_mix const& mix, std::uint64_t seed);

    /// Draws the next update.
    update next();

    /// Returns the edges after the updates drawn so far, each once, in no particular order.
    [[nodiscard]] std::span<graph::edge const> present() const {
        return std::span(present_).subspan(oldest_);
    }

private:
    update draw();
    update insert_absent();
    update erase_present();
    update erase_loop(graph::edge loop);
    [[nodiscard]] bool may_insert() const { return mix_.insert_share > 0; }
    void draw_sources();
    void move_burst();
    graph::vertex_id any_source();
    graph::vertex_id any_vertex();
    graph::edge any_pair();
    graph::edge absent_pair();
    std::size_t any_present();
    bool add(graph::edge edge);

    std::uint64_t vertex_count_;
    bool directed_;
    update_mix mix_;
    random_source random_;
    std::vector<graph::vertex_id> sources_; ///< empty: all
    double burst_chance_ = 0;               ///< that a burst begins with the next update
    std::uint64_t burst_left_ = 0;          ///< updates of the present burst
    graph::vertex_id burst_source_ = graph::no_vertex;
    std::vector<graph::edge> present_; ///< from place oldest_ on; with oldest_first in the order of insertion
    std::size_t oldest_ = 0;
    edge_key_set keys_; ///< of the present edges
    update last_{operation::insert, {graph::no_vertex, graph::no_vertex}};
};

} // namespace rhizome::io
