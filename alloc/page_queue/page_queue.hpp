// Pages of one size from an index queue, as in faimGraph: the owner.
//
// Invariants, which audit() executes:
//   pages = fresh + queued + handed out
//   in each shard: back - front = count = slots that are not empty <= pages of the shard
//   slots that are not empty = slots of the places [front, back)
//   entries that name no page of their shard, or a fresh one = 0; entries that name a page twice = 0
#pragma once

#include <rhizome/alloc/concept.hpp>
#include <rhizome/alloc/heap_memory.hpp>
#include <rhizome/alloc/page_queue/device.hpp>
#include <rhizome/alloc/page_queue/maintenance.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/shape.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>

namespace rhizome::alloc {

/// Serves requests of up to PageBytes with one page each; larger ones return nullptr. The memory manager of
/// faimGraph, as Ouroboros, sections 2.2 and 4, describes it: new pages from a counter, freed ones from a
/// queue of page indices; here 32 of each (README.md). Memory: the heap, and outside it 4 to 8 bytes per page
/// for the queue and 1 bit per page for audits and growth.
template <class Space, std::uint32_t PageBytes = 128>
class page_queue {
public:
    using space_type = Space;
    using ref_type = page_queue_ref<PageBytes>;

    /// Throws out_of_memory where the heap or its tables cannot be had.
    explicit page_queue(Space space, heap_options const& options = {})
        : space_(std::move(space)), heap_(space_, options, ref_type::block_bytes),
          slots_(space_, capacity_for(blocks_for(heap_.reserved_bytes())) * ref_type::shards,
                 "allocator rings", fresh_elements::undefined),
          marks_(space_, blocks_for(heap_.reserved_bytes()), "allocator page marks",
                 fresh_elements::undefined),
          shards_(space_, ref_type::shards), counts_(space_, 1) {
        shards_.fill_bytes(0);
        grow_to(options.heap_bytes);
    }

    [[nodiscard]] ref_type ref() const {
        return {heap_.data(), const_cast<page_queue_shard*>(shards_.data()), slots_.data(), capacity_,
                blocks_};
    }

    /// Rounds up to blocks of 32 pages. Cost: where the rings must be longer, a pass over them.
    void grow_to(std::uint64_t bytes) {
        bool const grown = heap_.grow_to(bytes, [&](std::uint64_t heap_bytes) {
            slots_.grow_to(capacity_for(blocks_for(heap_bytes)) * ref_type::shards);
            marks_.grow_to(blocks_for(heap_bytes));
        });
        if (!grown) return;
        std::uint64_t const wanted = blocks_for(heap_.heap_bytes());
        std::uint64_t const capacity = capacity_for(wanted);
        launch(space_, cover_threads(space_, ref_type::shards),
               page_queue_maintenance::settle_fresh<ref_type>{ref()});
        if (capacity == capacity_) {
            blocks_ = wanted;
            return;
        }
        drain();
        blocks_ = wanted;
        capacity_ = capacity;
        space_.fill(slots_.data(), 0xff,
                    capacity * ref_type::shards * sizeof(std::uint32_t)); // page_ring_ref::empty
        refill();
    }

    /// All pages have one size, so trimming makes no further request possible. It sorts queued pages by
    /// address, so that a warp again gets neighbouring pages. Cost: a pass over rings and marks.
    void trim() {
        if (blocks_ == 0) return;
        drain();
        refill();
    }

    [[nodiscard]] std::uint64_t heap_bytes() const { return heap_.heap_bytes(); }
    [[nodiscard]] std::uint64_t table_bytes() const {
        return slots_.committed_bytes() + marks_.committed_bytes() + shards_.size_bytes() +
               counts_.size_bytes() + heap_.spare_bytes();
    }

    [[nodiscard]] audit_result audit() {
        audit_result result;
        if (blocks_ == 0) return result;
        counts_.fill_bytes(0);
        clear_marks();
        launch(space_, cover_threads(space_, capacity_ * ref_type::shards),
               page_queue_maintenance::audit<ref_type>{ref(), marks_.data(), counts_.data()});
        page_queue_maintenance::audit_counts const found = counts_.to_host()[0];
        std::uint64_t const pages = blocks_ * ref_type::block_pages;
        auto const expect = [&](bool holds, std::uint64_t left, char const* equation, std::uint64_t right) {
            if (!holds)
                result.violations.push_back(std::string("page_queue: ") + equation + ": " +
                                            std::to_string(left) + " against " + std::to_string(right));
        };
        expect(found.misplaced_slots == 0, found.misplaced_slots, "slots filled outside [front, back) = 0",
               0);
        expect(found.foreign_entries == 0, found.foreign_entries, "entries that name no page of theirs = 0",
               0);
        expect(found.doubled_entries == 0, found.doubled_entries, "pages that are queued twice = 0", 0);
        expect(found.broken_rings == 0, found.broken_rings, "rings whose counters do not add up = 0", 0);
        std::uint64_t const free = found.fresh_pages + found.queued_pages;
        expect(free <= pages, free, "fresh + queued <= pages", pages);
        result.live_bytes = (pages - std::min(free, pages)) * PageBytes;
        result.free_bytes = std::min(free, pages) * PageBytes;
        return result;
    }

private:
    static std::uint64_t blocks_for(std::uint64_t bytes) {
        return (bytes + ref_type::block_bytes - 1) / ref_type::block_bytes;
    }
    /// A slot for each page of the largest shard, and a power of two.
    static std::uint64_t capacity_for(std::uint64_t blocks) {
        std::uint64_t const most = (blocks + ref_type::shards - 1) / ref_type::shards;
        return std::bit_ceil(std::max<std::uint64_t>(most, 1) * ref_type::block_pages);
    }

    void clear_marks() { space_.fill(marks_.data(), 0, marks_.committed_bytes()); }
    void drain() {
        if (blocks_ == 0) return;
        clear_marks();
        launch(space_, cover_threads(space_, capacity_ * ref_type::shards),
               page_queue_maintenance::drain<ref_type>{ref(), marks_.data()});
    }
    void refill() {
        launch(space_, cover_threads(space_, blocks_),
               page_queue_maintenance::refill<ref_type>{ref(), marks_.data()});
    }

    Space space_;
    heap_memory<Space> heap_;
    heap_table<Space, std::uint32_t> slots_; ///< [shard][capacity_]
    heap_table<Space, std::uint32_t> marks_; ///< a bit for each page
    exec::buffer<Space, page_queue_shard> shards_;
    exec::buffer<Space, page_queue_maintenance::audit_counts>
        counts_; ///< kept, so that an audit needs no memory
    std::uint64_t blocks_ = 0;
    std::uint64_t capacity_ = 0; ///< of each ring
};

} // namespace rhizome::alloc
