// SPDX-License-Identifier: Apache-2.0
// From the lines of an update stream to updates, block by block.
#pragma once

#include <rhizome/io/line_scanner.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/stream_format.hpp>
#include <rhizome/io/update.hpp>
#include <rhizome/io/vertex_names.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rhizome::io {

/// The updates of one block of lines.
struct update_part {
    std::vector<update> updates;
    std::vector<double> weights;         ///< one per update, a NaN where it names none; empty: none names any
    std::vector<std::int64_t> times;     ///< one per update; empty: the format has none
    vertex_names names;                  ///< unless names are ids: what the vertices of `updates` stand for
    std::uint64_t first_line = 1;        ///< the number that the scanner gave to the first line
    std::uint64_t first_weight_line = 0; ///< counted as first_line; 0: there is no weight
    std::uint64_t first_time_line = 0;   ///< the same for times
    std::uint64_t rounded_times = 0;     ///< those that had a fraction
    bool times_ascend = true;            ///< no time is lower than the one before it in this part
    std::optional<parse_error> failure;  ///< what is wrong with the line after the last update
};

/// Parses the lines into `part`, which may hold memory of an earlier one. Damage ends it and is noted there.
void parse_updates(stream_syntax const& syntax, line_scanner& lines, update_part& part);

/// What a message expects in the place of a time that breaks the order.
[[nodiscard]] std::string expected_time(std::int64_t least);

} // namespace rhizome::io
