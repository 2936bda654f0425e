// SPDX-License-Identifier: Apache-2.0
// The sort behind sort_keys() and sort_pairs() of the host: stable, digit by digit from the lowest.
#pragma once

#include <rhizome/exec/host/parallel.hpp>
#include <rhizome/exec/key_pairs.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace rhizome::exec {

/// Sorts `count` keys by bits [0, bits), ascending, and moves their values along if there are any
/// (pairs.values is nullptr otherwise). Equal keys keep their order, so the result does not depend on the
/// number of threads. Returns which of the two arrays holds the result. Cost: two passes over the keys per
/// digit of up to 11 bits.
template <class Key>
class radix_sort {
public:
    using pairs_type = basic_key_pairs<Key>;

    /// `first`: the lowest bit to sort by.
    radix_sort(thread_team& team, std::uint64_t count, unsigned bits, unsigned first = 0)
        : team_(team), count_(count), first_(first) {
        bits_ = std::max(std::min(bits, static_cast<unsigned>(8 * sizeof(Key))), first);
        // Few keys: the counters of a pass take no longer to add up than the keys.
        unsigned const most = std::clamp(static_cast<unsigned>(std::bit_width(count)), 4u, most_digit_bits);
        unsigned const sorted_bits = bits_ - first;
        unsigned const passes = (sorted_bits + most - 1) / most;
        digit_bits_ = passes == 0 ? 0 : (sorted_bits + passes - 1) / passes;
        std::uint64_t const shared = team.threads() == 1 ? 1 : parts_per_thread * team.threads();
        parts_ = std::clamp<std::uint64_t>(count / least_part, 1, shared);
    }

    /// Numbers that run() needs as scratch.
    [[nodiscard]] std::uint64_t places() const { return parts_ << digit_bits_; }

    /// `spare`: an array that takes the place of `from` after the first pass, so that `from` is only read.
    /// Without one, its keys are nullptr.
    [[nodiscard]] pairs_type run(pairs_type from, pairs_type to, std::uint64_t* places,
                                 pairs_type spare = {nullptr, nullptr}) {
        if (count_ < 2) return from;
        places_ = places;
        for (shift_ = first_; shift_ < bits_; shift_ += digit_bits_) {
            digit_mask_ = low_bits<std::uint64_t>(std::min(digit_bits_, bits_ - shift_));
            parallel_for(team_, parts_, [&](std::uint64_t part) { count_digits(part, from.keys); });
            if (!add_up()) continue; // all keys have the same digit
            if (from.values == nullptr)
                parallel_for(team_, parts_, [&](std::uint64_t part) { move<false>(part, from, to); });
            else
                parallel_for(team_, parts_, [&](std::uint64_t part) { move<true>(part, from, to); });
            std::swap(from, to);
            if (spare.keys != nullptr) to = std::exchange(spare, {nullptr, nullptr});
        }
        return from;
    }

private:
    static constexpr unsigned most_digit_bits = 11; ///< 2048 counters and write positions stay in the cache
    static constexpr std::uint64_t parts_per_thread = 8;
    static constexpr std::uint64_t least_part = 8192; ///< keys: many times as many as there are digits

    [[nodiscard]] std::uint64_t begin(std::uint64_t part) const { return count_ * part / parts_; }
    [[nodiscard]] std::uint64_t digit_of(Key key) const {
        return static_cast<std::uint64_t>(key >> shift_) & digit_mask_;
    }
    [[nodiscard]] std::uint64_t* places_of(std::uint64_t part) { return places_ + (part << digit_bits_); }

    void count_digits(std::uint64_t part, Key const* keys) {
        std::uint64_t* const places = places_of(part);
        std::fill_n(places, std::uint64_t{1} << digit_bits_, 0);
        std::uint64_t const end = begin(part + 1);
        for (std::uint64_t i = begin(part); i < end; ++i)
            ++places[digit_of(keys[i])];
    }
    /// Counts become the places of the first keys of each digit and part. False if one digit has all keys.
    [[nodiscard]] bool add_up() {
        std::uint64_t before = 0;
        for (std::uint64_t digit = 0; digit <= digit_mask_; ++digit) {
            std::uint64_t const first = before;
            for (std::uint64_t part = 0; part < parts_; ++part) {
                std::uint64_t& place = places_of(part)[digit];
                before += std::exchange(place, before);
            }
            if (before - first == count_) return false;
        }
        return true;
    }
    template <bool HasValues>
    void move(std::uint64_t part, pairs_type const& from, pairs_type const& to) {
        std::uint64_t* const places = places_of(part);
        std::uint64_t const end = begin(part + 1);
        for (std::uint64_t i = begin(part); i < end; ++i) {
            Key const key = from.keys[i];
            std::uint64_t const place = places[digit_of(key)]++;
            to.keys[place] = key;
            if constexpr (HasValues) to.values[place] = from.values[i];
        }
    }

    thread_team& team_;
    std::uint64_t count_;
    unsigned first_;
    unsigned bits_;
    unsigned digit_bits_;
    unsigned shift_ = 0;
    std::uint64_t digit_mask_ = 0;
    std::uint64_t parts_;
    std::uint64_t* places_ = nullptr; ///< [part][digit]
};

} // namespace rhizome::exec
