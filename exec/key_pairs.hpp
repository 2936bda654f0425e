// Keys and what goes with each, for sort_pairs.
#pragma once

#include <cstdint>

namespace rhizome::exec {

/// Two arrays of equal length.
struct key_pairs {
    std::uint64_t* keys;
    std::uint32_t* values;
};

} // namespace rhizome::exec
