// SPDX-License-Identifier: Apache-2.0
// Keys with a value each, for sort_pairs.
#pragma once

#include <rhizome/exec/uint128.hpp>

#include <cstdint>

namespace rhizome::exec {

/// Two arrays of equal length. Key is std::uint64_t or uint128.
template <class Key>
struct basic_key_pairs {
    Key* keys;
    std::uint32_t* values;
};
using key_pairs = basic_key_pairs<std::uint64_t>;
using wide_key_pairs = basic_key_pairs<uint128>;

/// The mask of bits [0, bits) of a key.
template <class Key>
[[nodiscard]] constexpr Key low_bits(unsigned bits) {
    return bits < 8 * sizeof(Key) ? (Key{1} << bits) - 1 : ~Key{0};
}

} // namespace rhizome::exec
