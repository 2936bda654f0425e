// When the heap of a graph grows beyond what a batch must have, and when its free pages are queued anew: all
// of it is about the time of the next batches, none about whether they can be done.
#pragma once

#include <rhizome/exec/errors.hpp>
#include <rhizome/graph/batch/outcome.hpp>
#include <rhizome/graph/detail/grow.hpp>
#include <rhizome/graph/tuning.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace rhizome::graph {

template <class Space, class Allocator>
class heap_growth {
public:
    explicit heap_growth(Space space) : space_(std::move(space)) {}

    /// The words of the allocator that reports of batches read.
    [[nodiscard]] static batch::heap_words words_of(Allocator const& allocator) {
        batch::heap_words words;
        if constexpr (requires { allocator.spilled_bytes(); })
            words.spilled_bytes = allocator.spilled_bytes();
        if constexpr (requires { allocator.free_chunks(); }) words.free_chunks = allocator.free_chunks();
        return words;
    }

    /// By how much a heap grows at least. The table: of vertices.
    [[nodiscard]] static std::uint64_t step(Allocator const& allocator, std::uint64_t table_bytes) {
        std::uint64_t const heap_bytes = allocator.heap_bytes();
        return std::max(heap_bytes / tuning::growth_share,
                        std::min(table_bytes / tuning::table_growth_share, heap_bytes));
    }

    /// A batch is done; `changed`: it had the heap trimmed, or grown. `small`: it did not need much.
    void after_batch(Allocator& allocator, std::uint64_t table_bytes, batch::outcome const& found,
                     bool changed, bool small) {
        if constexpr (requires { allocator.requeue(); }) {
            if (changed)
                queue_free_pages(allocator, table_bytes);
            else if (found.spilled_bytes > allocator.heap_bytes() / tuning::spilled_share)
                make_room_for_entries(allocator, table_bytes);
            else if (runs_short_of_chunks(found.free_chunks) && small)
                queue_free_pages_if(allocator, grow_ahead(allocator, table_bytes));
            else
                return;
            reports_left_ = reports_of_restocking;
        }
    }

    /// A batch was refused, or has failed, after it had the heap trimmed or grown.
    void after_refusal(Allocator& allocator) {
        if constexpr (requires { allocator.requeue(); }) {
            static_cast<void>(allocator.requeue());
            reports_left_ = reports_of_restocking;
        }
    }

private:
    /// Once free pages were queued anew, or the heap grew, the queues are stocked once, beside the next
    /// batch: its report has seen little of that, the one after it all. Two, and one to compare with.
    static constexpr std::uint32_t reports_of_restocking = 3;

    /// Free pages become quick to get. Where hardly a chunk is free even so, the next batches would look for
    /// theirs one by one, or trim in vain.
    void queue_free_pages(Allocator& allocator, std::uint64_t table_bytes) {
        spills_ = false;
        if (!allocator.requeue()) queue_free_pages_if(allocator, grow_ahead(allocator, table_bytes));
    }
    static void queue_free_pages_if(Allocator& allocator, bool grown) {
        if (grown) static_cast<void>(allocator.requeue());
    }
    /// For pages that came back and found no chunk for their entries. Other pages' chunks may do; where they
    /// have not done before, the heap grows.
    void make_room_for_entries(Allocator& allocator, std::uint64_t table_bytes) {
        if (spills_ && !grow_ahead(allocator, table_bytes)) return;
        static_cast<void>(allocator.requeue());
        spills_ = !spills_;
    }
    /// Whether fewer chunks are free than two batches like the last one take.
    [[nodiscard]] bool runs_short_of_chunks(std::uint64_t free_chunks) {
        // While restocking goes on it may be less than none.
        auto const now = std::max<std::int64_t>(static_cast<std::int64_t>(free_chunks), 0);
        std::int64_t const before = std::exchange(chunks_before_, now);
        if (reports_left_ != 0) {
            --reports_left_;
            return false;
        }
        return before > now && now < 2 * (before - now);
    }

    /// Before a batch is refused, and as long as that leaves most of the memory alone; whether it has grown.
    /// Where it could not, it is not tried again at this size.
    bool grow_ahead(Allocator& allocator, std::uint64_t table_bytes) {
        std::uint64_t const heap_bytes = allocator.heap_bytes();
        std::uint64_t const growth = step(allocator, table_bytes);
        std::uint64_t const held = space_.budget().held_bytes();
        std::uint64_t const most = space_.memory_bytes();
        if (heap_bytes == stuck_bytes_ || held > most || most - held < growth * tuning::spared_growths)
            return false;
        try {
            grow_sparing_scratch(space_, allocator, heap_bytes + growth);
        } catch (exec::out_of_memory const&) {
            stuck_bytes_ = heap_bytes; // it can be done without
            return false;
        }
        return true;
    }

    Space space_;
    bool spills_ = false; ///< pages were queued anew for want of room; the next time the heap grows
    std::int64_t chunks_before_ = 0;                     ///< free after the last batch
    std::uint32_t reports_left_ = reports_of_restocking; ///< that say nothing of what batches take
    std::uint64_t stuck_bytes_ = ~std::uint64_t{0};      ///< size at which the heap could not grow ahead
};

} // namespace rhizome::graph
