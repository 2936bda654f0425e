// The words of one line, read with errors that name the place.
#pragma once

#include <rhizome/io/input.hpp>
#include <rhizome/io/parse_error.hpp>

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace rhizome::io {

/// Takes the words of a line one by one. Spaces and tabs separate words. The line must outlive this object.
class line_tokens {
public:
    line_tokens(input const& from, std::string_view line)
        : from_(&from), at_(line.data()), end_(line.data() + line.size()) {
        skip_blanks();
    }

    [[nodiscard]] bool empty() const { return at_ == end_; }

    /// Returns the next word without taking it; at the end of the line, an empty one.
    [[nodiscard]] std::string_view peek() const {
        char const* stop = at_;
        while (stop != end_ && !is_blank(*stop))
            ++stop;
        return {at_, static_cast<std::size_t>(stop - at_)};
    }

    /// Takes the next word.
    std::string_view word() {
        std::string_view const result = peek();
        at_ += result.size();
        skip_blanks();
        return result;
    }

    /// Takes a whole number from `lowest` to `highest`. `what` names it in messages, such as "a neighbour".
    /// Throws parse_error if the next word is anything else.
    std::uint64_t number(char const* what, std::uint64_t lowest, std::uint64_t highest) {
        std::uint64_t value = 0;
        auto const [stop, error] = std::from_chars(at_, end_, value);
        if (error != std::errc{} || (stop != end_ && !is_blank(*stop)) || value < lowest || value > highest)
            fail(std::string(what) + " from " + std::to_string(lowest) + " to " + std::to_string(highest));
        at_ = stop;
        skip_blanks();
        return value;
    }

    /// Throws parse_error if a word of the line was not taken.
    void expect_end(char const* what) const {
        if (!empty()) fail(std::string("the end of the line ") + what);
    }

    /// Throws parse_error: found the next word, expected `expected`.
    [[noreturn]] void fail(std::string const& expected) const {
        throw parse_error(from_->name(), from_->line_number(),
                          empty() ? "the end of the line" : quoted(peek()), expected);
    }

private:
    static bool is_blank(char c) { return c == ' ' || c == '\t'; }
    void skip_blanks() {
        while (at_ != end_ && is_blank(*at_))
            ++at_;
    }

    input const* from_;
    char const* at_;
    char const* end_;
};

} // namespace rhizome::io
