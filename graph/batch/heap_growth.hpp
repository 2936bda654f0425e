// SPDX-License-Identifier: Apache-2.0
// When the heap of a graph grows by more than a batch must have, and when free pages are put back into the
// queues. This only concerns the time of the next batches, not whether they can be applied. What the next
// batch needs after one that trimmed or grew the heap comes with that next batch: a graph that is loaded and
// then only read does without.
#pragma once

#include <rhizome/alloc/abilities.hpp>
#include <rhizome/alloc/tuning.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/graph/batch/grow.hpp>
#include <rhizome/graph/batch/outcome.hpp>
#include <rhizome/graph/tuning.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace rhizome::graph {

/// What a batch did to the heap.
struct heap_change {
    bool trimmed = false;
    bool grown = false;
};

template <class Space, class Allocator>
class heap_growth {
public:
    explicit heap_growth(Space space) : space_(std::move(space)) {}

    /// The words of the allocator that the report of a batch contains.
    [[nodiscard]] static batch::heap_words words_of(Allocator const& allocator) {
        batch::heap_words words;
        if constexpr (alloc::spill_counting_owner<Allocator>) words.spilled_bytes = allocator.spilled_bytes();
        if constexpr (alloc::chunk_counting_owner<Allocator>) words.free_chunks = allocator.free_chunks();
        return words;
    }

    /// The bytes of the heap without its free chunks. Waits.
    [[nodiscard]] std::uint64_t bytes_in_use(Allocator const& allocator) {
        std::uint64_t const heap_bytes = allocator.heap_bytes();
        if constexpr (alloc::chunk_counting_owner<Allocator> &&
                      requires { Allocator::ref_type::base_bytes; }) {
            std::int64_t chunks = 0; // while restocking goes on, the count may be negative
            space_.copy_out(&chunks, allocator.free_chunks(), sizeof(chunks));
            std::uint64_t const free_bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(chunks, 0)) *
                                             Allocator::ref_type::base_bytes;
            return heap_bytes - std::min(heap_bytes, free_bytes);
        }
        return heap_bytes;
    }

    /// By how much a heap grows at least. table_bytes: of the vertex table.
    [[nodiscard]] static std::uint64_t step(Allocator const& allocator, std::uint64_t table_bytes) {
        std::uint64_t const heap_bytes = allocator.heap_bytes();
        return std::max(heap_bytes / tuning::growth_share,
                        std::min(table_bytes / tuning::table_growth_share, heap_bytes));
    }

    /// Before a batch that is not tiny: the heap grows if it was due after the batch before. `small`: as in
    /// after_batch().
    void before_batch([[maybe_unused]] Allocator& allocator, [[maybe_unused]] std::uint64_t table_bytes,
                      [[maybe_unused]] bool small) {
        if constexpr (alloc::requeueing_owner<Allocator>) {
            // A large batch needs old and new pages of many rows at a time.
            if (due_ == growth_due::of_tight_load)
                due_ = small ? growth_due::of_load : growth_due::of_few_chunks;
            if (due_ != growth_due::none)
                grow_now(allocator,
                         due_ == growth_due::of_load ? spare_of(allocator) : step(allocator, table_bytes));
        }
    }
    /// After a batch. `small`: the batch did not need much.
    void after_batch(Allocator& allocator, std::uint64_t table_bytes, batch::outcome const& found,
                     heap_change changed, bool small) {
        if constexpr (alloc::requeueing_owner<Allocator>) {
            bool const trims_often = trimmed_again(changed.trimmed) && !changed.grown;
            if (changed.trimmed || changed.grown)
                queue_free_pages(allocator, trims_often);
            else if (found.spilled_bytes > allocator.heap_bytes() / tuning::spilled_share)
                make_room_for_entries(allocator, table_bytes);
            else if (auto const growth = wanted_growth(allocator, table_bytes, found.free_chunks);
                     growth != 0 && small)
                grow_now(allocator, growth);
            else
                return;
            reports_left_ = reports_of_restocking;
        }
    }
    /// After the batch that loaded a graph without arcs, and after_batch() for it.
    void after_load(heap_change changed) {
        if (changed.grown)
            due_ = due_ == growth_due::of_few_chunks ? growth_due::of_tight_load : growth_due::of_load;
    }

    /// After a batch that was refused, or has failed, and had the heap trimmed or grown.
    void after_refusal(Allocator& allocator) {
        if constexpr (alloc::requeueing_owner<Allocator>) {
            static_cast<void>(allocator.requeue());
            reports_left_ = reports_of_restocking;
        }
    }

    /// After a compaction, which has left few free chunks: the next batch does not show what batches take.
    void after_compaction() {
        chunks_before_ = 0;
        reports_left_ = reports_of_restocking;
        stuck_bytes_ = ~std::uint64_t{0};
        due_ = growth_due::none;
    }

private:
    /// After free pages were put back into the queues, or the heap grew, the queues are stocked once, beside
    /// the next batch. The report of that batch contains little of it, the next report all of it. Two
    /// reports, and one to compare with.
    static constexpr std::uint32_t reports_of_restocking = 3;

    /// Why the heap grows before the next batch.
    enum class growth_due : std::uint8_t {
        none,          ///< it does not
        of_few_chunks, ///< free pages found no chunks for their queue entries
        of_trims,      ///< batches trim it often
        of_load,       ///< it was loaded with little to spare
        of_tight_load, ///< and with hardly a chunk
    };

    /// Puts free pages back into the queues, so that they are quick to obtain. If hardly a chunk is free even
    /// so, the heap grows before the next batch: it would otherwise search for pages one by one, or trim in
    /// vain. It also grows if batches trim it often.
    void queue_free_pages(Allocator& allocator, bool trims_often) {
        spills_ = false;
        due_ = !allocator.requeue() ? growth_due::of_few_chunks
               : trims_often        ? growth_due::of_trims
                                    : growth_due::none;
    }
    /// Whether this batch trimmed the heap soon after another did. A batch that trims takes some ten times as
    /// long: each insertion of a stream may do so if the pages of the heap just suffice.
    [[nodiscard]] bool trimmed_again(bool trimmed) {
        if (!trimmed) {
            ++batches_since_trim_;
            return false;
        }
        return std::exchange(batches_since_trim_, 0) < tuning::trims_apart;
    }
    /// Grows the heap, so that it is no longer due. Free pages of a heap in which no chunks were left for
    /// their queue entries are put into the queues.
    void grow_now(Allocator& allocator, std::uint64_t growth) {
        bool const queues = std::exchange(due_, growth_due::none) == growth_due::of_few_chunks;
        if (grow_ahead(allocator, growth) && queues) static_cast<void>(allocator.requeue());
    }
    /// Pages came back and found no chunk for their queue entries. Chunks of other pages may serve; if they
    /// did not the last time, the heap grows.
    void make_room_for_entries(Allocator& allocator, std::uint64_t table_bytes) {
        if (spills_ && !grow_ahead(allocator, step(allocator, table_bytes))) return;
        static_cast<void>(allocator.requeue());
        spills_ = !spills_;
    }
    /// How much more memory than its pages a heap has that grows for a batch.
    [[nodiscard]] static std::uint64_t spare_of(Allocator const& allocator) {
        return allocator.heap_bytes() / tuning::spare_share;
    }
    /// By how much the heap is to grow if small batches go on: 0 while chunks suffice.
    [[nodiscard]] std::uint64_t wanted_growth(Allocator const& allocator, std::uint64_t table_bytes,
                                              std::uint64_t free_chunks) {
        // While restocking goes on, the count may be negative.
        auto const now = std::max<std::int64_t>(static_cast<std::int64_t>(free_chunks), 0);
        std::int64_t const taken = std::exchange(chunks_before_, now) - now;
        if (reports_left_ != 0)
            --reports_left_;
        else if (taken > 0 && now < 2 * taken) // fewer than two batches like this one take
            return step(allocator, table_bytes);
        return taken > 0 && now < few_chunks(allocator) ? spare_of(allocator) : 0;
    }
    /// With fewer free chunks, refills and restocking bring few pages ahead of requests, or none. 0 for a
    /// small heap: even after growth by 1/spare_share they would bring none.
    [[nodiscard]] static std::int64_t few_chunks([[maybe_unused]] Allocator const& allocator) {
        if constexpr (requires { Allocator::ref_type::base_bytes; }) {
            std::uint64_t const chunks = allocator.heap_bytes() / Allocator::ref_type::base_bytes;
            if (chunks < tuning::spare_share * alloc::tuning::refill_few_share) return 0;
            return static_cast<std::int64_t>(
                std::min(alloc::tuning::ample_chunks, chunks / tuning::few_chunks_share));
        }
        return 0;
    }

    /// Grows the heap before a batch is refused, provided that most of the memory stays unused. Returns
    /// whether it has grown. If it could not grow, it is not tried again at this size.
    bool grow_ahead(Allocator& allocator, std::uint64_t growth) {
        std::uint64_t const heap_bytes = allocator.heap_bytes();
        std::uint64_t const held = space_.budget().held_bytes();
        std::uint64_t const most = space_.memory_bytes();
        if (heap_bytes == stuck_bytes_ || held > most || most - held < growth * tuning::spared_growths)
            return false;
        try {
            grow_sparing_scratch(space_, allocator, heap_bytes + growth);
        } catch (exec::out_of_memory const&) {
            stuck_bytes_ = heap_bytes; // growing was optional
            return false;
        }
        return true;
    }

    Space space_;
    growth_due due_ = growth_due::none;
    bool spills_ = false; ///< free pages were requeued for lack of room; the next time the heap grows
    std::int64_t chunks_before_ = 0;                     ///< free after the last batch
    std::uint32_t reports_left_ = reports_of_restocking; ///< which do not show what batches take
    std::uint64_t batches_since_trim_ = tuning::trims_apart;
    std::uint64_t stuck_bytes_ = ~std::uint64_t{0}; ///< the size at which the heap could not grow
};

} // namespace rhizome::graph
