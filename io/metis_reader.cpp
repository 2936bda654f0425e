// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/host/parallel.hpp>
#include <rhizome/io/formats/blocks.hpp>
#include <rhizome/io/line_scanner.hpp>
#include <rhizome/io/metis.hpp>
#include <rhizome/io/metis_rows.hpp>
#include <rhizome/io/metis_symmetry.hpp>
#include <rhizome/io/store_format.hpp>
#include <rhizome/io/stored_numbers.hpp>

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

namespace rhizome::io {
namespace {

constexpr char const* header_text = "a header 'vertices edges [fmt [ncon]]'";

class metis_reader {
public:
    metis_reader(input& from, read_options const& options) : input_(from), options_(options) {}

    graph_file read() {
        read_header();
        read_rows();
        check_vertex_lines();
        take_vertex_numbers();
        take_edges();
        return std::move(file_);
    }

private:
    /// Refuses other formats whose first line could pass as a comment or a damaged header.
    void refuse_other_format(std::string_view first_line) const {
        constexpr std::string_view banner = "%%MatrixMarket";
        if (first_line.starts_with(banner))
            throw file_error(input_.name(), "is a MatrixMarket file, not a METIS file");
        if (first_line.starts_with(store_format::magic.substr(0, 4)))
            throw file_error(input_.name(), "holds a stored graph, not METIS");
    }

    void read_header() {
        std::string_view text;
        bool found = input_.next_line(text);
        if (found) refuse_other_format(text);
        while (found && text.starts_with('%'))
            found = input_.next_line(text);
        if (!found)
            throw parse_error(input_.name(), input_.line_number() + 1, "the end of the file", header_text);
        header_.line = input_.line_number();
        line_scanner line(input_.name(), {text, header_.line});
        if (line.at_line_end()) line.fail(header_text);
        header_.vertices = line.number("the number of vertices", 0, graph::no_vertex);
        header_.edges = line.number("the number of edges", 0, std::numeric_limits<std::uint64_t>::max() / 2);
        if (!line.at_line_end()) read_format(line);
        line.expect_line_end("after the header 'vertices edges [fmt [ncon]]'");
        file_.vertex_count = header_.vertices;
        file_.weights_per_vertex = header_.weights_per_vertex;
    }

    void read_format(line_scanner& line) {
        std::string_view const format = line.peek_word();
        if (format.size() > 3 || format.find_first_not_of("01") != std::string_view::npos)
            line.fail("a format of up to three digits 0 or 1");
        auto const digit = [&](std::size_t from_right) {
            return format.size() > from_right && format[format.size() - 1 - from_right] == '1';
        };
        header_.has_edge_weights = digit(0);
        bool const has_vertex_weights = digit(1);
        header_.has_sizes = digit(2);
        (void)line.word();
        header_.weights_per_vertex = has_vertex_weights ? 1 : 0;
        if (line.at_line_end()) return;
        if (!has_vertex_weights)
            line.fail("no number of weights a vertex, as the format says that there are none");
        constexpr std::uint64_t most_weights = 1'000'000; // more is a damaged header, not a graph
        header_.weights_per_vertex =
            static_cast<unsigned>(line.number("the number of weights a vertex", 1, most_weights));
    }

    void read_rows() {
        block_parser<metis_rows> parser(input_, options_.threads,
                                        [this](line_scanner& lines, metis_rows& rows) {
                                            parse_metis_rows(lines, header_, options_.lenient, rows);
                                        });
        for (;;) {
            placed_rows part;
            part.first_vertex = lines_;
            part.line_before = parser.line_number();
            if (!parser.next(part.rows)) break;
            check_lines(part);
            lines_ += part.rows.rows();
            arcs_ += part.rows.targets.size();
            zeros_ += part.rows.zeros;
            parts_.push_back(std::move(part));
            if (options_.progress) options_.progress(parser.fraction_read());
        }
        last_line_ = parser.line_number();
        ended_with_newline_ = parser.ended_with_newline();
    }

    /// Throws if a line of the part is wrong. Blank lines and comments may follow the last vertex.
    void check_lines(placed_rows& part) const {
        metis_rows& rows = part.rows;
        if (!rows.blank_rows.empty() && part.first_vertex + rows.blank_rows.front() < header_.vertices)
            throw parse_error(input_.name(), part.line_before + rows.line_of(rows.blank_rows.front()),
                              "the end of the line", header_.has_sizes ? "a vertex size" : "a vertex weight");
        std::uint64_t const left = header_.vertices - std::min(header_.vertices, part.first_vertex);
        for (std::uint64_t row = left; row < rows.rows(); ++row) {
            bool const is_blank = rows.begin(row) == rows.ends[row] &&
                                  ((!header_.has_sizes && header_.weights_per_vertex == 0) ||
                                   std::binary_search(rows.blank_rows.begin(), rows.blank_rows.end(), row));
            if (!is_blank)
                throw parse_error(input_.name(), part.line_before + rows.line_of(row), "one more vertex line",
                                  end_of_file_text());
        }
        if (!rows.bad) return;
        if (rows.rows() < left) throw rows.bad->error.moved_down(part.line_before);
        throw parse_error(input_.name(), rows.bad->error.line() + part.line_before, rows.bad->column,
                          rows.bad->first_word, end_of_file_text());
    }

    [[nodiscard]] std::string end_of_file_text() const {
        return "the end of the file after " + std::to_string(header_.vertices) +
               " vertex lines, as the header says";
    }

    /// Checks that there is a line for each vertex, and drops those behind the last one.
    void check_vertex_lines() {
        bool const has_numbers = header_.has_sizes || header_.weights_per_vertex > 0;
        // That of a last vertex without neighbours may be missing: take_edges() looks at the edges.
        last_lacks_ = lines_ + 1 == header_.vertices && ended_with_newline_ && !has_numbers;
        if (lines_ < header_.vertices && !last_lacks_) {
            if (!options_.lenient || has_numbers) fail_at_end_of_file();
            mended(header_.vertices - lines_, "vertex without a line got no neighbours",
                   "vertices without lines got no neighbours");
        }
        if (lines_ <= header_.vertices) return;
        for (placed_rows& part : parts_) {
            std::uint64_t const left = header_.vertices - std::min(header_.vertices, part.first_vertex);
            if (part.rows.rows() > left) part.rows.ends.resize(left);
        }
    }

    [[noreturn]] void fail_at_end_of_file() const {
        throw parse_error(input_.name(), last_line_ + 1,
                          "the end of the file after " + std::to_string(lines_) + " vertex lines",
                          std::to_string(header_.vertices) + " as the header says");
    }

    void take_vertex_numbers() {
        for (placed_rows& part : parts_) {
            auto const append = [](std::vector<std::uint64_t>& all, std::vector<std::uint64_t>& some) {
                all.insert(all.end(), some.begin(), some.end());
                some = {};
            };
            append(file_.vertex_sizes, part.rows.vertex_sizes);
            append(file_.vertex_weights, part.rows.vertex_weights);
        }
    }

    void take_edges() {
        unsigned const all = std::max(1u, std::thread::hardware_concurrency());
        exec::thread_team team(options_.threads == 0 ? all : std::min(all, options_.threads));
        arc_summary const arcs = summarize_arcs(team, parts_);
        bool const counts_fit = (arcs.arcs - arcs.loops) / 2 + arcs.loops == header_.edges;
        if (last_lacks_ && !counts_fit && !options_.lenient) fail_at_end_of_file();
        take_forward_arcs(team, parts_, arcs.forward + arcs.loops, file_);
        if (!file_.edge_values.empty()) file_.value_type = stored_type_name<double>;
        if (!arcs.is_symmetric && !options_.lenient) find_asymmetry(input_.name(), parts_, file_);
        if (options_.lenient) {
            mend_edges(arcs);
        } else {
            check_edge_count(arcs);
        }
        // Giving memory back to the system takes about as long as getting it.
        exec::parallel_for(team, parts_.size(), [&](std::uint64_t part) { parts_[part] = {}; });
    }

    void mend_edges(arc_summary const& arcs) {
        if (zeros_ > 0) mended(zeros_, "neighbour 0 was left out", "neighbours 0 were left out");
        if (!arcs.is_symmetric) {
            mended_arcs const added = mend_asymmetry(parts_, file_);
            if (added.missing > 0)
                mended(added.missing, "edge stood in the line of one end only",
                       "edges stood in the line of one end only");
            if (added.weights > 0)
                mended(added.weights, "edge had two weights: that in the line of the lower end counts",
                       "edges had two weights: those in the lines of the lower ends count");
        }
        if (file_.edges.size() != header_.edges)
            file_.mended.push_back("the header names " + count_text(header_.edges) + ", the lines hold " +
                                   std::to_string(file_.edges.size()));
    }

    void check_edge_count(arc_summary const& arcs) const {
        std::uint64_t const edges = arcs.forward + arcs.loops;
        if (edges == header_.edges) return;
        throw parse_error(
            input_.name(), header_.line, "a header with " + std::to_string(header_.edges) + " edges",
            std::to_string(edges) + ", as the vertex lines hold " + std::to_string(arcs.arcs) +
                " neighbours" +
                (arcs.loops > 0 ? ", " + std::to_string(arcs.loops) + " of them self-loops" : ""));
    }

    static std::string count_text(std::uint64_t edges) {
        return std::to_string(edges) + (edges == 1 ? " edge" : " edges");
    }

    void mended(std::uint64_t count, char const* one, char const* several) {
        file_.mended.push_back(std::to_string(count) + " " + (count == 1 ? one : several));
    }

    input& input_;
    read_options const& options_;
    metis_header header_;
    graph_file file_;
    std::vector<placed_rows> parts_;
    std::uint64_t lines_ = 0; ///< vertex lines
    std::uint64_t arcs_ = 0;
    std::uint64_t zeros_ = 0;
    std::uint64_t last_line_ = 0;
    bool ended_with_newline_ = true;
    bool last_lacks_ = false; ///< the line of the last vertex
};

} // namespace

graph_file read_metis(std::string const& path, read_options const& options) {
    input from(path);
    return read_metis(from, options);
}

graph_file read_metis(input& from, read_options const& options) { return metis_reader(from, options).read(); }

} // namespace rhizome::io
