// SPDX-License-Identifier: Apache-2.0
// Bins of neighbouring rows. A large batch brings its arcs into them before it groups them by row: a block
// then counts the arcs of each row of a bin in its shared memory, and the arcs of a bin lie close together.
// One atomic operation and one write per arc, anywhere in memory, would take several times as long.
//
// Three kernels: one counts the arcs of each bin, one brings them there, and one (reserve_binned_rows) groups
// the arcs of each bin by row. If a bin has very many arcs, the batch is stopped, to be tried again without
// bins.
#pragma once

#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/block_algorithms.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/batch/arc_rules.hpp>
#include <rhizome/graph/batch/arrays.hpp>
#include <rhizome/graph/batch/plan/for_each_arc.hpp>
#include <rhizome/graph/batch/slots.hpp>
#include <rhizome/graph/tuning.hpp>

#include <algorithm>
#include <cstdint>

namespace rhizome::graph::batch {

/// An arc on its way to its row. Ids have 32 bits.
struct binned_arc {
    std::uint64_t word;

    [[nodiscard]] static RZ_HD binned_arc of(std::uint64_t row, std::uint32_t target) {
        return {row << 32 | target};
    }
    /// No row has this number.
    [[nodiscard]] static RZ_HD binned_arc none() { return {~std::uint64_t{0}}; }
    [[nodiscard]] RZ_HD bool exists() const { return word != ~std::uint64_t{0}; }
    [[nodiscard]] RZ_HD std::uint32_t row() const { return static_cast<std::uint32_t>(word >> 32); }
    [[nodiscard]] RZ_HD std::uint32_t target() const { return static_cast<std::uint32_t>(word); }
};

/// The bins of a graph, and their words among those of row_slots: of each bin how many arcs it has, and how
/// many of them are in place.
struct row_bins {
    std::uint32_t count;
    std::uint32_t shift; ///< a bin has 2^shift rows
    std::uint64_t rows;
    std::uint32_t* words;
    std::uint32_t most_arcs; ///< a batch with more arcs in a bin is skewed

    /// Whether bins can have all rows of a graph.
    [[nodiscard]] static bool serve(std::uint64_t rows) {
        return rows != 0 && rows <= std::uint64_t{tuning::most_bins} * tuning::most_bin_rows;
    }
    /// Precondition: serve(rows).
    [[nodiscard]] static row_bins of(row_slots const& slots, std::uint64_t rows, std::uint64_t arcs) {
        std::uint32_t shift = exec::bit_width(tuning::least_bin_rows) - 1;
        while (rows > std::uint64_t{tuning::most_bins} << shift)
            ++shift;
        auto const count = static_cast<std::uint32_t>((rows + (std::uint64_t{1} << shift) - 1) >> shift);
        std::uint64_t const many = std::clamp<std::uint64_t>(arcs / count * tuning::bin_skew,
                                                             tuning::large_bin_arcs, ~std::uint32_t{0});
        return {count, shift, rows, slots.bin_words(), static_cast<std::uint32_t>(many)};
    }

    [[nodiscard]] RZ_HD std::uint32_t bin_of(std::uint64_t row) const {
        return static_cast<std::uint32_t>(row >> shift);
    }
    [[nodiscard]] RZ_HD std::uint32_t& arcs(std::uint32_t bin) const { return words[bin]; }
    [[nodiscard]] RZ_HD std::uint32_t& placed(std::uint32_t bin) const { return words[count + bin]; }
};

/// Counts the arcs of each bin, and the edges that are not taken.
template <class Id>
struct count_bins {
    static constexpr bool overlaps_launch = true;
    arc_rules<Id> rules;
    basic_edge<Id> const* edges;
    std::uint64_t edge_count;
    row_bins bins;
    arrays<Id, false> a;

    struct shared {
        std::uint32_t arcs[tuning::most_bins];
    };

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const block = thread.block();
        auto& storage = block.storage();
        for (std::uint32_t bin = block.rank(); bin < bins.count; bin += block.size())
            storage.arcs[bin] = 0;
        block.sync();
        for_each_arc<edges_at_a_time>(
            thread, rules, edges, edge_count, a,
            [&](std::uint64_t, std::uint64_t, row_arc<Id> const& arc, bool taken) {
                if (taken)
                    thread.shared(storage.arcs[bins.bin_of(arc.row)]).fetch_add(1u, exec::order::relaxed);
            });
        block.sync();
        for (std::uint32_t bin = block.rank(); bin < bins.count; bin += block.size())
            if (storage.arcs[bin] != 0)
                thread.device(bins.arcs(bin)).fetch_add(storage.arcs[bin], exec::order::relaxed);
    }

    static constexpr std::uint32_t edges_at_a_time = 4; ///< that a thread waits for together
};

/// Brings the arcs into their bins. A block takes some thousand arcs at a time and puts them into the order
/// of bins in its shared memory, so that arcs of one bin are written together.
template <class Id>
struct bin_arcs {
    static_assert(sizeof(Id) == 4);
    static constexpr bool overlaps_launch = true;
    static constexpr std::uint32_t block_threads = 512;
    static constexpr std::uint32_t blocks_side_by_side = 2; // 64 registers
    static constexpr std::uint32_t each = 8;                ///< arcs of a thread at a time

    arc_rules<Id> rules;
    basic_edge<Id> const* edges;
    std::uint64_t edge_count;
    row_bins bins;
    binned_arc* binned;
    arrays<Id, false> a;

    struct shared {
        binned_arc arcs[each * block_threads];
        std::uint32_t first[tuning::most_bins]; ///< of the bin's arcs, among all arcs of the batch
        std::uint32_t
            begin[tuning::most_bins]; ///< of the arcs at hand how many are in the bin; then, before it
        std::uint32_t shift[tuning::most_bins]; ///< to the place of the bin's first arc at hand
        exec::block_sum_storage<std::uint32_t> sums;
        std::uint32_t skewed;
    };

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (a.now().unknown_ids != 0) return;
        if (finds_skew(thread)) {
            if (thread.rank() == 0) thread.device(a.now().skewed).store(1u, exec::order::relaxed);
            return;
        }
        auto const block = thread.block();
        std::uint64_t const arcs = edge_count * rules.arcs_per_edge();
        std::uint64_t const at_hand = std::uint64_t{each} * block.size();
        exec::for_each_group_item(block, (arcs + at_hand - 1) / at_hand,
                                  [&](std::uint64_t i) { take(thread, i * at_hand, arcs); });
    }

private:
    /// Sums the counts of bins. Called by all threads of a block.
    template <class Thread>
    [[nodiscard]] RZ_HD bool finds_skew(Thread const& thread) const {
        auto const block = thread.block();
        auto& storage = block.storage();
        if (block.is_leader()) storage.skewed = 0;
        std::uint32_t sum = 0;
        std::uint32_t most = 0;
        for_own_bins(block, [&](std::uint32_t bin) {
            std::uint32_t const arcs = bins.arcs(bin);
            sum += arcs;
            most = arcs > most ? arcs : most;
        });
        std::uint32_t before = exec::block_exclusive_sum(thread, storage.sums, sum).before;
        for_own_bins(block, [&](std::uint32_t bin) {
            storage.first[bin] = before;
            before += bins.arcs(bin);
        });
        if (most > bins.most_arcs) thread.shared(storage.skewed).store(1u, exec::order::relaxed);
        block.sync();
        return storage.skewed != 0;
    }
    /// Calls function(bin) for this thread's share of the bins, which are neighbours.
    template <class Block, class Function>
    RZ_HD void for_own_bins(Block const& block, Function&& function) const {
        std::uint32_t const share = (bins.count + block.size() - 1) / block.size();
        std::uint32_t const begin = block.rank() * share;
        for (std::uint32_t bin = begin; bin < begin + share && bin < bins.count; ++bin)
            function(bin);
    }
    /// Brings the arcs from `begin` on into their bins, `each` per thread. Called by all threads of a block.
    template <class Thread>
    RZ_HD void take(Thread const& thread, std::uint64_t begin, std::uint64_t arcs) const {
        auto const block = thread.block();
        auto& storage = block.storage();
        for (std::uint32_t bin = block.rank(); bin < bins.count; bin += block.size())
            storage.begin[bin] = 0;
        std::uint32_t const width = rules.arcs_per_edge();
        basic_edge<Id> found[each] = {};
        RZ_UNROLL
        for (std::uint32_t k = 0; k < each; ++k) {
            std::uint64_t const i = begin + std::uint64_t{k} * block.size() + block.rank();
            if (i < arcs) found[k] = edges[i >> (width - 1)];
        }
        block.sync();
        binned_arc own[each] = {};
        std::uint32_t number[each] = {};
        RZ_UNROLL
        for (std::uint32_t k = 0; k < each; ++k) {
            std::uint64_t const i = begin + std::uint64_t{k} * block.size() + block.rank();
            own[k] = binned_arc::none();
            if (i >= arcs) continue;
            row_arc<Id> const arc = rules.arc(found[k], static_cast<std::uint32_t>(i & (width - 1)));
            if (!arc.exists || rules.judge(found[k]) != verdict::taken) continue;
            own[k] = binned_arc::of(arc.row, arc.target);
            number[k] =
                thread.shared(storage.begin[bins.bin_of(arc.row)]).fetch_add(1u, exec::order::relaxed);
        }
        block.sync();
        std::uint32_t sum = 0;
        for_own_bins(block, [&](std::uint32_t bin) { sum += storage.begin[bin]; });
        auto const all = exec::block_exclusive_sum_before_barrier(thread, storage.sums, sum);
        std::uint32_t before = all.before;
        for_own_bins(block, [&](std::uint32_t bin) {
            std::uint32_t const count = storage.begin[bin];
            storage.begin[bin] = before;
            if (count != 0)
                storage.shift[bin] = storage.first[bin] +
                                     thread.device(bins.placed(bin)).fetch_add(count, exec::order::relaxed) -
                                     before;
            before += count;
        });
        block.sync();
        RZ_UNROLL
        for (std::uint32_t k = 0; k < each; ++k)
            if (own[k].exists()) storage.arcs[storage.begin[bins.bin_of(own[k].row())] + number[k]] = own[k];
        block.sync();
        for (std::uint32_t i = block.rank(); i < all.total; i += block.size()) {
            binned_arc const arc = storage.arcs[i];
            binned[storage.shift[bins.bin_of(arc.row())] + i] = arc;
        }
    }
};

} // namespace rhizome::graph::batch
