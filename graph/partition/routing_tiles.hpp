// SPDX-License-Identifier: Apache-2.0
// The kernels of routing_programs.hpp for blocks that take tiles of neighbouring edges. They write the arcs
// of a tile as whole lines of memory.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/graph/partition/routing_programs.hpp>

#include <cstdint>

namespace rhizome::graph::detail {

/// The tiles of a batch. A warp takes neighbouring edges of a tile, as many at a time as it has lanes.
template <std::uint32_t PerEdge>
struct edge_tiles {
    static constexpr std::uint32_t block_threads = 256;
    static constexpr std::uint32_t edges_each = 8 / PerEdge; ///< of a thread
    static constexpr std::uint32_t arcs = block_threads * edges_each * PerEdge;

    [[nodiscard]] static RZ_HD std::uint64_t count(std::uint64_t edges, std::uint32_t threads) {
        std::uint64_t const of_tile = std::uint64_t{threads} * edges_each;
        return (edges + of_tile - 1) / of_tile;
    }
    /// Calls function(k, edge, number) for the edges of this lane, k = 0 to edges_each - 1. Those past the
    /// end have no arcs.
    template <class Block, class Warp, class Id, class Owners, class Function>
    static RZ_HD void for_each_edge(Block const& block, Warp const& warp, batch_runs<Id, Owners> const& batch,
                                    std::uint64_t tile, Function&& function) {
        std::uint64_t const first =
            (tile * block.size() + block.rank() / warp.size() * warp.size()) * edges_each + warp.rank();
        basic_edge<Id> loaded[edges_each];
        RZ_UNROLL
        for (std::uint32_t k = 0; k < edges_each; ++k) {
            std::uint64_t const number = first + k * warp.size();
            loaded[k] = number < batch.count ? batch.edges[number]
                                             : basic_edge<Id>{no_vertex_of<Id>, no_vertex_of<Id>};
        }
        RZ_UNROLL
        for (std::uint32_t k = 0; k < edges_each; ++k)
            function(k, loaded[k], first + k * warp.size());
    }
};

/// counts[group * tiles + tile]: how many arcs of the tile are of the group. At most as many groups as lanes.
template <class Id, class Owners>
struct count_tiles {
    static constexpr std::uint32_t blocks_side_by_side = 5;
    struct shared {
        std::uint32_t counts[8][most_placed_groups]; ///< of each warp
    };
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
        using tiles_type = edge_tiles<PerEdge>;
        auto const block = thread.block();
        auto const warp = thread.warp();
        auto& storage = block.storage();
        std::uint32_t const groups = batch.groups();
        std::uint32_t const warps = block.size() / warp.size();
        std::uint32_t const own = warp.rank();
        std::uint64_t const tiles = tiles_type::count(batch.count, block.size());
        groups_of_lanes<PerEdge, decltype(warp)> const of_lanes(warp, groups);
        std::uint32_t rejected = 0;
        std::uint32_t self_loops = 0;
        std::uint64_t of_group = 0; // in all tiles of the block, of the thread with the number of the group
        exec::for_each_group_item(block, tiles, [&](std::uint64_t tile) {
            std::uint32_t found = 0;
            tiles_type::for_each_edge(
                block, warp, batch, tile, [&](std::uint32_t, basic_edge<Id> const& e, std::uint64_t number) {
                    if (number < batch.count) {
                        bool const known = batch.rules.knows(e);
                        rejected += known ? 0 : 1;
                        self_loops += known && batch.rules.refuses(e) ? 1 : 0;
                    }
                    typename decltype(of_lanes)::lanes lanes[1];
                    of_lanes.find(batch.group_of(e, 0), PerEdge == 2 ? batch.group_of(e, 1) : groups, {own},
                                  lanes);
                    found += lanes[0].count();
                });
            if (own < groups) storage.counts[block.rank() / warp.size()][own] = found;
            block.sync();
            if (block.rank() < groups) {
                std::uint32_t sum = 0;
                for (std::uint32_t w = 0; w < warps; ++w)
                    sum += storage.counts[w][block.rank()];
                counts[block.rank() * tiles + tile] = sum;
                of_group += sum;
            }
            block.sync(); // read before the next tile writes it
        });
        if (block.rank() < groups && of_group != 0) totals.add(thread, block.rank(), of_group);
        exec::add_to_total(thread, totals.sums[groups], std::uint64_t{rejected});
        exec::add_to_total(thread, totals.sums[groups + 1], std::uint64_t{self_loops});
    }
};

/// Writes the arcs of each group in the order of the batch, those of a tile through shared memory:
/// neighbouring threads then write neighbouring arcs, which another GPU gets in few packets. `places`: the
/// prefix sums of count_tiles::counts. Blocks have as many threads as those that counted.
template <class Id, class Owners, class Value>
struct place_tiles {
    static constexpr bool reads_members_in_place = true;
    static constexpr std::uint32_t blocks_side_by_side = 4;
    struct shared {
        std::uint32_t counts[8][most_placed_groups]; ///< of each warp; then of the warps before it
        std::uint32_t begin[most_placed_groups + 1]; ///< arcs of the tile in lower groups
        std::uint32_t places[most_placed_groups];    ///< where those of the tile begin
        routed_arc<Id> arcs[edge_tiles<1>::arcs];
    };
    static_assert(edge_tiles<1>::arcs == edge_tiles<2>::arcs);

    batch_runs<Id, Owners> batch;
    Value const* values;
    std::uint32_t const* places;
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
        using tiles_type = edge_tiles<PerEdge>;
        constexpr std::uint32_t arcs_each = tiles_type::edges_each * PerEdge;
        auto const block = thread.block();
        auto const warp = thread.warp();
        auto& storage = block.storage();
        std::uint32_t const groups = batch.groups();
        std::uint32_t const warps = block.size() / warp.size();
        std::uint32_t const own = warp.rank();
        std::uint32_t const own_warp = block.rank() / warp.size();
        std::uint64_t const tiles = tiles_type::count(batch.count, block.size());
        groups_of_lanes<PerEdge, decltype(warp)> const of_lanes(warp, groups);
        exec::for_each_group_item(block, tiles, [&](std::uint64_t tile) {
            routed_arc<Id> formed[arcs_each];
            std::uint32_t found_at[arcs_each]; // group << 16 | place in this warp
            std::uint32_t next = 0;            // of group `own`, in this warp
            std::uint64_t first_number = 0;
            tiles_type::for_each_edge(
                block, warp, batch, tile,
                [&](std::uint32_t k, basic_edge<Id> const& e, std::uint64_t number) {
                    if (k == 0) first_number = number;
                    std::uint32_t const group[2] = {batch.group_of(e, 0),
                                                    PerEdge == 2 ? batch.group_of(e, 1) : groups};
                    typename decltype(of_lanes)::lanes found[1 + PerEdge]; // the first: of group `own`
                    if constexpr (PerEdge == 2)
                        of_lanes.find(group[0], group[1], {own, group[0], group[1]}, found);
                    else
                        of_lanes.find(group[0], groups, {own, group[0]}, found);
                    RZ_UNROLL
                    for (std::uint32_t which = 0; which < PerEdge; ++which) {
                        bool const exists = group[which] < groups;
                        std::uint32_t const begin = warp.shuffle(next, exists ? group[which] : 0);
                        std::uint32_t const after_first = which == 1 && group[0] == group[1] ? 1 : 0;
                        std::uint32_t const i = k * PerEdge + which;
                        found_at[i] =
                            group[which] << 16 | (begin + found[1 + which].before(own) + after_first);
                        if (exists) formed[i] = to.form_of(group[which], batch.rules.arc(e, which));
                    }
                    next += found[0].count();
                });
            if (own < groups) storage.counts[own_warp][own] = next;
            block.sync(); // all have written out the tile before
            if (own_warp == 0) {
                std::uint32_t sum = 0;
                if (own < groups) {
                    for (std::uint32_t w = 0; w < warps; ++w) {
                        std::uint32_t const count = storage.counts[w][own];
                        storage.counts[w][own] = sum;
                        sum += count;
                    }
                    storage.places[own] = places[own * tiles + tile];
                }
                storage.begin[own + 1] = warp.inclusive_scan(sum);
                if (own == 0) storage.begin[0] = 0;
            }
            block.sync();
            RZ_UNROLL
            for (std::uint32_t i = 0; i < arcs_each; ++i) {
                std::uint32_t const group = found_at[i] >> 16;
                if (group >= groups) continue;
                std::uint32_t const in_group = storage.counts[own_warp][group] + (found_at[i] & 0xffffu);
                std::uint32_t const at = storage.begin[group] + in_group;
                storage.arcs[at] = formed[i];
                if (values != nullptr) {
                    auto const& place_of = to.table[group];
                    place_of.values[storage.places[group] + in_group - place_of.begin] =
                        values[first_number + i / PerEdge * warp.size()];
                }
            }
            block.sync();
            write_out(warp, storage, groups, own_warp, warps);
        });
    }

    /// Warps take the arcs of a tile in turns: as many at a time as a warp has lanes, from a place on that is
    /// a multiple of that. So the warp writes whole lines of memory.
    template <class Warp>
    RZ_HD void write_out(Warp const& warp, shared const& storage, std::uint32_t groups,
                         std::uint32_t own_warp, std::uint32_t warps) const {
        std::uint32_t const lanes = warp.size();
        std::uint32_t turn = own_warp; // the next piece that this warp writes
        for (std::uint32_t group = 0; group < groups; ++group) {
            std::uint32_t const begin = storage.begin[group];
            std::uint32_t const count = storage.begin[group + 1] - begin;
            if (count == 0) continue;
            auto const& place = to.table[group];
            routed_arc<Id>* const first = place.arcs + (storage.places[group] - place.begin);
            auto const skew = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(first) /
                                                         sizeof(routed_arc<Id>) % lanes);
            std::uint32_t const pieces = (skew + count + lanes - 1) / lanes;
            for (; turn < pieces; turn += warps) {
                std::uint32_t const i = turn * lanes + warp.rank();
                if (i >= skew && i - skew < count) first[i - skew] = storage.arcs[begin + i - skew];
            }
            turn -= pieces;
        }
    }
};

} // namespace rhizome::graph::detail
