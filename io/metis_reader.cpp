#include <rhizome/io/input.hpp>
#include <rhizome/io/line_tokens.hpp>
#include <rhizome/io/metis.hpp>
#include <rhizome/io/store_format.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <tuple>
#include <utility>

namespace rhizome::io {
namespace {

constexpr std::uint64_t largest_number = std::numeric_limits<std::uint64_t>::max();

struct header {
    std::uint64_t vertices = 0;
    std::uint64_t edges = 0;
    bool has_sizes = false;
    bool has_edge_weights = false;
    unsigned weights_per_vertex = 0;
};

class metis_reader {
public:
    metis_reader(input& from, std::function<void(double)> const& progress)
        : input_(from), progress_(progress) {}

    graph_file read() {
        read_header();
        read_vertices();
        check_after_last_vertex();
        check_edge_count();
        check_all_reversed();
        return std::move(file_);
    }

private:
    struct arc {
        graph::vertex_id target;
        std::uint64_t weight;
        friend bool operator<(arc const& a, arc const& b) {
            return std::tie(a.target, a.weight) < std::tie(b.target, b.weight);
        }
    };

    /// As input::next_line(), without comments.
    bool next_line(std::string_view& line) {
        do {
            if (!input_.next_line(line)) return false;
        } while (line.starts_with('%'));
        return true;
    }

    /// Refuses other formats whose first line could pass as a comment or a damaged header.
    void refuse_other_format(std::string_view first_line) const {
        constexpr std::string_view banner = "%%MatrixMarket";
        if (first_line.starts_with(banner))
            throw file_error(input_.name(), "is a MatrixMarket file, not a METIS file");
        if (first_line.starts_with(store_format::magic.substr(0, 4)))
            throw file_error(input_.name(), "holds a stored graph, not METIS");
    }

    void read_header() {
        std::string_view line;
        bool const any = input_.next_line(line);
        if (any) refuse_other_format(line);
        bool const found = any && (!line.starts_with('%') || next_line(line));
        if (!found)
            throw parse_error(input_.name(), input_.line_number() + 1, "the end of the file",
                              "a header 'vertices edges [fmt [ncon]]'");
        header_line_ = input_.line_number();
        line_tokens tokens(input_, line);
        if (tokens.empty()) tokens.fail("a header 'vertices edges [fmt [ncon]]'");
        header_.vertices = tokens.number("the number of vertices", 0, graph::no_vertex);
        header_.edges = tokens.number("the number of edges", 0, largest_number / 2);
        if (!tokens.empty()) read_format(tokens);
        tokens.expect_end("after the header 'vertices edges [fmt [ncon]]'");
        file_.vertex_count = header_.vertices;
        file_.weights_per_vertex = header_.weights_per_vertex;
    }

    void read_format(line_tokens& tokens) {
        std::string_view const format = tokens.peek();
        if (format.size() > 3 || format.find_first_not_of("01") != std::string_view::npos)
            tokens.fail("a format of up to three digits 0 or 1");
        auto const digit = [&](std::size_t from_right) {
            return format.size() > from_right && format[format.size() - 1 - from_right] == '1';
        };
        header_.has_edge_weights = digit(0);
        bool const has_vertex_weights = digit(1);
        header_.has_sizes = digit(2);
        tokens.word();
        header_.weights_per_vertex = has_vertex_weights ? 1 : 0;
        if (tokens.empty()) return;
        if (!has_vertex_weights)
            tokens.fail("no number of weights a vertex, as the format says that there are none");
        constexpr std::uint64_t most_weights = 1'000'000; // more is a damaged header, not a graph
        header_.weights_per_vertex =
            static_cast<unsigned>(tokens.number("the number of weights a vertex", 1, most_weights));
    }

    void read_vertices() {
        std::string_view line;
        for (; vertex_ < header_.vertices; ++vertex_) {
            if (!next_line(line)) {
                // The line of a last vertex without neighbours may be missing.
                bool const last_may_lack = vertex_ + 1 == header_.vertices && input_.ended_with_newline() &&
                                           edge_count() == header_.edges;
                if (!last_may_lack) fail_at_end_of_file();
                line = {};
            }
            note_line_number();
            read_vertex(line);
            constexpr std::uint64_t often = 1u << 14; // vertices
            if (progress_ && vertex_ % often == 0) progress_(input_.fraction_read());
        }
    }

    [[noreturn]] void fail_at_end_of_file() const {
        throw parse_error(input_.name(), input_.line_number() + 1,
                          "the end of the file after " + std::to_string(vertex_) + " vertex lines",
                          std::to_string(header_.vertices) + " as the header says");
    }

    void read_vertex(std::string_view line) {
        line_tokens tokens(input_, line);
        if (header_.has_sizes)
            file_.vertex_sizes.push_back(tokens.number("a vertex size", 0, largest_number));
        for (unsigned i = 0; i < header_.weights_per_vertex; ++i)
            file_.vertex_weights.push_back(tokens.number("a vertex weight", 0, largest_number));
        row_.clear();
        while (!tokens.empty()) {
            std::uint64_t const neighbour = tokens.number("a neighbour", 1, header_.vertices);
            std::uint64_t const weight =
                header_.has_edge_weights ? tokens.number("an edge weight", 0, largest_number) : 1;
            row_.push_back({static_cast<graph::vertex_id>(neighbour - 1), weight});
        }
        if (!std::is_sorted(row_.begin(), row_.end())) std::sort(row_.begin(), row_.end());
        auto const upward = std::lower_bound(row_.begin(), row_.end(), arc{vertex_id(), 0});
        for (auto backward = row_.begin(); backward != upward; ++backward)
            match_reverse(*backward);
        auto const beyond_loops =
            std::find_if(upward, row_.end(), [&](arc const& a) { return a.target != vertex_id(); });
        auto const row_loops = static_cast<std::size_t>(beyond_loops - upward);
        arcs_ += row_.size();
        loops_ += row_loops;
        unmatched_.push_back(file_.edges.size() + row_loops); // loops have no reverse
        for (auto forward = upward; forward != row_.end(); ++forward) {
            file_.edges.push_back({vertex_id(), forward->target});
            if (header_.has_edge_weights) file_.edge_weights.push_back(forward->weight);
        }
    }

    /// Checks a backward arc (to a lower vertex). Vertices are read in ascending order, so it must be the
    /// reverse of the first forward arc of that lower vertex that has no reverse yet.
    void match_reverse(arc const& backward) {
        std::size_t& next = unmatched_[backward.target];
        if (!has_unmatched(backward.target, next) || file_.edges[next].target > vertex_id())
            fail_asymmetric(vertex_, backward.target);
        if (file_.edges[next].target < vertex_id())
            fail_asymmetric(backward.target, file_.edges[next].target);
        if (header_.has_edge_weights && file_.edge_weights[next] != backward.weight)
            throw parse_error(input_.name(), line_of(vertex_),
                              "weight " + std::to_string(backward.weight) + " of edge " +
                                  edge_text(vertex_, backward.target),
                              std::to_string(file_.edge_weights[next]) + " as in line " +
                                  std::to_string(line_of(backward.target)));
        ++next;
    }

    [[nodiscard]] bool has_unmatched(std::uint64_t vertex, std::size_t next) const {
        return next < file_.edges.size() && file_.edges[next].source == vertex;
    }

    void check_after_last_vertex() {
        std::string_view line;
        while (next_line(line)) {
            line_tokens const tokens(input_, line);
            if (!tokens.empty())
                tokens.fail("the end of the file after " + std::to_string(header_.vertices) +
                            " vertex lines, as the header says");
        }
    }

    [[nodiscard]] std::uint64_t edge_count() const { return (arcs_ - loops_) / 2 + loops_; }

    void check_edge_count() const {
        bool const odd = (arcs_ - loops_) % 2 != 0;
        if (!odd && edge_count() == header_.edges) return;
        if (odd) check_all_reversed(); // its message says more
        throw parse_error(
            input_.name(), header_line_, "a header with " + std::to_string(header_.edges) + " edges",
            std::to_string(edge_count()) + ", as the vertex lines hold " + std::to_string(arcs_) +
                " neighbours" + (loops_ > 0 ? ", " + std::to_string(loops_) + " of them self-loops" : ""));
    }

    void check_all_reversed() const {
        for (std::uint64_t v = 0; v < header_.vertices; ++v)
            if (has_unmatched(v, unmatched_[v])) fail_asymmetric(v, file_.edges[unmatched_[v]].target);
    }

    [[noreturn]] void fail_asymmetric(std::uint64_t from, std::uint64_t to) const {
        throw parse_error(input_.name(), line_of(from),
                          "edge " + edge_text(from, to) + " without its reverse in the line of vertex " +
                              std::to_string(to + 1),
                          "each edge in the lines of both its ends");
    }

    static std::string edge_text(std::uint64_t from, std::uint64_t to) {
        return std::to_string(from + 1) + " -> " + std::to_string(to + 1);
    }

    /// Remembers the lines of vertices: line = vertex + shift, and only comments change the shift.
    void note_line_number() {
        std::uint64_t const shift = input_.line_number() - vertex_;
        if (shifts_.empty() || shifts_.back().second != shift) shifts_.emplace_back(vertex_, shift);
    }

    [[nodiscard]] std::uint64_t line_of(std::uint64_t vertex) const {
        auto const after =
            std::upper_bound(shifts_.begin(), shifts_.end(), std::pair(vertex, largest_number));
        return vertex + std::prev(after)->second;
    }

    [[nodiscard]] graph::vertex_id vertex_id() const { return static_cast<graph::vertex_id>(vertex_); }

    input& input_;
    std::function<void(double)> progress_;
    header header_;
    std::uint64_t header_line_ = 0;
    graph_file file_;
    std::uint64_t vertex_ = 0; ///< whose line is read now
    std::uint64_t arcs_ = 0;
    std::uint64_t loops_ = 0;
    std::vector<arc> row_;
    std::vector<std::size_t>
        unmatched_; ///< per vertex: its first edge in file_.edges that has no reverse yet
    std::vector<std::pair<std::uint64_t, std::uint64_t>> shifts_;
};

} // namespace

graph_file read_metis(std::string const& path, std::function<void(double)> const& progress) {
    input from(path);
    return read_metis(from, progress);
}

graph_file read_metis(input& from, std::function<void(double)> const& progress) {
    return metis_reader(from, progress).read();
}

} // namespace rhizome::io
