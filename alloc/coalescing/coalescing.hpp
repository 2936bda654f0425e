// SPDX-License-Identifier: Apache-2.0
// Neighbouring threads get neighbouring memory: an allocator over any other that serves the requests of a
// block, of a warp, or of the lanes that arrive together, from one block of the allocator underneath.
//
// Source: Blach, Erhart, Memedi, Schäfer, Coalescing Memory Allocations for GPU MPI. README.md says what
// differs.
#pragma once

#include <rhizome/alloc/abilities.hpp>
#include <rhizome/alloc/coalescing/device.hpp>
#include <rhizome/alloc/coalescing/maintenance.hpp>
#include <rhizome/alloc/coalescing/policies.hpp>
#include <rhizome/alloc/concept.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/errors.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace rhizome::alloc {

/// Owner of the allocator underneath (Backing, any of the family) and, with by_table or by_dense_table, of a
/// table.
///
/// Scope: which threads allocate_uniform() of the ref serves together: block_wide, warp_wide, lane_wise.
/// Bookkeeping: by_header, by_table or by_dense_table (no table with lane_wise, whose blocks always have
/// headers).
///
/// Memory, beside what the backing needs: a header of 16 bytes per block, or 16 bytes per superblock and 32
/// bytes of table for each KiB of heap, up to twice that. A superblock is given back when its last block is.
template <class Scope, class Bookkeeping, class Backing>
class coalescing {
    static_assert(!(std::is_same_v<Scope, lane_wise> && keeps_table<Bookkeeping>),
                  "blocks of lane_wise have headers");
    static constexpr bool has_table = keeps_table<Bookkeeping>;

public:
    using space_type = typename Backing::space_type;
    using ref_type = coalescing_ref<typename Backing::ref_type, Scope, Bookkeeping>;

    /// Makes the backing with these options. Throws what Backing throws, and out_of_memory for the table.
    explicit coalescing(space_type space, heap_options const& options = {});

    /// A ref for kernels. Valid until the next grow_to().
    [[nodiscard]] ref_type ref() const {
        return {base_.ref(), table(slots_), const_cast<std::uint64_t*>(without_slots_.data())};
    }
    /// The allocator underneath.
    [[nodiscard]] Backing& base() { return base_; }
    [[nodiscard]] Backing const& base() const { return base_; }

    /// Grows the table first, then the backing. Throws out_of_memory; the heap is then unchanged. On CUDA the
    /// host waits when the old table is freed.
    void grow_to(std::uint64_t bytes);
    /// Trims the backing. Over an allocator without one heap, also forgets windows without superblocks, if
    /// there is memory for another table. Waits then.
    void trim();
    [[nodiscard]] std::uint64_t heap_bytes() const { return base_.heap_bytes(); }
    [[nodiscard]] std::uint64_t table_bytes() const {
        return base_.table_bytes() + slots_.size_bytes() + without_slots_.size_bytes();
    }
    /// Audits the backing and the table (superblock_table.hpp has the equations). The bytes are those of the
    /// backing: live_bytes are those of superblocks, with their headers and what is free in them. Waits.
    [[nodiscard]] audit_result audit();
    /// Superblocks that went back because the table had no slots for them; their threads got blocks with
    /// headers. Only over an allocator without one heap. Waits.
    [[nodiscard]] std::uint64_t superblocks_without_slots() const { return without_slots_.to_host()[0]; }

    // Each calls the function of the same name of the backing. Blocks are not withheld: a superblock cannot
    // move.
    [[nodiscard]] bool requeue() requires requeueing_owner<Backing> { return base_.requeue(); }
    void restock(std::uint64_t requests) requires restocking_owner<Backing> { base_.restock(requests); }
    [[nodiscard]] std::uint64_t* spilled_bytes() const requires spill_counting_owner<Backing> {
        return base_.spilled_bytes();
    }
    [[nodiscard]] std::uint64_t* free_chunks() const requires chunk_counting_owner<Backing> {
        return base_.free_chunks();
    }

private:
    using table_type = typename ref_type::table_type;
    using slots = exec::buffer<space_type, window_slot>;

    [[nodiscard]] static table_type table(slots const& held) {
        return {const_cast<window_slot*>(held.data()), held.size()};
    }
    [[nodiscard]] static std::uint64_t capacity_for(std::uint64_t heap_bytes);
    /// A table of `capacity` slots with all superblocks of the present one; empty if a window finds no slot
    /// there.
    [[nodiscard]] slots table_of(std::uint64_t capacity);
    /// Makes the table large enough for a heap of that size. Throws out_of_memory, changing nothing.
    void grow_table(std::uint64_t heap_bytes);

    space_type space_;
    Backing base_;
    slots slots_;
    exec::buffer<space_type, std::uint64_t> without_slots_;
    std::uint64_t most_bytes_; ///< that the heap can become
};

} // namespace rhizome::alloc

#include <rhizome/alloc/coalescing/coalescing.inl>
