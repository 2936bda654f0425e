// The group of one lane: what tiles, coalesced groups and blocks are on the host.
#pragma once

#include <cstdint>
#include <utility>

namespace rhizome::exec {

/// Collectives of one lane: each answers at once with the caller's own value.
class single_lane {
public:
    static constexpr bool prefers_runs = true;

    constexpr single_lane(std::uint64_t index, std::uint64_t count) : index_(index), count_(count) {}

    [[nodiscard]] static constexpr std::uint32_t rank() { return 0; }
    [[nodiscard]] static constexpr std::uint32_t size() { return 1; }
    [[nodiscard]] static constexpr bool is_leader() { return true; }
    [[nodiscard]] constexpr std::uint64_t index() const { return index_; }
    [[nodiscard]] constexpr std::uint64_t count() const { return count_; }

    static constexpr void sync() {}
    [[nodiscard]] static constexpr bool any(bool predicate) { return predicate; }
    [[nodiscard]] static constexpr bool all(bool predicate) { return predicate; }
    [[nodiscard]] static constexpr std::uint32_t ballot(bool predicate) { return predicate ? 1u : 0u; }
    template <class T>
    [[nodiscard]] static constexpr T broadcast(T value, std::uint32_t) {
        return value;
    }
    template <class T>
    [[nodiscard]] static constexpr T shuffle(T value, std::uint32_t) {
        return value;
    }
    template <class T>
    [[nodiscard]] static constexpr T exclusive_scan(T) {
        return T{};
    }
    template <class T>
    [[nodiscard]] static constexpr T inclusive_scan(T value) {
        return value;
    }
    template <class T>
    [[nodiscard]] static constexpr T sum(T value) {
        return value;
    }
    template <class T>
    [[nodiscard]] static constexpr T min(T value) {
        return value;
    }
    template <class T>
    [[nodiscard]] static constexpr T max(T value) {
        return value;
    }
    template <class T>
    [[nodiscard]] constexpr single_lane match(T) const {
        return *this;
    }

private:
    std::uint64_t index_;
    std::uint64_t count_;
};

} // namespace rhizome::exec
