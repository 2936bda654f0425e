#include <rhizome/graph/limits.hpp>
#include <rhizome/io/update_parser.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
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
        if (sign.size() != 1 || (!is_insertion && sign.front() != erases)) lines_.fail(expected);
        (void)lines_.word();
        graph::edge const edge = take_edge();
        if (is_insertion && !lines_.at_line_end()) add_weight(lines_.real("a weight"));
        if (is_insertion) {
            lines_.expect_line_end("after the weight");
        } else {
            lines_.expect_line_end("after the edge to erase");
        }
        add({is_insertion ? operation::insert : operation::erase, edge});
    }

    void parse_temporal() {
        graph::edge const edge = take_edge();
        double weight = no_weight;
        operation what = operation::insert;
        if (syntax_.is_dynamic) {
            what = take_appearance();
        } else if (syntax_.konect) {
            weight = lines_.real("a weight");
        }
        line_scanner const at_time = lines_;
        std::int64_t const time = lines_.signed_number("a time", std::numeric_limits<std::int64_t>::min(),
                                                       std::numeric_limits<std::int64_t>::max());
        if (!part_.times.empty() && time < part_.times.back()) {
            if (syntax_.times_ascend) at_time.fail(expected_time(part_.times.back()));
            part_.times_ascend = false;
        }
        if (!syntax_.konect && !lines_.at_line_end()) weight = lines_.real("a weight");
        lines_.expect_line_end(syntax_.konect ? "after 'u v w t'" : "after 'u v t w'");
        if (weight == weight && (!syntax_.konect || syntax_.has_weights)) add_weight(weight);
        if (part_.times.empty()) part_.first_time_line = lines_.line();
        part_.times.push_back(time);
        add({what, edge});
    }

    /// The third column of a dynamic network of KONECT.
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
        if (syntax_.names_are_ids)
            return static_cast<graph::vertex_id>(lines_.number("a vertex", 0, largest_vertex));
        if (lines_.at_line_end()) lines_.fail("the name of a vertex");
        return part_.names.find_or_add(lines_.word());
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
