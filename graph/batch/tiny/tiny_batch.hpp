// SPDX-License-Identifier: Apache-2.0
// A tiny batch over contiguous rows: all its steps in one launch.
//
// All blocks plan the whole batch, each in its own shared memory, and reach the same plan. Nothing is written
// to rows until all rows have been read and all pages are there: what moves waits in the registers of the
// threads. So all blocks meet twice, and a row of any length is moved by all threads of the launch.
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
#include <rhizome/graph/detail/tile_search.hpp>
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
    /// `first`: whether this key comes before the other one if they are equal.
    [[nodiscard]] RZ_HD bool before(tiny_key const& other, bool first) const {
        if (row_number != other.row_number) return row_number < other.row_number;
        return target_id < other.target_id || (first && target_id == other.target_id);
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
    [[nodiscard]] RZ_HD bool before(tiny_key const& other, bool first) const {
        return word < other.word + (first ? 1 : 0); // the key of an arc is not the greatest word
    }
    [[nodiscard]] RZ_HD bool is(tiny_key const& other) const { return word == other.word; }
};

/// What the blocks of a tiny batch tell each other, in the memory of the space. Batches take turns: each
/// clears the words of the next one, and is launched even if it then declines. All zero at the start.
struct tiny_exchange {
    struct alignas(64) turn {
        exec::grid_barrier barrier;
        exec::grid_meeting meeting;
        std::uint32_t blocks_done; ///< with all that the host waits for
        progress requests;         ///< for pages
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
    std::uint64_t free_chunks = 0;   ///< after the batch
    std::uint64_t spilled_bytes = 0; ///< before the batch
    bool declined = false;           ///< nothing was changed
    bool needs_all_blocks = false;   ///< one block cannot apply it; of a declined one: nor could these blocks
    bool called_off = false;         ///< its blocks did not run at once: declined

    template <class Thread>
    RZ_HD void write(Thread const& thread, exec::early_words_ref const& to) const {
        thread.fence_for_host();
        to.write(thread, 0, rejected | self_loops << 12 | edges << 24 | effective_arcs << 36);
        to.write(thread, 1,
                 effective_edges | (declined ? 1u << 12 : 0u) | (needs_all_blocks ? 1u << 13 : 0u) |
                     (called_off ? 1u << 14 : 0u));
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
                (from[1] >> 13 & 1) != 0,
                (from[1] >> 14 & 1) != 0};
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

    static constexpr std::uint32_t mask_words = most_arcs / 32;
    static_assert(most_arcs % 32 == 0);

    struct shared {
        key_type given[most_arcs];
        std::uint32_t ranks[most_arcs]; ///< of given arcs
        // Of each arc, ascending.
        key_type keys[most_arcs];
        record_type records[most_arcs];
        std::uint32_t edges[most_arcs];
        std::uint32_t places[most_arcs];
        std::uint32_t presence[most_arcs];
        std::uint32_t before[most_arcs + 1]; ///< effective arcs before it
        // Of each effective arc.
        std::uint32_t effective_places[most_arcs];
        // Of each row that changes.
        std::uint32_t first_arc[most_arcs];
        std::uint32_t end_arc[most_arcs];
        std::uint32_t windows_before[most_arcs];
        std::uint32_t first_window[most_arcs];
        std::uint32_t wanted[most_arcs];     ///< neighbours for which it wants a page; 0: none
        void* pages[most_arcs];              ///< the page obtained; once it is settled, the page to give back
        std::uint32_t capacities[most_arcs]; ///< of that page; once it is settled, of the row's page
        id_type* ids[most_arcs];             ///< where its neighbours lie, once it is settled
        std::uint32_t moves[most_arcs];      ///< whether that is elsewhere
        // A bit for each arc.
        std::uint32_t taken[mask_words];
        std::uint32_t rejected[mask_words];
        std::uint32_t self_loops[mask_words];
        std::uint32_t effective[mask_words];
        std::uint32_t standing[mask_words];  ///< distinct ones that stand for their edge
        std::uint32_t applied[mask_words];   ///< effective ones of these
        std::uint32_t row_heads[mask_words]; ///< first ones of rows that change
        value_type old_values[old_values_at_most];
        exec::block_sum_storage<std::uint32_t> sums;
        std::uint32_t refused;
        std::uint32_t wishes;
        std::uint32_t meeting;
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
            exchange->turns[turn ^ 1].meeting = {};
            exchange->turns[turn ^ 1].blocks_done = 0;
            exchange->turns[turn ^ 1].requests = {};
        }
        if (block.is_leader()) { // early, since each load takes long
            free_chunks = value_of(thread, heap.free_chunks);
            spilled_bytes = value_of(thread, heap.spilled_bytes);
        }
        std::uint32_t const all = edge_count * rules.arcs_per_edge();
        take(thread, s, all);
        std::uint32_t const arcs = count(s.taken, all);
        order_arcs(thread, s, all);
        if (!alone) [[unlikely]] {
            auto const met = search_together(thread, s, arcs);
            if (met != exec::grid_meeting::result::met) {
                if (met == exec::grid_meeting::result::called_off && block.is_leader())
                    tiny_report{.declined = true, .called_off = true}.write(thread, report);
                return;
            }
        } else {
            search(thread, s, arcs);
        }
        judge(thread, s, arcs);
        std::uint32_t const windows = plan_rows(thread, s, arcs);
        std::uint32_t const slices = count(s.row_heads, arcs);
        // All blocks come to the same decisions. Code that seldom runs is marked: it lies apart, so that what
        // always runs is loaded in one go.
        bool const wishes = s.wishes != 0;
        std::uint32_t const room = windows_each * block.size();
        bool const needs_all_blocks = windows > room;
        bool const too_large = windows > std::uint64_t{room} * block.count();
        bool refused = s.refused != 0;
        if (rules.refuses_unknown_ids) refused = refused || count(s.rejected, all) != 0;
        bool declined = refused || too_large;
        if (!declined) [[likely]] {
            if (wishes) [[unlikely]]
                obtain_pages(thread, s, slices);
            window_type own[windows_each];
            std::uint32_t slice_of_window[windows_each];
            load(thread, s, windows, slices, own, slice_of_window);
            meet(thread, alone);
            // From here on rows are written and no longer read.
            if (wishes) [[unlikely]]
                declined = learn_pages(thread, s, slices);
            if (!declined) [[likely]] {
                settle(thread, s, slices);
                RZ_UNROLL
                for (std::uint32_t i = 0; i < windows_each; ++i) {
                    if (slice_of_window[i] == none) continue;
                    own[i].template store<Erasing>(place_of(s, slice_of_window[i]));
                }
                write_arcs(thread, s, arcs);
            }
        }
        // The host goes on once all blocks are here; pages go back meanwhile.
        block.sync();
        if (block.is_leader() && (alone || is_last(thread))) {
            tiny_report result{};
            result.rejected = count(s.rejected, all);
            result.self_loops = count(s.self_loops, all);
            result.effective_arcs = s.before[arcs];
            result.edges = count(s.standing, arcs);
            result.effective_edges = count(s.applied, arcs);
            if (wishes) [[unlikely]]
                free_chunks = value_of(thread, heap.free_chunks); // without what this batch took
            result.free_chunks = free_chunks;
            result.spilled_bytes = spilled_bytes;
            result.declined = declined;
            result.needs_all_blocks = declined ? too_large && !refused : needs_all_blocks;
            result.write(thread, report);
        }
        if (wishes || Erasing) [[unlikely]]
            give_back(thread, s, slices);
    }

private:
    struct requests_of_turn {
        progress* requests;
        [[nodiscard]] RZ_HD progress& now() const { return *requests; }
    };
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    /// Notes a bit for each arc. Called by all lanes of a warp, for neighbouring arcs.
    template <class Thread>
    static RZ_HD void note(Thread const& thread, std::uint32_t (&masks)[mask_words], std::uint32_t arc,
                           bool bit) {
        auto const warp = thread.warp();
        std::uint32_t const bits = warp.ballot(bit);
        if (warp.rank() == 0 && arc < most_arcs) masks[arc / 32] = bits;
    }
    /// How many bits of arcs before this one are set.
    [[nodiscard]] static RZ_HD std::uint32_t count(std::uint32_t const (&masks)[mask_words],
                                                   std::uint32_t arc) {
        std::uint32_t set = 0;
        RZ_NO_UNROLL
        for (std::uint32_t i = 0; i < arc / 32; ++i)
            set += exec::popcount(masks[i]);
        std::uint32_t const rest = arc % 32;
        return rest == 0 ? set : set + exec::popcount(masks[arc / 32] & ((1u << rest) - 1));
    }
    [[nodiscard]] static RZ_HD bool has(std::uint32_t const (&masks)[mask_words], std::uint32_t arc) {
        return (masks[arc / 32] >> arc % 32 & 1) != 0;
    }
    template <class Thread>
    [[nodiscard]] static RZ_HD std::uint64_t value_of(Thread const& thread, std::uint64_t* word) {
        return word == nullptr ? 0 : thread.device(*word).load(exec::order::relaxed);
    }
    /// A barrier for all threads of the launch.
    template <class Thread>
    RZ_HD void meet(Thread const& thread, bool alone) const {
        if (alone) [[likely]]
            thread.block().sync();
        else
            exchange->turns[turn].barrier.sync(thread);
    }
    /// Whether this block is the last of all. Called by one thread of each block, in the end.
    template <class Thread>
    [[nodiscard]] RZ_HD bool is_last(Thread const& thread) const {
        auto const done = thread.device(exchange->turns[turn].blocks_done);
        return done.fetch_add(1u, exec::order::acq_rel) + 1 == thread.block().count();
    }
    [[nodiscard]] RZ_HD basic_edge<id_type> edge(std::uint32_t i) const {
        return edges == nullptr ? given_edges[i] : edges[i];
    }
    [[nodiscard]] RZ_HD value_type new_value(std::uint32_t edge_number) const {
        return edges == nullptr ? given_values[edge_number] : values[edge_number];
    }

    /// Lists the keys of the arcs.
    template <class Thread>
    RZ_HD void take(Thread const& thread, shared& s, std::uint32_t all) const {
        auto const block = thread.block();
        std::uint32_t const shift = rules.arcs_per_edge() - 1;
        if (block.is_leader()) s.refused = s.wishes = 0;
        for (std::uint32_t first = 0; first < all; first += block.size()) {
            std::uint32_t const i = first + block.rank();
            verdict found = verdict::taken;
            bool is_taken = false;
            if (i < all) {
                basic_edge<id_type> const e = edge(i >> shift);
                found = rules.judge(e);
                row_arc<id_type> const arc = rules.arc(e, i & shift);
                is_taken = found == verdict::taken && arc.exists;
                s.given[i] = is_taken ? key_type::of(arc.row, arc.target) : key_type::none();
                s.ranks[i] = 0;
                if (is_taken) thread.prefetch(rows + arc.row);
            }
            note(thread, s.taken, i, is_taken);
            note(thread, s.rejected, i, found == verdict::rejected && (i & shift) == 0);
            note(thread, s.self_loops, i, found == verdict::self_loop && (i & shift) == 0);
        }
        block.sync();
    }

    /// Brings the arcs into order, equal ones in the order of the batch, with the records of their rows.
    /// Threads count how many arcs come before an arc, which takes fewer instructions than a sort: in a
    /// launch that ends so soon, most of the time goes into loading instructions.
    template <class Thread>
    RZ_HD void order_arcs(Thread const& thread, shared& s, std::uint32_t all) const {
        auto const block = thread.block();
        std::uint32_t const parts = block.size() > most_arcs ? block.size() / most_arcs : 1;
        std::uint32_t const stride = block.size() / parts;
        for (std::uint32_t i = block.rank() % stride; i < all; i += stride) {
            key_type const own = s.given[i];
            if (own.is(key_type::none())) continue;
            std::uint32_t at = 0;
            for (std::uint32_t j = block.rank() / stride; j < all; j += parts)
                at += s.given[j].before(own, j < i) ? 1 : 0;
            static_cast<void>(thread.shared(s.ranks[i]).fetch_add(at, exec::order::relaxed));
        }
        block.sync();
        std::uint32_t const shift = rules.arcs_per_edge() - 1;
        for (std::uint32_t i = block.rank(); i < all; i += block.size()) {
            key_type const own = s.given[i];
            if (own.is(key_type::none())) continue;
            record_type const record = rows[own.row()];
            if (!Format::is_inline(record.degree)) thread.prefetch(record.page());
            std::uint32_t const at = s.ranks[i];
            s.keys[at] = own;
            s.edges[at] = i >> shift;
            s.records[at] = record;
        }
        block.sync();
    }

    /// Finds the places of the arcs in their rows.
    template <class Thread>
    RZ_HD void search(Thread const& thread, shared& s, std::uint32_t arcs) const {
        auto const block = thread.block();
        auto const tile = thread.tile(exec::width<tuning::row_tile>);
        std::uint32_t const tiles = block.size() / tile.size();
        RZ_NO_UNROLL
        for (std::uint32_t k = block.rank() / tile.size(); k < arcs; k += tiles) {
            std::uint64_t const found = find(tile, s, k);
            if (tile.rank() == 0) learn_place(s, k, found);
        }
        block.sync();
    }
    /// The same by the warps of all blocks, if they all run at once.
    template <class Thread>
    [[nodiscard]] RZ_HD exec::grid_meeting::result search_together(Thread const& thread, shared& s,
                                                                   std::uint32_t arcs) const {
        auto const block = thread.block();
        auto const warp = thread.warp();
        std::uint32_t const warps = block.size() / warp.size();
        for (std::uint32_t k = block.rank() / warp.size() * block.count() + block.index(); k < arcs;
             k += warps * block.count()) {
            std::uint64_t const found = find(warp, s, k);
            if (warp.rank() == 0) thread.device(exchange->found[k]).store(found, exec::order::relaxed);
        }
        auto const met = exchange->turns[turn].meeting.sync(thread, s.meeting);
        if (met != exec::grid_meeting::result::met) return met;
        for (std::uint32_t k = block.rank(); k < arcs; k += block.size())
            learn_place(s, k, thread.device(exchange->found[k]).load(exec::order::relaxed));
        block.sync();
        return met;
    }
    static RZ_HD void learn_place(shared& s, std::uint32_t k, std::uint64_t found) {
        s.places[k] = static_cast<std::uint32_t>(found >> 1);
        s.presence[k] = static_cast<std::uint32_t>(found & 1);
    }
    /// place << 1 | present.
    template <class Group>
    [[nodiscard]] RZ_HD std::uint64_t find(Group const& group, shared const& s, std::uint32_t k) const {
        record_type const record = s.records[k];
        auto const found = graph::detail::search_by_lanes(
            group, Format::ids_of(rows + s.keys[k].row(), record), record.degree, s.keys[k].target());
        return std::uint64_t{found.place} << 1 | (found.present ? 1 : 0);
    }

    [[nodiscard]] RZ_HD bool is_distinct(shared const& s, std::uint32_t k, std::uint32_t arcs) const {
        if constexpr (Format::has_values) // the last one counts
            return k + 1 == arcs || !s.keys[k + 1].is(s.keys[k]);
        else
            return k == 0 || !s.keys[k - 1].is(s.keys[k]);
    }

    /// Notes what the arcs do, and lists the places of the effective ones.
    template <class Thread>
    RZ_HD void judge(Thread const& thread, shared& s, std::uint32_t arcs) const {
        auto const block = thread.block();
        for (std::uint32_t first = 0; first < arcs; first += block.size()) {
            std::uint32_t const k = first + block.rank();
            bool effective = false;
            bool stands = false;
            if (k < arcs && is_distinct(s, k, arcs)) {
                effective = (s.presence[k] != 0) == Erasing;
                stands = rules.stands_for_edge(s.keys[k].row(), s.keys[k].target());
                if constexpr (Format::has_values)
                    if (lists && s.presence[k] != 0)
                        s.old_values[k] =
                            Format::values_of(s.records[k].page(), s.records[k].capacity())[s.places[k]];
            }
            note(thread, s.effective, k, effective);
            note(thread, s.standing, k, stands);
            note(thread, s.applied, k, effective && stands);
        }
        block.sync();
        for (std::uint32_t k = block.rank(); k <= arcs; k += block.size()) {
            std::uint32_t const before = count(s.effective, k);
            s.before[k] = before;
            if (k < arcs && has(s.effective, k)) s.effective_places[before] = s.places[k];
        }
        block.sync();
    }

    /// Several threads may do so before the block meets.
    template <class Thread>
    static RZ_HD void set(Thread const& thread, std::uint32_t& word) {
        thread.shared(word).store(1u, exec::order::relaxed);
    }
    /// Lists the rows that change. Returns how many windows of neighbours move.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint32_t plan_rows(Thread const& thread, shared& s, std::uint32_t arcs) const {
        constexpr std::uint32_t most_windows = 1u << 23; // more than any launch moves
        auto const block = thread.block();
        std::uint32_t total = 0;
        for (std::uint32_t first = 0; first < arcs; first += block.size()) {
            std::uint32_t const k = first + block.rank();
            std::uint32_t end = 0;
            std::uint32_t changing = 0;
            std::uint32_t first_window = 0;
            std::uint32_t windows = 0;
            std::uint32_t wanted = 0;
            if (k < arcs && (k == 0 || s.keys[k - 1].row() != s.keys[k].row())) {
                end = end_of_row(s, k, arcs);
                changing = s.before[end] - s.before[k];
            }
            if (changing != 0) {
                record_type const record = s.records[k];
                if (!Erasing && overflows_row<id_type>(record.degree, changing)) set(thread, s.refused);
                wanted = static_cast<std::uint32_t>(
                    wanted_neighbours<Format, Erasing>(allocator, record, changing));
                if (wanted != 0) set(thread, s.wishes);
                bool const leaves_page = Erasing && !Format::is_inline(record.degree) &&
                                         Format::is_inline(record.degree - changing);
                if (wanted == 0 && !leaves_page)
                    first_window = s.effective_places[s.before[k]] / window_type::width;
                windows =
                    record.degree / window_type::width + (record.degree % window_type::width != 0 ? 1 : 0);
                windows = windows > first_window ? windows - first_window : 0;
                if (windows > most_windows) windows = most_windows;
            }
            note(thread, s.row_heads, k, changing != 0);
            auto const sum = exec::block_exclusive_sum(thread, s.sums, windows);
            if (changing != 0) {
                std::uint32_t const number = count(s.row_heads, k);
                s.first_arc[number] = k;
                s.end_arc[number] = end;
                s.windows_before[number] = total + sum.before;
                s.first_window[number] = first_window;
                s.wanted[number] = wanted;
                s.pages[number] = nullptr;
                s.capacities[number] = 0;
            }
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
    /// as often as needed; function gets `none` if there is no further row for the thread. The last threads
    /// have the first rows: few windows move, the first threads move them, and others obtain pages meanwhile.
    template <class Thread, class Function>
    static RZ_HD void for_own_slices(Thread const& thread, std::uint32_t slices, Function&& function) {
        auto const block = thread.block();
        for (std::uint32_t first = 0; first * block.count() < slices; first += block.size()) {
            std::uint32_t const own = block.size() - 1 - block.rank();
            std::uint32_t const number = (first + own) * block.count() + block.index();
            function(number < slices ? number : none);
        }
    }
    template <class Thread>
    RZ_HD void obtain_pages(Thread const& thread, shared& s, std::uint32_t slices) const {
        requests_of_turn const requests{&exchange->turns[turn].requests};
        page_server<Format, AllocatorRef, requests_of_turn> const reserver(allocator, requests);
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
            if (!Erasing && s.pages[i] == nullptr) set(thread, s.refused);
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

    /// Decides where the rows lie after the batch, and writes their records.
    template <class Thread>
    RZ_HD void settle(Thread const& thread, shared& s, std::uint32_t slices) const {
        auto const block = thread.block();
        for (std::uint32_t i = block.rank(); i < slices; i += block.size()) {
            std::uint32_t const k = s.first_arc[i];
            std::uint32_t const changing = s.before[s.end_arc[i]] - s.before[k];
            record_type const record = s.records[k];
            record_type* const place = rows + s.keys[k].row();
            batch::slice own{s.keys[k].row(), s.pages[i],      s.before[k],
                             changing,        s.capacities[i], merger::warp};
            auto const target = target_type::template of<Erasing>(
                place, record, own, Erasing ? record.degree - changing : record.degree + changing);
            if (i % block.count() == block.index()) target.commit(place, own);
            s.pages[i] = target.unused_page;
            s.ids[i] = target.ids;
            s.capacities[i] = target.record.capacity();
            s.moves[i] = target.moves ? 1 : 0;
        }
        block.sync();
    }
    struct row_place {
        id_type* ids;
        std::uint32_t capacity;
        bool moves;

        [[nodiscard]] RZ_HD auto* values() const { return Format::values_of(ids, capacity); }
    };
    /// Where a row lies, once it is settled.
    [[nodiscard]] RZ_HD row_place place_of(shared const& s, std::uint32_t number) const {
        return {s.ids[number], s.capacities[number], s.moves[number] != 0};
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
            bool const effective = has(s.effective, k);
            std::uint32_t const number = count(s.row_heads, k + 1) - 1; // of the row, if it changes
            if (effective && !Erasing) {
                row_place const row = place_of(s, number);
                std::uint32_t const at = s.places[k] + s.before[k] - s.before[s.first_arc[number]];
                row.ids[at] = s.keys[k].target();
                if constexpr (Format::has_values) row.values()[at] = new_value(s.edges[k]);
            }
            bool updates = false;
            if constexpr (sets_values) {
                updates = s.presence[k] != 0 && is_distinct(s, k, arcs);
                if (updates) update_value(s, k, number);
            }
            if (lists && (effective || updates) && has(s.standing, k)) list_change(s, k, effective);
        }
    }
    /// If the neighbour moves, its window has the value.
    RZ_HD void update_value(shared const& s, std::uint32_t k, std::uint32_t number) const {
        record_type const record = s.records[k];
        bool const changes_row = number != none && s.keys[s.first_arc[number]].row() == s.keys[k].row();
        if (changes_row && (s.before[k] != s.before[s.first_arc[number]] || s.moves[number] != 0)) return;
        Format::values_of(record.page(), record.capacity())[s.places[k]] = new_value(s.edges[k]);
    }
    RZ_HD void list_change(shared const& s, std::uint32_t k, bool effective) const {
        std::uint32_t const applied_at = count(s.applied, k);
        std::uint32_t const updated_at = count(s.standing, k) - applied_at;
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
};

} // namespace rhizome::graph::batch
