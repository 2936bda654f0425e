// SPDX-License-Identifier: Apache-2.0
// Text files, compressed or not, line by line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rhizome::io {

/// A source of bytes. Compressed files are unpacked.
class byte_source {
public:
    virtual ~byte_source() = default;

    /// Reads up to `size` bytes and returns how many; 0 is the end. Waits only if there are none yet. Throws
    /// std::exception with the reason.
    virtual std::size_t read(char* to, std::size_t size) = 0;

    /// Returns the share of the file that was read, in [0, 1], or a negative number if its size is not known.
    [[nodiscard]] virtual double fraction_read() const = 0;

    /// Lets a read() that waits for a pipe, in another thread, end as at the end of the file; later ones too.
    virtual void cancel() {}

    /// Returns the descriptor of a plain file whose bytes read() gives from the first on, or -1.
    [[nodiscard]] virtual int descriptor() const { return -1; }
};

/// Opens a file. gzip, bzip2, zstd and xz are recognised by the first bytes, whatever the name. "-" is
/// standard input. Throws file_error.
[[nodiscard]] std::unique_ptr<byte_source> open_source(std::string const& path);

/// Whole lines of a file, in memory.
struct line_block {
    std::string_view text;        ///< ends behind a line end, or where the file ends
    std::uint64_t first_line = 1; ///< the number of its first line
};

/// The lines of a text file, with their numbers.
class input {
public:
    /// Throws file_error if the file cannot be opened.
    explicit input(std::string const& path);
    /// Reads from a source that is not a file. Messages show `name` instead of a path.
    input(std::string name, std::unique_ptr<byte_source> source);

    /// Sets `line` to the next line without its end (LF or CR LF). It is valid until the next call. Returns
    /// false at the end of the file. The last line needs no end. Throws parse_error if a compressed file is
    /// cut short or damaged, file_error if the file cannot be read.
    bool next_line(std::string_view& line);

    /// Sets `block` to all whole lines that are in memory, at least one. It is valid until the next call.
    /// Returns false at the end of the file. Throws as next_line().
    bool next_block(line_block& block);

    /// Returns the first bytes of what is not read yet, at least `size` unless the file ends before. They are
    /// read again by the next call, and valid until then. Throws as next_line().
    [[nodiscard]] std::string_view head(std::size_t size);

    /// Returns the first line of what is not read yet that `wanted` returns true for, without its end. It and
    /// all lines are read again by the next call; it is valid until then. Reads no more than it needs, so it
    /// waits for no more than that line. Returns nothing if there is no such line. Throws as next_line().
    [[nodiscard]] std::optional<std::string_view>
    find_line(std::function<bool(std::string_view)> const& wanted);

    /// The same for what has arrived: at least one byte unless the file ends, and `size` bytes at most. Does
    /// not wait for a pipe longer than for its first bytes.
    [[nodiscard]] std::string_view arrived_head(std::size_t size);

    /// Skips the mark with which a UTF-8 text may begin. Throws parse_error for text in UTF-16. Precondition:
    /// nothing was read.
    void skip_byte_order_mark();

    [[nodiscard]] std::string const& name() const { return name_; }
    /// Returns the number of the line that next_line() returned last, from 1. At the end: the number of
    /// lines.
    [[nodiscard]] std::uint64_t line_number() const { return line_number_; }
    /// Returns whether the last byte of the file was a line end, or the file is empty. Valid at the end of
    /// the file.
    [[nodiscard]] bool ended_with_newline() const { return ended_with_newline_; }
    [[nodiscard]] double fraction_read() const { return source_->fraction_read(); }

    /// Lets a call that waits for a pipe, in another thread, end as at the end of the file; later ones too.
    void cancel() { source_->cancel(); }
    /// Returns the descriptor of the file if it is a plain one, or -1.
    [[nodiscard]] int descriptor() const { return source_->descriptor(); }
    /// Returns how many bytes of the text were taken.
    [[nodiscard]] std::uint64_t position() const { return received_ - (end_ - begin_); }
    /// Returns the size of the file. Precondition: descriptor() is not -1. Throws file_error.
    [[nodiscard]] std::uint64_t file_bytes() const;

private:
    bool fill();

    std::string name_;
    std::unique_ptr<byte_source> source_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0; ///< buffer_[begin_, end_) is read and not given out
    std::size_t end_ = 0;
    std::uint64_t received_ = 0; ///< bytes that the source gave
    std::uint64_t line_number_ = 0;
    bool at_end_ = false;
    bool ended_with_newline_ = true;
};

} // namespace rhizome::io
