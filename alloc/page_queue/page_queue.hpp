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
    explicit page_queue(Space space, heap_options const& options = {});

    [[nodiscard]] ref_type ref() const {
        return {heap_.data(), const_cast<page_queue_shard*>(shards_.data()), slots_.data(), capacity_,
                blocks_};
    }

    /// Rounds up to blocks of 32 pages. Cost: where the rings must be longer, a pass over them.
    void grow_to(std::uint64_t bytes);

    /// All pages have one size, so trimming makes no further request possible. It sorts queued pages by
    /// address, so that a warp again gets neighbouring pages. Cost: a pass over rings and marks.
    void trim();

    [[nodiscard]] std::uint64_t heap_bytes() const { return heap_.heap_bytes(); }
    [[nodiscard]] std::uint64_t table_bytes() const {
        return slots_.committed_bytes() + marks_.committed_bytes() + shards_.size_bytes() +
               counts_.size_bytes() + heap_.spare_bytes();
    }

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
    heap_table<Space, std::uint32_t> marks_; ///< a bit for each page
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
