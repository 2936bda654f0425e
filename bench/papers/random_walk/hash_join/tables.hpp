// SPDX-License-Identifier: Apache-2.0
// What a join takes and gives.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/random.hpp>

#include <cstdint>
#include <vector>

namespace rhizome::bench {

struct join_tuple {
    std::uint32_t key;
    std::uint32_t payload;
};

/// The payloads of two tuples with equal keys.
struct join_match {
    std::uint32_t left;
    std::uint32_t right;

    friend bool operator==(join_match const&, join_match const&) = default;
};

/// A number for a match; the sum over all matches does not depend on their order.
[[nodiscard]] RZ_HD constexpr std::uint64_t mark_of(join_match const& match) {
    return exec::scramble(std::uint64_t{match.left} << 32 | match.right);
}

/// How far the probe of a join came.
struct join_progress {
    std::uint64_t probed = 0;  ///< tuples of the right table of which all matches were found
    std::uint64_t matches = 0; ///< written to pages, since the pages were last given back
    std::uint64_t pages = 0;   ///< that hold them
    std::uint64_t marks = 0;   ///< sum of mark_of() over them, modulo 2^64
    bool complete = false;     ///< all tuples of the right table were probed
};

/// Two tables of `tuples` tuples. In the left one each key occurs `copies` times; each key of the right one
/// is drawn from the left one.
struct join_tables {
    std::vector<join_tuple> left;
    std::vector<join_tuple> right;
    std::uint64_t matches = 0; ///< of their join
    std::uint64_t marks = 0;   ///< sum of mark_of() over these, modulo 2^64
};
[[nodiscard]] join_tables draw_join_tables(std::uint64_t tuples, std::uint32_t copies, std::uint64_t seed);

} // namespace rhizome::bench
