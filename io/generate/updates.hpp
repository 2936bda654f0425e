// Update streams for a given graph.
#pragma once

#include <rhizome/io/edge_key_set.hpp>
#include <rhizome/io/generate/random.hpp>
#include <rhizome/io/update.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace rhizome::io {

/// What a generated stream is made of; shares are in [0, 1].
struct update_mix {
    double insert_share = 0.5;      ///< of all updates; the others erase. 0: nothing is inserted
    double near_share = 0.5;        ///< of the inserted pairs: numbers at most 64 apart; the others uniform
    double repeat_share = 0.02;     ///< of all updates: the update before, once more
    double no_effect_share = 0.02;  ///< of all updates: inserts what is present, erases what is absent
    double self_loop_share = 0.001; ///< of all updates

    /// Throws std::invalid_argument naming the share that is out of range.
    void check() const;
};

/// Draws updates one by one and keeps track of the graph that they lead to. Insertions take random absent
/// pairs, deletions random present edges, but for the shares of update_mix; where there is nothing to erase
/// it inserts, unless insert_share is 0: then it erases absent edges. The same graph, mix and seed give the
/// same stream on every machine.
class update_generator {
public:
    /// `edges` must name vertices below `vertex_count`. Throws std::invalid_argument if one does not, if
    /// there is no vertex, or for a bad mix.
    update_generator(std::uint64_t vertex_count, std::span<graph::edge const> edges, bool directed,
                     update_mix const& mix, std::uint64_t seed);

    update next();

    /// The edges after the updates drawn so far, each once, in no order.
    [[nodiscard]] std::span<graph::edge const> present() const { return present_; }

private:
    update draw();
    update insert_absent();
    update erase_present();
    update erase_loop(graph::edge loop);
    [[nodiscard]] bool may_insert() const { return mix_.insert_share > 0; }
    graph::vertex_id any_vertex();
    graph::edge any_pair();
    graph::edge absent_pair();
    std::size_t any_present();
    bool add(graph::edge edge);

    std::uint64_t vertex_count_;
    bool directed_;
    update_mix mix_;
    random_source random_;
    std::vector<graph::edge> present_;
    edge_key_set keys_; ///< of present_
    update last_{operation::insert, {graph::no_vertex, graph::no_vertex}};
};

} // namespace rhizome::io
