// SPDX-License-Identifier: Apache-2.0
// Names of vertices before and after a stream.
#pragma once

#include <rhizome/io/vertex_names.hpp>

#include <cstdint>

namespace rhizome::stream {

/// Returns the numbers from `first` on as names of `count` vertices.
[[nodiscard]] io::vertex_names numbers_from(std::uint64_t first, std::uint64_t count);

/// Returns whether the names are the numbers from `first` on.
[[nodiscard]] bool are_numbers_from(std::uint64_t first, io::vertex_names const& names);

/// Returns the first `count` names. Precondition: there are so many.
[[nodiscard]] io::vertex_names first_of(io::vertex_names const& names, std::uint64_t count);

} // namespace rhizome::stream
