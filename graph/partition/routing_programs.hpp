// SPDX-License-Identifier: Apache-2.0
// The kernels that group a batch by rank, or by rank and the lowest bits of the target. Each warp takes a run
// of edges, and counts its arcs of each group. The prefix sums over all groups and runs are the places where
// the arcs are written: in memory of this rank, or of others. Where blocks have several threads, and there
// are no more groups than lanes, routing_tiles.hpp takes tiles instead of runs.
#pragma once

#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/batch/plan/sorting_arrays.hpp>
#include <rhizome/graph/partition/routing_rules.hpp>

#include <cstdint>

namespace rhizome::graph::detail {

/// A batch, and the runs of edges into which its warps divide it, where they take runs.
template <class Id, class Owners>
struct batch_runs {
    routing_rules<Id, Owners> rules;
    basic_edge<Id> const* edges;
    std::uint64_t count;
    std::uint64_t warps;
    unsigned low_bits = 0; ///< arcs for a rank are grouped by so many lowest bits of their target

    [[nodiscard]] RZ_HD std::uint32_t groups() const { return rules.owners.ranks() << low_bits; }
    /// The group of arc number `which` of an edge: (lowest bits) * ranks + rank. groups(), if there is no
    /// such arc.
    [[nodiscard]] RZ_HD std::uint32_t group_of(basic_edge<Id> const& e, std::uint32_t which) const {
        if (!rules.has_arc(e, which)) return groups();
        std::uint32_t const rank = rules.owners.owner(rules.vertex_of(e, which));
        if (low_bits == 0) return rank;
        auto const target = static_cast<std::uint32_t>(which == 0 ? e.target : e.source);
        return (target & ((1u << low_bits) - 1)) * rules.owners.ranks() + rank;
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

/// The groups of the arcs of a warp's edges, a bit of the group at a time: which lanes have the bit set.
/// `PerEdge`: arcs per edge, 1 or 2. All lanes of the warp call each function together.
template <std::uint32_t PerEdge, class Warp>
class groups_of_lanes {
public:
    RZ_HD groups_of_lanes(Warp const& warp, std::uint32_t groups)
        : warp_(warp), bits_(exec::bit_width(groups)), all_(warp.ballot(true)) {}

    struct lanes {
        std::uint32_t first;  ///< whose first arc is of a group
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

    /// sought[i] becomes the lanes with an arc of group seeking[i]. `first`, `second`: the groups of this
    /// lane's arcs.
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
    std::uint64_t* sums; ///< the arcs of each group; edges that are rejected; refused as self-loops
    std::uint32_t* blocks_done;
    std::uint64_t* report; ///< the same for the host
    std::uint32_t groups;

    template <class Thread>
    RZ_HD void add(Thread const& thread, std::uint32_t group, std::uint64_t count) const {
        static_cast<void>(thread.device(sums[group]).fetch_add(count, exec::order::relaxed));
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
        for (std::uint32_t i = warp.rank(); i < groups + 2; i += warp.size()) {
            report[i] = thread.device(sums[i]).load(exec::order::relaxed);
            sums[i] = 0;
        }
        if (warp.rank() == 0) *blocks_done = 0;
    }
};

/// counts[group * warps + warp]: how many arcs of the warp's edges are of the group.
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
        std::uint32_t const groups = batch.groups();
        std::uint32_t rejected = 0;
        std::uint32_t self_loops = 0;
        auto const look_at = [&](basic_edge<Id> const& e, std::uint64_t number) {
            if (number >= batch.count) return;
            rejected += batch.rules.knows(e) ? 0 : 1;
            self_loops += batch.rules.knows(e) && batch.rules.refuses(e) ? 1 : 0;
        };
        auto const store = [&](std::uint32_t group, std::uint32_t found) {
            counts[group * batch.warps + warp.index()] = found;
            if (found != 0) totals.add(thread, group, found);
        };
        if constexpr (Thread::prefers_runs) { // one lane: it counts in memory
            std::uint64_t const column = warp.index();
            for (std::uint32_t group = 0; group < groups; ++group)
                counts[group * batch.warps + column] = 0;
            batch.for_each_edge(thread, [&](basic_edge<Id> const& e, std::uint64_t number) {
                look_at(e, number);
                for (std::uint32_t which = 0; which < PerEdge; ++which)
                    if (std::uint32_t const group = batch.group_of(e, which); group < groups)
                        ++counts[group * batch.warps + column];
            });
            for (std::uint32_t group = 0; group < groups; ++group)
                store(group, counts[group * batch.warps + column]);
        } else { // each lane counts for one group
            groups_of_lanes<PerEdge, decltype(warp)> const of_lanes(warp, groups);
            for (std::uint32_t first = 0; first < groups; first += warp.size()) {
                std::uint32_t const own = first + warp.rank();
                std::uint32_t found = 0;
                batch.for_each_edge(thread, [&](basic_edge<Id> const& e, std::uint64_t number) {
                    if (first == 0) look_at(e, number);
                    typename decltype(of_lanes)::lanes lanes[1];
                    of_lanes.find(batch.group_of(e, 0), PerEdge == 2 ? batch.group_of(e, 1) : groups, {own},
                                  lanes);
                    found += lanes[0].count();
                });
                if (own < groups) store(own, found);
            }
        }
        exec::add_to_total(thread, totals.sums[groups], std::uint64_t{rejected});
        exec::add_to_total(thread, totals.sums[groups + 1], std::uint64_t{self_loops});
    }
};

/// So many groups have a place each in the parameters of a kernel.
inline constexpr std::uint32_t most_placed_groups = 32;

/// Where the arcs of a batch are written, and their values, where there are any. Of up to most_placed_groups
/// groups, each has a place of its own. Of more, there is one for each rank: those for this rank are written
/// where they stay, and those for other ranks, one rank after the other, where they are sent from.
template <class Id, class Value>
struct routed_places {
    struct group_place {
        routed_arc<Id>* arcs;
        Value* values;
        std::uint64_t begin; ///< arcs of lower groups
    };
    bool has_table;
    std::uint32_t packed_groups; ///< a bit for each: its arcs are written as keys
    batch::packed_keys<Id> keys;
    group_place table[most_placed_groups];

    std::uint32_t self;
    std::uint64_t own_begin; ///< arcs for lower ranks
    std::uint64_t own_count;
    routed_arc<Id>* own;
    Value* own_values;
    routed_arc<Id>* others;
    Value* other_values;

    /// An arc as its group gets it.
    [[nodiscard]] RZ_HD routed_arc<Id> form_of(std::uint32_t group, routed_arc<Id> const& arc) const {
        if (!has_table || (packed_groups >> group & 1) == 0) return arc;
        auto const key = keys.make(arc.source, arc.target);
        return {static_cast<Id>(key), static_cast<Id>(key >> 8 * sizeof(Id))}; // the lower half comes first
    }
    /// `place`: among the arcs of all groups, one group after the other.
    RZ_HD void write(std::uint32_t group, std::uint64_t place, routed_arc<Id> const& formed,
                     Value const* value) const {
        if (has_table) {
            group_place const& to = table[group];
            to.arcs[place - to.begin] = formed;
            if (value != nullptr) to.values[place - to.begin] = *value;
            return;
        }
        bool const stays = group == self;
        std::uint64_t const to = stays ? place - own_begin : group > self ? place - own_count : place;
        (stays ? own : others)[to] = formed;
        if (value != nullptr) (stays ? own_values : other_values)[to] = *value;
    }
};

/// Writes the arcs of each group in the order of the batch. `places`: the prefix sums of
/// count_routed::counts.
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
        std::uint32_t const groups = batch.groups();
        auto const write = [&](basic_edge<Id> const& e, std::uint64_t number, std::uint32_t which,
                               std::uint32_t group, std::uint32_t place) {
            to.write(group, place, to.form_of(group, batch.rules.arc(e, which)),
                     values == nullptr ? nullptr : values + number);
        };
        if constexpr (Thread::prefers_runs) {
            batch.for_each_edge(thread, [&](basic_edge<Id> const& e, std::uint64_t number) {
                for (std::uint32_t which = 0; which < PerEdge; ++which)
                    if (std::uint32_t const group = batch.group_of(e, which); group < groups)
                        write(e, number, which, group, places[group * batch.warps + warp.index()]++);
            });
        } else {
            groups_of_lanes<PerEdge, decltype(warp)> const of_lanes(warp, groups);
            for (std::uint32_t first = 0; first < groups; first += warp.size()) {
                std::uint32_t const own = first + warp.rank();
                std::uint32_t next = own < groups ? places[own * batch.warps + warp.index()] : 0;
                batch.for_each_edge(thread, [&](basic_edge<Id> const& e, std::uint64_t number) {
                    std::uint32_t const group[2] = {batch.group_of(e, 0),
                                                    PerEdge == 2 ? batch.group_of(e, 1) : groups};
                    typename decltype(of_lanes)::lanes found[1 + PerEdge]; // the first: of group `own`
                    if constexpr (PerEdge == 2)
                        of_lanes.find(group[0], group[1], {own, group[0], group[1]}, found);
                    else
                        of_lanes.find(group[0], groups, {own, group[0]}, found);
                    RZ_UNROLL
                    for (std::uint32_t which = 0; which < PerEdge; ++which) {
                        bool const here = group[which] >= first && group[which] < first + warp.size();
                        std::uint32_t const begin = warp.shuffle(next, here ? group[which] - first : 0);
                        if (!here || group[which] == groups) continue;
                        std::uint32_t const after_first = which == 1 && group[0] == group[1] ? 1 : 0;
                        write(e, number, which, group[which],
                              begin + found[1 + which].before(warp.rank()) + after_first);
                    }
                    next += found[0].count();
                });
            }
        }
    }
};

} // namespace rhizome::graph::detail
