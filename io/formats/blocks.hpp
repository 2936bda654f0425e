// SPDX-License-Identifier: Apache-2.0
// A text file, parsed block by block.
#pragma once

#include <rhizome/io/block_parser.hpp>
#include <rhizome/io/graph_format.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace rhizome::io {

/// What parse_blocks() has made of a file.
template <class Part>
struct parsed_blocks {
    std::vector<Part> parts; ///< one per block, in the order of the file
    std::uint64_t lines = 0; ///< the number of the last line
    bool ended_with_newline = true;
};

/// Calls parse(scanner, part) for each block of whole lines that is left in the file, several at a time
/// (block_parser). Throws the first error in the order of the file.
template <class Part, class Parse>
[[nodiscard]] parsed_blocks<Part> parse_blocks(input& from, read_options const& options, Parse&& parse) {
    parsed_blocks<Part> result;
    block_parser<Part> parser(from, options.threads,
                              [&](line_scanner& lines, Part& part) { parse(lines, part); });
    for (Part part{}; parser.next(part); part = Part{}) {
        result.parts.push_back(std::move(part));
        if (options.progress) options.progress(parser.fraction_read());
    }
    result.lines = parser.line_number();
    result.ended_with_newline = parser.ended_with_newline();
    return result;
}

/// Moves the lists part.*list of all parts into one, in their order. Frees each as soon as it was copied.
template <class Part, class Item>
[[nodiscard]] std::vector<Item> join_parts(std::vector<Part>& parts, std::vector<Item> Part::*list) {
    if (parts.size() == 1) return std::move(parts.front().*list);
    std::size_t count = 0;
    for (Part const& part : parts)
        count += (part.*list).size();
    std::vector<Item> all;
    all.reserve(count);
    for (Part& part : parts) {
        all.insert(all.end(), (part.*list).begin(), (part.*list).end());
        part.*list = {};
    }
    return all;
}

} // namespace rhizome::io
