// SPDX-License-Identifier: Apache-2.0
// Times of edges in text files.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rhizome::io {

struct time_number {
    std::int64_t value;
    bool is_rounded; ///< the text has a fraction, which was rounded down
};

/// Returns the time that the text stands for: a whole number of 64 bits, or a decimal one such as
/// "885635999.999997" or "1.2e+09". Numbers with an exponent must lie from -2^53 to 2^53. Returns nothing for
/// other texts.
[[nodiscard]] std::optional<time_number> time_in(std::string_view text);

} // namespace rhizome::io
