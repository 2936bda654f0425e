// SPDX-License-Identifier: Apache-2.0
// The words and numbers of whole lines in memory, with errors that name line and column.
#pragma once

#include <rhizome/io/input.hpp>
#include <rhizome/io/name_text.hpp>
#include <rhizome/io/parse_error.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>

namespace rhizome::io {

/// Takes the words of a block of lines, one by one. Spaces and tabs separate words; lines end in LF, CR LF or
/// where the block ends. No function but next_line() goes beyond the end of the present line. Lines are
/// counted only for messages, so scanners of several blocks can run side by side.
class line_scanner {
public:
    /// `file` is its name in messages. File name and text must outlive this object.
    line_scanner(std::string const& file, line_block const& block)
        : file_(&file), block_(block), at_(block.text.data()), end_(at_ + block.text.size()) {
        skip_blanks();
    }

    /// Returns whether all lines were taken.
    [[nodiscard]] bool at_end() const { return at_ == end_; }

    /// Returns whether all lines were taken and the last one, which has no end, holds nothing but blanks.
    [[nodiscard]] bool ended_in_blanks() const {
        return at_ == end_ && line_begin() != end_ && std::all_of(line_begin(), end_, is_blank);
    }

    /// Returns whether no word is left in this line.
    [[nodiscard]] bool at_line_end() const { return is_line_end(at_); }

    /// Goes to the first word of the next line.
    void next_line() {
        at_ = std::find(at_, end_, '\n');
        if (at_ != end_) ++at_;
        skip_blanks();
    }

    /// Returns the first character of the next word; at the end of the line '\n'.
    [[nodiscard]] char peek() const { return at_line_end() ? '\n' : *at_; }

    /// Returns the next word without taking it; at the end of the line, an empty one.
    [[nodiscard]] std::string_view peek_word() const {
        char const* stop = at_;
        while (!ends_word(stop))
            ++stop;
        return {at_, static_cast<std::size_t>(stop - at_)};
    }

    /// Takes the next word.
    std::string_view word() {
        std::string_view const result = peek_word();
        at_ += result.size();
        skip_blanks();
        return result;
    }

    /// Takes a name in quotes (name_text.hpp), which `name` then holds. Throws parse_error if no quote closes
    /// it in this line, or if more than a blank follows. Precondition: peek() is a quote.
    std::string_view quoted_name(std::string& name) {
        std::size_t const bytes = take_quoted_name({at_, static_cast<std::size_t>(end_ - at_)}, name);
        if (bytes == 0) fail("a closing quote in the same line");
        if (!ends_word(at_ + bytes)) fail("a blank behind the closing quote");
        at_ += bytes;
        skip_blanks();
        return name;
    }

    /// Takes the next word if it is this one. Returns whether it was.
    bool take(std::string_view expected) {
        if (peek_word() != expected) return false;
        (void)word();
        return true;
    }

    /// Takes a whole number from `lowest` to `highest`. `what` names it in messages, such as "a vertex".
    /// Throws parse_error if the next word is anything else.
    std::uint64_t number(char const* what, std::uint64_t lowest, std::uint64_t highest) {
        std::uint64_t value = 0;
        char const* const stop = end_ - at_ > 8 ? take_digits(value) : take_digits_near_end(value);
        if (stop == nullptr || !ends_word(stop) || value < lowest || value > highest)
            fail_number(what, lowest, highest);
        at_ = stop;
        skip_blanks();
        return value;
    }

    /// The same for numbers that may be negative.
    std::int64_t signed_number(char const* what, std::int64_t lowest, std::int64_t highest) {
        std::int64_t value = 0;
        char const* const first = behind_plus();
        auto const [stop, error] = std::from_chars(first, end_, value);
        if (error != std::errc{} || !ends_word(stop) || value < lowest || value > highest)
            fail_number(what, lowest, highest);
        at_ = stop;
        skip_blanks();
        return value;
    }

    /// Takes a finite number. Throws parse_error if the next word is anything else.
    double real(char const* what) {
        double value = 0;
        char const* const first = behind_plus();
        auto const [stop, error] = std::from_chars(first, end_, value);
        bool const is_tiny = error == std::errc::result_out_of_range && is_below_one(first, stop);
        if ((error != std::errc{} && !is_tiny) || !ends_word(stop) || !std::isfinite(value))
            fail(std::string(what) + ", a finite number");
        at_ = stop;
        skip_blanks();
        return value;
    }

    /// Throws parse_error if a word of the line was not taken. `what` says behind what the line should end.
    void expect_line_end(char const* what) const {
        if (!at_line_end()) fail(std::string("the end of the line ") + what);
    }

    /// Returns the number of the present line.
    [[nodiscard]] std::uint64_t line() const {
        return block_.first_line + static_cast<std::uint64_t>(std::count(block_.text.data(), at_, '\n'));
    }

    /// Returns the column of the next character, from 1.
    [[nodiscard]] std::uint64_t column() const { return static_cast<std::uint64_t>(at_ - line_begin()) + 1; }

    /// Goes back to the first word of the present line.
    void return_to_line_begin() {
        at_ = line_begin();
        skip_blanks();
    }

    /// Throws parse_error: found the next word, expected `expected`.
    [[noreturn]] void fail(std::string const& expected) const {
        throw parse_error(*file_, line(), column(),
                          at_line_end() ? "the end of the line" : quoted(peek_word()), expected);
    }

    /// Returns all text of the block, for readers whose cells are not separated by blanks alone. They take
    /// the text themselves, and call fail_at().
    [[nodiscard]] std::string_view text() const { return block_.text; }

    /// Throws parse_error: found the `size` bytes from `offset` on in text(), expected `expected`. 0 bytes
    /// stand for the end of the line.
    [[noreturn]] void fail_at(std::size_t offset, std::size_t size, std::string const& expected) const {
        std::string_view const before = block_.text.substr(0, offset);
        std::size_t const line_end = before.rfind('\n'); // npos + 1 is 0
        std::uint64_t const lines =
            static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
        throw parse_error(*file_, block_.first_line + lines, offset - (line_end + 1) + 1,
                          size == 0 ? "the end of the line" : quoted(block_.text.substr(offset, size)),
                          expected);
    }

private:
    static bool is_blank(char c) { return c == ' ' || c == '\t'; }

    [[nodiscard]] bool is_line_end(char const* at) const {
        return at == end_ || *at == '\n' || (*at == '\r' && (at + 1 == end_ || at[1] == '\n'));
    }
    /// Whether a number out of range is one near 0, not a large one. It counts as 0.
    static bool is_below_one(char const* first, char const* stop) {
        std::string_view const text(first, static_cast<std::size_t>(stop - first));
        std::size_t const exponent = text.find_first_of("eE");
        if (exponent != std::string_view::npos) return text.substr(exponent + 1).starts_with('-');
        std::size_t const digit = text.find_first_of("123456789.");
        return digit == std::string_view::npos || text[digit] == '.';
    }

    [[nodiscard]] char const* line_begin() const {
        char const* begin = at_;
        while (begin != block_.text.data() && begin[-1] != '\n')
            --begin;
        return begin;
    }
    [[nodiscard]] bool ends_word(char const* at) const {
        return at == end_ || is_blank(*at) || is_line_end(at);
    }

    /// Returns where a number begins that std::from_chars takes: it takes no plus sign.
    [[nodiscard]] char const* behind_plus() const {
        bool const plus = end_ - at_ > 1 && *at_ == '+' && at_[1] != '-';
        return plus ? at_ + 1 : at_;
    }

    void skip_blanks() {
        while (at_ != end_ && is_blank(*at_))
            ++at_;
    }

    /// Reads the digits from at_ on and returns their end; nullptr if there are none, or if the number does
    /// not fit. Looks at eight characters at once, so that the number of digits costs no branch.
    /// Precondition: more than eight characters are left.
    char const* take_digits(std::uint64_t& value) const {
        if constexpr (std::endian::native != std::endian::little) return take_digits_near_end(value);
        constexpr std::uint64_t each = 0x0101010101010101;
        std::uint64_t word = 0;
        std::memcpy(&word, at_, sizeof word);
        std::uint64_t digits = word - 0x30 * each; // a digit becomes its value, if no byte before it borrowed
        std::uint64_t const others = ((word & 0x7f * each) + 0x46 * each) | word; // above '9'
        std::uint64_t const below = (word | 0x80 * each) - 0x30 * each;           // clear below '0'
        std::uint64_t const no_digit = (others | ~below) & 0x80 * each;
        auto const count = static_cast<unsigned>(std::countr_zero(no_digit)) / 8;
        if (count == 0) return nullptr;
        if (count == 8) return take_digits_near_end(value);
        digits <<= 64 - 8 * count; // zeros before the first digit
        digits = (digits * 10) + (digits >> 8);
        value = (((digits & 0x000000ff000000ff) * (100 + (std::uint64_t{1000000} << 32))) +
                 (((digits >> 16) & 0x000000ff000000ff) * (1 + (std::uint64_t{10000} << 32)))) >>
                32;
        return at_ + count;
    }

    /// The same for any number of characters.
    char const* take_digits_near_end(std::uint64_t& value) const {
        auto const [stop, error] = std::from_chars(at_, end_, value);
        return error == std::errc{} ? stop : nullptr;
    }

    template <class Number>
    [[noreturn]] void fail_number(char const* what, Number lowest, Number highest) const {
        fail(std::string(what) + " from " + std::to_string(lowest) + " to " + std::to_string(highest));
    }

    std::string const* file_;
    line_block block_;
    char const* at_;
    char const* end_;
};

} // namespace rhizome::io
