// SPDX-License-Identifier: Apache-2.0
// Runs of set bits in a mask of many words: a group of lanes searches them, one word per lane.
#pragma once

#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::alloc {

namespace detail {

inline constexpr std::uint32_t no_bit = 64;

/// The lowest bit of the highest run of `wanted` set bits that ends in this word, or no_bit. `above`: that
/// many bits directly above the word are set; bits that make whole runs there are left to other lanes.
[[nodiscard]] RZ_HD constexpr std::uint32_t run_end(std::uint64_t bits, std::uint64_t above,
                                                    std::uint64_t wanted) {
    std::uint64_t const missing = wanted - (above < wanted ? above : above % wanted);
    if (missing <= 64 && ~bits >> (64 - missing) == 0) return static_cast<std::uint32_t>(64 - missing);
    if (wanted > 64) return no_bit;
    // Keep bits that have `sure` set bits from them upwards; double `sure` each time.
    for (std::uint64_t sure = 1; sure < wanted && bits != 0;) {
        std::uint64_t const more = wanted - sure < sure ? wanted - sure : sure;
        bits &= bits >> more;
        sure += more;
    }
    return bits == 0 ? no_bit : exec::bit_width(bits) - 1;
}

} // namespace detail

/// Neighbouring words of the mask, the highest at the first lane. All lanes construct it together.
template <class Group>
class run_window {
public:
    /// `above`: that many bits directly above the window are set, as far as is known.
    RZ_HD run_window(Group const& group, std::uint64_t bits, std::uint64_t above, std::uint64_t wanted)
        : group_(group) {
        std::uint32_t const higher = (1u << group.rank()) - 1;
        std::uint32_t const gaps = group.ballot(~bits != 0) & higher;
        std::uint32_t const nearest = gaps == 0 ? 0 : exec::bit_width(gaps) - 1;
        std::uint64_t const low = exec::countr_one(bits);
        std::uint64_t const there = group.shuffle(low, nearest);
        std::uint64_t const full = gaps == 0 ? group.rank() : group.rank() - 1 - nearest;
        std::uint64_t const own_above = (gaps == 0 ? above : there) + full * 64;
        end_ = detail::run_end(bits, own_above, wanted);
        ends_ = group.ballot(end_ != detail::no_bit);
        low_ = ~bits == 0 ? own_above + 64 : low;
    }

    /// The number of lanes with a run that ends in their word.
    [[nodiscard]] RZ_HD std::uint32_t runs() const { return exec::popcount(ends_); }
    /// For run number `number`, the highest first: the lane, and the lowest bit in its word.
    [[nodiscard]] RZ_HD std::uint32_t lane_of(std::uint32_t number) const {
        return exec::nth_bit(ends_, number);
    }
    [[nodiscard]] RZ_HD std::uint32_t bit_of(std::uint32_t lane) const { return group_.shuffle(end_, lane); }
    /// The number of set bits at the low end of the window.
    [[nodiscard]] RZ_HD std::uint64_t low_run() const { return group_.shuffle(low_, group_.size() - 1); }

private:
    Group const& group_;
    std::uint32_t end_;
    std::uint32_t ends_;
    std::uint64_t low_;
};

} // namespace rhizome::alloc
