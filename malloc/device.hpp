// SPDX-License-Identifier: Apache-2.0
// The device side of rhizome_malloc: what the C functions of malloc.cuh do, for the threads of every space.
//
// A block is a block of the allocator underneath. In checked mode it has a canary of 16 bytes on each side,
// and a table entry: which bytes were requested, where, and how far its first byte is from that of the
// allocator's block.
//
// The program may pass a block from thread to thread by any atomic, also a relaxed one. So a thread has a
// fence behind what it does to make a block and in front of what it does to a block that it was given: the
// header of the chunk, and in checked mode table entry and canaries, are then as the thread that made the
// block left them. The bytes of the block itself are the program's to order.
#pragma once

#include <rhizome/alloc/decorators/checked.hpp>
#include <rhizome/alloc/decorators/live_blocks.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/malloc/call_sites.hpp>

#include <cstddef>
#include <cstdint>

namespace rhizome::program_heap {

/// Requests that were refused, in the memory of the space.
struct refusal_counts {
    std::uint64_t requests;
    std::uint64_t bytes; ///< requested by them, each counted as at most largest_request_bytes
};

/// Larger requests are refused: what a table entry can hold.
inline constexpr std::uint64_t largest_request_bytes = std::uint64_t{1} << 40;
/// Larger alignments are refused: a chunk of the allocator is aligned to its size.
inline constexpr std::uint64_t largest_alignment = 8192;
inline constexpr std::uint64_t least_alignment = 16;

/// What the table says of a live block, in one word of live_blocks_ref.
class block_note {
public:
    RZ_HD block_note(std::uint64_t bytes, std::uint64_t front_bytes, std::uint32_t site)
        : word_(bytes | std::uint64_t{exec::bit_width(front_bytes)} << 41 | std::uint64_t{site} << 48) {}
    RZ_HD explicit block_note(std::uint64_t word) : word_(word) {}

    [[nodiscard]] RZ_HD std::uint64_t word() const { return word_; }
    [[nodiscard]] RZ_HD std::uint64_t bytes() const { return word_ & exec::bit_range(0, 41); }
    /// From the start of the allocator's block to that of the user's, a power of two.
    [[nodiscard]] RZ_HD std::uint64_t front_bytes() const {
        return std::uint64_t{1} << ((word_ >> 41 & 0x7f) - 1);
    }
    [[nodiscard]] RZ_HD std::uint32_t site() const { return static_cast<std::uint32_t>(word_ >> 48); }
    /// From the start of the user's block to the canary behind it.
    [[nodiscard]] RZ_HD std::uint64_t guarded_bytes() const { return (bytes() + 15) / 16 * 16; }

private:
    std::uint64_t word_;
};
static_assert(call_sites_ref::slots <= 1u << 16);

/// The heap in kernels. Trivially copyable; valid until its owner grows or is asked to. Blocks: the ref of an
/// allocator with the ability knows_block_bytes, whose blocks of a power of two bytes, up to
/// largest_alignment, are aligned to their size.
template <class Blocks>
class heap_ref {
public:
    using live_table = alloc::live_blocks_ref<16, false>;

    RZ_HD heap_ref(Blocks const& blocks, refusal_counts* refused, live_table live, call_sites_ref sites)
        : blocks_(blocks), refused_(refused), live_(live), sites_(sites) {}

    /// A block of at least `bytes` bytes (at least 1), aligned to `alignment` and to 16 bytes, or nullptr.
    /// `alignment`: a power of two up to largest_alignment; others are refused.
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate(Thread const& thread, std::uint64_t alignment, std::uint64_t bytes,
                                       call_site site) const {
        bool const checked = sites_.exists();
        std::uint64_t const front = alignment < least_alignment ? least_alignment : alignment;
        block_note note(0, front, 0);
        std::byte* start = nullptr;
        if (bytes <= largest_request_bytes && alignment <= largest_alignment &&
            exec::popcount(alignment) == 1) {
            std::uint64_t asked = bytes == 0 ? 1 : bytes;
            if (checked) {
                note = block_note(asked, front, sites_.slot_of(thread, site));
                asked = front + note.guarded_bytes() + canaries::bytes;
            }
            start = static_cast<std::byte*>(blocks_.allocate(thread, bytes_for(front, asked)));
        }
        if (start == nullptr) {
            note_refusal(thread, bytes);
            return nullptr;
        }
        std::byte* block = start;
        if (checked) {
            block += front;
            canaries::write(block - canaries::bytes);
            canaries::write(block + note.guarded_bytes());
            static_cast<void>(live_.insert(thread, block, note.word())); // the table has a slot per address
        }
        thread.fence(); // pairs with that of the thread which frees the block
        return block;
    }

    /// A block that holds the first min(old, new) bytes of `block`, which is not nullptr and is freed;
    /// `bytes` is not 0. Keeps the block where it is if its size fits and is at most twice what is needed; in
    /// checked mode it always moves, so that uses of the old pointer are found. nullptr: refused, and `block`
    /// is as it was. allocate(bytes) and deallocate(block) are those of this heap for the caller.
    template <class Thread, class Allocate, class Deallocate>
    [[nodiscard]] RZ_HD void* reallocate(Thread const& thread, void* block, std::uint64_t bytes,
                                         Allocate&& allocate, Deallocate&& deallocate) const {
        std::uint64_t held = 0;
        thread.fence(); // as in deallocate()
        if (sites_.exists()) {
            held = block_note(live_.bytes_of(thread, block)).bytes();
            if (held == 0) {
                deallocate(block); // which records the mistake
                return nullptr;
            }
        } else {
            held = blocks_.bytes_of(thread, block);
            if (bytes <= held && blocks_.usable_bytes(bytes) > held / 2) return block;
        }
        void* const moved = allocate(bytes);
        if (moved == nullptr) return nullptr;
        std::uint64_t const kept = held < bytes ? held : bytes;
        auto* const to = static_cast<std::uint64_t*>(moved); // blocks end at a multiple of 16 bytes
        auto const* const from = static_cast<std::uint64_t const*>(block);
        for (std::uint64_t i = 0; i < (kept + 7) / 8; ++i)
            to[i] = from[i];
        deallocate(block);
        return moved;
    }

    /// Frees a block; nullptr is ignored. In checked mode a pointer that is no live block is recorded and not
    /// freed.
    template <class Thread>
    RZ_HD void deallocate(Thread const& thread, void* block, call_site site) const {
        if (block == nullptr) return;
        thread.fence(); // after the atomic by which the caller got the block: pairs with that of allocate()
        void* start = block;
        if (sites_.exists()) start = start_of_checked(thread, block, site);
        blocks_.deallocate(thread, start);
    }

    [[nodiscard]] RZ_HD live_table const& live() const { return live_; }
    [[nodiscard]] RZ_HD call_sites_ref const& sites() const { return sites_; }

    /// Counts damaged canaries of a block.
    template <class Thread>
    static RZ_HD void check_canaries(Thread const& thread, void const* block, block_note note,
                                     damaged_blocks& damaged) {
        auto const* const start = static_cast<std::byte const*>(block);
        if (!canaries::intact(start - canaries::bytes)) count_one(thread, damaged.before);
        if (!canaries::intact(start + note.guarded_bytes())) count_one(thread, damaged.past);
    }

private:
    using canaries = alloc::detail::canaries;

    /// The size to request so that a block has this alignment. Larger blocks are whole chunks.
    [[nodiscard]] static RZ_HD std::uint64_t bytes_for(std::uint64_t alignment, std::uint64_t bytes) {
        if (alignment == least_alignment || bytes > largest_alignment) return bytes;
        std::uint64_t const least = bytes < alignment ? alignment : bytes;
        return std::uint64_t{1} << exec::bit_width(least - 1);
    }

    /// Ends the life of a block in the table. Returns the start of the allocator's block, or nullptr.
    template <class Thread>
    [[nodiscard]] RZ_HD void* start_of_checked(Thread const& thread, void* block, call_site site) const {
        alloc::found_block const found = live_.remove(thread, block);
        if (found.state == alloc::block_state::live) {
            block_note const note(found.bytes);
            check_canaries(thread, block, note, sites_.at(note.site()).freed_damaged);
            return static_cast<std::byte*>(block) - note.front_bytes();
        }
        site_record& record = sites_.at(sites_.slot_of(thread, site));
        count_one(thread,
                  found.state == alloc::block_state::freed ? record.freed_twice : record.freed_foreign);
        return nullptr;
    }
    /// Cost: two atomics for the lanes of a warp that are refused together.
    template <class Thread>
    RZ_HD void note_refusal(Thread const& thread, std::uint64_t bytes) const {
        auto const lanes = thread.coalesced();
        std::uint64_t const all = lanes.sum(bytes < largest_request_bytes ? bytes : largest_request_bytes);
        if (!lanes.is_leader()) return;
        // relaxed: read while no kernel runs
        thread.device(refused_->requests).fetch_add(lanes.size(), exec::order::relaxed);
        thread.device(refused_->bytes).fetch_add(all, exec::order::relaxed);
    }

    Blocks blocks_;
    refusal_counts* refused_;
    live_table live_;
    call_sites_ref sites_;
};

/// A block of count * bytes bytes that are 0, from allocate(bytes); nullptr also where the product exceeds 64
/// bits.
template <class Allocate>
[[nodiscard]] RZ_HD void* zeroed_block(std::uint64_t count, std::uint64_t bytes, Allocate&& allocate) {
    bool const overflows = bytes != 0 && count > ~std::uint64_t{0} / bytes;
    std::uint64_t const asked = overflows ? ~std::uint64_t{0} : count * bytes;
    void* const block = allocate(asked);
    if (block == nullptr) return nullptr;
    auto* const words = static_cast<std::uint64_t*>(block); // blocks end at a multiple of 16 bytes
    for (std::uint64_t i = 0; i < (asked + 7) / 8; ++i)
        words[i] = 0;
    return block;
}

} // namespace rhizome::program_heap
