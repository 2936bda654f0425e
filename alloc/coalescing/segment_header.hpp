// SPDX-License-Identifier: Apache-2.0
// The header in front of a segment's payload, and how a superblock of such segments is given back.
//
// A header has 8, 4 or 2 bytes; the alignment of the payload tells which: payload % 8 == 0, payload % 8 == 4,
// payload % 4 == 2. It holds three bits and a distance in bytes, always even: from the payload of the
// previous segment to this payload; in the first segment, from the start of the superblock. A header of 8
// bytes has a fourth bit, fixed: the rest is then the address of the superblock's count of live segments
// (static variants).
//
// Invariants of a superblock with segments 0, ..., n-1, in the order of their addresses, until it is given
// back:
//   1. first(i) = 1 exactly where i = 0.
//   2. There is exactly one segment L with last(L) = 1 and free(L) = 0, or a thread walks. Duty is what this
//      thread or the holder of L has: the duty to give back the superblock.
//   3. free(i) = 1 for all i > L, and for all i behind a walking thread.
//   4. Each bit is set by an atomic or that returns the bits before it, and no bit is ever cleared. So of the
//      two threads that set free(i) and last(i), exactly one finds the other's bit: that thread has the duty
//      next.
// From 2 and 4: exactly one thread reaches segment 0 with all free(i) = 1, and the superblock is given back
// once.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstddef>
#include <cstdint>

namespace rhizome::alloc {

/// What a header says.
struct segment_header {
    static constexpr std::uint32_t is_free = 1;       ///< the segment was given back
    static constexpr std::uint32_t is_superblock = 2; ///< the segment is the first of its superblock
    static constexpr std::uint32_t is_last = 4;       ///< giving back this segment includes the duty above
    static constexpr std::uint32_t is_fixed = 8;      ///< the header of a static variant; 8 bytes only
    static constexpr std::uint32_t flag_bits = 4;     ///< of 8 bytes; narrower headers have 3
    static constexpr std::uint32_t narrow_flag_bits = 3;
    /// The largest distances that headers of 2 and of 4 bytes hold. Distances are stored in units of 2 bytes.
    static constexpr std::uint64_t most_in_2_bytes = ((std::uint64_t{1} << 13) - 1) * 2;
    static constexpr std::uint64_t most_in_4_bytes = ((std::uint64_t{1} << 29) - 1) * 2;

    std::uint64_t distance; ///< bytes; with is_fixed: the address of the count
    std::uint32_t flags;

    /// The width in bytes of the header in front of a payload.
    [[nodiscard]] static RZ_HD std::uint32_t width_of(void const* payload) {
        auto const address = reinterpret_cast<std::uintptr_t>(payload);
        return address % 8 == 0 ? 8 : address % 4 == 0 ? 4 : 2;
    }

    /// Writes the header of a new segment. Relaxed: other threads get the pointer from this one, or from a
    /// lane that has met it in a sync.
    template <class Thread>
    RZ_HD void write(Thread const& thread, std::byte* payload) const {
        std::uint32_t const width = width_of(payload);
        if (width == 8) {
            thread.device(word<std::uint64_t>(payload)).store(wide_bits(), exec::order::relaxed);
        } else if (width == 4) {
            thread.device(word<std::uint32_t>(payload))
                .store(narrow_bits<std::uint32_t>(), exec::order::relaxed);
        } else {
            thread.device(word<std::uint16_t>(payload))
                .store(narrow_bits<std::uint16_t>(), exec::order::relaxed);
        }
    }

    /// Whether a payload belongs to a static variant; `count` is then the address of its superblock's count.
    template <class Thread>
    [[nodiscard]] static RZ_HD bool leads_to_count(Thread const& thread, std::byte* payload,
                                                   std::uint64_t& count) {
        if (width_of(payload) != 8) return false;
        // relaxed: the caller has the segment, so it sees the header; these bits of a live segment never
        // change
        std::uint64_t const bits = thread.device(word<std::uint64_t>(payload)).load(exec::order::relaxed);
        count = bits >> flag_bits << flag_bits;
        return (bits & is_fixed) != 0;
    }

    /// Sets a flag and returns what the header held before. acq_rel: the thread that gives back the
    /// superblock comes after all accesses to all segments, through the headers that it and earlier holders
    /// of the duty passed.
    template <class Thread>
    static RZ_HD segment_header mark(Thread const& thread, std::byte* payload, std::uint32_t flag) {
        std::uint32_t const width = width_of(payload);
        if (width == 8) {
            std::uint64_t const bits = thread.device(word<std::uint64_t>(payload))
                                           .fetch_or(std::uint64_t{flag}, exec::order::acq_rel);
            return {bits >> flag_bits, static_cast<std::uint32_t>(bits) & 15u};
        }
        if (width == 4) {
            std::uint32_t const bits =
                thread.device(word<std::uint32_t>(payload)).fetch_or(flag, exec::order::acq_rel);
            return {std::uint64_t{bits >> narrow_flag_bits} * 2, bits & 7u};
        }
        // Devices have no or of 16 bits. Two bits can change after the load, so there are at most three
        // rounds.
        auto const narrow = thread.device(word<std::uint16_t>(payload));
        std::uint16_t bits = narrow.load(exec::order::relaxed); // the exchange checks it
        while (
            !narrow.compare_exchange(bits, static_cast<std::uint16_t>(bits | flag), exec::order::acq_rel)) {
        }
        return {std::uint64_t{static_cast<std::uint32_t>(bits) >> narrow_flag_bits} * 2, bits & 7u};
    }

private:
    template <class Word>
    [[nodiscard]] static RZ_HD Word& word(std::byte* payload) {
        return *reinterpret_cast<Word*>(payload - sizeof(Word));
    }
    [[nodiscard]] RZ_HD std::uint64_t wide_bits() const {
        return ((flags & is_fixed) != 0 ? distance : distance << flag_bits) | flags;
    }
    template <class Word>
    [[nodiscard]] RZ_HD Word narrow_bits() const {
        return static_cast<Word>(distance / 2 << narrow_flag_bits | flags);
    }
};

/// Gives back a segment of the dynamic variant. Returns the start of its superblock if the caller has to give
/// that back, else nullptr. A segment that was given back before is left alone. Wait-free: one atomic, and
/// one more for each segment that the walk passes, fewer than the superblock has (section 3.2).
template <class Thread>
[[nodiscard]] RZ_HD std::byte* leave_segment(Thread const& thread, std::byte* payload) {
    segment_header seen = segment_header::mark(thread, payload, segment_header::is_free);
    if ((seen.flags & segment_header::is_free) != 0) return nullptr; // a second free, which `checked` reports
    if ((seen.flags & segment_header::is_last) == 0) return nullptr;
    while ((seen.flags & segment_header::is_superblock) == 0) {
        payload -= seen.distance;
        seen = segment_header::mark(thread, payload, segment_header::is_last);
        if ((seen.flags & segment_header::is_free) == 0) return nullptr; // its holder has the duty now
    }
    return payload - seen.distance;
}

} // namespace rhizome::alloc
