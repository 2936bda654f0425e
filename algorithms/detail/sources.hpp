// SPDX-License-Identifier: Apache-2.0
// The vertices at which an algorithm begins, as the caller names them.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace rhizome::algorithms::detail {

/// Throws std::invalid_argument if a source is not the id of a vertex, erased or not. `algorithm`: its name,
/// with which the message begins.
inline void expect_vertex(char const* algorithm, std::uint64_t source, std::uint64_t vertices) {
    if (source >= vertices)
        throw std::invalid_argument(std::string(algorithm) + ": source " + std::to_string(source) +
                                    " is no vertex: vertices are numbered from 0, and there are " +
                                    std::to_string(vertices));
}

} // namespace rhizome::algorithms::detail
