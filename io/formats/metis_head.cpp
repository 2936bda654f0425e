// SPDX-License-Identifier: Apache-2.0
// Whether a file without marks may be METIS. An edge list looks much alike: both are lines of numbers.
#include <rhizome/io/formats/edge_columns.hpp>
#include <rhizome/io/graph_format.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

namespace rhizome::io {
namespace {

/// The first lines of a METIS file.
struct metis_head {
    std::uint64_t vertices = 0;
    std::uint64_t edges = 0;
    std::size_t words_before = 0; ///< sizes and weights, in each vertex line
    std::size_t words_per_neighbour = 1;
    std::vector<std::vector<std::uint64_t>> rows; ///< the neighbours in each line that is whole
    bool is_whole = false;                        ///< all lines of the file are here
};

/// The words of a line that are weights of edges, which may be decimal numbers: from `first` on each
/// `step`th one.
struct weight_places {
    std::size_t first = 0;
    std::size_t step = 0; ///< 0: none
    [[nodiscard]] bool holds(std::size_t word) const {
        return step != 0 && word >= first && (word - first) % step == 0;
    }
};

/// Returns the numbers of a line, 0 for weights, or nothing if there are other words.
std::optional<std::vector<std::uint64_t>> numbers_of(std::string_view line, weight_places weights = {}) {
    std::vector<std::uint64_t> numbers;
    for (std::size_t at = 0;;) {
        at = line.find_first_not_of(" \t\r", at);
        if (at == std::string_view::npos) return numbers;
        std::uint64_t value = 0;
        double weight = 0;
        char const* const end = line.data() + line.size();
        auto const [stop, error] = weights.holds(numbers.size())
                                       ? std::from_chars(line.data() + at, end, weight)
                                       : std::from_chars(line.data() + at, end, value);
        if (error != std::errc{} || !std::isfinite(weight)) return std::nullopt;
        numbers.push_back(value);
        at = static_cast<std::size_t>(stop - line.data());
        if (at < line.size() && line[at] != ' ' && line[at] != '\t' && line[at] != '\r') return std::nullopt;
    }
}

bool read_header(std::string_view line, metis_head& head) {
    auto const numbers = numbers_of(line);
    if (!numbers || numbers->size() < 2 || numbers->size() > 4) return false;
    head.vertices = (*numbers)[0];
    head.edges = (*numbers)[1];
    std::uint64_t const format = numbers->size() > 2 ? (*numbers)[2] : 0;
    for (std::uint64_t digits = format; digits != 0; digits /= 10)
        if (format > 111 || digits % 10 > 1) return false;
    bool const has_weights = format / 10 % 10 == 1;
    if (numbers->size() == 4 && !has_weights) return false;
    std::uint64_t const weights = numbers->size() == 4 ? (*numbers)[3] : 1;
    if (weights > edge_list_head_bytes) return false;
    head.words_before = (format >= 100 ? 1 : 0) + (has_weights ? weights : 0);
    head.words_per_neighbour = 1 + format % 10;
    return true;
}

bool read_row(std::string_view line, metis_head& head) {
    bool const has_weights = head.words_per_neighbour == 2;
    auto const numbers = numbers_of(line, {head.words_before + 1, has_weights ? std::size_t{2} : 0});
    if (!numbers) return false;
    std::vector<std::uint64_t> neighbours;
    if (numbers->size() < head.words_before) return false;
    if ((numbers->size() - head.words_before) % head.words_per_neighbour != 0) return false;
    for (std::size_t i = head.words_before; i < numbers->size(); i += head.words_per_neighbour)
        neighbours.push_back((*numbers)[i]);
    std::sort(neighbours.begin(), neighbours.end());
    if (!neighbours.empty() && (neighbours.front() == 0 || neighbours.back() > head.vertices)) return false;
    head.rows.push_back(std::move(neighbours));
    return true;
}

bool read_lines(std::string_view text, metis_head& head) {
    head.is_whole = text.size() < edge_list_head_bytes;
    bool has_header = false;
    while (!text.empty()) {
        std::size_t const end = text.find('\n');
        if (end == std::string_view::npos && !head.is_whole) break;
        std::string_view const line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.starts_with('%')) continue;
        if (!has_header) {
            if (!read_header(line, head)) return false;
            has_header = true;
        } else if (head.rows.size() < head.vertices) {
            if (!read_row(line, head)) return false;
        } else if (line.find_first_not_of(" \t\r") != std::string_view::npos) {
            return false; // more lines than vertices
        }
    }
    return has_header;
}

/// Whether each neighbour whose line is here has the vertex in it.
bool are_reversed(metis_head const& head) {
    for (std::size_t v = 0; v < head.rows.size(); ++v)
        for (std::uint64_t const neighbour : head.rows[v]) {
            if (neighbour > head.rows.size()) continue;
            auto const& back = head.rows[neighbour - 1];
            if (!std::binary_search(back.begin(), back.end(), v + 1)) return false;
        }
    return true;
}

} // namespace

bool resembles_metis(std::string_view text) {
    if (may_be_metis(text)) return true;
    if (resembles_ragged_list(text)) return false;
    while (text.starts_with('%'))
        text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    auto const numbers = numbers_of(text.substr(0, text.find('\n')));
    return numbers && !numbers->empty() && numbers->size() <= 4;
}

bool may_be_metis(std::string_view text) {
    metis_head head;
    if (!read_lines(text, head)) return false;
    std::uint64_t neighbours = 0;
    std::uint64_t loops = 0;
    for (std::size_t v = 0; v < head.rows.size(); ++v) {
        neighbours += head.rows[v].size();
        loops += static_cast<std::uint64_t>(std::count(head.rows[v].begin(), head.rows[v].end(), v + 1));
    }
    std::uint64_t const twice = neighbours + loops;
    if (twice / 2 > head.edges) return false;
    if (head.is_whole) { // the line of a last vertex without neighbours may be missing
        bool const has_lines = head.rows.size() + 1 >= head.vertices;
        if (!has_lines || twice != 2 * head.edges) return false;
    }
    return are_reversed(head);
}

} // namespace rhizome::io
