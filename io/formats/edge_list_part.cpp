// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/formats/edge_list_part.hpp>
#include <rhizome/io/name_text.hpp>
#include <rhizome/io/stored_numbers.hpp>
#include <rhizome/io/time_text.hpp>

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace rhizome::io {
namespace {

constexpr auto largest_whole = static_cast<std::int64_t>(largest_exact_number);

/// Reads the lines of a block. The text ends with a line end, so that no step has to look for its end.
class list_lines {
public:
    list_lines(line_scanner const& lines, std::string_view text, edge_list_layout const& layout,
               edge_list_part& part)
        : lines_(lines), layout_(layout), part_(part), begin_(text.data()), end_(begin_ + text.size()),
          at_(begin_), separator_(layout.separator), by_blanks_(separator_ == ' '),
          only_ends_(layout.columns.size() == 2 && layout.columns[0] == edge_column::source) {}

    void read() {
        while (at_ != end_) {
            skip_blanks();
            if (*at_ == '#' || *at_ == '%') {
                at_ = static_cast<char const*>(std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_)));
            } else if (!at_line_end()) {
                if (!read_short_line()) read_line();
            }
            at_ += *at_ == '\r' ? 2 : 1;
        }
    }

private:
    struct cell {
        char const* begin;
        char const* end; ///< before the blanks behind it
        std::string_view text;
        std::string unquoted; ///< what `text` refers to, if it is quoted
    };

    [[nodiscard]] bool is_blank(char c) const { return (c == ' ' || c == '\t') && c != separator_hidden(); }
    /// A tab that separates cells is no blank.
    [[nodiscard]] char separator_hidden() const { return by_blanks_ ? '\0' : separator_; }
    [[nodiscard]] bool at_line_end() const { return *at_ == '\n' || (*at_ == '\r' && at_[1] == '\n'); }
    [[nodiscard]] static bool ends_line(char const* at) {
        return *at == '\n' || (*at == '\r' && at[1] == '\n');
    }
    void skip_blanks() {
        while (is_blank(*at_))
            ++at_;
    }

    /// Takes a number without sign and leading zeros, if one with at most 19 digits is next.
    static bool take_number(char const*& at, std::uint64_t& value) {
        char const* stop = at;
        std::uint64_t result = 0;
        for (auto digit = static_cast<unsigned>(*stop - '0'); digit <= 9;
             digit = static_cast<unsigned>(*++stop - '0'))
            result = result * 10 + digit; // wraps if there are too many
        std::ptrdiff_t const digits = stop - at;
        if (digits == 0 || digits > std::numeric_limits<std::uint64_t>::digits10 ||
            (*at == '0' && digits > 1))
            return false;
        at = stop;
        value = result;
        return true;
    }

    /// Goes to the next cell. Returns whether there is one in the line.
    bool pass_separator() {
        bool const after_blank = is_blank(*at_);
        skip_blanks();
        if (by_blanks_) return after_blank && !at_line_end();
        if (*at_ != separator_) return false;
        ++at_;
        skip_blanks();
        return true;
    }

    /// Reads a line 'u v' of numbers. Returns false, and stays, if the line is another.
    bool read_short_line() {
        if (!only_ends_) return false;
        char const* const line = at_;
        std::uint64_t source = 0;
        std::uint64_t target = 0;
        if (take_number(at_, source) && pass_separator() && take_number(at_, target)) {
            skip_blanks();
            if (at_line_end()) {
                part_.add(source, target);
                return true;
            }
        }
        at_ = line;
        return false;
    }

    void read_line() {
        cell source;
        cell target;
        for (std::size_t i = 0; i < layout_.columns.size(); ++i) {
            if (i > 0 && !pass_separator()) fail_cell(expected_in(layout_.columns[i]));
            switch (layout_.columns[i]) {
            case edge_column::source:
                read_cell(source, "a source");
                break;
            case edge_column::target:
                read_cell(target, "a target");
                break;
            case edge_column::weight:
                read_weight();
                break;
            case edge_column::time:
                read_time();
                break;
            case edge_column::skipped:
                cell skipped;
                read_cell(skipped, nullptr);
                break;
            }
        }
        skip_blanks();
        if (!at_line_end()) fail_line_end();
        add_edge(source, target);
    }

    [[noreturn]] void fail_line_end() {
        std::string expected =
            "the end of the line after " + std::to_string(layout_.columns.size()) + " columns";
        if (layout_.has_more_columns) expected += ", or names of all columns (--columns)";
        fail_cell(expected);
    }

    static std::string expected_in(edge_column column) {
        switch (column) {
        case edge_column::source:
            return "a source";
        case edge_column::target:
            return "a target";
        case edge_column::weight:
            return "a weight";
        case edge_column::time:
            return "a time";
        case edge_column::skipped:
            break;
        }
        return "a further column";
    }

    void add_edge(cell const& source, cell const& target) {
        std::optional<std::uint64_t> const u = number_of(source.text);
        std::optional<std::uint64_t> const v = u ? number_of(target.text) : std::nullopt;
        if (u && v) {
            part_.add(*u, *v);
        } else {
            part_.add(source.text, target.text);
        }
    }

    static std::optional<std::uint64_t> number_of(std::string_view text) {
        std::uint64_t value = 0;
        if (text.size() > 1 && text[0] == '0') return std::nullopt;
        auto const [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
        return value;
    }

    /// `what`: nullptr if the cell may be empty.
    void read_cell(cell& into, char const* what) {
        into.begin = at_;
        if (*at_ == '"') {
            read_quoted(into);
        } else {
            while (!ends_line(at_) && (by_blanks_ ? !is_blank(*at_) : *at_ != separator_))
                ++at_;
            into.end = at_;
            while (into.end != into.begin && is_blank(into.end[-1]))
                --into.end;
            into.text = {into.begin, static_cast<std::size_t>(into.end - into.begin)};
        }
        if (what == nullptr) return;
        bool const is_right = into.begin != into.end && std::none_of(into.begin, into.end, [](char c) {
                                  return static_cast<unsigned char>(c) < 0x20 && c != '\t';
                              });
        if (is_right) return;
        at_ = into.begin;
        fail_cell(what);
    }

    void read_quoted(cell& into) {
        std::string_view const rest(at_, static_cast<std::size_t>(end_ - at_));
        std::size_t const bytes = take_quoted_name(rest, into.unquoted);
        if (bytes == 0) fail_cell("a closing quote in the same line");
        into.text = into.unquoted;
        at_ += bytes;
        into.end = at_;
    }

    void read_weight() {
        std::uint64_t small = 0;
        char const* const begin = at_;
        if (take_number(at_, small) && ends_cell(at_) && small <= largest_exact_number) {
            add_weight(static_cast<std::int64_t>(small));
            return;
        }
        at_ = begin;
        cell weight;
        read_cell(weight, "a weight");
        std::string_view const text = without_plus(weight.text);
        std::int64_t whole = 0;
        if (is_all_of(text, whole) && whole >= -largest_whole && whole <= largest_whole) {
            add_weight(whole);
            return;
        }
        double real = 0;
        bool const is_whole = text.find_first_not_of("0123456789-") == std::string_view::npos;
        if (is_whole || !is_all_of(text, real) || !std::isfinite(real)) {
            at_ = begin;
            fail_cell(std::string("a weight, a finite number; whole ones from -2^53 to 2^53") +
                      (text.find(',') == std::string_view::npos ? "" : "; with a point, not a comma"));
        }
        if (!std::exchange(part_.has_real_weights, true))
            part_.real_weights.assign(part_.whole_weights.begin(), part_.whole_weights.end());
        part_.real_weights.push_back(real);
    }

    void add_weight(std::int64_t weight) {
        if (part_.has_real_weights) {
            part_.real_weights.push_back(static_cast<double>(weight));
        } else {
            part_.whole_weights.push_back(weight);
        }
    }

    void read_time() {
        char const* const begin = at_;
        cell time;
        read_cell(time, "a time");
        std::optional<time_number> const number = time_in(time.text);
        if (!number) {
            at_ = begin;
            fail_cell("a time, a number from -2^63 to 2^63 - 1");
        }
        part_.times.push_back(number->value);
        part_.rounded_times += number->is_rounded ? 1 : 0;
    }

    [[nodiscard]] bool ends_cell(char const* at) const {
        return ends_line(at) || is_blank(*at) || *at == separator_;
    }
    static std::string_view without_plus(std::string_view text) {
        if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
        return text;
    }
    template <class Number>
    static bool is_all_of(std::string_view text, Number& value) {
        auto const [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        return error == std::errc{} && stop == text.data() + text.size();
    }

    /// Throws parse_error: found the cell that begins here.
    [[noreturn]] void fail_cell(std::string const& expected) {
        char const* stop = at_;
        while (!ends_line(stop) && (stop == at_ || (!is_blank(*stop) && (by_blanks_ || *stop != separator_))))
            ++stop;
        if (!by_blanks_ && *at_ == separator_) stop = at_ + 1;
        lines_.fail_at(static_cast<std::size_t>(at_ - begin_), static_cast<std::size_t>(stop - at_),
                       expected);
    }

    line_scanner const& lines_;
    edge_list_layout const& layout_;
    edge_list_part& part_;
    char const* begin_;
    char const* end_;
    char const* at_;
    char separator_;
    bool by_blanks_;
    bool only_ends_; ///< lines are 'u v'
};

} // namespace

void edge_list_part::add(std::string_view source, std::string_view target) {
    if (names_are != kind::text) name_by_text();
    graph::vertex_id const from = names.find_or_add(source);
    edges.push_back({from, names.find_or_add(target)});
}

void edge_list_part::add_beyond_short(std::uint64_t source, std::uint64_t target) {
    if (names_are == kind::text) {
        graph::vertex_id const from = names.find_or_add(source);
        edges.push_back({from, names.find_or_add(target)});
        return;
    }
    widen();
    ends.push_back(source);
    ends.push_back(target);
}

void edge_list_part::widen() {
    if (names_are != kind::short_numbers) return;
    names_are = kind::numbers;
    ends.reserve(2 * edges.size());
    for (graph::edge const& edge : edges) {
        ends.push_back(edge.source);
        ends.push_back(edge.target);
    }
    edges = {};
}

void edge_list_part::name_by_text() {
    if (names_are == kind::text) return;
    widen();
    names_are = kind::text;
    edges.reserve(ends.size() / 2);
    for (std::size_t i = 0; i < ends.size(); i += 2) {
        graph::vertex_id const from = names.find_or_add(ends[i]);
        edges.push_back({from, names.find_or_add(ends[i + 1])});
    }
    ends = {};
}

void read_edge_list_lines(line_scanner const& lines, edge_list_layout const& layout, edge_list_part& part) {
    std::string_view text = lines.text();
    std::string ended;
    if (!text.empty() && text.back() != '\n') {
        ended.assign(text);
        ended += '\n';
        text = ended;
    }
    constexpr std::size_t least_line_bytes = 8; // of large files
    part.edges.reserve(text.size() / least_line_bytes);
    list_lines(lines, text, layout, part).read();
}

} // namespace rhizome::io
