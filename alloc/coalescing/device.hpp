// SPDX-License-Identifier: Apache-2.0
// The ref of coalescing: how lanes share a superblock, and how any of its blocks is given back.
#pragma once

#include <rhizome/alloc/block_storage.hpp>
#include <rhizome/alloc/coalescing/policies.hpp>
#include <rhizome/alloc/coalescing/segment_header.hpp>
#include <rhizome/alloc/coalescing/superblock_table.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace rhizome::alloc {

/// What a block shares while its threads make a block-wide request.
template <class BackingRef>
struct coalescing_block_storage {
    std::uint64_t base;
    std::uint64_t bytes;
    std::uint32_t refused; ///< a window of the superblock has no slot in the table
    block_storage_of<BackingRef> backing;
};

/// The ref of coalescing<Scope, Bookkeeping, Backing>. Requests by all three scopes may be mixed, and with
/// by_table both kinds of bookkeeping. deallocate() frees them all.
template <class BackingRef, class Scope, class Bookkeeping>
class coalescing_ref {
    static constexpr bool has_table = keeps_table<Bookkeeping>;
    static constexpr bool pads_table = !std::is_same_v<Bookkeeping, by_dense_table>;
    static constexpr std::uint64_t head_bytes = sizeof(superblock_head);

public:
    using scope = Scope;
    using bookkeeping = Bookkeeping;
    using table_type = superblock_table_ref<!BackingRef::traits::bounded>;
    using block_storage = coalescing_block_storage<BackingRef>;

    struct traits {
        static constexpr std::uint64_t alignment_bytes = 16;
        static constexpr std::uint64_t smallest_bytes = 16;
        static constexpr std::uint64_t largest_bytes =
            BackingRef::traits::largest_bytes / 16 * 16 - head_bytes;
        static constexpr bool reuses = BackingRef::traits::reuses;
        static constexpr bool bounded = BackingRef::traits::bounded;
    };
    static_assert(BackingRef::traits::alignment_bytes % 16 == 0);
    static_assert(BackingRef::traits::largest_bytes >= 2 * head_bytes);

    RZ_HD coalescing_ref(BackingRef base, table_type table, std::uint64_t* without_slots)
        : base_(base), table_(table), without_slots_(without_slots) {}

    /// A block for the calling lane, by the dynamic variant in every scope: the lanes that arrive together
    /// share a superblock. Returns nullptr if the backing has no memory for the caller's block alone.
    /// Cost: a request to the backing per group of lanes, some shuffles, a header of 16 bytes per block.
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate(Thread const& thread, std::uint64_t bytes) const {
        return allocate(thread, bytes, 16);
    }
    /// The same with an alignment in bytes: 1, 2, 4, 8 or 16; nullptr for any other. The block has exactly
    /// `bytes` bytes, and its header 2 bytes at alignments 1 and 2, 4 at 4, else 8. A lane gets a larger
    /// alignment if the distance to the block of the lane before it needs a larger header. Lanes with
    /// different alignments share superblocks.
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate(Thread const& thread, std::uint64_t bytes,
                                       std::uint32_t alignment) const;

    /// A block for each thread of the scope: all threads of the block, or all lanes of the warp, call this
    /// together and ask for the same size (not in lane_wise, where any lane calls it). See
    /// allocate_in_block() and allocate_in_warp().
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate_uniform(Thread const& thread, std::uint64_t bytes) const {
        if constexpr (std::is_same_v<Scope, block_wide>) {
            return allocate_in_block(thread, bytes);
        } else if constexpr (std::is_same_v<Scope, warp_wide>) {
            return allocate_in_warp(thread, bytes);
        } else {
            return allocate(thread, bytes);
        }
    }

    /// A block for each thread of the thread block, side by side in the order of the threads. All threads of
    /// the block call it together, in uniform control flow, with the same `bytes`; it synchronises them. The
    /// ref must come from alloc::in_block(); without block storage, each warp is served as by
    /// allocate_in_warp(). A thread that asks for more than the first thread is served alone. If the
    /// backing refuses the superblock, each thread is served as by allocate(). Section 3.1.
    template <class Thread, class Keep = Bookkeeping>
    [[nodiscard]] RZ_HD void* allocate_in_block(Thread const& thread, std::uint64_t bytes, Keep = {}) const;

    /// A block for each lane of the warp, side by side in the order of the lanes. All lanes of the warp call
    /// it together with the same `bytes`. The lanes of a warp that is not full are served as by allocate();
    /// all else as in allocate_in_block(). Section 3.1.
    template <class Thread, class Keep = Bookkeeping>
    [[nodiscard]] RZ_HD void* allocate_in_warp(Thread const& thread, std::uint64_t bytes, Keep = {}) const;

    /// Gives back a block of any of the calls above, from any thread. The last of a superblock gives it back
    /// to the backing.
    template <class Thread>
    RZ_HD void deallocate(Thread const& thread, void* pointer) const;

    /// `bytes`, rounded up to a multiple of 16, for alignment 16.
    [[nodiscard]] RZ_HD std::uint64_t usable_bytes(std::uint64_t bytes) const {
        return bytes == 0 ? 16 : (bytes + 15) / 16 * 16;
    }

    /// See alloc/abilities.hpp. Needed by allocate_in_block().
    template <class Thread>
    RZ_HD void use_block_storage(Thread const& thread, block_storage& storage) {
        storage_ = &storage;
        if constexpr (uses_block_storage<BackingRef>) base_.use_block_storage(thread, storage.backing);
    }

    /// For the owner and for tests.
    [[nodiscard]] RZ_HD BackingRef const& backing() const { return base_; }
    [[nodiscard]] RZ_HD table_type const& table() const { return table_; }

private:
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate_alone(Thread const& thread, std::uint64_t bytes,
                                             std::uint64_t offset) const;

    // The bookkeeping of a static superblock is a parameter here: a request that finds no slots in the table
    // goes on with headers, and the code of the backing stands in a kernel once for both.

    /// A distance between segments, a multiple of 16 bytes, with the padding that keeps the lanes of a warp
    /// out of each other's way. Where all lanes read the same place of their segments, banks of the
    /// first-level cache are 4 bytes wide and 32: an odd multiple of 16 bytes spreads the lanes over 8 of
    /// them, a multiple of 128 bytes puts them all in one. Only where it costs an eighth or less.
    [[nodiscard]] static RZ_HD std::uint64_t padded(std::uint64_t stride) {
        return stride >= 128 && stride / 16 % 2 == 0 ? stride + 16 : stride;
    }
    /// Bytes from one segment to the next, of a static variant. Of segments in the table, the type of the ref
    /// decides whether there is padding, not the call.
    [[nodiscard]] RZ_HD std::uint64_t stride_of(std::uint64_t bytes, bool in_table) const {
        if (in_table && !pads_table) return usable_bytes(bytes);
        return padded(usable_bytes(bytes) + (in_table ? 0 : head_bytes));
    }
    [[nodiscard]] RZ_HD std::uint64_t superblock_bytes(std::uint64_t bytes, std::uint32_t segments,
                                                       bool in_table) const {
        return stride_of(bytes, in_table) * segments + (in_table ? head_bytes : 0);
    }
    /// Takes a superblock from the backing; 0 if there is none. Called by the leader.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t take_superblock(Thread const& thread, std::uint64_t bytes,
                                                      std::uint32_t segments, bool in_table) const;
    /// The caller's segment, with its header.
    template <class Thread>
    [[nodiscard]] RZ_HD std::byte* take_segment(Thread const& thread, std::uint64_t base, std::uint64_t bytes,
                                                std::uint32_t rank, bool in_table) const;
    /// The caller's segment of a superblock for the warp, or for the block; nullptr if the caller has to ask
    /// for itself. Called by all of their threads together.
    template <class Keep, class Thread>
    [[nodiscard]] RZ_HD std::byte* segment_in_warp(Thread const& thread, std::uint64_t bytes) const;
    template <class Keep, class Thread>
    [[nodiscard]] RZ_HD std::byte* segment_in_block(Thread const& thread, std::uint64_t bytes) const;
    /// A superblock for whose windows the table has no slots goes back. Called by the leader.
    template <class Thread>
    RZ_HD void undo(Thread const& thread, std::uint64_t base, std::uint64_t total) const;
    /// Gives back a segment of a static variant.
    template <class Thread>
    RZ_HD void leave_counted(Thread const& thread, superblock_head* head, bool in_table) const;

    template <class Keep>
    static constexpr bool is_kept = std::is_same_v<Keep, by_header> || (keeps_table<Keep> && has_table);

    BackingRef base_;
    table_type table_;
    std::uint64_t* without_slots_; ///< counts superblocks that got headers for lack of slots
    block_storage* storage_ = nullptr;
};

template <class BackingRef, class Scope, class Bookkeeping>
template <class Thread>
RZ_HD void* coalescing_ref<BackingRef, Scope, Bookkeeping>::allocate(Thread const& thread,
                                                                     std::uint64_t bytes,
                                                                     std::uint32_t alignment) const {
    auto const group = thread.coalesced();
    bool const served = bytes <= traits::largest_bytes && alignment <= 16 && exec::popcount(alignment) == 1;
    std::uint32_t const lanes = group.ballot(served);
    if (lanes == 0) return nullptr;
    if (bytes == 0) bytes = 1;

    // The payload begins `offset` bytes into the segment; its alignment tells the width of the header.
    std::uint64_t offset = alignment <= 2 ? 2 : alignment;
    constexpr std::uint64_t slack = 64; // of a distance, beyond the bytes of the segment before
    if (group.any(served && bytes > segment_header::most_in_2_bytes - slack) && offset < 4) offset = 4;
    if (group.any(served && bytes > segment_header::most_in_4_bytes - slack) && offset < 8) offset = 8;
    bool const any_16 = group.any(served && offset == 16);
    bool const any_8 = group.any(served && offset >= 4);
    // All segments of a superblock begin at multiples of one number, so that payloads of 2 stay at 2 modulo
    // 4, and those of 4 at 4 modulo 8.
    std::uint64_t const step = any_16 ? 16 : any_8 ? 8 : 4;
    std::uint64_t const rounded = (offset + bytes + step - 1) / step * step;
    bool const pads = step == 16 && exec::popcount(lanes) > 1;
    std::uint64_t const needed = !served ? 0 : pads ? padded(rounded) : rounded;
    std::uint64_t const before = group.exclusive_scan(needed);
    std::uint64_t const total = group.broadcast(before + needed, group.size() - 1);

    std::uint32_t const lower = lanes & ((1u << group.rank()) - 1);
    std::uint32_t const previous = lower == 0 ? group.rank() : exec::bit_width(lower) - 1;
    std::uint64_t const payload = before + offset;
    std::uint64_t const previous_payload = group.shuffle(payload, previous);

    std::uint64_t base = 0;
    if (group.is_leader() && total <= BackingRef::traits::largest_bytes)
        base = reinterpret_cast<std::uint64_t>(base_.allocate(thread, total));
    group.sync(); // accesses by earlier holders of this memory come before those by all lanes
    base = group.broadcast(base, 0);
    if (base == 0) {
        if (!served || exec::popcount(lanes) == 1) return nullptr;
        return allocate_alone(thread, bytes, offset);
    }
    std::byte* const block = reinterpret_cast<std::byte*>(base) + payload;
    if (served) {
        bool const first = lower == 0;
        bool const last = lanes >> group.rank() == 1;
        segment_header{first ? payload : payload - previous_payload,
                       (first ? segment_header::is_superblock : 0u) | (last ? segment_header::is_last : 0u)}
            .write(thread, block);
    }
    group.sync(); // a thread that frees a block walks over headers that other lanes write here
    return served ? block : nullptr;
}

/// A superblock of one segment.
template <class BackingRef, class Scope, class Bookkeeping>
template <class Thread>
RZ_HD void* coalescing_ref<BackingRef, Scope, Bookkeeping>::allocate_alone(Thread const& thread,
                                                                           std::uint64_t bytes,
                                                                           std::uint64_t offset) const {
    auto* const base = static_cast<std::byte*>(base_.allocate(thread, offset + bytes));
    if (base == nullptr) return nullptr;
    segment_header{offset, segment_header::is_superblock | segment_header::is_last}.write(thread,
                                                                                          base + offset);
    return base + offset;
}

template <class BackingRef, class Scope, class Bookkeeping>
template <class Thread>
RZ_HD std::uint64_t
coalescing_ref<BackingRef, Scope, Bookkeeping>::take_superblock(Thread const& thread, std::uint64_t bytes,
                                                                std::uint32_t segments, bool in_table) const {
    if (bytes > traits::largest_bytes) return 0;
    std::uint64_t const total = superblock_bytes(bytes, segments, in_table);
    if (total > BackingRef::traits::largest_bytes) return 0;
    auto* const head = static_cast<superblock_head*>(base_.allocate(thread, total));
    if (head == nullptr) return 0;
    // relaxed: threads get segments after a sync with the caller
    thread.device(head->live).store(segments, exec::order::relaxed);
    head->segments = segments;
    if (in_table) head->bytes = total;
    return reinterpret_cast<std::uint64_t>(head);
}

template <class BackingRef, class Scope, class Bookkeeping>
template <class Thread>
RZ_HD std::byte* coalescing_ref<BackingRef, Scope, Bookkeeping>::take_segment(
    Thread const& thread, std::uint64_t base, std::uint64_t bytes, std::uint32_t rank, bool in_table) const {
    auto* const block = reinterpret_cast<std::byte*>(base) + head_bytes + stride_of(bytes, in_table) * rank;
    if (!in_table) segment_header{base, segment_header::is_fixed}.write(thread, block);
    return block;
}

template <class BackingRef, class Scope, class Bookkeeping>
template <class Thread>
RZ_HD void coalescing_ref<BackingRef, Scope, Bookkeeping>::undo(Thread const& thread, std::uint64_t base,
                                                                std::uint64_t total) const {
    auto* const start = reinterpret_cast<std::byte*>(base);
    table_.remove(thread, start, total);
    base_.deallocate(thread, start);
    thread.device(*without_slots_).fetch_add(1, exec::order::relaxed); // a count alone
}

template <class BackingRef, class Scope, class Bookkeeping>
template <class Keep, class Thread>
RZ_HD std::byte* coalescing_ref<BackingRef, Scope, Bookkeeping>::segment_in_warp(Thread const& thread,
                                                                                 std::uint64_t bytes) const {
    auto const warp = thread.warp();
    auto const block = thread.block();
    if (block.rank() / warp.size() * warp.size() + warp.size() > block.size()) return nullptr; // not full
    std::uint64_t const common = warp.broadcast(bytes, 0);
    RZ_NO_UNROLL
    for (bool in_table = keeps_table<Keep>;; in_table = false) {
        std::uint64_t base = 0;
        if (warp.is_leader()) base = take_superblock(thread, common, warp.size(), in_table);
        warp.sync(); // as in allocate()
        base = warp.broadcast(base, 0);
        if (base == 0) return nullptr;
        if constexpr (keeps_table<Keep>) {
            if (in_table) {
                std::uint64_t const total = superblock_bytes(common, warp.size(), true);
                bool const entered = table_.insert(thread, reinterpret_cast<std::byte*>(base), total,
                                                   warp.rank(), warp.size());
                if (!warp.all(entered)) {
                    warp.sync(); // the leader removes what the other lanes entered
                    if (warp.is_leader()) undo(thread, base, total);
                    continue;
                }
            }
        }
        std::byte* const segment = take_segment(thread, base, common, warp.rank(), in_table);
        warp.sync(); // any lane's segment may be given back by any thread
        if (bytes <= usable_bytes(common)) return segment;
        deallocate(thread, segment);
        return nullptr;
    }
}

template <class BackingRef, class Scope, class Bookkeeping>
template <class Keep, class Thread>
RZ_HD std::byte* coalescing_ref<BackingRef, Scope, Bookkeeping>::segment_in_block(Thread const& thread,
                                                                                  std::uint64_t bytes) const {
    auto const block = thread.block();
    RZ_NO_UNROLL
    for (bool in_table = keeps_table<Keep>;; in_table = false) {
        if (block.is_leader()) {
            storage_->base = take_superblock(thread, bytes, block.size(), in_table);
            storage_->bytes = bytes;
            storage_->refused = 0;
        }
        block.sync();
        std::uint64_t const base = storage_->base;
        std::uint64_t const common = storage_->bytes;
        std::byte* segment = nullptr;
        if (base != 0) {
            if constexpr (keeps_table<Keep>) {
                bool const entered = !in_table || table_.insert(thread, reinterpret_cast<std::byte*>(base),
                                                                superblock_bytes(common, block.size(), true),
                                                                block.rank(), block.size());
                // relaxed: the barrier orders it
                if (!entered) thread.shared(storage_->refused).store(1, exec::order::relaxed);
            }
            segment = take_segment(thread, base, common, block.rank(), in_table);
        }
        block.sync(); // the next request may use the storage, and any thread may give back any segment
        if constexpr (keeps_table<Keep>) {
            if (in_table) {
                bool const refused =
                    base != 0 && thread.shared(storage_->refused).load(exec::order::relaxed) != 0;
                block.sync(); // all threads have looked
                if (refused) {
                    if (block.is_leader()) undo(thread, base, superblock_bytes(common, block.size(), true));
                    continue;
                }
            }
        }
        if (base == 0 || bytes <= usable_bytes(common)) return segment;
        deallocate(thread, segment);
        return nullptr;
    }
}

template <class BackingRef, class Scope, class Bookkeeping>
template <class Thread, class Keep>
RZ_HD void* coalescing_ref<BackingRef, Scope, Bookkeeping>::allocate_in_warp(Thread const& thread,
                                                                             std::uint64_t bytes,
                                                                             Keep) const {
    static_assert(is_kept<Keep>, "a ref of coalescing<Scope, by_header, Backing> has no table");
    std::byte* const segment = segment_in_warp<Keep>(thread, bytes);
    return segment != nullptr ? segment : allocate(thread, bytes);
}

template <class BackingRef, class Scope, class Bookkeeping>
template <class Thread, class Keep>
RZ_HD void* coalescing_ref<BackingRef, Scope, Bookkeeping>::allocate_in_block(Thread const& thread,
                                                                              std::uint64_t bytes,
                                                                              Keep) const {
    static_assert(is_kept<Keep>, "a ref of coalescing<Scope, by_header, Backing> has no table");
    std::byte* const segment =
        storage_ == nullptr ? segment_in_warp<Keep>(thread, bytes) : segment_in_block<Keep>(thread, bytes);
    return segment != nullptr ? segment : allocate(thread, bytes);
}

template <class BackingRef, class Scope, class Bookkeeping>
template <class Thread>
RZ_HD void coalescing_ref<BackingRef, Scope, Bookkeeping>::deallocate(Thread const& thread,
                                                                      void* pointer) const {
    if (pointer == nullptr) return;
    if constexpr (has_table) {
        if (superblock_head* const head = table_.find_superblock(thread, pointer)) {
            leave_counted(thread, head, true);
            return;
        }
    }
    auto* const payload = static_cast<std::byte*>(pointer);
    std::uint64_t count = 0;
    if (segment_header::leads_to_count(thread, payload, count)) {
        leave_counted(thread, reinterpret_cast<superblock_head*>(count), false);
    } else if (std::byte* const base = leave_segment(thread, payload)) {
        base_.deallocate(thread, base);
    }
}

template <class BackingRef, class Scope, class Bookkeeping>
template <class Thread>
RZ_HD void coalescing_ref<BackingRef, Scope, Bookkeeping>::leave_counted(Thread const& thread,
                                                                         superblock_head* head,
                                                                         bool in_table) const {
    auto const same = thread.coalesced().match(reinterpret_cast<std::uint64_t>(head));
    same.sync(); // accesses by all these lanes come before the subtraction
    if (!same.is_leader()) return;
    // acq_rel: accesses by the threads that left before come before the superblock is given back
    if (thread.device(head->live).fetch_sub(same.size(), exec::order::acq_rel) != same.size()) return;
    if (in_table) table_.remove(thread, reinterpret_cast<std::byte*>(head), head->bytes);
    base_.deallocate(thread, head);
}

} // namespace rhizome::alloc
