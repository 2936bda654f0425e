// SPDX-License-Identifier: Apache-2.0
// Text, written in large blocks.
#pragma once

#include <rhizome/io/packed_file.hpp>

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

namespace rhizome::io {

/// Collects text and writes it to a file in blocks. Call flush() at the end: the destructor drops what was
/// not written.
class text_writer {
public:
    /// The file must outlive this object.
    explicit text_writer(packed_file& file) : file_(&file) { text_.reserve(block_bytes + longest_number); }

    void put(char c) {
        text_ += c;
        if (text_.size() >= block_bytes) flush();
    }

    void put(std::string_view text) {
        text_ += text;
        if (text_.size() >= block_bytes) flush();
    }

    /// Writes an integer, or a floating-point number with enough digits to read back the same value.
    template <class Number>
    void put_number(Number number) {
        char digits[longest_number];
        auto const result = std::to_chars(digits, digits + longest_number, number);
        put(std::string_view(digits, static_cast<std::size_t>(result.ptr - digits)));
    }

    /// Writes what was collected. Throws file_error.
    void flush() {
        file_->write(text_);
        text_.clear();
    }

private:
    static constexpr std::size_t block_bytes = std::size_t{1} << 18;
    static constexpr std::size_t longest_number = 32;

    packed_file* file_;
    std::string text_;
};

} // namespace rhizome::io
