// SPDX-License-Identifier: Apache-2.0
// A text file in blocks of whole lines that several threads take from.
#pragma once

#include <rhizome/io/input.hpp>

#include <cstdint>
#include <memory>
#include <string_view>

namespace rhizome::io {

/// Whole lines of a file, in memory of their own.
struct text_block {
    std::string_view text;

    // Used by block_source.
    std::unique_ptr<char[]> buffer;
    std::size_t room = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool is_loaded = false;
};

/// Gives out the rest of a file block by block. A plain file is read by the threads that take its blocks; a
/// pipe or a compressed file by one of them at a time. Precondition: nothing else reads from `from` until
/// the last block was taken.
class block_source {
public:
    explicit block_source(input& from);

    /// Gives out the next block: fills it in, or notes where it lies. Returns false at the end of the file.
    /// One thread at a time may call it. Throws as input::next_block().
    [[nodiscard]] bool take(text_block& block);

    /// Reads a block that take() gave out, unless it was filled in. Threads may call it for different blocks.
    /// The text ends behind a line end, or where the file ends. It is empty if no line begins in the block.
    /// Throws file_error.
    void load(text_block& block) const;

    /// Lets a take() that waits for a pipe end, as at the end of the file. Any thread may call it.
    void cancel() { input_.cancel(); }

    /// Returns the number of blocks that take() will give out; of others than plain files, the largest
    /// number.
    [[nodiscard]] std::uint64_t most_blocks() const;

    /// Returns the share of the file that was given out, or a negative number if its size is not known.
    [[nodiscard]] double fraction_taken() const;
    /// Returns the number of the line before the first one that take() gives out.
    [[nodiscard]] std::uint64_t lines_before() const { return lines_before_; }

private:
    void read(text_block& block, std::uint64_t from, std::size_t size) const;

    input& input_;
    int descriptor_;          ///< of a plain file; -1: others
    std::uint64_t begin_ = 0; ///< of what is given out, in bytes of the file
    std::uint64_t next_ = 0;  ///< byte where the next block begins
    std::uint64_t bytes_ = 0; ///< of the file
    std::uint64_t lines_before_ = 0;
};

} // namespace rhizome::io
