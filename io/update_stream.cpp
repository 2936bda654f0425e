#include <rhizome/io/line_tokens.hpp>
#include <rhizome/io/update_stream.hpp>

#include <charconv>
#include <cmath>
#include <limits>

namespace rhizome::io {
namespace {

constexpr std::uint64_t largest_vertex = graph::no_vertex - 1;

graph::vertex_id take_vertex(line_tokens& tokens) {
    return static_cast<graph::vertex_id>(tokens.number("a vertex", 0, largest_vertex));
}

double take_weight(line_tokens& tokens) {
    std::string_view const word = tokens.peek();
    double value = 0;
    auto const [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || stop != word.data() + word.size() || !std::isfinite(value))
        tokens.fail("a weight, a finite number");
    tokens.word();
    return value;
}

} // namespace

bool update_reader::next_batch(std::size_t count, update_batch& batch) {
    batch.updates.clear();
    batch.weights.clear();
    batch.first_weight_line = 0;
    std::string_view line;
    while (batch.size() < count && input_.next_line(line)) {
        line_tokens tokens(input_, line);
        if (tokens.empty() || tokens.peek().front() == '#') continue;
        std::string_view const sign = tokens.peek();
        if (sign != "+" && sign != "-") tokens.fail("an update '+ u v [w]' or '- u v'");
        bool const inserts = sign == "+";
        tokens.word();
        graph::vertex_id const source = take_vertex(tokens);
        graph::vertex_id const target = take_vertex(tokens);
        bool const names_weight = inserts && !tokens.empty();
        double const weight = names_weight ? take_weight(tokens) : 1.0;
        if (names_weight && batch.first_weight_line == 0) batch.first_weight_line = input_.line_number();
        tokens.expect_end(inserts ? "after '+ u v w'" : "after '- u v'");
        batch.updates.push_back({inserts ? operation::insert : operation::erase, {source, target}});
        batch.weights.push_back(weight);
    }
    return !batch.empty();
}

void update_writer::comment(std::string_view text) {
    text_.put("# ");
    text_.put(text);
    text_.put('\n');
}

void update_writer::append(std::span<update const> updates) {
    for (update const& each : updates) {
        text_.put(each.operation == operation::insert ? '+' : '-');
        text_.put(' ');
        text_.put_number(each.edge.source);
        text_.put(' ');
        text_.put_number(each.edge.target);
        text_.put('\n');
    }
}

void update_writer::commit() {
    text_.flush();
    file_.commit();
}

} // namespace rhizome::io
