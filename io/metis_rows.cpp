// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/metis_rows.hpp>

#include <algorithm>
#include <limits>
#include <tuple>

namespace rhizome::io {
namespace {

constexpr std::uint64_t largest_number = std::numeric_limits<std::uint64_t>::max();

struct arc {
    graph::vertex_id target;
    std::uint64_t weight;
    double real;
    friend bool operator<(arc const& a, arc const& b) {
        return std::tie(a.target, a.weight, a.real) < std::tie(b.target, b.weight, b.real);
    }
};

class row_parser {
public:
    row_parser(line_scanner& lines, metis_header const& header, bool leaves_out_zeros, metis_rows& rows)
        : lines_(lines), header_(header), lowest_(leaves_out_zeros ? 0 : 1), rows_(rows) {}

    void parse() {
        for (; !lines_.at_end(); lines_.next_line()) {
            // A comment begins in the first column.
            if (lines_.peek() == '%' && lines_.column() == 1) {
                rows_.comments.push_back(rows_.rows());
                continue;
            }
            if (lines_.at_line_end() && (header_.has_sizes || header_.weights_per_vertex > 0)) {
                rows_.blank_rows.push_back(rows_.rows());
            } else {
                parse_line();
            }
            rows_.ends.push_back(rows_.targets.size());
        }
        if (lines_.ended_in_blanks()) { // the last line of the file: a vertex without neighbours
            if (header_.has_sizes || header_.weights_per_vertex > 0) rows_.blank_rows.push_back(rows_.rows());
            rows_.ends.push_back(rows_.targets.size());
        }
    }

private:
    void parse_line() {
        if (header_.has_sizes)
            rows_.vertex_sizes.push_back(lines_.number("a vertex size", 0, largest_number));
        for (unsigned i = 0; i < header_.weights_per_vertex; ++i)
            rows_.vertex_weights.push_back(lines_.number("a vertex weight", 0, largest_number));
        std::size_t const begin = rows_.targets.size();
        bool ascends = true;
        std::uint64_t before = 0;
        while (!lines_.at_line_end()) {
            std::uint64_t const neighbour = lines_.number("a neighbour", lowest_, header_.vertices);
            if (header_.has_edge_weights) parse_weight();
            if (neighbour == 0) {
                leave_out_zero();
                continue;
            }
            // Parallel edges are sorted by weight.
            ascends = ascends && (neighbour > before || (neighbour == before && !header_.has_edge_weights));
            before = neighbour;
            rows_.targets.push_back(static_cast<graph::vertex_id>(neighbour - 1));
        }
        if (!ascends) sort_from(begin);
    }

    void parse_weight() {
        std::string_view const word = lines_.peek_word();
        bool const whole = std::all_of(word.begin(), word.end(), [](char c) { return '0' <= c && c <= '9'; });
        if (rows_.reals.empty() && whole) {
            rows_.weights.push_back(lines_.number("an edge weight", 0, largest_number));
            return;
        }
        if (word.starts_with('-')) lines_.fail("an edge weight, 0 or more");
        double const weight = lines_.real("an edge weight");
        if (rows_.reals.empty()) {
            rows_.reals.assign(rows_.weights.begin(), rows_.weights.end());
            rows_.weights = {};
        }
        rows_.reals.push_back(weight);
    }

    void leave_out_zero() {
        ++rows_.zeros;
        if (!rows_.weights.empty()) rows_.weights.pop_back();
        if (!rows_.reals.empty()) rows_.reals.pop_back();
    }

    void sort_from(std::size_t begin) {
        if (!header_.has_edge_weights) {
            std::sort(rows_.targets.begin() + static_cast<std::ptrdiff_t>(begin), rows_.targets.end());
            return;
        }
        std::vector<arc> row(rows_.targets.size() - begin);
        for (std::size_t i = 0; i < row.size(); ++i)
            row[i] = {rows_.targets[begin + i], rows_.reals.empty() ? rows_.weights[begin + i] : 0,
                      rows_.reals.empty() ? 0.0 : rows_.reals[begin + i]};
        std::sort(row.begin(), row.end());
        for (std::size_t i = 0; i < row.size(); ++i) {
            rows_.targets[begin + i] = row[i].target;
            if (rows_.reals.empty()) {
                rows_.weights[begin + i] = row[i].weight;
            } else {
                rows_.reals[begin + i] = row[i].real;
            }
        }
    }

    line_scanner& lines_;
    metis_header const& header_;
    std::uint64_t lowest_;
    metis_rows& rows_;
};

} // namespace

std::uint64_t metis_rows::line_of(std::uint64_t row) const {
    auto const later = std::upper_bound(comments.begin(), comments.end(), row);
    return 1 + row + static_cast<std::uint64_t>(later - comments.begin());
}

void parse_metis_rows(line_scanner& lines, metis_header const& header, bool leaves_out_zeros,
                      metis_rows& rows) {
    try {
        row_parser(lines, header, leaves_out_zeros, rows).parse();
    } catch (parse_error const& error) {
        lines.return_to_line_begin();
        rows.bad = metis_rows::bad_line{error, quoted(lines.peek_word()), lines.column()};
    }
    rows.targets.shrink_to_fit();
}

} // namespace rhizome::io
