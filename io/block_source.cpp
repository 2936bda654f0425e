// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/block_source.hpp>
#include <rhizome/io/parse_error.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

namespace rhizome::io {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 19;     // fits in L2
constexpr std::size_t extension_bytes = std::size_t{1} << 12; // for the rest of the last line

void make_room(text_block& block, std::size_t used, std::size_t size) {
    if (size <= block.room) return;
    std::size_t const room = std::max(size, 2 * block.room);
    auto buffer = std::make_unique_for_overwrite<char[]>(room);
    std::copy_n(block.buffer.get(), used, buffer.get());
    block.buffer = std::move(buffer);
    block.room = room;
}

} // namespace

block_source::block_source(input& from)
    : input_(from), descriptor_(from.descriptor()), lines_before_(from.line_number()) {
    if (descriptor_ < 0) return;
    begin_ = next_ = from.position();
    bytes_ = std::max(from.file_bytes(), begin_);
}

bool block_source::take(text_block& block) {
    if (descriptor_ >= 0) {
        if (next_ == bytes_) return false;
        block.begin = next_;
        block.end = next_ = std::min(bytes_, next_ + block_bytes);
        block.is_loaded = false;
        return true;
    }
    line_block lines;
    if (!input_.next_block(lines)) return false;
    make_room(block, 0, lines.text.size());
    std::copy(lines.text.begin(), lines.text.end(), block.buffer.get());
    block.text = {block.buffer.get(), lines.text.size()};
    block.is_loaded = true;
    return true;
}

/// Appends the bytes of the file from `from` on, at block.text's end.
void block_source::read(text_block& block, std::uint64_t from, std::size_t size) const {
    std::size_t used = block.text.size();
    make_room(block, used, used + size);
    while (size > 0) {
        ssize_t const got = pread(descriptor_, block.buffer.get() + used, size, static_cast<off_t>(from));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw file_error(input_.name(), std::string("cannot read: ") + std::strerror(errno));
        if (got == 0) throw file_error(input_.name(), "was cut by another program while it was read");
        used += static_cast<std::size_t>(got);
        from += static_cast<std::uint64_t>(got);
        size -= static_cast<std::size_t>(got);
    }
    block.text = {block.buffer.get(), used};
}

void block_source::load(text_block& block) const {
    if (block.is_loaded) return;
    // A line belongs to the block in which it begins. So the block is read from the byte before it, which
    // ends a line if one begins with the block, and to the end of its last line.
    std::uint64_t const first = block.begin == begin_ ? begin_ : block.begin - 1;
    block.text = {};
    read(block, first, block.end - first);
    std::size_t skipped = 0;
    if (first != block.begin) {
        std::size_t const line_end = block.text.find('\n');
        // A line end in the last byte begins the next block's first line.
        if (line_end == std::string_view::npos || line_end + 1 == block.text.size()) {
            block.text = {};
            return;
        }
        skipped = line_end + 1;
    }
    std::size_t extension = extension_bytes;
    for (std::uint64_t end = block.end; !block.text.ends_with('\n') && end < bytes_;) {
        std::size_t const searched = block.text.size();
        std::size_t const more = std::min<std::uint64_t>(extension, bytes_ - end);
        read(block, end, more);
        end += more;
        extension *= 2;
        std::size_t const line_end = block.text.find('\n', searched);
        if (line_end != std::string_view::npos) block.text = block.text.substr(0, line_end + 1);
    }
    block.text.remove_prefix(skipped);
}

std::uint64_t block_source::most_blocks() const {
    if (descriptor_ < 0) return std::numeric_limits<std::uint64_t>::max();
    return (bytes_ - next_ + block_bytes - 1) / block_bytes;
}

double block_source::fraction_taken() const {
    if (descriptor_ < 0) return input_.fraction_read();
    return bytes_ == 0 ? 1.0 : static_cast<double>(next_) / static_cast<double>(bytes_);
}

} // namespace rhizome::io
