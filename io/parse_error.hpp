// What is wrong with a file, and where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rhizome::io {

/// A file does not hold what its format asks for. what() is one line: `FILE:LINE: found X, expected Y`.
class parse_error : public std::runtime_error {
public:
    parse_error(std::string const& file, std::uint64_t line, std::string const& found,
                std::string const& expected)
        : std::runtime_error(file + ":" + std::to_string(line) + ": found " + found + ", expected " +
                             expected),
          line_(line) {}

    /// Counts from 1.
    [[nodiscard]] std::uint64_t line() const { return line_; }

private:
    std::uint64_t line_;
};

/// A file cannot be opened, read or written at all. what() is one line: `FILE: why`.
class file_error : public std::runtime_error {
public:
    file_error(std::string const& file, std::string const& why) : std::runtime_error(file + ": " + why) {}
};

/// The reader of a pipe that is written to has gone: no fault of the writer, nor of the data.
class closed_pipe : public file_error {
public:
    explicit closed_pipe(std::string const& file) : file_error(file, "cannot write: the reader has gone") {}
};

/// The text in quotes, fit for one line of a message: what cannot be printed is escaped, what is long is cut.
[[nodiscard]] inline std::string quoted(std::string_view text) {
    constexpr std::size_t longest = 40;
    constexpr char const* digits = "0123456789abcdef";
    std::string result = "'";
    for (char const c : text.substr(0, longest)) {
        auto const code = static_cast<unsigned char>(c);
        if (code >= 0x20 && code < 0x7f) {
            result += c;
        } else {
            result += {'\\', 'x', digits[code >> 4], digits[code & 15]};
        }
    }
    return result + (text.size() > longest ? "'..." : "'");
}

} // namespace rhizome::io
