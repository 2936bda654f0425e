// SPDX-License-Identifier: Apache-2.0
// The kernels that group a batch by rank. Each warp takes a run of neighbouring edges. It first counts the
// arcs for each rank; the prefix sums over all ranks and warps are the places where it writes them.
#pragma once

#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/partition/routing_rules.hpp>

#include <cstdint>

namespace rhizome::graph::detail {

/// A batch, and the runs of edges into which its warps divide it.
template <class Id, class Owners>
struct batch_runs {
    routing_rules<Id, Owners> rules;
    basic_edge<Id> const* edges;
    std::uint64_t count;
    std::uint64_t warps;

    /// The rank that gets arc number `which` of an edge; the number of ranks, if there is no such arc.
    [[nodiscard]] RZ_HD std::uint32_t rank_of(basic_edge<Id> const& e, std::uint32_t which) const {
        return rules.has_arc(e, which) ? rules.owners.owner(rules.vertex_of(e, which)) : rules.owners.ranks();
    }

    /// Calls function(edge, number) for the edges of this lane's warp, in their order. For whole warps, all
    /// lanes are called together, and those past the end with an edge that has no arcs.
    template <class Thread, class Function>
    RZ_HD void for_each_edge(Thread const& thread, Function&& function) const {
        auto const warp = thread.warp();
        std::uint64_t const lanes = warp.size();
        std::uint64_t const run = (count + warps * lanes - 1) / (warps * lanes) * lanes;
        std::uint64_t const begin = warp.index() * run;
        std::uint64_t const end = begin + run < count ? begin + run : count;
        constexpr std::uint32_t ahead = Thread::prefers_runs ? 1 : 4; // loads under way at a time
        for (std::uint64_t first = begin; first < end; first += ahead * lanes) {
            basic_edge<Id> loaded[ahead];
            // Unrolled, so that they are in registers.
            RZ_UNROLL
            for (std::uint32_t i = 0; i < ahead; ++i) {
                std::uint64_t const number = first + i * lanes + warp.rank();
                loaded[i] = number < end ? edges[number] : basic_edge<Id>{no_vertex, no_vertex};
            }
            RZ_UNROLL
            for (std::uint32_t i = 0; i < ahead; ++i)
                if (first + i * lanes < end) function(loaded[i], first + i * lanes + warp.rank());
        }
    }

private:
    static constexpr Id no_vertex = static_cast<Id>(~Id{0}); ///< at least `vertices`, whatever the graph
};

/// The ranks that get the arcs of a warp's edges, a bit of the rank at a time: which lanes have the bit set.
/// `PerEdge`: arcs per edge, 1 or 2. All lanes of the warp call each function together.
template <std::uint32_t PerEdge, class Warp>
class ranks_of_lanes {
public:
    RZ_HD ranks_of_lanes(Warp const& warp, std::uint32_t ranks)
        : warp_(warp), bits_(exec::bit_width(ranks)), all_(warp.ballot(true)) {}

    struct lanes {
        std::uint32_t first;  ///< whose first arc goes to a rank
        std::uint32_t second; ///< 0 if edges have one arc
        [[nodiscard]] RZ_HD std::uint32_t count() const {
            return exec::popcount(first) + exec::popcount(second);
        }
        /// Arcs of lower lanes; arcs are in the order of the lanes, and of a lane the first one first.
        [[nodiscard]] RZ_HD std::uint32_t before(std::uint32_t lane) const {
            std::uint32_t const lower = (1u << lane) - 1;
            return exec::popcount(first & lower) + exec::popcount(second & lower);
        }
    };

    /// sought[i] becomes the lanes with an arc for rank seeking[i]. `first`, `second`: where this lane's arcs
    /// go.
    template <std::uint32_t N>
    RZ_HD void find(std::uint32_t first, std::uint32_t second, std::uint32_t const (&seeking)[N],
                    lanes (&sought)[N]) const {
        for (lanes& each : sought)
            each = {all_, PerEdge == 2 ? all_ : 0};
        for (std::uint32_t bit = 0; bit < bits_; ++bit) {
            std::uint32_t const in_first = warp_.ballot((first >> bit & 1) != 0);
            std::uint32_t const in_second = PerEdge == 2 ? warp_.ballot((second >> bit & 1) != 0) : 0;
            for (std::uint32_t i = 0; i < N; ++i) {
                std::uint32_t const flipped = (seeking[i] >> bit & 1) != 0 ? 0 : ~0u;
                sought[i].first &= in_first ^ flipped;
                sought[i].second &= in_second ^ flipped;
            }
        }
    }

private:
    Warp const& warp_;
    std::uint32_t bits_;
    std::uint32_t all_;
};

/// Counts of a batch that all warps add to, and where the host reads them. The last block writes them there
/// and clears them for the next batch: a fill and a copy would take longer than the kernel.
struct routing_totals {
    std::uint64_t* sums; ///< the arcs for each rank; edges that are rejected; refused as self-loops
    std::uint32_t* blocks_done;
    std::uint64_t* report; ///< the same for the host
    std::uint32_t ranks;

    template <class Thread>
    RZ_HD void add(Thread const& thread, std::uint32_t rank, std::uint64_t count) const {
        static_cast<void>(thread.device(sums[rank]).fetch_add(count, exec::order::relaxed));
    }
    /// Called once by all threads of all blocks, after all that they add.
    template <class Thread>
    RZ_HD void report_by_last_block(Thread const& thread) const {
        auto const block = thread.block();
        auto const warp = thread.warp();
        block.sync(); // the leader counts the block as done for all its threads
        if (block.rank() >= warp.size()) return;
        bool last = false;
        if (block.is_leader())
            last = thread.device(*blocks_done).fetch_add(1u, exec::order::acq_rel) + 1 == block.count();
        if (!warp.any(last)) return;
        warp.sync(); // all lanes see what the leader acquired
        for (std::uint32_t i = warp.rank(); i < ranks + 2; i += warp.size()) {
            report[i] = thread.device(sums[i]).load(exec::order::relaxed);
            sums[i] = 0;
        }
        if (warp.rank() == 0) *blocks_done = 0;
    }
};

/// counts[rank * warps + warp]: how many arcs of the warp's edges go to the rank.
template <class Id, class Owners>
struct count_routed {
    batch_runs<Id, Owners> batch;
    std::uint32_t* counts;
    routing_totals totals;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (batch.rules.arcs_per_edge() == 1)
            count<1>(thread);
        else
            count<2>(thread);
        totals.report_by_last_block(thread);
    }

private:
    template <std::uint32_t PerEdge, class Thread>
    RZ_HD void count(Thread const& thread) const {
        auto const warp = thread.warp();
        std::uint32_t const ranks = batch.rules.owners.ranks();
        std::uint32_t rejected = 0;
        std::uint32_t self_loops = 0;
        auto const look_at = [&](basic_edge<Id> const& e, std::uint64_t number) {
            if (number >= batch.count) return;
            rejected += batch.rules.knows(e) ? 0 : 1;
            self_loops += batch.rules.knows(e) && batch.rules.refuses(e) ? 1 : 0;
        };
        auto const store = [&](std::uint32_t rank, std::uint32_t found) {
            counts[rank * batch.warps + warp.index()] = found;
            if (found != 0) totals.add(thread, rank, found);
        };
        if constexpr (Thread::prefers_runs) { // one lane: it counts in memory
            std::uint64_t const column = warp.index();
            for (std::uint32_t rank = 0; rank < ranks; ++rank)
                counts[rank * batch.warps + column] = 0;
            batch.for_each_edge(thread, [&](basic_edge<Id> const& e, std::uint64_t number) {
                look_at(e, number);
                for (std::uint32_t which = 0; which < PerEdge; ++which)
                    if (std::uint32_t const rank = batch.rank_of(e, which); rank < ranks)
                        ++counts[rank * batch.warps + column];
            });
            for (std::uint32_t rank = 0; rank < ranks; ++rank)
                store(rank, counts[rank * batch.warps + column]);
        } else { // each lane counts for one rank
            ranks_of_lanes<PerEdge, decltype(warp)> const of_lanes(warp, ranks);
            for (std::uint32_t first = 0; first < ranks; first += warp.size()) {
                std::uint32_t const own = first + warp.rank();
                std::uint32_t found = 0;
                batch.for_each_edge(thread, [&](basic_edge<Id> const& e, std::uint64_t number) {
                    if (first == 0) look_at(e, number);
                    typename decltype(of_lanes)::lanes lanes[1];
                    of_lanes.find(batch.rank_of(e, 0), PerEdge == 2 ? batch.rank_of(e, 1) : ranks, {own},
                                  lanes);
                    found += lanes[0].count();
                });
                if (own < ranks) store(own, found);
            }
        }
        exec::add_to_total(thread, totals.sums[ranks], std::uint64_t{rejected});
        exec::add_to_total(thread, totals.sums[ranks + 1], std::uint64_t{self_loops});
    }
};

/// Where the arcs of a batch are written: those for this rank where they stay, those for other ranks, one
/// rank after the other, where they are sent from. Values alike, where there are any.
template <class Id, class Value>
struct routed_places {
    std::uint32_t self;
    std::uint64_t own_begin; ///< arcs for lower ranks
    std::uint64_t own_count;
    routed_arc<Id>* own;
    Value* own_values;
    routed_arc<Id>* others;
    Value* other_values;

    /// `place`: among the arcs for all ranks, one rank after the other.
    RZ_HD void write(std::uint32_t rank, std::uint64_t place, routed_arc<Id> const& arc,
                     Value const* value) const {
        bool const stays = rank == self;
        std::uint64_t const to = stays ? place - own_begin : rank > self ? place - own_count : place;
        (stays ? own : others)[to] = arc;
        if (value != nullptr) (stays ? own_values : other_values)[to] = *value;
    }
};

/// Writes the arcs of each rank in the order of the batch. `places`: the prefix sums of count_routed::counts.
template <class Id, class Owners, class Value>
struct place_routed {
    batch_runs<Id, Owners> batch;
    Value const* values;
    std::uint32_t* places;
    routed_places<Id, Value> to;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (batch.rules.arcs_per_edge() == 1)
            place<1>(thread);
        else
            place<2>(thread);
    }

private:
    template <std::uint32_t PerEdge, class Thread>
    RZ_HD void place(Thread const& thread) const {
        auto const warp = thread.warp();
        std::uint32_t const ranks = batch.rules.owners.ranks();
        auto const write = [&](basic_edge<Id> const& e, std::uint64_t number, std::uint32_t which,
                               std::uint32_t rank, std::uint32_t place) {
            to.write(rank, place, batch.rules.arc(e, which), values == nullptr ? nullptr : values + number);
        };
        if constexpr (Thread::prefers_runs) {
            batch.for_each_edge(thread, [&](basic_edge<Id> const& e, std::uint64_t number) {
                for (std::uint32_t which = 0; which < PerEdge; ++which)
                    if (std::uint32_t const rank = batch.rank_of(e, which); rank < ranks)
                        write(e, number, which, rank, places[rank * batch.warps + warp.index()]++);
            });
        } else {
            ranks_of_lanes<PerEdge, decltype(warp)> const of_lanes(warp, ranks);
            for (std::uint32_t first = 0; first < ranks; first += warp.size()) {
                std::uint32_t const own = first + warp.rank();
                std::uint32_t next = own < ranks ? places[own * batch.warps + warp.index()] : 0;
                batch.for_each_edge(thread, [&](basic_edge<Id> const& e, std::uint64_t number) {
                    std::uint32_t const rank[2] = {batch.rank_of(e, 0),
                                                   PerEdge == 2 ? batch.rank_of(e, 1) : ranks};
                    typename decltype(of_lanes)::lanes found[1 + PerEdge]; // the first: for rank `own`
                    if constexpr (PerEdge == 2)
                        of_lanes.find(rank[0], rank[1], {own, rank[0], rank[1]}, found);
                    else
                        of_lanes.find(rank[0], ranks, {own, rank[0]}, found);
                    RZ_UNROLL
                    for (std::uint32_t which = 0; which < PerEdge; ++which) {
                        bool const here = rank[which] >= first && rank[which] < first + warp.size();
                        std::uint32_t const begin = warp.shuffle(next, here ? rank[which] - first : 0);
                        if (!here || rank[which] == ranks) continue;
                        std::uint32_t const after_first = which == 1 && rank[0] == rank[1] ? 1 : 0;
                        write(e, number, which, rank[which],
                              begin + found[1 + which].before(warp.rank()) + after_first);
                    }
                    next += found[0].count();
                });
            }
        }
    }
};

} // namespace rhizome::graph::detail
