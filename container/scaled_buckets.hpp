// SPDX-License-Identifier: Apache-2.0
// Doubling buckets whose first size is chosen at run time.
#pragma once

#include <rhizome/container/bucket_arithmetic.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::container {

/// As doubling_buckets, with a first bucket of 2^shift elements. All numbers are elements or buckets.
class scaled_buckets {
    using unit = doubling_buckets<std::uint64_t, 1>;

public:
    RZ_HD explicit constexpr scaled_buckets(std::uint32_t shift) : shift_(shift) {}

    [[nodiscard]] RZ_HD constexpr std::uint64_t room(std::uint32_t number) const {
        return unit::room(number) << shift_;
    }
    /// The element at place 0 of bucket `number`; also the elements of all buckets before it.
    [[nodiscard]] RZ_HD constexpr std::uint64_t first_of(std::uint32_t number) const {
        return unit::first_of(number) << shift_;
    }
    [[nodiscard]] RZ_HD constexpr std::uint32_t bucket_of(std::uint64_t index) const {
        return unit::bucket_of(index >> shift_);
    }
    [[nodiscard]] RZ_HD constexpr std::uint64_t capacity_of(std::uint32_t count) const {
        return first_of(count);
    }
    [[nodiscard]] RZ_HD constexpr std::uint32_t buckets_for(std::uint64_t size) const {
        return size == 0 ? 0 : bucket_of(size - 1) + 1;
    }

private:
    std::uint32_t shift_;
};

} // namespace rhizome::container
