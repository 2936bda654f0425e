// SPDX-License-Identifier: Apache-2.0
// Tiles and coalesced groups in the emulator. Each collective is one meeting of the lanes; afterwards every
// lane computes its own result from the values of all.
#pragma once

#include <rhizome/exec/simt/atomic.hpp>
#include <rhizome/exec/simt/lane.hpp>

#include <bit>
#include <cstdint>

namespace rhizome::exec {

namespace emulator {

/// The lanes of one warp that a mask names, from the point of view of one of them. Ranks follow the lane
/// order.
class lane_group {
public:
    static constexpr bool prefers_runs = false;

    lane_group(lane& caller, std::uint32_t mask) : caller_(&caller), mask_(mask) {}

    [[nodiscard]] std::uint32_t rank() const {
        return static_cast<std::uint32_t>(std::popcount(mask_ & (own_bit() - 1)));
    }
    [[nodiscard]] bool is_leader() const { return (mask_ & (own_bit() - 1)) == 0; }

    void sync(call_site at = call_site::here()) const { meet(*caller_, collective::sync, mask_, 0, at); }
    [[nodiscard]] bool any(bool predicate, call_site at = call_site::here()) const {
        return votes(collective::any, predicate, at) != 0;
    }
    [[nodiscard]] bool all(bool predicate, call_site at = call_site::here()) const {
        return votes(collective::all, !predicate, at) == 0;
    }
    /// Bit i is the lane of rank i.
    [[nodiscard]] std::uint32_t ballot(bool predicate, call_site at = call_site::here()) const {
        return votes(collective::ballot, predicate, at);
    }
    template <class T>
    [[nodiscard]] T broadcast(T value, std::uint32_t source_rank, call_site at = call_site::here()) const {
        return value_of(collective::broadcast, value, source_rank, at);
    }
    template <class T>
    [[nodiscard]] T exclusive_scan(T value, call_site at = call_site::here()) const {
        return fold_below(bring(collective::exclusive_scan, value, at), T{});
    }
    template <class T>
    [[nodiscard]] T sum(T value, call_site at = call_site::here()) const {
        std::uint64_t const* const values = bring(collective::sum, value, at);
        return fold<T>(values, [](T a, T b) { return static_cast<T>(a + b); });
    }

protected:
    [[nodiscard]] lane& caller() const { return *caller_; }
    [[nodiscard]] std::uint32_t mask() const { return mask_; }

    template <class T>
    [[nodiscard]] std::uint64_t const* bring(collective what, T value, call_site at) const {
        return meet(*caller_, what, mask_, to_bits(value), at);
    }
    /// The value of the lane of a rank. On CUDA a rank that the group does not have names a lane outside of
    /// it, whose value is undefined: this is misuse, whether or not the value is used.
    template <class T>
    [[nodiscard]] T value_of(collective what, T own, std::uint32_t rank, call_site at) const {
        if (rank >= static_cast<std::uint32_t>(std::popcount(mask_))) {
            report_rank(*caller_, what, mask_, rank, at);
            return own;
        }
        std::uint64_t const* const values = bring(what, own, at);
        std::uint32_t left = mask_;
        for (std::uint32_t skip = rank; skip != 0; --skip)
            left &= left - 1;
        return from_bits<T>(values[std::countr_zero(left)]);
    }
    template <class T>
    [[nodiscard]] T fold_below(std::uint64_t const* values, T total) const {
        for (std::uint32_t left = mask_ & (own_bit() - 1); left != 0; left &= left - 1)
            total = static_cast<T>(total + from_bits<T>(values[std::countr_zero(left)]));
        return total;
    }
    template <class T, class Operation>
    [[nodiscard]] T fold(std::uint64_t const* values, Operation operation) const {
        T total = from_bits<T>(values[std::countr_zero(mask_)]);
        for (std::uint32_t left = mask_ & (mask_ - 1); left != 0; left &= left - 1)
            total = operation(total, from_bits<T>(values[std::countr_zero(left)]));
        return total;
    }
    /// The lanes whose value equals the caller's.
    template <class T>
    [[nodiscard]] std::uint32_t matching(T value, call_site at) const {
        std::uint64_t const* const values = bring(collective::match, value, at);
        std::uint32_t same = 0;
        for (std::uint32_t left = mask_; left != 0; left &= left - 1) {
            std::uint32_t const other = static_cast<std::uint32_t>(std::countr_zero(left));
            if (values[other] == to_bits(value)) same |= 1u << other;
        }
        return same;
    }

private:
    [[nodiscard]] std::uint32_t own_bit() const { return 1u << caller_->lane_in_warp(); }

    [[nodiscard]] std::uint32_t votes(collective what, bool vote, call_site at) const {
        std::uint64_t const* const values = bring(what, vote, at);
        std::uint32_t packed = 0;
        std::uint32_t bit = 1;
        for (std::uint32_t left = mask_; left != 0; left &= left - 1, bit <<= 1)
            if (values[std::countr_zero(left)] != 0) packed |= bit;
        return packed;
    }

    lane* caller_;
    std::uint32_t mask_;
};

} // namespace emulator

/// Lanes of one warp that arrived together.
class simt_coalesced : public emulator::lane_group {
public:
    using lane_group::lane_group;

    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(std::popcount(mask())); }
    template <class T>
    [[nodiscard]] T shuffle(T value, std::uint32_t source_rank,
                            emulator::call_site at = emulator::call_site::here()) const {
        return value_of(emulator::collective::shuffle, value, source_rank, at);
    }
    template <class T>
    [[nodiscard]] simt_coalesced match(T value, emulator::call_site at = emulator::call_site::here()) const {
        return {caller(), matching(value, at)};
    }
    /// The rank that the leader of this group has in a group that contains this one.
    [[nodiscard]] std::uint32_t leader_in(simt_coalesced const& group) const {
        return static_cast<std::uint32_t>(std::popcount(group.mask() & ((mask() & (0u - mask())) - 1)));
    }
};

/// W neighbouring lanes of a warp.
template <std::uint32_t W>
class simt_tile : public emulator::lane_group {
    using site = emulator::call_site;

public:
    explicit simt_tile(emulator::lane& caller)
        : lane_group(caller, (W == 32 ? ~0u : (1u << (W % 32)) - 1u) << (caller.lane_in_warp() & ~(W - 1))) {}

    [[nodiscard]] static constexpr std::uint32_t size() { return W; }
    [[nodiscard]] std::uint64_t index() const {
        return (std::uint64_t{caller().block} * caller().block_threads + caller().thread) / W;
    }
    [[nodiscard]] std::uint64_t count() const {
        return std::uint64_t{caller().blocks} * caller().block_threads / W;
    }

    template <class T>
    [[nodiscard]] T shuffle(T value, std::uint32_t source_rank, site at = site::here()) const {
        return value_of(emulator::collective::shuffle, value, source_rank, at);
    }
    template <class T>
    [[nodiscard]] T inclusive_scan(T value, site at = site::here()) const {
        T const below = fold_below(bring(emulator::collective::inclusive_scan, value, at), T{});
        return static_cast<T>(below + value);
    }
    template <class T>
    [[nodiscard]] T min(T value, site at = site::here()) const {
        std::uint64_t const* const values = bring(emulator::collective::min, value, at);
        return fold<T>(values, [](T a, T b) { return b < a ? b : a; });
    }
    template <class T>
    [[nodiscard]] T max(T value, site at = site::here()) const {
        std::uint64_t const* const values = bring(emulator::collective::max, value, at);
        return fold<T>(values, [](T a, T b) { return a < b ? b : a; });
    }
    template <class T>
    [[nodiscard]] simt_coalesced match(T value, site at = site::here()) const {
        return {caller(), matching(value, at)};
    }
};

} // namespace rhizome::exec
