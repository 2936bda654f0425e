// Text files line by line, in big blocks, packed or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rhizome::io {

/// Where the bytes of an input come from; packed files come out unpacked.
class byte_source {
public:
    virtual ~byte_source() = default;

    /// Reads up to `size` bytes; 0 means the end. Throws std::exception with the reason.
    virtual std::size_t read(char* to, std::size_t size) = 0;

    /// The part of the file that has been read, in [0, 1]; negative where its size is not known.
    [[nodiscard]] virtual double fraction_read() const = 0;
};

/// Opens a file; gzip, bzip2 and zstd are told by their first bytes, whatever the name. "-" is standard
/// input. Throws file_error.
[[nodiscard]] std::unique_ptr<byte_source> open_source(std::string const& path);

/// The lines of a text file, with their numbers.
class input {
public:
    /// Throws file_error if the file cannot be opened.
    explicit input(std::string const& path);
    /// For texts that are no file; `name` stands for the path in messages.
    input(std::string name, std::unique_ptr<byte_source> source);

    /// The next line without its end (LF or CR LF), valid until the next call; false at the end of the file.
    /// The last line needs no end. Throws parse_error if a packed file is cut short or damaged, file_error if
    /// the file cannot be read.
    bool next_line(std::string_view& line);

    [[nodiscard]] std::string const& name() const { return name_; }
    /// Of the line that next_line() gave last; the first is 1. After the end: the number of lines.
    [[nodiscard]] std::uint64_t line_number() const { return line_number_; }
    /// True if the file's last byte was a line end (or there was none). Meaningful at the end of the file.
    [[nodiscard]] bool ended_with_newline() const { return ended_with_newline_; }
    [[nodiscard]] double fraction_read() const { return source_->fraction_read(); }

private:
    bool fill();

    std::string name_;
    std::unique_ptr<byte_source> source_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0; ///< buffer_[begin_, end_) is read and not given out
    std::size_t end_ = 0;
    std::uint64_t line_number_ = 0;
    bool at_end_ = false;
    bool ended_with_newline_ = true;
};

} // namespace rhizome::io
