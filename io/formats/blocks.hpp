// A text file, scanned block by block.
#pragma once

#include <rhizome/io/graph_format.hpp>
#include <rhizome/io/line_scanner.hpp>

namespace rhizome::io {

/// Calls parse(scanner) for each block of whole lines that is left in the file.
template <class Parse>
void for_each_block(input& from, read_options const& options, Parse&& parse) {
    line_block block;
    while (from.next_block(block)) {
        line_scanner lines(from.name(), block);
        parse(lines);
        if (options.progress) options.progress(from.fraction_read());
    }
}

} // namespace rhizome::io
