// SPDX-License-Identifier: Apache-2.0
// One vector of a gg_array: buckets that double in size (LFVector), and one word that says how many elements
// were claimed and how many buckets there are.
//
// The word:   closed 1 bit | growing 1 bit | buckets 6 bits | claimed 56 bits
//
// A thread claims n places with one atomic addition. The same addition tells it how many buckets there are.
// If its places lie beyond them, the thread sets `growing`, or waits for the thread that has set it. The
// thread that set it allocates one bucket and adds 1 to `buckets`. Where the allocator refuses, it sets
// `closed` instead: the claims beyond the capacity get no place, and no bucket is added until settle(), which
// takes these claims back. (Without `closed`, a later bucket could make one of two such claims valid, and
// leave a gap in the array.)
//
// Invariants, while no kernel runs:
// - buckets 0 to buckets - 1 are allocated, the others are not
// - `growing` is not set
// - elements [0, min(claimed, capacity of the buckets)) are inserted
#pragma once

#include <rhizome/container/insertion.hpp>
#include <rhizome/container/scaled_buckets.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::container {

/// The parts of the word of a vector.
namespace vector_word {
inline constexpr std::uint64_t claimed_bits = 56;
inline constexpr std::uint64_t claimed_mask = (std::uint64_t{1} << claimed_bits) - 1;
inline constexpr std::uint64_t one_bucket = std::uint64_t{1} << claimed_bits;
inline constexpr std::uint64_t growing = std::uint64_t{1} << 62;
inline constexpr std::uint64_t closed = std::uint64_t{1} << 63;

[[nodiscard]] RZ_HD constexpr std::uint64_t claimed(std::uint64_t word) { return word & claimed_mask; }
[[nodiscard]] RZ_HD constexpr std::uint32_t buckets(std::uint64_t word) {
    return static_cast<std::uint32_t>(word >> claimed_bits) & 63u;
}
} // namespace vector_word

/// A vector in the memory of the space. One line of memory or more for each, so that vectors do not contend.
template <class T>
struct lf_vector {
    static constexpr std::uint32_t most_buckets = 47;

    std::uint64_t word;
    T* bucket[most_buckets];

    [[nodiscard]] RZ_HD T& at(scaled_buckets sizes, std::uint64_t place) const {
        std::uint32_t const number = sizes.bucket_of(place);
        return bucket[number][place - sizes.first_of(number)];
    }

    /// Claims `wanted` places, and adds the buckets that they need. Returns fewer places where the allocator
    /// refuses. On return the buckets of the granted places can be read by the calling thread.
    template <class Thread, class Allocator>
    [[nodiscard]] RZ_HD granted_places claim(Thread const& thread, Allocator const& allocator,
                                             scaled_buckets sizes, std::uint64_t wanted) {
        // acquire: pairs with the release that added the buckets, so that their addresses can be read
        std::uint64_t held = thread.device(word).fetch_add(wanted, exec::order::acquire);
        std::uint64_t const begin = vector_word::claimed(held);
        held = grow(thread, allocator, sizes, begin + wanted, held);
        std::uint64_t const capacity = sizes.capacity_of(vector_word::buckets(held));
        std::uint64_t const left = begin < capacity ? capacity - begin : 0;
        auto const granted = static_cast<std::uint32_t>(wanted < left ? wanted : left);
        if (granted == 0) return {begin, nullptr, 0, 0};
        std::uint32_t const number = sizes.bucket_of(begin);
        std::uint64_t const within = begin - sizes.first_of(number);
        std::uint64_t const room = sizes.room(number) - within;
        return {begin, bucket[number] + within, granted,
                granted < room ? granted : static_cast<std::uint32_t>(room)};
    }

    /// Adds buckets until there are `places` places, or the allocator refuses. `held`: the word as last read,
    /// with acquire. Returns the word as read last: its buckets can be used.
    template <class Thread, class Allocator>
    RZ_HD std::uint64_t grow(Thread const& thread, Allocator const& allocator, scaled_buckets sizes,
                             std::uint64_t places, std::uint64_t held) {
        auto const state = thread.device(word);
        auto const enough = [&] {
            return sizes.capacity_of(vector_word::buckets(held)) >= places ||
                   (held & vector_word::closed) != 0;
        };
        while (!enough()) {
            if ((held & vector_word::growing) == 0) {
                // acquire: pairs with the release of the thread that grew last
                held = state.fetch_or(vector_word::growing, exec::order::acquire);
                if ((held & vector_word::growing) == 0) { // this thread set it
                    held = enough() ? stop_growing(thread) : add_bucket(thread, allocator, sizes, held);
                    continue;
                }
            }
            // The thread that grows has started: it set the bit.
            thread.relax();
            held = state.load(exec::order::acquire); // as above
        }
        return held;
    }

private:
    /// Called by the thread that has set `growing`; clears it. Returns the new word.
    template <class Thread, class Allocator>
    [[nodiscard]] RZ_HD std::uint64_t add_bucket(Thread const& thread, Allocator const& allocator,
                                                 scaled_buckets sizes, std::uint64_t held) {
        std::uint32_t const number = vector_word::buckets(held);
        void* memory = nullptr;
        if (number < most_buckets && sizes.room(number) <= Allocator::traits::largest_bytes / sizeof(T))
            memory = allocator.allocate(thread, sizes.room(number) * sizeof(T));
        // One addition changes both: `growing` is set, and `closed` is not.
        std::uint64_t change = vector_word::closed - vector_word::growing;
        if (memory != nullptr) {
            bucket[number] = static_cast<T*>(memory);
            change = vector_word::one_bucket - vector_word::growing;
        }
        // release: threads that see the new bucket read its address
        return thread.device(word).fetch_add(change, exec::order::release) + change;
    }
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t stop_growing(Thread const& thread) {
        // relaxed: a read-modify-write passes on the release of the thread that added the last bucket
        return thread.device(word).fetch_and(~vector_word::growing, exec::order::relaxed) &
               ~vector_word::growing;
    }
};

} // namespace rhizome::container
