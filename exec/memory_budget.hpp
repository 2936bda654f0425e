// SPDX-License-Identifier: Apache-2.0
// How much memory a space may take, and how much it holds.
#pragma once

#include <rhizome/exec/errors.hpp>

#include <atomic>
#include <cstdint>
#include <limits>
#include <string>

namespace rhizome::exec {

/// Counts the bytes that regions and buffers of one space hold, and refuses requests that would exceed its
/// limit. A user can set a limit to keep part of a device free; tests set one to make memory run out.
/// Invariant: held_bytes() <= limit_bytes(), and held_bytes() = sum of all charges not yet refunded.
class memory_budget {
public:
    static constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

    explicit memory_budget(std::uint64_t limit_bytes = unlimited) : limit_bytes_(limit_bytes) {}

    [[nodiscard]] std::uint64_t limit_bytes() const { return limit_bytes_; }
    [[nodiscard]] std::uint64_t held_bytes() const { return held_bytes_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t available_bytes() const { return limit_bytes_ - held_bytes(); }
    /// The number of successful charges so far. It stays the same while no memory is allocated.
    [[nodiscard]] std::uint64_t charges() const { return charges_.load(std::memory_order_relaxed); }

    /// Adds `bytes` to held_bytes() and returns true. If this would exceed the limit, changes nothing and
    /// returns false.
    [[nodiscard]] bool try_charge(std::uint64_t bytes) {
        std::uint64_t held = held_bytes();
        do {
            if (bytes > limit_bytes_ - held) return false;
        } while (!held_bytes_.compare_exchange_weak(held, held + bytes, std::memory_order_relaxed));
        charges_.fetch_add(1, std::memory_order_relaxed);
        return true;
    }

    /// As try_charge(), but throws out_of_memory if it would exceed the limit. `what_for`: named in the
    /// message.
    void charge(std::uint64_t bytes, std::string const& what_for) {
        if (!try_charge(bytes)) throw out_of_memory(what_for, bytes, available_bytes());
    }

    void refund(std::uint64_t bytes) { held_bytes_.fetch_sub(bytes, std::memory_order_relaxed); }

private:
    std::uint64_t limit_bytes_;
    std::atomic<std::uint64_t> held_bytes_{0};
    std::atomic<std::uint64_t> charges_{0};
};

} // namespace rhizome::exec
