// SPDX-License-Identifier: Apache-2.0
// The host side of page_queue, an allocator of pages of one size. Free pages are kept in queues of page
// numbers, as in faimGraph.
//
// Invariants that audit() checks:
//   pages = fresh + queued + handed out
//   in each shard: back - front = count = slots that are not empty <= pages of the shard
//   exactly the slots at positions front to back - 1 (modulo the capacity) are not empty
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
/// faimGraph, as Winter et al., Ouroboros (ICS 2020), sections 2.2 and 4, describe it: new pages come from a
/// counter, freed ones from a queue of page numbers. Here there are 32 counters and 32 queues (shards;
/// README.md). Memory: the heap, and outside it 4 to 8 bytes per page for the queues and 1 bit per page for
/// audits and growth.
template <class Space, std::uint32_t PageBytes = 128>
class page_queue {
public:
    using space_type = Space;
    using ref_type = page_queue_ref<PageBytes>;

    /// Makes the allocator with a heap of options.heap_bytes; options.queue_share and options.shards are
    /// ignored. Throws out_of_memory if there is no memory or address space for the heap or its tables.
    explicit page_queue(Space space, heap_options const& options = {});

    /// A ref for kernels. Valid until the next grow_to(). Does not wait.
    [[nodiscard]] ref_type ref() const {
        return {heap_.data(), const_cast<page_queue_shard*>(shards_.data()), slots_.data(), capacity_,
                blocks_};
    }

    /// Makes the heap at least `bytes` large, rounded up to a multiple of 32 pages. Throws out_of_memory; the
    /// heap is then unchanged. Older refs become invalid in both cases, and no kernel may use the allocator
    /// meanwhile. Waits only where a short table moves (heap_table). If the queues have to be longer, it
    /// makes a pass over them.
    void grow_to(std::uint64_t bytes);

    /// Sorts queued pages by address, so that the lanes of a warp get adjacent pages. (All pages have one
    /// size, so trimming makes no further request possible.) No kernel may use the allocator meanwhile.
    /// Asynchronous. Cost: a pass over queues and marks.
    void trim();

    /// The size of the heap in bytes.
    [[nodiscard]] std::uint64_t heap_bytes() const { return heap_.heap_bytes(); }
    /// Bytes outside the heap: queues, marks, counters, and the part of the last commit beyond the heap.
    [[nodiscard]] std::uint64_t table_bytes() const {
        return slots_.committed_bytes() + marks_.committed_bytes() + shards_.size_bytes() +
               counts_.size_bytes() + heap_.spare_bytes();
    }

    /// Checks the invariants at the head of this file. No kernel may use the allocator meanwhile. Allocates
    /// nothing. Waits.
    [[nodiscard]] audit_result audit();

private:
    static std::uint64_t blocks_for(std::uint64_t bytes) {
        return (bytes + ref_type::block_bytes - 1) / ref_type::block_bytes;
    }
    /// A slot for each page of the largest shard, and a power of two.
    static std::uint64_t capacity_for(std::uint64_t blocks) {
        std::uint64_t const most = (blocks + ref_type::shards - 1) / ref_type::shards;
        return std::bit_ceil(std::max<std::uint64_t>(most, 1) * ref_type::block_pages);
    }

    void clear_marks();
    void drain();
    void refill();

    Space space_;
    heap_memory<Space> heap_;
    heap_table<Space, std::uint32_t> slots_; ///< [shard][capacity_]
    heap_table<Space, std::uint32_t> marks_; ///< one bit per page, used while queues are drained and audited
    exec::buffer<Space, page_queue_shard> shards_;
    exec::buffer<Space, page_queue_maintenance::audit_counts>
        counts_; ///< kept, so that an audit needs no memory
    std::uint64_t blocks_ = 0;
    std::uint64_t capacity_ = 0; ///< of each ring
};

} // namespace rhizome::alloc

#include <rhizome/alloc/page_queue/page_queue.inl>

#if defined(RHIZOME_COMPILED) // the library is linked, and holds common allocators compiled
#include <rhizome/alloc/compiled.hpp>
#endif
