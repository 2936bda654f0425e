// SPDX-License-Identifier: Apache-2.0
// A group of one lane: the tiles, coalesced groups and blocks of the host, and a lane that acts alone.
#pragma once

#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::exec {

/// The collectives of a group of one lane: each returns at once, with the caller's own value.
class single_lane {
public:
    static constexpr bool prefers_runs = true;

    RZ_HD constexpr single_lane(std::uint64_t index, std::uint64_t count) : index_(index), count_(count) {}

    [[nodiscard]] static RZ_HD constexpr std::uint32_t rank() { return 0; }
    [[nodiscard]] static RZ_HD constexpr std::uint32_t size() { return 1; }
    [[nodiscard]] static RZ_HD constexpr bool is_leader() { return true; }
    [[nodiscard]] RZ_HD constexpr std::uint64_t index() const { return index_; }
    [[nodiscard]] RZ_HD constexpr std::uint64_t count() const { return count_; }

    static RZ_HD constexpr void sync() {}
    [[nodiscard]] static RZ_HD constexpr bool any(bool predicate) { return predicate; }
    [[nodiscard]] static RZ_HD constexpr bool all(bool predicate) { return predicate; }
    [[nodiscard]] static RZ_HD constexpr std::uint32_t ballot(bool predicate) { return predicate ? 1u : 0u; }
    template <class T>
    [[nodiscard]] static RZ_HD constexpr T broadcast(T value, std::uint32_t) {
        return value;
    }
    template <class T>
    [[nodiscard]] static RZ_HD constexpr T shuffle(T value, std::uint32_t) {
        return value;
    }
    template <class T>
    [[nodiscard]] static RZ_HD constexpr T exclusive_scan(T) {
        return T{};
    }
    template <class T>
    [[nodiscard]] static RZ_HD constexpr T inclusive_scan(T value) {
        return value;
    }
    template <class T>
    [[nodiscard]] static RZ_HD constexpr T sum(T value) {
        return value;
    }
    template <class T>
    [[nodiscard]] static RZ_HD constexpr T min(T value) {
        return value;
    }
    template <class T>
    [[nodiscard]] static RZ_HD constexpr T max(T value) {
        return value;
    }
    template <class T>
    [[nodiscard]] RZ_HD constexpr single_lane match(T) const {
        return *this;
    }

private:
    std::uint64_t index_;
    std::uint64_t count_;
};

} // namespace rhizome::exec
