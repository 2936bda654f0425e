// SPDX-License-Identifier: Apache-2.0
// The scale of a generated graph.
#pragma once

#include <stdexcept>
#include <string>

namespace rhizome::io {

/// Throws std::invalid_argument, with the name of the generator, unless `scale` is from 1 to `largest`.
inline void check_scale(char const* generator, unsigned scale, unsigned largest) {
    if (scale < 1 || scale > largest)
        throw std::invalid_argument(std::string(generator) + ": scale must be from 1 to " +
                                    std::to_string(largest));
}

} // namespace rhizome::io
