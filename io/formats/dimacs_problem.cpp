// SPDX-License-Identifier: Apache-2.0
#include <rhizome/graph/types.hpp>
#include <rhizome/io/formats/dimacs_problem.hpp>

#include <limits>

namespace rhizome::io {

std::string_view dimacs_kind(std::string_view head) {
    std::string const no_name;
    for (line_scanner lines(no_name, {head, 1}); !lines.at_end(); lines.next_line()) {
        if (at_dimacs_comment(lines)) continue;
        return lines.take("p") ? lines.word() : std::string_view();
    }
    return {};
}

dimacs_problem read_dimacs_problem(input& from, bool (*is_kind)(std::string_view), char const* expected) {
    std::string_view text;
    while (from.next_line(text)) {
        line_scanner line(from.name(), {text, from.line_number()});
        if (at_dimacs_comment(line)) continue;
        if (!line.take("p")) line.fail(expected);
        if (!is_kind(line.peek_word())) line.fail(expected);
        (void)line.word();
        dimacs_problem problem;
        problem.vertices = line.number("the number of vertices", 0, graph::no_vertex);
        problem.edges = line.number("the number of edges", 0, std::numeric_limits<std::uint64_t>::max() / 4);
        line.expect_line_end("after the problem line");
        problem.line = from.line_number();
        return problem;
    }
    throw parse_error(from.name(), from.line_number() + 1, 1, "the end of the file", expected);
}

void fail_dimacs_count(input const& from, dimacs_problem const& problem, std::uint64_t found,
                       char const* what) {
    throw parse_error(from.name(), problem.line,
                      "a problem line with " + std::to_string(problem.edges) + " " + what,
                      std::to_string(found) + ", the number in the file");
}

} // namespace rhizome::io
