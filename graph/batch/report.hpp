// SPDX-License-Identifier: Apache-2.0
// The last kernel of a batch: lists what it has changed, where that is wanted, and reports.
#pragma once

#include <rhizome/exec/block_algorithms.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/graph/batch/arrays.hpp>
#include <rhizome/graph/batch/batch_run.hpp>
#include <rhizome/graph/batch/change_notes.hpp>
#include <rhizome/graph/batch/outcome.hpp>
#include <rhizome/graph/batch/plan/place_rows.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// The last kernel of a batch whose changes are wanted: appends them to the lists, and reports.
template <class Format, bool Erasing>
struct list_changes {
    static constexpr bool overlaps_launch = true;
    using id_type = typename Format::id_type;
    using value_type = typename Format::value_type;
    using shared = place_storage;
    static constexpr std::uint32_t most_notes_each = 8;

    change_notes<id_type, value_type> notes;
    change_targets<id_type, value_type> to;
    beginning* zeros;
    report_batch report;
    std::uint32_t notes_each; ///< of a thread in a round, for which a block draws once

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        progress const now = zeros->all.now;
        if (!now.stopped()) list(thread, static_cast<std::uint32_t>(now.cursor));
        report.by_last_block(thread);
    }

private:
    static constexpr std::uint64_t updated_one = std::uint64_t{1} << 32;

    template <class Thread>
    RZ_HD void list(Thread const& thread, std::uint64_t count) const {
        auto const block = thread.block();
        auto& storage = block.storage();
        std::uint64_t const round_notes = std::uint64_t{notes_each} * block.size();
        exec::for_each_group_item(block, (count + round_notes - 1) / round_notes, [&](std::uint64_t round) {
            std::uint64_t const first = round * round_notes + block.rank();
            std::uint64_t mine = 0; // updated << 32 | applied
            std::uint32_t kinds = 0;
            for (std::uint32_t k = 0; k < notes_each; ++k) {
                std::uint64_t const i = first + std::uint64_t{k} * block.size();
                edge_change const kind = i < count ? notes.kinds[i] : edge_change::none;
                kinds |= static_cast<std::uint32_t>(kind) << 2 * k;
                mine += kind == edge_change::applied ? 1 : kind == edge_change::updated ? updated_one : 0;
            }
            auto const sum = exec::block_exclusive_sum(thread, storage.sums, mine);
            if (block.is_leader())
                storage.first =
                    sum.total == 0
                        ? 0
                        : thread.device(zeros->changes_listed).fetch_add(sum.total, exec::order::relaxed);
            block.sync();
            std::uint64_t at = storage.first + sum.before;
            block.sync(); // read before the next round writes it
            // All are loaded before the first is stored, as each load takes as long as the rest.
            basic_edge<id_type> edges[most_notes_each] = {};
            for (std::uint32_t k = 0; k < most_notes_each; ++k)
                if (kind_of(kinds, k) != edge_change::none)
                    edges[k] = notes.edges[first + std::uint64_t{k} * block.size()];
            for (std::uint32_t k = 0; k < most_notes_each; ++k) {
                edge_change const kind = kind_of(kinds, k);
                if (kind == edge_change::none) continue;
                append(first + std::uint64_t{k} * block.size(), kind, edges[k],
                       static_cast<std::uint32_t>(kind == edge_change::applied ? at : at >> 32));
                at += kind == edge_change::applied ? 1 : updated_one;
            }
        });
    }
    [[nodiscard]] static RZ_HD edge_change kind_of(std::uint32_t kinds, std::uint32_t k) {
        return static_cast<edge_change>(kinds >> 2 * k & 3);
    }
    RZ_HD void append([[maybe_unused]] std::uint64_t i, edge_change kind, basic_edge<id_type> const& edge,
                      std::uint32_t at) const {
        if (kind == edge_change::applied) {
            to.applied[at] = edge;
            if constexpr (Format::has_values)
                to.applied_values[at] = Erasing ? notes.before[i] : to.batch_values[notes.numbers[i]];
        } else {
            to.updated[at] = edge;
            if constexpr (Format::has_values) {
                to.before[at] = notes.before[i];
                to.after[at] = to.batch_values[notes.numbers[i]];
            }
        }
    }
};

/// Reports what the batch has counted, and lists its changes first if they are noted. In a small batch each
/// thread has one note, as it waits for memory; in a large one several, as blocks wait for one counter.
template <class Format, bool Erasing, class Space>
void report(Space& space, batch_run<Format> const& work) {
    auto const& context = work.context;
    using list = list_changes<Format, Erasing>;
    if (!context.notes.wanted()) {
        launch(space, one_warp(space), work.report);
        return;
    }
    bool const small = space.max_block_threads() > 1 && work.arc_count < space.concurrency();
    std::uint32_t const each = small ? 1 : list::most_notes_each;
    launch(space, cover_threads(space, (work.arc_count + each - 1) / each),
           list{context.notes, work.changes, context.a.zeros, work.report, each});
}

} // namespace rhizome::graph::batch
