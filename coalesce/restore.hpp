// SPDX-License-Identifier: Apache-2.0
#pragma once
// Takes back what the tool wrote into a CUDA source, so that an edited source is analysed and rewritten anew.
#include <string>
#include <utility>
#include <vector>

namespace rhizome::coalesce {

/// A source as it was before the tool rewrote it, and where its parts lie in the file.
struct restored_source {
    std::string file;         ///< as it is
    std::string text;         ///< as it was
    bool had_changes = false; ///< the tool had rewritten it

    /// @return the place in the file of a place in `text`; both are offsets in bytes
    std::size_t place_in_file(std::size_t offset) const;

    std::vector<std::pair<std::size_t, std::size_t>> pieces; ///< where they begin in `text` and in the file
};

/// Calls of the tool's functions become `::malloc` and `::free`; its parameter, arguments, overloads and
/// includes go; an include stays if the program itself names something of the header. Comments and strings
/// stay as they are.
restored_source restore(std::string const& file);

} // namespace rhizome::coalesce
