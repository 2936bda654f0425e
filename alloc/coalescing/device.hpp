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
    std::uint32_t turn;       ///< number of the request, modulo 2
    std::uint32_t refused[2]; ///< by turn: a thread cannot use the superblock
    block_storage_of<BackingRef> backing;

    /// Called by the leader. Threads may still look at `refused` of the request before, so that requests take
    /// turns with two words; of the one before that, all threads have met in a barrier since they looked.
    RZ_HD void begin(std::uint64_t superblock, std::uint64_t size) {
        base = superblock;
        bytes = size;
        turn = (turn + 1) % 2;
        refused[turn] = 0;
    }
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
    /// allocate_in_warp(). Each thread is served as by allocate() if the backing refuses the superblock, if
    /// the table has no slots for it, or if a thread asks for more than the first one. Section 3.1.
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
    /// Ways to serve a request, each of which is tried if the one before it fails: a superblock of a static
    /// variant, one for the lanes that ask together, one for the caller.
    enum class way : std::uint32_t { in_scope, together, alone };

    /// The caller's part of a request to the backing.
    struct part {
        std::uint64_t asked;   ///< bytes that the caller requests; 0: it requests none
        std::uint64_t payload; ///< bytes from the start of the superblock to its block; 0: it gets none
        std::uint32_t lanes;   ///< that get blocks, by their ranks in the group
    };

    /// Serves a request of `Threads`, warp_wide or block_wide, with alignment 16. Keep: the bookkeeping of
    /// static superblocks. All ways run through one loop, so that the code of the backing stands in a kernel
    /// once: when it stood there for each way, nvcc no longer inlined it, and all threads read the members of
    /// the ref from a copy in their local memory.
    template <class Threads, class Keep, class Thread>
    [[nodiscard]] RZ_INLINED RZ_HD void* serve(Thread const& thread, std::uint64_t bytes) const;
    /// The caller's block, with its header, of the superblock that the leader of `group` has requested;
    /// nullptr if it gets none. Sets `base` to the superblock for all lanes, 0 if there is none. All lanes
    /// call it.
    template <class Thread, class Group>
    [[nodiscard]] RZ_INLINED RZ_HD void* block_of_lane(Thread const& thread, Group const& group,
                                                       part const& mine, std::uint64_t& base) const;
    /// The caller's block of a superblock of its own, or nullptr if that is 0.
    template <class Thread>
    [[nodiscard]] RZ_INLINED RZ_HD void* block_alone(Thread const& thread, part const& mine,
                                                     std::uint64_t base) const;
    /// The caller's segment of the superblock at `base`, which the leader of the warp or of the block has
    /// requested with `asked` bytes (in the other threads base = 0), or nullptr to all of them if there is
    /// none. Called by all threads of the warp, or of the block.
    template <class Keep, class Thread>
    [[nodiscard]] RZ_INLINED RZ_HD std::byte* segment_in_scope(Thread const& thread, bool in_block,
                                                               std::uint64_t base, std::uint64_t bytes,
                                                               std::uint64_t asked) const;
    /// The caller's part of a superblock that the lanes of `group` share, which call this together.
    template <class Group>
    [[nodiscard]] RZ_INLINED RZ_HD part part_of_lane(Group const& group, std::uint64_t bytes,
                                                     std::uint32_t alignment) const;
    /// Its part of a superblock of its own.
    [[nodiscard]] RZ_HD part part_alone(std::uint64_t bytes, std::uint32_t alignment) const {
        if (!is_served(bytes, alignment)) return {};
        std::uint64_t const offset = alignment <= 2 ? 2 : alignment;
        return {offset + (bytes == 0 ? 1 : bytes), offset, 1};
    }
    [[nodiscard]] static RZ_HD bool is_served(std::uint64_t bytes, std::uint32_t alignment) {
        return bytes <= traits::largest_bytes && alignment <= 16 && exec::popcount(alignment) == 1;
    }
    /// The lanes that ask together. Two lines, which the emulator tells apart: lanes that share the
    /// superblock of their scope must not count among those of another request.
    template <class Thread>
    [[nodiscard]] static RZ_HD auto lanes_of(Thread const& thread, way how) {
        if (how == way::in_scope) return thread.coalesced();
        return thread.coalesced();
    }

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
    /// Bytes of a superblock of a static variant; 0 if the backing has none so large.
    [[nodiscard]] RZ_HD std::uint64_t superblock_bytes(std::uint64_t bytes, std::uint32_t segments,
                                                       bool in_table) const {
        if (bytes > traits::largest_bytes) return 0;
        std::uint64_t const total = stride_of(bytes, in_table) * segments + (in_table ? head_bytes : 0);
        return total <= BackingRef::traits::largest_bytes ? total : 0;
    }
    /// Writes the head of a new superblock. Called by the thread that requested it.
    template <class Thread>
    RZ_HD void write_head(Thread const& thread, std::uint64_t base, std::uint32_t segments,
                          std::uint64_t bytes, bool in_table) const {
        auto* const head = reinterpret_cast<superblock_head*>(base);
        // relaxed: threads get segments after a sync with the caller
        thread.device(head->live).store(segments, exec::order::relaxed);
        head->segments = segments;
        if (in_table) head->bytes = bytes;
    }
    /// The caller's segment of a static variant, with its header.
    template <class Thread>
    [[nodiscard]] RZ_HD std::byte* take_segment(Thread const& thread, std::uint64_t base, std::uint64_t bytes,
                                                std::uint32_t rank, bool in_table) const {
        auto* const block =
            reinterpret_cast<std::byte*>(base) + head_bytes + stride_of(bytes, in_table) * rank;
        if (!in_table) segment_header{base, segment_header::is_fixed}.write(thread, block);
        return block;
    }
    /// Gives back a superblock of a static variant of which no segment is handed out: the table has no slots
    /// for its windows, or threads asked for different sizes. Called by the thread that requested it.
    template <class Thread>
    RZ_HD void undo(Thread const& thread, std::uint64_t base, std::uint64_t bytes, bool in_table) const {
        auto* const start = reinterpret_cast<std::byte*>(base);
        if (in_table && !table_.remove(thread, start, bytes, 0, 1))
            thread.device(*without_slots_).fetch_add(1, exec::order::relaxed); // a count alone
        base_.deallocate(thread, start);
    }
    /// Gives back a segment of a static variant. Returns its superblock if the caller has to give that back,
    /// else nullptr.
    template <class Thread>
    [[nodiscard]] RZ_HD std::byte* leave_counted(Thread const& thread, superblock_head* head,
                                                 bool in_table) const;
    /// Gives back a block of any kind. Returns its superblock if the caller has to give that back, else
    /// nullptr.
    template <class Thread>
    [[nodiscard]] RZ_INLINED RZ_HD std::byte* leave(Thread const& thread, void* pointer) const;

    template <class Keep>
    static constexpr bool is_kept = std::is_same_v<Keep, by_header> || (keeps_table<Keep> && has_table);

    BackingRef base_;
    table_type table_;
    std::uint64_t* without_slots_; ///< counts superblocks that went back for lack of slots
    block_storage* storage_ = nullptr;
};

template <class BackingRef, class Scope, class Bookkeeping>
template <class Group>
RZ_HD auto coalescing_ref<BackingRef, Scope, Bookkeeping>::part_of_lane(Group const& group,
                                                                        std::uint64_t bytes,
                                                                        std::uint32_t alignment) const
    -> part {
    bool const served = is_served(bytes, alignment);
    std::uint32_t const lanes = group.ballot(served);
    if (bytes == 0) bytes = 1;

    // The payload begins `offset` bytes into the segment; its alignment tells the width of the header.
    std::uint64_t offset = alignment <= 2 ? 2 : alignment;
    constexpr std::uint64_t slack = 64; // of a distance, beyond the bytes of the segment before
    if (group.any(served && bytes > segment_header::most_in_2_bytes - slack) && offset < 4) offset = 4;
    if (group.any(served && bytes > segment_header::most_in_4_bytes - slack) && offset < 8) offset = 8;
    if (!served) offset = 0;
    bool const any_16 = group.any(offset == 16);
    bool const any_8 = group.any(offset >= 4);
    // All segments of a superblock begin at multiples of one number, so that payloads of 2 stay at 2 modulo
    // 4, and those of 4 at 4 modulo 8.
    std::uint64_t const step = any_16 ? 16 : any_8 ? 8 : 4;
    std::uint64_t const rounded = (offset + bytes + step - 1) / step * step;
    bool const pads = step == 16 && exec::popcount(lanes) > 1;
    std::uint64_t const needed = !served ? 0 : pads ? padded(rounded) : rounded;
    std::uint64_t const before = group.exclusive_scan(needed);
    std::uint64_t const total = group.broadcast(before + needed, group.size() - 1);

    bool const asks = group.is_leader() && total <= BackingRef::traits::largest_bytes;
    return {asks ? total : 0, served ? before + offset : 0, lanes};
}

template <class BackingRef, class Scope, class Bookkeeping>
template <class Keep, class Thread>
RZ_HD std::byte* coalescing_ref<BackingRef, Scope, Bookkeeping>::segment_in_scope(
    Thread const& thread, bool in_block, std::uint64_t base, std::uint64_t bytes, std::uint64_t asked) const {
    constexpr bool in_table = keeps_table<Keep>;
    auto const warp = thread.warp();
    auto const block = thread.block();
    bool const leads = in_block ? block.is_leader() : warp.is_leader();
    std::uint32_t const rank = in_block ? block.rank() : warp.rank();
    std::uint32_t const size = in_block ? block.size() : warp.size();
    if (base != 0) write_head(thread, base, size, asked, in_table);
    std::uint64_t common = 0; // what the leader asks for
    std::uint32_t turn = 0;
    if (in_block) {
        if (leads) storage_->begin(base, bytes);
        block.sync();
        base = storage_->base;
        common = storage_->bytes;
        turn = storage_->turn;
    } else {
        warp.sync(); // accesses by earlier holders of this memory come before those by all lanes
        base = warp.broadcast(base, 0);
        common = warp.broadcast(bytes, 0);
    }
    bool fits = bytes <= usable_bytes(common);
    std::byte* segment = nullptr;
    if (base != 0) {
        if constexpr (in_table)
            if (!table_.insert(thread, reinterpret_cast<std::byte*>(base),
                               superblock_bytes(common, size, true), rank, size))
                fits = false;
        segment = take_segment(thread, base, common, rank, in_table);
    }
    // All threads meet once more: then any thread may give back any segment.
    if (in_block) {
        // relaxed: the barrier orders it
        if (!fits) thread.shared(storage_->refused[turn]).store(1, exec::order::relaxed);
        block.sync(); // the leader of the next request may use the storage, but for this word
        fits = thread.shared(storage_->refused[turn]).load(exec::order::relaxed) == 0;
    } else {
        fits = warp.all(fits);
        warp.sync();
    }
    if (fits) return segment;
    if (base != 0 && leads) undo(thread, base, superblock_bytes(common, size, in_table), in_table);
    return nullptr;
}

template <class BackingRef, class Scope, class Bookkeeping>
template <class Thread, class Group>
RZ_HD void*
coalescing_ref<BackingRef, Scope, Bookkeeping>::block_of_lane(Thread const& thread, Group const& group,
                                                              part const& mine, std::uint64_t& base) const {
    group.sync(); // accesses by earlier holders of this memory come before those by all lanes
    base = group.broadcast(base, 0);
    std::uint32_t const lower = mine.lanes & ((1u << group.rank()) - 1);
    bool const is_first = lower == 0;
    bool const is_last = mine.lanes >> group.rank() == 1;
    std::uint64_t const previous =
        group.shuffle(mine.payload, is_first ? group.rank() : exec::bit_width(lower) - 1);
    if (base == 0) return nullptr;
    std::byte* const block = reinterpret_cast<std::byte*>(base) + mine.payload;
    if (mine.payload != 0)
        segment_header{is_first ? mine.payload : mine.payload - previous,
                       (is_first ? segment_header::is_superblock : 0u) |
                           (is_last ? segment_header::is_last : 0u)}
            .write(thread, block);
    group.sync(); // a thread that frees a block walks over headers that other lanes write here
    return mine.payload != 0 ? block : nullptr;
}

template <class BackingRef, class Scope, class Bookkeeping>
template <class Thread>
RZ_HD void* coalescing_ref<BackingRef, Scope, Bookkeeping>::block_alone(Thread const& thread,
                                                                        part const& mine,
                                                                        std::uint64_t base) const {
    if (base == 0) return nullptr;
    std::byte* const block = reinterpret_cast<std::byte*>(base) + mine.payload;
    segment_header{mine.payload, segment_header::is_superblock | segment_header::is_last}.write(thread,
                                                                                                block);
    return block;
}

template <class BackingRef, class Scope, class Bookkeeping>
template <class Threads, class Keep, class Thread>
RZ_HD void* coalescing_ref<BackingRef, Scope, Bookkeeping>::serve(Thread const& thread,
                                                                  std::uint64_t bytes) const {
    constexpr std::uint32_t alignment = 16;
    auto const warp = thread.warp();
    auto const block = thread.block();
    bool const in_block = std::is_same_v<Threads, block_wide> && storage_ != nullptr;
    bool const is_full = block.rank() / warp.size() * warp.size() + warp.size() <= block.size();
    way how = in_block || is_full ? way::in_scope : way::together;
    auto group = lanes_of(thread, how);
    RZ_NO_UNROLL
    for (;;) {
        part mine{};
        if (how == way::in_scope) {
            if (in_block ? block.is_leader() : warp.is_leader())
                mine.asked =
                    superblock_bytes(bytes, in_block ? block.size() : warp.size(), keeps_table<Keep>);
        } else if (how == way::together) {
            mine = part_of_lane(group, bytes, alignment);
        } else {
            mine = part_alone(bytes, alignment);
        }
        std::uint64_t base = 0;
        if (mine.asked != 0) base = reinterpret_cast<std::uint64_t>(base_.allocate(thread, mine.asked));

        if (how == way::in_scope) {
            std::byte* const segment = segment_in_scope<Keep>(thread, in_block, base, bytes, mine.asked);
            if (segment != nullptr) return segment;
            how = way::together;
            group = thread.coalesced();
            continue;
        }
        if (how == way::alone) return block_alone(thread, mine, base);
        void* const own = block_of_lane(thread, group, mine, base);
        if (base != 0) return own;
        if (mine.payload == 0 || group.size() == 1) return nullptr;
        how = way::alone;
    }
}

// Not by serve(), whose loop makes requests for blocks of different sizes a quarter slower.
template <class BackingRef, class Scope, class Bookkeeping>
template <class Thread>
RZ_HD void* coalescing_ref<BackingRef, Scope, Bookkeeping>::allocate(Thread const& thread,
                                                                     std::uint64_t bytes,
                                                                     std::uint32_t alignment) const {
    auto const group = thread.coalesced();
    part const mine = part_of_lane(group, bytes, alignment);
    std::uint64_t base = 0;
    if (mine.asked != 0) base = reinterpret_cast<std::uint64_t>(base_.allocate(thread, mine.asked));
    void* const block = block_of_lane(thread, group, mine, base);
    if (base != 0) return block;
    if (mine.payload == 0 || group.size() == 1) return nullptr;
    part const own = part_alone(bytes, alignment);
    return block_alone(thread, own, reinterpret_cast<std::uint64_t>(base_.allocate(thread, own.asked)));
}

template <class BackingRef, class Scope, class Bookkeeping>
template <class Thread, class Keep>
RZ_HD void* coalescing_ref<BackingRef, Scope, Bookkeeping>::allocate_in_warp(Thread const& thread,
                                                                             std::uint64_t bytes,
                                                                             Keep) const {
    static_assert(is_kept<Keep>, "a ref of coalescing<Scope, by_header, Backing> has no table");
    return serve<warp_wide, Keep>(thread, bytes);
}

template <class BackingRef, class Scope, class Bookkeeping>
template <class Thread, class Keep>
RZ_HD void* coalescing_ref<BackingRef, Scope, Bookkeeping>::allocate_in_block(Thread const& thread,
                                                                              std::uint64_t bytes,
                                                                              Keep) const {
    static_assert(is_kept<Keep>, "a ref of coalescing<Scope, by_header, Backing> has no table");
    return serve<block_wide, Keep>(thread, bytes);
}

template <class BackingRef, class Scope, class Bookkeeping>
template <class Thread>
RZ_HD void coalescing_ref<BackingRef, Scope, Bookkeeping>::deallocate(Thread const& thread,
                                                                      void* pointer) const {
    if (pointer == nullptr) return;
    std::byte* const superblock = leave(thread, pointer);
    if (superblock != nullptr) base_.deallocate(thread, superblock);
}

template <class BackingRef, class Scope, class Bookkeeping>
template <class Thread>
RZ_HD std::byte* coalescing_ref<BackingRef, Scope, Bookkeeping>::leave(Thread const& thread,
                                                                       void* pointer) const {
    if constexpr (has_table) {
        if (superblock_head* const head = table_.find_superblock(thread, pointer))
            return leave_counted(thread, head, true);
    }
    auto* const payload = static_cast<std::byte*>(pointer);
    std::uint64_t count = 0;
    if (segment_header::leads_to_count(thread, payload, count))
        return leave_counted(thread, reinterpret_cast<superblock_head*>(count), false);
    return leave_segment(thread, payload);
}

template <class BackingRef, class Scope, class Bookkeeping>
template <class Thread>
RZ_HD std::byte* coalescing_ref<BackingRef, Scope, Bookkeeping>::leave_counted(Thread const& thread,
                                                                               superblock_head* head,
                                                                               bool in_table) const {
    auto const same = thread.coalesced().match(reinterpret_cast<std::uint64_t>(head));
    same.sync(); // accesses by all these lanes come before the subtraction
    bool last = false;
    // acq_rel: accesses by the threads that left before come before the superblock is given back
    if (same.is_leader())
        last = thread.device(head->live).fetch_sub(same.size(), exec::order::acq_rel) == same.size();
    if (!in_table) return last ? reinterpret_cast<std::byte*>(head) : nullptr;
    last = same.any(last);
    if (!last) return nullptr;
    auto* const base = reinterpret_cast<std::byte*>(head);
    static_cast<void>(table_.remove(thread, base, head->bytes, same.rank(), same.size()));
    same.sync(); // what all lanes removed comes before the superblock is given back
    return same.is_leader() ? base : nullptr;
}

} // namespace rhizome::alloc
