// SPDX-License-Identifier: Apache-2.0
// What is wrong with a file, and where.
#pragma once

#include <rhizome/io/message_text.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace rhizome::io {

/// A file departs from its format. what() is one line: `FILE:LINE: found X, expected Y`, or
/// with the column `FILE:LINE:COLUMN: found X, expected Y`.
class parse_error : public std::runtime_error {
public:
    /// `line` counts from 1; `found` and `expected`: what is there, and what should be.
    parse_error(std::string const& file, std::uint64_t line, std::string const& found,
                std::string const& expected)
        : parse_error(file, line, 0, found, expected) {}

    /// As above, with the column of what was found, from 1: `FILE:LINE:COLUMN: found X, expected Y`. 0: none.
    parse_error(std::string const& file, std::uint64_t line, std::uint64_t column, std::string const& found,
                std::string const& expected)
        : parse_error(file, line, column, ": found " + found + ", expected " + expected) {}

    /// Returns the number of the line, from 1.
    [[nodiscard]] std::uint64_t line() const { return line_; }
    /// Returns the number of the column in bytes, from 1, or 0 if the message names none.
    [[nodiscard]] std::uint64_t column() const { return column_; }

    /// Returns the same error so many lines further down. For readers that count lines from the beginning of
    /// a block.
    [[nodiscard]] parse_error moved_down(std::uint64_t lines) const {
        return {file_, line_ + lines, column_, reason_};
    }

private:
    parse_error(std::string const& file, std::uint64_t line, std::uint64_t column, std::string const& reason)
        : std::runtime_error(shown(file) + ":" + std::to_string(line) +
                             (column == 0 ? std::string() : std::string(":").append(std::to_string(column))) +
                             reason),
          file_(file), reason_(reason), line_(line), column_(column) {}

    std::string file_;
    std::string reason_;
    std::uint64_t line_;
    std::uint64_t column_;
};

/// A file cannot be opened, read or written, or has another format. what() is one line: `FILE: REASON`.
class file_error : public std::runtime_error {
public:
    /// `why`: the reason, without the name of the file.
    file_error(std::string const& file, std::string const& why)
        : std::runtime_error(shown(file) + ": " + why) {}
};

/// The process that reads a pipe has ended, so the pipe cannot be written. Neither data nor writer is
/// at fault.
class closed_pipe : public file_error {
public:
    /// `file`: the name of the pipe in the message.
    explicit closed_pipe(std::string const& file) : file_error(file, "cannot write: the reader has gone") {}
};

} // namespace rhizome::io
