// SPDX-License-Identifier: Apache-2.0
// An allocator whose type and space were chosen at run time, for measurements: it gives and takes many blocks
// at once, one request per thread or per warp.
#pragma once

#include <rhizome/runtime/allocator_requests.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rhizome::runtime {

struct allocator_traits {
    std::uint64_t largest_bytes = 0;
    bool reuses = true;  ///< memory that was given back is handed out again
    bool bounded = true; ///< it stands on a heap of its own, which refuses when it is used up
};

/// One allocator on one space, a heap, and a table of slots for the pointers that it hands out.
/// All calls wait for their end. Throws what the space throws.
class any_allocator {
public:
    virtual ~any_allocator() = default;

    [[nodiscard]] virtual allocator_traits traits() const = 0;
    /// Requests that `threads` threads make.
    [[nodiscard]] virtual std::uint64_t request_count(std::uint64_t threads, bool one_a_warp) const = 0;

    /// Gives up the heap with all its blocks, and makes a new one.
    virtual void renew_heap() = 0;
    /// Room for so many pointers. Empties all slots.
    virtual void set_slots(std::uint64_t count) = 0;

    /// Milliseconds of the launch alone; the pointers go to the slots from `first_slot` on.
    virtual double allocate_ms(requests const& wanted, std::uint64_t first_slot) = 0;
    virtual double deallocate_ms(requests const& wanted, std::uint64_t first_slot) = 0;

    /// Puts the pointers of `count` slots in a random order. Waits. Takes as much memory again for a while.
    virtual void shuffle(std::uint64_t first_slot, std::uint64_t count, std::uint64_t seed) = 0;

    /// Writes a value into each block that depends on its slot, for check().
    virtual void stamp(requests const& wanted, std::uint64_t first_slot) = 0;
    [[nodiscard]] virtual findings check(requests const& wanted, std::uint64_t first_slot, bool stamped) = 0;
    [[nodiscard]] virtual address_span span(requests const& wanted, std::uint64_t first_slot) = 0;
};

} // namespace rhizome::runtime
