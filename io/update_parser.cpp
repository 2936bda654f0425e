// SPDX-License-Identifier: Apache-2.0
#include <rhizome/graph/limits.hpp>
#include <rhizome/io/time_text.hpp>
#include <rhizome/io/update_parser.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace rhizome::io {
namespace {

constexpr std::uint64_t largest_vertex = graph::most_rows<graph::vertex_id> - 1;
constexpr double no_weight = std::numeric_limits<double>::quiet_NaN();

class parser {
public:
    parser(stream_syntax const& syntax, line_scanner& lines, update_part& part)
        : syntax_(syntax), lines_(lines), part_(part) {}

    void parse() {
        if (syntax_.format == stream_format::temporal) {
            for_each_line([&] { parse_temporal(); });
        } else if (syntax_.format == stream_format::graphbolt) {
            for_each_line([&] { parse_signed('a', 'd', "an update 'a u v [w]' or 'd u v'"); });
        } else {
            for_each_line([&] { parse_signed('+', '-', "an update '+ u v [w]' or '- u v'"); });
        }
    }

private:
    template <class Line>
    void for_each_line(Line&& parse_line) {
        for (; !lines_.at_end(); lines_.next_line()) {
            char const first = lines_.peek();
            if (first == '#' || first == '%' || lines_.at_line_end()) continue;
            parse_line();
        }
    }

    void parse_signed(char inserts, char erases, char const* expected) {
        std::string_view const sign = lines_.peek_word();
        bool const is_insertion = sign.front() == inserts;
        if (sign.size() != 1 || (!is_insertion && sign.front() != erases)) fail_sign(expected);
        (void)lines_.word();
        graph::edge const edge = take_edge();
        if (is_insertion && !lines_.at_line_end()) add_weight(lines_.real("a weight"));
        // GraphBolt writes the weight of the edge behind a deletion too.
        bool const may_name_weight = syntax_.format == stream_format::graphbolt;
        if (!is_insertion && may_name_weight && !lines_.at_line_end()) (void)lines_.real("a weight");
        if (is_insertion || may_name_weight) {
            lines_.expect_line_end("after the weight");
        } else {
            lines_.expect_line_end("after the edge to erase");
        }
        add({is_insertion ? operation::insert : operation::erase, edge});
    }

    /// A line 'u v' may come from a list of edges.
    [[noreturn]] void fail_sign(char const* expected) {
        line_scanner behind = lines_;
        (void)behind.word();
        (void)behind.word();
        lines_.fail(std::string(expected) +
                    (behind.at_line_end() ? "; lists of edges need times in a third column" : ""));
    }

    void parse_temporal() {
        graph::edge edge{};
        std::string source; // unless names are ids
        std::string target;
        double weight = no_weight;
        std::int64_t time = 0;
        operation what = operation::insert;
        for (edge_column const column : syntax_.columns) {
            switch (column) {
            case edge_column::source:
                take_end(edge.source, source);
                break;
            case edge_column::target:
                take_end(edge.target, target);
                break;
            case edge_column::weight:
                if (syntax_.is_dynamic) {
                    what = take_appearance();
                } else {
                    weight = lines_.real("a weight");
                }
                break;
            case edge_column::time:
                time = take_time();
                break;
            case edge_column::skipped:
                if (lines_.at_line_end()) lines_.fail("a further column");
                if (lines_.peek() == '"') {
                    (void)lines_.quoted_name(quoted_);
                } else {
                    (void)lines_.word();
                }
                break;
            }
        }
        bool const weight_may_follow = !syntax_.konect && !syntax_.has_names;
        if (weight_may_follow && !lines_.at_line_end()) weight = lines_.real("a weight");
        if (!lines_.at_line_end()) fail_line_end();
        if (!syntax_.names_are_ids) {
            edge.source = part_.names.find_or_add(std::string_view(source));
            edge.target = part_.names.find_or_add(std::string_view(target));
        }
        if (weight == weight && (!syntax_.konect || syntax_.has_weights)) add_weight(weight);
        if (part_.times.empty()) part_.first_time_line = lines_.line();
        part_.times.push_back(time);
        add({what, edge});
    }

    [[noreturn]] void fail_line_end() {
        std::string behind = syntax_.konect ? "after 'u v w t'" : "after 'u v t w'";
        if (syntax_.has_names) behind = "after " + std::to_string(syntax_.columns.size()) + " columns";
        lines_.fail("the end of the line " + behind);
    }

    std::int64_t take_time() {
        line_scanner const at_time = lines_;
        std::optional<time_number> const time = time_in(lines_.word());
        if (!time) at_time.fail("a time from -9223372036854775808 to 9223372036854775807");
        if (!part_.times.empty() && time->value < part_.times.back()) {
            if (syntax_.times_ascend) at_time.fail(expected_time(part_.times.back()));
            part_.times_ascend = false;
        }
        part_.rounded_times += time->is_rounded ? 1 : 0;
        return time->value;
    }

    void take_end(graph::vertex_id& id, std::string& name) {
        if (syntax_.names_are_ids) {
            id = take_vertex();
        } else {
            name = take_name();
        }
    }

    /// The column of weights of a dynamic network of KONECT.
    operation take_appearance() {
        line_scanner const at_weight = lines_;
        double const weight = lines_.real("a weight");
        if (weight != 1 && weight != -1)
            at_weight.fail("1 (the edge appears) or -1 (it disappears), as the network is dynamic");
        return weight == 1 ? operation::insert : operation::erase;
    }

    graph::edge take_edge() {
        graph::vertex_id const source = take_vertex();
        return {source, take_vertex()};
    }

    graph::vertex_id take_vertex() {
        bool const is_number = lines_.peek() >= '0' && lines_.peek() <= '9';
        if (syntax_.names_are_ids && !is_number && !lines_.at_line_end())
            lines_.fail("a vertex from 0 to " + std::to_string(largest_vertex) + "; --map-ids takes names");
        if (syntax_.names_are_ids)
            return static_cast<graph::vertex_id>(lines_.number("a vertex", 0, largest_vertex));
        return part_.names.find_or_add(take_name());
    }

    std::string_view take_name() {
        if (lines_.at_line_end()) lines_.fail("the name of a vertex");
        return lines_.peek() == '"' ? lines_.quoted_name(quoted_) : lines_.word();
    }

    /// Of the update that is added next.
    void add_weight(double weight) {
        if (part_.weights.empty()) {
            part_.weights.assign(part_.updates.size(), no_weight);
            part_.first_weight_line = lines_.line();
        }
        part_.weights.push_back(weight);
    }

    void add(update const& each) {
        part_.updates.push_back(each);
        if (!part_.weights.empty() && part_.weights.size() < part_.updates.size())
            part_.weights.push_back(no_weight);
    }

    stream_syntax const& syntax_;
    line_scanner& lines_;
    update_part& part_;
    std::string quoted_; ///< the last name in quotes
};

/// Reserves room for as many updates as the text holds if its lines are as long as the first one. Growing in
/// steps would obtain three times the memory from the system, which threads do one at a time.
void make_room(std::string_view text, update_part& part) {
    std::size_t const line_bytes = std::max<std::size_t>(std::min(text.find('\n'), text.size()), 4) + 1;
    part.updates.reserve(text.size() / line_bytes + text.size() / line_bytes / 8);
}

} // namespace

std::string expected_time(std::int64_t least) {
    return "a time of at least " + std::to_string(least) + ", as the stream is said to be sorted";
}

void parse_updates(stream_syntax const& syntax, line_scanner& lines, update_part& part) {
    part.updates.clear();
    part.weights.clear();
    part.times.clear();
    part.names = {};
    part.first_line = lines.line();
    part.first_weight_line = part.first_time_line = 0;
    part.rounded_times = 0;
    part.times_ascend = true;
    part.failure.reset();
    make_room(lines.text(), part);
    try {
        parser(syntax, lines, part).parse();
    } catch (parse_error const& error) {
        part.failure = error;
    }
    // The weight of a damaged line.
    if (part.weights.size() > part.updates.size()) part.weights.pop_back();
    if (part.weights.empty()) part.first_weight_line = 0;
}

} // namespace rhizome::io
