// SPDX-License-Identifier: Apache-2.0
// DIMACS9 .co, .ss and .p2p files (9th DIMACS Implementation Challenge: shortest paths).
#include <rhizome/io/dimacs_queries.hpp>
#include <rhizome/io/formats/blocks.hpp>
#include <rhizome/io/formats/dimacs_problem.hpp>

#include <limits>
#include <span>

namespace rhizome::io {
namespace {

/// The highest vertex of files that do not say how many vertices their graph has.
constexpr std::uint64_t last_vertex = graph::no_vertex;

struct count_line {
    std::uint64_t count = 0;
    std::uint64_t line = 0;
};

/// Reads a file up to and with its line 'p aux ... n'. `words` are those between 'p' and n.
count_line read_count(input& from, std::span<char const* const> words, std::string const& expected,
                      std::uint64_t largest) {
    from.skip_byte_order_mark();
    std::string_view text;
    while (from.next_line(text)) {
        line_scanner line(from.name(), {text, from.line_number()});
        if (at_dimacs_comment(line)) continue;
        if (!line.take("p")) line.fail(expected);
        for (char const* word : words)
            if (!line.take(word)) line.fail(expected);
        count_line result;
        result.count = line.number("the number of lines", 0, largest);
        line.expect_line_end("after the problem line");
        result.line = from.line_number();
        return result;
    }
    throw parse_error(from.name(), from.line_number() + 1, 1, "the end of the file", expected);
}

/// Calls take(lines) for each line that begins with this letter, behind it. Refuses other lines but comments.
template <class Item, class Take>
std::vector<Item> read_items(input& from, read_options const& options, count_line const& count,
                             char const* letter, char const* expected, Take&& take) {
    struct part {
        std::vector<Item> items;
    };
    auto parsed = parse_blocks<part>(from, options, [&](line_scanner& lines, part& result) {
        for (; !lines.at_end(); lines.next_line()) {
            if (lines.take(letter)) {
                result.items.push_back(take(lines));
                lines.expect_line_end((std::string("after ") + expected).c_str());
            } else if (!at_dimacs_comment(lines)) {
                lines.fail(std::string(expected) + " or a comment 'c ...'");
            }
        }
    });
    std::vector<Item> items = join_parts(parsed.parts, &part::items);
    if (items.size() != count.count)
        throw parse_error(from.name(), count.line,
                          "a problem line with " + std::to_string(count.count) + " lines '" + letter + "'",
                          std::to_string(items.size()) + ", the number in the file");
    return items;
}

graph::vertex_id take_vertex(line_scanner& lines, char const* what, std::uint64_t last = last_vertex) {
    return static_cast<graph::vertex_id>(lines.number(what, 1, last) - 1);
}

/// The kind of a file of coordinates or queries, "co", "ss" or "p2p"; "" for other files.
std::string_view auxiliary_kind(std::string_view head) {
    std::string const no_name;
    for (line_scanner lines(no_name, {head, 1}); !lines.at_end(); lines.next_line()) {
        if (at_dimacs_comment(lines)) continue;
        bool const is_auxiliary = lines.take("p") && lines.take("aux") && lines.take("sp");
        return is_auxiliary ? lines.word() : std::string_view();
    }
    return {};
}

bool are_coordinates(std::string_view head) { return auxiliary_kind(head) == "co"; }

bool are_queries(std::string_view head) {
    std::string_view const kind = auxiliary_kind(head);
    return kind == "ss" || kind == "p2p";
}

struct placed_vertex {
    graph::vertex_id vertex;
    map_point point;
};

} // namespace

std::vector<map_point> read_coordinates(input& from, read_options const& options) {
    constexpr char const* words[] = {"aux", "sp", "co"};
    count_line const count = read_count(from, words, "a problem line 'p aux sp co n'", graph::no_vertex);
    auto const placed =
        read_items<placed_vertex>(from, options, count, "v", "'v id x y'", [&](line_scanner& lines) {
            constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
            constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
            placed_vertex result{};
            result.vertex = take_vertex(lines, "a vertex", count.count);
            result.point.x = lines.signed_number("a coordinate", lowest, highest);
            result.point.y = lines.signed_number("a coordinate", lowest, highest);
            return result;
        });
    std::vector<map_point> points(placed.size());
    std::vector<bool> has_point(placed.size());
    for (auto const& [vertex, point] : placed) {
        if (has_point[vertex])
            throw parse_error(from.name(), count.line,
                              "two points for vertex " + std::to_string(vertex + std::uint64_t{1}),
                              "one per vertex");
        has_point[vertex] = true;
        points[vertex] = point;
    }
    return points;
}

std::vector<map_point> read_coordinates(std::string const& path, read_options const& options) {
    input from(path);
    return read_coordinates(from, options);
}

std::vector<graph::vertex_id> read_source_queries(input& from, read_options const& options) {
    constexpr char const* words[] = {"aux", "sp", "ss"};
    count_line const count =
        read_count(from, words, "a problem line 'p aux sp ss k'", std::numeric_limits<std::uint64_t>::max());
    return read_items<graph::vertex_id>(from, options, count, "s", "'s v'",
                                        [](line_scanner& lines) { return take_vertex(lines, "a source"); });
}

std::vector<graph::vertex_id> read_source_queries(std::string const& path, read_options const& options) {
    input from(path);
    return read_source_queries(from, options);
}

std::vector<graph::edge> read_pair_queries(input& from, read_options const& options) {
    constexpr char const* words[] = {"aux", "sp", "p2p"};
    count_line const count =
        read_count(from, words, "a problem line 'p aux sp p2p k'", std::numeric_limits<std::uint64_t>::max());
    return read_items<graph::edge>(from, options, count, "q", "'q u v'", [](line_scanner& lines) {
        graph::vertex_id const source = take_vertex(lines, "a source");
        return graph::edge{source, take_vertex(lines, "a target")};
    });
}

std::vector<graph::edge> read_pair_queries(std::string const& path, read_options const& options) {
    input from(path);
    return read_pair_queries(from, options);
}

constinit graph_format const formats::dimacs9_coordinates{.name = "dimacs9-coordinates",
                                                          .title = "DIMACS9 .co",
                                                          .holds_instead = "coordinates of vertices",
                                                          .recognises = are_coordinates};

constinit graph_format const formats::dimacs9_queries{.name = "dimacs9-queries",
                                                      .title = "DIMACS9 .ss or .p2p",
                                                      .holds_instead = "queries for shortest paths",
                                                      .recognises = are_queries};

} // namespace rhizome::io
