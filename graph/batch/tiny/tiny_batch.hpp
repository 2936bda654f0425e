// SPDX-License-Identifier: Apache-2.0
// A tiny batch over contiguous rows: all its steps in one launch.
//
// All blocks plan the whole batch, each in its own shared memory, and reach the same plan. Nothing is written
// to rows until all rows have been read and all pages are there: what moves waits in the registers of the
// threads. So one barrier suffices, and a row of any length is moved by all threads of the launch.
#pragma once

#include <rhizome/exec/alone.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/block_algorithms.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/early_words.hpp>
#include <rhizome/exec/grid_barrier.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/batch/apply/contiguous_target.hpp>
#include <rhizome/graph/batch/apply/row_window.hpp>
#include <rhizome/graph/batch/arc_rules.hpp>
#include <rhizome/graph/batch/arrays.hpp>
#include <rhizome/graph/batch/change_notes.hpp>
#include <rhizome/graph/batch/outcome.hpp>
#include <rhizome/graph/batch/reserve/row_reserver.hpp>
#include <rhizome/graph/batch/row_pages.hpp>
#include <rhizome/graph/limits.hpp>
#include <rhizome/graph/tuning.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// Row and target of an arc, in the order of rows and targets.
template <class Id>
struct tiny_key {
    std::uint64_t row_number;
    Id target_id;

    [[nodiscard]] static RZ_HD tiny_key of(std::uint64_t row, Id target) { return {row, target}; }
    /// Greater than the key of any arc.
    [[nodiscard]] static RZ_HD tiny_key none() { return {~std::uint64_t{0}, static_cast<Id>(~Id{0})}; }
    [[nodiscard]] RZ_HD std::uint64_t row() const { return row_number; }
    [[nodiscard]] RZ_HD Id target() const { return target_id; }
    [[nodiscard]] RZ_HD bool before(tiny_key const& other) const {
        return row_number != other.row_number ? row_number < other.row_number : target_id < other.target_id;
    }
    [[nodiscard]] RZ_HD bool is(tiny_key const& other) const {
        return row_number == other.row_number && target_id == other.target_id;
    }
};
/// With ids of 32 bits rows have 32 bits too (limits.hpp).
template <>
struct tiny_key<std::uint32_t> {
    std::uint64_t word;

    [[nodiscard]] static RZ_HD tiny_key of(std::uint64_t row, std::uint32_t target) {
        return {row << 32 | target};
    }
    [[nodiscard]] static RZ_HD tiny_key none() { return {~std::uint64_t{0}}; }
    [[nodiscard]] RZ_HD std::uint64_t row() const { return word >> 32; }
    [[nodiscard]] RZ_HD std::uint32_t target() const { return static_cast<std::uint32_t>(word); }
    [[nodiscard]] RZ_HD bool before(tiny_key const& other) const { return word < other.word; }
    [[nodiscard]] RZ_HD bool is(tiny_key const& other) const { return word == other.word; }
};

/// What the blocks of a tiny batch tell each other, in the memory of the space. Batches take turns: each
/// clears the words of the next one. All zero at the start.
struct tiny_exchange {
    struct alignas(64) turn {
        exec::grid_barrier barrier;
        tallies all; ///< of which row_reserver uses `now`
    };
    struct alignas(16) page {
        void* begin;
        std::uint64_t capacity;
    };

    turn turns[2];
    std::uint64_t found[tuning::tiny_arcs]; ///< of each arc: its place << 1 | whether it is present
    page pages[tuning::tiny_arcs];          ///< of each row that changes: the page obtained for it
};

/// What the host learns of a tiny batch.
struct tiny_report {
    static constexpr std::uint32_t words = 4;

    std::uint64_t rejected = 0; ///< these counts: as counters
    std::uint64_t self_loops = 0;
    std::uint64_t edges = 0;
    std::uint64_t effective_arcs = 0;
    std::uint64_t effective_edges = 0;
    std::uint64_t free_chunks = 0;   ///< before the batch
    std::uint64_t spilled_bytes = 0; ///< before the batch
    bool declined = false;           ///< nothing was changed
    bool needs_all_blocks = false;   ///< one block cannot apply it

    template <class Thread>
    RZ_HD void write(Thread const& thread, exec::early_words_ref const& to) const {
        thread.fence();
        to.write(thread, 0, rejected | self_loops << 12 | edges << 24 | effective_arcs << 36);
        to.write(thread, 1,
                 effective_edges | (declined ? 1u << 12 : 0u) | (needs_all_blocks ? 1u << 13 : 0u));
        to.write(thread, 2, free_chunks);
        to.write(thread, 3, spilled_bytes);
    }
    template <class Numbers>
    [[nodiscard]] static tiny_report of(Numbers const& from) {
        constexpr std::uint64_t mask = 0xfff;
        auto const signed_48 = [](std::uint64_t number) {
            return static_cast<std::uint64_t>(static_cast<std::int64_t>(number << 16) >> 16);
        };
        return {from[0] & mask,
                from[0] >> 12 & mask,
                from[0] >> 24 & mask,
                from[0] >> 36 & mask,
                from[1] & mask,
                signed_48(from[2]),
                from[3],
                (from[1] >> 12 & 1) != 0,
                (from[1] >> 13 & 1) != 0};
    }
    [[nodiscard]] outcome as_outcome() const {
        outcome result{};
        result.total = {rejected, self_loops, edges, effective_arcs, effective_edges, 0};
        result.free_chunks = free_chunks;
        result.spilled_bytes = spilled_bytes;
        return result;
    }
};
static_assert(tuning::tiny_arcs < 1u << 12);

template <class Format, class AllocatorRef, bool Erasing>
struct tiny_batch {
    using id_type = typename Format::id_type;
    using record_type = typename Format::record_type;
    using value_type = typename Format::value_type;
    using key_type = tiny_key<id_type>;
    using window_type = row_window<Format>;
    using target_type = contiguous_target<Format>;

    static constexpr std::uint32_t block_threads = tuning::tiny_block_threads;
    static constexpr bool reads_members_in_place = true; // the edges
    static constexpr std::uint32_t most_arcs = tuning::tiny_arcs;
    static constexpr std::uint32_t most_edges = tuning::tiny_edges;
    static constexpr std::uint32_t windows_each = tuning::tiny_windows;
    static constexpr bool sets_values = Format::has_values && !Erasing;
    static constexpr std::uint32_t values_at_most = sets_values ? most_edges : 1;
    static constexpr std::uint32_t old_values_at_most = Format::has_values ? most_arcs : 1;
    static constexpr std::uint32_t light_lanes = 16;

    struct shared {
        key_type given[most_arcs];
        // Of each arc, ascending.
        key_type keys[most_arcs];
        std::uint32_t edges[most_arcs];
        record_type records[most_arcs];
        std::uint32_t places[most_arcs];
        std::uint32_t presence[most_arcs];
        std::uint32_t before[most_arcs + 1]; ///< effective arcs before it
        std::uint32_t slice_of[most_arcs];
        std::uint32_t listed_at[most_arcs]; ///< in the lists of changes: updated << 16 | applied
        // Of each effective arc.
        std::uint32_t effective_places[most_arcs];
        // Of each row that changes.
        std::uint32_t first_arc[most_arcs + 1];
        std::uint32_t end_arc[most_arcs];
        std::uint32_t windows_before[most_arcs];
        std::uint32_t first_window[most_arcs];
        std::uint32_t wanted[most_arcs]; ///< neighbours for which it wants a page; 0: none
        std::uint32_t capacities[most_arcs];
        void* pages[most_arcs];
        value_type old_values[old_values_at_most];
        exec::block_sum_storage<std::uint64_t> sums;
        std::uint32_t refused;
    };

    AllocatorRef allocator;
    arc_rules<id_type> rules;
    record_type* rows;
    tiny_exchange* exchange;
    exec::early_words_ref report;
    heap_words heap;
    change_targets<id_type, value_type> changes; ///< read if `lists`
    basic_edge<id_type> const* edges;            ///< nullptr: they are `given_edges`
    value_type const* values;                    ///< nullptr: they are `given_values`
    std::uint32_t edge_count;
    std::uint32_t turn; ///< 0 or 1
    bool lists;
    basic_edge<id_type> given_edges[most_edges];
    value_type given_values[values_at_most];

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const block = thread.block();
        auto& s = block.storage();
        bool const alone = block.count() == 1;
        std::uint64_t free_chunks = 0;
        std::uint64_t spilled_bytes = 0;
        if (thread.rank() == 0) {
            exchange->turns[turn ^ 1].barrier = {};
            exchange->turns[turn ^ 1].all.now = {};
            // Early, since each load takes long.
            free_chunks = value_of(thread, heap.free_chunks);
            spilled_bytes = value_of(thread, heap.spilled_bytes);
        }
        std::uint64_t const taken = take(thread, s);
        auto const arcs = static_cast<std::uint32_t>(taken >> 32);
        std::uint32_t const long_arcs = order_arcs(thread, s);
        tiny_report result{};
        result.rejected = taken & 0xffff;
        result.self_loops = taken >> 16 & 0xffff;
        result.free_chunks = free_chunks;
        result.spilled_bytes = spilled_bytes;
        if (rules.refuses_unknown_ids && result.rejected != 0) return decline(thread, result, false);
        std::uint32_t const few_long_arcs = tuning::tiny_long_arcs;
        if (alone && long_arcs > few_long_arcs) return decline(thread, result, true);
        if (alone)
            search_alone(thread, s, arcs, long_arcs);
        else
            search_together(thread, s, arcs);
        std::uint64_t const counted = judge(thread, s, arcs);
        result.effective_arcs = counted & 0xffff;
        result.edges = counted >> 16 & 0xffff;
        result.effective_edges = counted >> 32 & 0xffff;
        std::uint64_t const planned = plan_rows(thread, s, arcs);
        auto const windows = static_cast<std::uint32_t>(planned);
        auto const slices = static_cast<std::uint32_t>(planned >> 32 & 0xffff);
        bool const wishes = planned >> 48 != 0;
        std::uint32_t const room = windows_each * block.size();
        if (s.refused != 0) return decline(thread, result, false); // a row would overflow
        result.needs_all_blocks = windows > room || long_arcs > few_long_arcs;
        if (windows > std::uint64_t{room} * block.count()) return decline(thread, result, alone);
        if (wishes) obtain_pages(thread, s, slices);

        window_type own[windows_each];
        std::uint32_t slice_of_window[windows_each];
        load(thread, s, windows, slices, own, slice_of_window);
        if (alone)
            block.sync();
        else
            exchange->turns[turn].barrier.sync(thread);
        // From here on rows are written and no longer read.
        if (wishes && learn_pages(thread, s, slices)) {
            give_back(thread, s, slices);
            return decline(thread, result, false);
        }
        RZ_UNROLL
        for (std::uint32_t i = 0; i < windows_each; ++i)
            if (slice_of_window[i] != none) own[i].template store<Erasing>(target_of(s, slice_of_window[i]));
        write_arcs(thread, s, arcs);
        commit(thread, s, slices);
        // The host goes on from here, if there is one block; pages go back meanwhile.
        block.sync();
        if (thread.rank() == 0) result.write(thread, report);
        free_pages(thread, s, slices);
    }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    [[nodiscard]] static RZ_HD constexpr std::uint32_t light_degree(std::uint32_t lanes) {
        return Format::ids_per_load * lanes;
    }

    template <class Thread>
    [[nodiscard]] static RZ_HD std::uint64_t value_of(Thread const& thread, std::uint64_t* word) {
        return word == nullptr ? 0 : thread.device(*word).load(exec::order::relaxed);
    }
    template <class Thread>
    RZ_HD void decline(Thread const& thread, tiny_report& result, bool needs_all_blocks) const {
        if (thread.rank() != 0) return;
        result.declined = true;
        result.needs_all_blocks = needs_all_blocks;
        result.write(thread, report);
    }
    [[nodiscard]] RZ_HD basic_edge<id_type> edge(std::uint32_t i) const {
        return edges == nullptr ? given_edges[i] : edges[i];
    }
    [[nodiscard]] RZ_HD value_type new_value(std::uint32_t edge_number) const {
        return values == nullptr ? given_values[edge_number] : values[edge_number];
    }

    /// Lists the keys of the arcs. Returns arcs << 32 | self-loops << 16 | rejected edges.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t take(Thread const& thread, shared& s) const {
        auto const block = thread.block();
        std::uint32_t const width = rules.arcs_per_edge();
        std::uint64_t counts = 0;
        if (block.is_leader()) s.refused = 0;
        for (std::uint32_t i = block.rank(); i < edge_count; i += block.size()) {
            basic_edge<id_type> const e = edge(i);
            verdict const found = rules.judge(e);
            counts += found == verdict::rejected ? 1 : found == verdict::self_loop ? 1u << 16 : 0u;
            for (std::uint32_t which = 0; which < width; ++which) {
                row_arc<id_type> const arc = rules.arc(e, which);
                bool const is_taken = found == verdict::taken && arc.exists;
                s.given[i * width + which] = is_taken ? key_type::of(arc.row, arc.target) : key_type::none();
                counts += is_taken ? std::uint64_t{1} << 32 : 0;
            }
        }
        return exec::block_exclusive_sum(thread, s.sums, counts).total;
    }

    /// Brings the arcs into order, equal ones in the order of the batch, with the records of their rows. Each
    /// thread counts how many arcs come before its own: that takes fewer steps than a sort. Returns the
    /// number of arcs in long rows.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint32_t order_arcs(Thread const& thread, shared& s) const {
        auto const block = thread.block();
        std::uint32_t const width = rules.arcs_per_edge();
        std::uint32_t const all = edge_count * width;
        std::uint32_t const most_light = light_degree(thread.tile(exec::width<light_lanes>).size());
        std::uint64_t long_arcs = 0;
        for (std::uint32_t i = block.rank(); i < all; i += block.size()) {
            key_type const own = s.given[i];
            if (own.is(key_type::none())) continue;
            record_type const record = rows[own.row()]; // loaded while the keys are compared
            std::uint32_t at = 0;
            for (std::uint32_t j = 0; j < all; ++j) {
                key_type const other = s.given[j];
                at += other.before(own) || (other.is(own) && j < i) ? 1 : 0;
            }
            s.keys[at] = own;
            s.edges[at] = i / width;
            s.records[at] = record;
            long_arcs += record.degree > most_light ? 1 : 0;
        }
        return static_cast<std::uint32_t>(exec::block_exclusive_sum(thread, s.sums, long_arcs).total);
    }

    /// Finds the places of the arcs in their rows, by one block: tiles load short rows as a whole, several at
    /// a time; warps search long rows.
    template <class Thread>
    RZ_HD void search_alone(Thread const& thread, shared& s, std::uint32_t arcs,
                            std::uint32_t long_arcs) const {
        constexpr std::uint32_t rounds = 8;
        auto const block = thread.block();
        auto const tile = thread.tile(exec::width<light_lanes>);
        std::uint32_t const tiles = block.size() / tile.size();
        std::uint32_t const own = block.rank() / tile.size();
        std::uint32_t const most_light = light_degree(tile.size());
        for (std::uint32_t first = 0; first < arcs; first += tiles * rounds) {
            window_type windows[rounds];
            RZ_UNROLL
            for (std::uint32_t round = 0; round < rounds; ++round) {
                std::uint32_t const k = first + round * tiles + own;
                if (k < arcs && s.records[k].degree <= most_light)
                    windows[round] = window_type(rows + s.keys[k].row(), s.records[k],
                                                 tile.rank() * window_type::width, 0);
            }
            RZ_UNROLL
            for (std::uint32_t round = 0; round < rounds; ++round) {
                std::uint32_t const k = first + round * tiles + own;
                bool const has = k < arcs && s.records[k].degree <= most_light;
                id_type const target = has ? s.keys[k].target() : id_type{0};
                std::uint32_t const below = tile.sum(windows[round].count_below(target));
                bool const present = tile.any(windows[round].contains(target));
                if (has && tile.rank() == 0) {
                    s.places[k] = below;
                    s.presence[k] = present ? 1 : 0;
                }
            }
        }
        if (long_arcs != 0) {
            auto const warp = thread.warp();
            std::uint32_t const warps = block.size() / warp.size();
            for (std::uint32_t k = block.rank() / warp.size(); k < arcs; k += warps) {
                if (s.records[k].degree <= most_light) continue;
                std::uint64_t const found = find_by_warp(warp, s, k);
                if (warp.rank() == 0) {
                    s.places[k] = static_cast<std::uint32_t>(found >> 1);
                    s.presence[k] = static_cast<std::uint32_t>(found & 1);
                }
            }
        }
        block.sync();
    }
    /// The same by the warps of all blocks.
    template <class Thread>
    RZ_HD void search_together(Thread const& thread, shared& s, std::uint32_t arcs) const {
        auto const block = thread.block();
        auto const warp = thread.warp();
        std::uint32_t const warps = block.size() / warp.size();
        for (std::uint32_t k = block.rank() / warp.size() * block.count() + block.index(); k < arcs;
             k += warps * block.count()) {
            std::uint64_t const found = find_by_warp(warp, s, k);
            if (warp.rank() == 0) thread.device(exchange->found[k]).store(found, exec::order::relaxed);
        }
        exchange->turns[turn].barrier.sync(thread);
        for (std::uint32_t k = block.rank(); k < arcs; k += block.size()) {
            std::uint64_t const found = thread.device(exchange->found[k]).load(exec::order::relaxed);
            s.places[k] = static_cast<std::uint32_t>(found >> 1);
            s.presence[k] = static_cast<std::uint32_t>(found & 1);
        }
        block.sync();
    }
    /// place << 1 | present. Each step leaves one of as many parts of the row as the warp has lanes, and one.
    template <class Warp>
    [[nodiscard]] RZ_HD std::uint64_t find_by_warp(Warp const& warp, shared const& s, std::uint32_t k) const {
        record_type const record = s.records[k];
        id_type const target = s.keys[k].target();
        id_type const* const ids = Format::ids_of(rows + s.keys[k].row(), record);
        std::uint32_t low = 0;              // all neighbours before it are smaller
        std::uint32_t high = record.degree; // this one and those behind it are not
        while (high - low > warp.size()) {
            std::uint32_t const part = (high - low) / (warp.size() + 1);
            std::uint32_t const at = low + (warp.rank() + 1) * part;
            std::uint32_t const smaller = warp.sum(ids[at] < target ? 1u : 0u);
            std::uint32_t const begin = low;
            if (smaller != 0) low = begin + smaller * part + 1;
            if (smaller != warp.size()) high = begin + (smaller + 1) * part;
        }
        std::uint32_t const at = low + warp.rank();
        bool const has = at < high;
        id_type const id = has ? ids[at] : id_type{0};
        std::uint32_t const place = low + warp.sum(has && id < target ? 1u : 0u);
        bool present = warp.any(has && id == target);
        if (place == high && high < record.degree) present = ids[high] == target;
        return std::uint64_t{place} << 1 | (present ? 1 : 0);
    }

    [[nodiscard]] RZ_HD bool is_distinct(shared const& s, std::uint32_t k, std::uint32_t arcs) const {
        if constexpr (Format::has_values) // the last one counts
            return k + 1 == arcs || !s.keys[k + 1].is(s.keys[k]);
        else
            return k == 0 || !s.keys[k - 1].is(s.keys[k]);
    }
    [[nodiscard]] RZ_HD bool is_effective(shared const& s, std::uint32_t k, std::uint32_t arcs) const {
        return is_distinct(s, k, arcs) && (s.presence[k] != 0) == Erasing;
    }
    [[nodiscard]] RZ_HD bool is_update(shared const& s, std::uint32_t k, std::uint32_t arcs) const {
        return sets_values && s.presence[k] != 0 && is_distinct(s, k, arcs);
    }

    /// Lists the places of the effective arcs. Returns effective edges << 32 | edges << 16 | effective arcs.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t judge(Thread const& thread, shared& s, std::uint32_t arcs) const {
        auto const block = thread.block();
        std::uint64_t total = 0;
        for (std::uint32_t first = 0; first < arcs; first += block.size()) {
            std::uint32_t const k = first + block.rank();
            std::uint64_t own = 0;
            bool effective = false;
            if (k < arcs && is_distinct(s, k, arcs)) {
                effective = is_effective(s, k, arcs);
                bool const stands = rules.stands_for_edge(s.keys[k].row(), s.keys[k].target());
                own = (effective ? 1u : 0u) | (stands ? 1u << 16 : 0u);
                if (effective && stands) own |= std::uint64_t{1} << 32;
                if (sets_values && !effective && stands) own |= std::uint64_t{1} << 48;
                if constexpr (Format::has_values)
                    if (lists && s.presence[k] != 0)
                        s.old_values[k] =
                            Format::values_of(s.records[k].page(), s.records[k].capacity())[s.places[k]];
            }
            auto const sum = exec::block_exclusive_sum(thread, s.sums, own);
            std::uint64_t const before = total + sum.before;
            auto const effective_before = static_cast<std::uint32_t>(before & 0xffff);
            if (k < arcs) {
                s.before[k] = effective_before;
                s.listed_at[k] = static_cast<std::uint32_t>(before >> 32);
                if (effective) s.effective_places[effective_before] = s.places[k];
            }
            total += sum.total;
        }
        if (block.is_leader()) s.before[arcs] = static_cast<std::uint32_t>(total & 0xffff);
        block.sync();
        return total;
    }

    /// Lists the rows that change, and counts the windows of neighbours that move. Returns wishes for pages
    /// << 48 | rows << 32 | windows.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t plan_rows(Thread const& thread, shared& s, std::uint32_t arcs) const {
        constexpr std::uint32_t most_windows = 1u << 23; // more than any launch moves
        auto const block = thread.block();
        std::uint64_t total = 0;
        for (std::uint32_t first = 0; first < arcs; first += block.size()) {
            std::uint32_t const k = first + block.rank();
            std::uint64_t own = 0;
            std::uint32_t end = 0;
            std::uint32_t first_window = 0;
            std::uint32_t wanted = 0;
            if (k < arcs && (k == 0 || s.keys[k - 1].row() != s.keys[k].row())) {
                end = end_of_row(s, k, arcs);
                std::uint32_t const count = s.before[end] - s.before[k];
                if (count != 0) {
                    record_type const record = s.records[k];
                    if (!Erasing && overflows_row<id_type>(record.degree, count)) {
                        s.refused = 1;
                    } else {
                        wanted = static_cast<std::uint32_t>(
                            wanted_neighbours<Format, Erasing>(allocator, record, count));
                        bool const leaves_page = Erasing && !Format::is_inline(record.degree) &&
                                                 Format::is_inline(record.degree - count);
                        std::uint32_t const stop =
                            wanted != 0 || leaves_page ? 0 : s.effective_places[s.before[k]];
                        first_window = stop / window_type::width;
                        std::uint32_t const end_window =
                            (record.degree + window_type::width - 1) / window_type::width;
                        std::uint32_t const moving =
                            end_window > first_window ? end_window - first_window : 0;
                        own = (moving < most_windows ? moving : most_windows) | std::uint64_t{1} << 32;
                        if (wanted != 0) own |= std::uint64_t{1} << 48;
                    }
                }
            }
            auto const sum = exec::block_exclusive_sum(thread, s.sums, own);
            std::uint64_t const before = total + sum.before;
            auto const slice = static_cast<std::uint32_t>(before >> 32 & 0xffff);
            if (own != 0) {
                s.first_arc[slice] = k;
                s.end_arc[slice] = end;
                s.windows_before[slice] = static_cast<std::uint32_t>(before);
                s.first_window[slice] = first_window;
                s.wanted[slice] = wanted;
                s.pages[slice] = nullptr;
                s.capacities[slice] = 0;
            }
            if (k < arcs) s.slice_of[k] = slice + (own != 0 ? 1 : 0) - 1;
            total += sum.total;
        }
        block.sync();
        return total;
    }
    [[nodiscard]] static RZ_HD std::uint32_t end_of_row(shared const& s, std::uint32_t k,
                                                        std::uint32_t arcs) {
        std::uint64_t const row = s.keys[k].row();
        std::uint32_t low = k + 1;
        // Most rows have one arc.
        if (low == arcs || s.keys[low].row() != row) return low;
        for (std::uint32_t high = arcs; low < high;) {
            std::uint32_t const middle = low + (high - low) / 2;
            if (s.keys[middle].row() == row)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    /// Calls function(number) for the rows that this thread serves, with all threads of the block together,
    /// as often as needed; function gets `none` if there is no further row for the thread.
    template <class Thread, class Function>
    static RZ_HD void for_own_slices(Thread const& thread, std::uint32_t slices, Function&& function) {
        auto const block = thread.block();
        for (std::uint32_t first = 0; first * block.count() < slices; first += block.size()) {
            std::uint32_t const number = (first + block.rank()) * block.count() + block.index();
            function(number < slices ? number : none);
        }
    }
    template <class Thread>
    RZ_HD void obtain_pages(Thread const& thread, shared& s, std::uint32_t slices) const {
        arrays<id_type, Format::has_values> a{};
        a.all = &exchange->turns[turn].all;
        row_reserver<Format, AllocatorRef, Erasing> const reserver(allocator, a);
        for_own_slices(thread, slices, [&](std::uint32_t number) {
            batch::slice own{};
            page_wish wish;
            if (number != none) wish = {s.wanted[number], !Erasing};
            reserver.obtain_in_warp(thread, own, wish);
            if (wish.neighbours == 0) return;
            s.pages[number] = own.page;
            s.capacities[number] = own.capacity;
            if (thread.block().count() != 1) exchange->pages[number] = {own.page, own.capacity};
        });
    }
    /// After the barrier: all blocks learn of all pages. Returns whether one that is needed is lacking.
    template <class Thread>
    [[nodiscard]] RZ_HD bool learn_pages(Thread const& thread, shared& s, std::uint32_t slices) const {
        auto const block = thread.block();
        for (std::uint32_t i = block.rank(); i < slices; i += block.size()) {
            if (s.wanted[i] == 0) continue;
            if (block.count() != 1) {
                auto const page = exchange->pages[i];
                s.pages[i] = page.begin;
                s.capacities[i] = static_cast<std::uint32_t>(page.capacity);
            }
            if (!Erasing && s.pages[i] == nullptr) s.refused = 1;
        }
        block.sync();
        return s.refused != 0;
    }
    template <class Thread>
    RZ_HD void give_back(Thread const& thread, shared& s, std::uint32_t slices) const {
        for_own_slices(thread, slices, [&](std::uint32_t number) {
            if (number != none) allocator.deallocate(exec::alone(thread), s.pages[number]);
        });
    }

    [[nodiscard]] RZ_HD batch::slice slice(shared const& s, std::uint32_t number) const {
        std::uint32_t const k = s.first_arc[number];
        std::uint32_t const count = s.before[s.end_arc[number]] - s.before[k];
        return {s.keys[k].row(), s.pages[number], s.before[k], count, s.capacities[number], merger::warp};
    }
    /// Where a row lies after the batch.
    [[nodiscard]] RZ_HD target_type target_of(shared const& s, std::uint32_t number) const {
        batch::slice const own = slice(s, number);
        record_type const record = s.records[s.first_arc[number]];
        return target_type::template of<Erasing>(
            rows + own.row, record, own, Erasing ? record.degree - own.count : record.degree + own.count);
    }

    /// Loads the thread's share of the windows that move.
    template <class Thread>
    RZ_HD void load(Thread const& thread, shared const& s, std::uint32_t windows, std::uint32_t slices,
                    window_type (&own)[windows_each], std::uint32_t (&slice_of_window)[windows_each]) const {
        RZ_UNROLL
        for (std::uint32_t i = 0; i < windows_each; ++i) {
            std::uint64_t const item = thread.rank() + i * thread.size();
            slice_of_window[i] = none;
            if (item >= windows) continue;
            std::uint32_t const number = row_of_window(s, static_cast<std::uint32_t>(item), slices);
            slice_of_window[i] = number;
            std::uint32_t const k = s.first_arc[number];
            std::uint32_t const window =
                s.first_window[number] + static_cast<std::uint32_t>(item) - s.windows_before[number];
            // Neighbours before the first change stay where they are, if the row does.
            bool const whole = s.first_window[number] == 0;
            own[i] = window_type(rows + s.keys[k].row(), s.records[k], window * window_type::width,
                                 whole ? 0 : s.effective_places[s.before[k]]);
        }
        RZ_UNROLL
        for (std::uint32_t i = 0; i < windows_each; ++i) {
            if (slice_of_window[i] == none) continue;
            std::uint32_t const number = slice_of_window[i];
            std::uint32_t const k = s.first_arc[number];
            std::uint32_t const end = s.end_arc[number];
            own[i].template apply<Erasing>(s.effective_places + s.before[k], s.before[end] - s.before[k]);
            own[i].load_values(s.records[k]);
            if constexpr (sets_values)
                for (std::uint32_t other = k; other < end; ++other)
                    if (s.presence[other] != 0 && is_distinct_before(s, other, end))
                        own[i].replace_value(s.places[other], new_value(s.edges[other]));
        }
    }
    /// is_distinct() within a row with values.
    [[nodiscard]] static RZ_HD bool is_distinct_before(shared const& s, std::uint32_t k, std::uint32_t end) {
        return k + 1 == end || !s.keys[k + 1].is(s.keys[k]);
    }
    /// The row of a window: the last one that begins at it or before it. Rows may have no window.
    [[nodiscard]] static RZ_HD std::uint32_t row_of_window(shared const& s, std::uint32_t window,
                                                           std::uint32_t slices) {
        std::uint32_t low = 0;
        for (std::uint32_t high = slices; high - low > 1;) {
            std::uint32_t const middle = low + (high - low) / 2;
            if (s.windows_before[middle] <= window)
                low = middle;
            else
                high = middle;
        }
        return low;
    }

    /// Writes new arcs into their gaps, new values of arcs that were present, and the lists of changes.
    template <class Thread>
    RZ_HD void write_arcs(Thread const& thread, shared const& s, std::uint32_t arcs) const {
        auto const block = thread.block();
        for (std::uint32_t k = block.rank() * block.count() + block.index(); k < arcs;
             k += block.size() * block.count()) {
            bool const effective = is_effective(s, k, arcs);
            bool const updates = is_update(s, k, arcs);
            if (effective && !Erasing) {
                std::uint32_t const number = s.slice_of[k];
                auto const target = target_of(s, number);
                std::uint32_t const at = s.places[k] + s.before[k] - s.before[s.first_arc[number]];
                target.ids[at] = s.keys[k].target();
                if constexpr (Format::has_values) target.values()[at] = new_value(s.edges[k]);
            }
            if constexpr (sets_values)
                if (updates) update_value(s, k);
            if (lists && (effective || updates) && rules.stands_for_edge(s.keys[k].row(), s.keys[k].target()))
                list_change(s, k, effective);
        }
    }
    /// If the neighbour moves, its window has the value.
    RZ_HD void update_value(shared const& s, std::uint32_t k) const {
        record_type const record = s.records[k];
        std::uint32_t const number = s.slice_of[k];
        bool const changes_row = number != none && s.keys[s.first_arc[number]].row() == s.keys[k].row();
        if (changes_row && (s.before[k] != s.before[s.first_arc[number]] || target_of(s, number).moves))
            return;
        Format::values_of(record.page(), record.capacity())[s.places[k]] = new_value(s.edges[k]);
    }
    RZ_HD void list_change(shared const& s, std::uint32_t k, bool effective) const {
        std::uint32_t const applied_at = s.listed_at[k] & 0xffff;
        std::uint32_t const updated_at = s.listed_at[k] >> 16;
        basic_edge<id_type> const e{static_cast<id_type>(rules.vertex_of(s.keys[k].row())),
                                    s.keys[k].target()};
        if (effective) {
            changes.applied[applied_at] = e;
            if constexpr (Format::has_values)
                changes.applied_values[applied_at] = Erasing ? s.old_values[k] : new_value(s.edges[k]);
        } else {
            changes.updated[updated_at] = e;
            if constexpr (Format::has_values) {
                changes.before[updated_at] = s.old_values[k];
                changes.after[updated_at] = new_value(s.edges[k]);
            }
        }
    }

    /// Writes the records.
    template <class Thread>
    RZ_HD void commit(Thread const& thread, shared const& s, std::uint32_t slices) const {
        for_own_slices(thread, slices, [&](std::uint32_t number) {
            if (number == none) return;
            batch::slice own = slice(s, number);
            target_of(s, number).commit(rows + own.row, own);
        });
    }
    /// Gives back pages that are not needed.
    template <class Thread>
    RZ_HD void free_pages(Thread const& thread, shared const& s, std::uint32_t slices) const {
        for_own_slices(thread, slices, [&](std::uint32_t number) {
            if (number != none) allocator.deallocate(exec::alone(thread), target_of(s, number).unused_page);
        });
    }
};

} // namespace rhizome::graph::batch
