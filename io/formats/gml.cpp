// SPDX-License-Identifier: Apache-2.0
// GML files (Graph Modelling Language; Himsolt: "GML: A portable Graph File Format", 1996).
#include <rhizome/io/formats/check_graph.hpp>
#include <rhizome/io/formats/gml_tokens.hpp>
#include <rhizome/io/formats/plain_names.hpp>
#include <rhizome/io/formats/weight_text.hpp>
#include <rhizome/io/graph_format.hpp>
#include <rhizome/io/packed_file.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/text_writer.hpp>
#include <rhizome/io/whole_weights.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace rhizome::io {
namespace {

/// Returns the text without the white space and comments that it begins with.
std::string_view without_blanks(std::string_view text) {
    for (;;) {
        text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n\v\f"), text.size()));
        if (!text.starts_with('#')) return text;
        text.remove_prefix(std::min(text.find('\n'), text.size()));
    }
}

/// Returns what stands behind the list that the text begins with; "" if the list has no end there.
std::string_view behind_list(std::string_view text) {
    std::size_t depth = 0;
    while (!text.empty()) {
        char const c = text.front();
        text.remove_prefix(1);
        if (c == '[') ++depth;
        if (c == ']' && --depth == 0) return text;
        if (c == '"' || c == '#')
            text.remove_prefix(std::min(text.find(c == '"' ? '"' : '\n'), text.size() - 1) + 1);
    }
    return text;
}

/// A GML file begins with "graph [", maybe behind comments and pairs such as 'Creator "name"' or
/// 'comment [ ... ]'.
bool recognises(std::string_view head) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    for (head = without_blanks(head); !head.empty(); head = without_blanks(head)) {
        std::string_view const key = head.substr(0, head.find_first_not_of(letters));
        if (key.empty() || (key.front() >= '0' && key.front() <= '9')) return false;
        head = without_blanks(head.substr(key.size()));
        if (head.starts_with('[')) {
            if (key == "graph") return true;
            head = behind_list(head);
            continue;
        }
        std::size_t const end = head.starts_with('"') ? head.find('"', 1) : head.find_first_of(" \t\r\n");
        bool const is_value = head.starts_with('"') || head.find_first_of("0123456789+-.") == 0;
        if (!is_value || end == std::string_view::npos) return false;
        head.remove_prefix(end + (head.starts_with('"') ? 1 : 0));
    }
    return false;
}

/// Names that are numbers of 64 bits with a sign, by their bits.
std::uint64_t bits_of(std::int64_t id) { return static_cast<std::uint64_t>(id); }

/// The weights of edges in the order of the file; 1 where an edge has none.
class weight_list {
public:
    /// Gives the edge of this number the weight that the token says. Earlier edges without one get 1.
    void set(gml_tokens const& tokens, std::size_t edge) {
        std::string_view text = tokens.token().text;
        if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
        char const* const end = text.data() + text.size();
        double weight = 0;
        auto const [stop, error] = std::from_chars(text.data(), end, weight);
        if (tokens.token().kind != gml_kind::number || error != std::errc{} || stop != end ||
            !std::isfinite(weight))
            tokens.fail("a weight, a finite number");
        bool const is_whole = text.find_first_of(".eE") == std::string_view::npos;
        if (is_whole && std::abs(weight) > static_cast<double>(largest_exact_number))
            tokens.fail("a weight from -9007199254740992 to 9007199254740992, or one with a decimal point");
        all_are_whole_ = all_are_whole_ && is_whole;
        values_.resize(edge, 1.0);
        values_.push_back(weight);
    }

    void give_to(graph_file& file) {
        if (values_.empty()) return;
        values_.resize(file.edges.size(), 1.0);
        if (all_are_whole_) {
            give_whole_weights(file, {values_.begin(), values_.end()});
        } else {
            file.edge_values = std::move(values_);
            file.value_type = stored_type_name<double>;
        }
    }

private:
    std::vector<double> values_;
    bool all_are_whole_ = true;
};

/// Reads one file.
class gml_reader {
public:
    gml_reader(input& from, read_options const& options)
        : from_(from), progress_(options.progress), tokens_(from) {}

    graph_file read() {
        bool found = false;
        while (next_is_key(gml_kind::end, "a key such as 'graph'")) {
            if (tokens_.token().text != "graph") {
                tokens_.skip_value();
                continue;
            }
            if (found) tokens_.fail("one graph in the file");
            found = true;
            read_graph();
        }
        if (!found) tokens_.fail("'graph ['");
        return finish();
    }

private:
    /// An end of an edge whose node was not read when the edge was.
    struct open_end {
        std::size_t edge;
        bool is_source;
        std::int64_t id;
        std::uint64_t line;
        std::uint64_t column;
    };

    /// Takes a key and returns true, or takes what ends the list and returns false.
    bool next_is_key(gml_kind last, char const* expected) {
        gml_kind const kind = tokens_.next().kind;
        if (kind == last) return false;
        if (kind != gml_kind::key) tokens_.fail(expected);
        return true;
    }

    void read_graph() {
        tokens_.open_list("graph");
        while (next_is_key(gml_kind::close, "a key or ']'")) {
            std::string_view const key = tokens_.token().text;
            if (key == "node") {
                read_node();
            } else if (key == "edge") {
                read_edge();
            } else if (key == "directed") {
                std::int64_t const directed = tokens_.whole_number("'directed'");
                if (directed != 0 && directed != 1) tokens_.fail("'directed', 0 or 1");
                file_.directed = directed == 1;
            } else {
                tokens_.skip_value();
            }
        }
    }

    void read_node() {
        gml_token const node = tokens_.token();
        tokens_.open_list("node");
        bool has_id = false;
        std::optional<std::string> label;
        while (next_is_key(gml_kind::close, "a key or ']'")) {
            std::string_view const key = tokens_.token().text;
            if (key == "id") {
                if (has_id) tokens_.fail("one 'id' per node");
                has_id = true;
                std::uint64_t const before = ids_.size();
                if (ids_.find_or_add(bits_of(tokens_.whole_number("the id of a node"))) != before)
                    tokens_.fail("an id that no other node has");
            } else if (key == "label") {
                gml_kind const kind = tokens_.next().kind;
                if (kind != gml_kind::string && kind != gml_kind::number) tokens_.fail("a label, a string");
                label = gml_text(tokens_.token().text);
            } else {
                tokens_.skip_value();
            }
        }
        if (!has_id)
            throw parse_error(from_.name(), node.line, node.column, "a node without an id", "'id N'");
        add_label(label);
    }

    /// Labels name the vertices as long as each has one of its own.
    void add_label(std::optional<std::string> const& label) {
        if (!labels_are_names_) return;
        std::uint64_t const before = labels_.size();
        if (label && labels_.find_or_add(std::string_view(*label)) == before) return;
        labels_are_names_ = false;
        labels_ = {};
    }

    void read_edge() {
        gml_token const edge = tokens_.token();
        std::size_t const number = file_.edges.size();
        tokens_.open_list("edge");
        bool has_source = false;
        bool has_target = false;
        enum { none, value, weight } has_weight = none; // 'weight' goes before 'value'
        file_.edges.push_back({});
        while (next_is_key(gml_kind::close, "a key or ']'")) {
            std::string_view const key = tokens_.token().text;
            if (key == "source" || key == "target") {
                bool const is_source = key == "source";
                bool& has = is_source ? has_source : has_target;
                if (has) tokens_.fail("one 'source' and one 'target' per edge");
                has = true;
                read_end(number, is_source);
            } else if (key == "weight" || (key == "value" && has_weight != weight)) {
                auto const kind = key == "weight" ? weight : value;
                if (has_weight == kind) tokens_.fail("one '" + std::string(key) + "' per edge");
                tokens_.next();
                if (kind == value && tokens_.token().kind == gml_kind::string)
                    continue; // says something else
                weights_.set(tokens_, number);
                has_weight = kind;
            } else {
                tokens_.skip_value();
            }
        }
        if (!has_source || !has_target)
            throw parse_error(from_.name(), edge.line, edge.column, "an edge without both ends",
                              "'source N' and 'target N'");
        if (progress_ && number % edges_per_report == 0) progress_(from_.fraction_read());
    }

    void read_end(std::size_t edge, bool is_source) {
        std::int64_t const id =
            tokens_.whole_number(is_source ? "the source of an edge" : "the target of an edge");
        auto const vertex = ids_.find(bits_of(id));
        if (vertex) {
            set_end(edge, is_source, *vertex);
        } else {
            open_ends_.push_back({edge, is_source, id, tokens_.token().line, tokens_.token().column});
        }
    }

    void set_end(std::size_t edge, bool is_source, graph::vertex_id vertex) {
        (is_source ? file_.edges[edge].source : file_.edges[edge].target) = vertex;
    }

    graph_file finish() {
        for (open_end const& end : open_ends_) {
            auto const vertex = ids_.find(bits_of(end.id));
            if (!vertex)
                throw parse_error(from_.name(), end.line, end.column, quoted(std::to_string(end.id)),
                                  "the id of a node in this file");
            set_end(end.edge, end.is_source, *vertex);
        }
        file_.vertex_count = ids_.size();
        if (!file_.directed)
            for (graph::edge& edge : file_.edges)
                if (edge.target < edge.source) std::swap(edge.source, edge.target);
        weights_.give_to(file_);
        give_names(file_, labels_are_names_ ? std::move(labels_) : names_of_ids());
        return std::move(file_);
    }

    vertex_names names_of_ids() {
        constexpr std::uint64_t sign = std::uint64_t{1} << 63;
        auto const id = [&](std::uint64_t v) { return ids_.number(static_cast<graph::vertex_id>(v)); };
        bool negative = false;
        for (std::uint64_t v = 0; v < ids_.size(); ++v)
            negative = negative || (id(v) & sign) != 0;
        if (!negative) return std::move(ids_);
        vertex_names names;
        for (std::uint64_t v = 0; v < ids_.size(); ++v)
            (void)names.find_or_add(std::string_view(std::to_string(static_cast<std::int64_t>(id(v)))));
        return names;
    }

    static constexpr std::size_t edges_per_report = std::size_t{1} << 14;

    input& from_;
    std::function<void(double)> progress_;
    gml_tokens tokens_;
    graph_file file_;
    vertex_names ids_; ///< as bits_of() gives them
    vertex_names labels_;
    bool labels_are_names_ = true;
    weight_list weights_;
    std::vector<open_end> open_ends_;
};

graph_file read(input& from, read_options const& options) { return gml_reader(from, options).read(); }

/// Whether names can be written as ids, which have a sign.
bool are_ids(vertex_names const& names) {
    constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (names.is_text()) return false;
    for (std::uint64_t v = 0; v < names.size(); ++v)
        if (names.number(static_cast<graph::vertex_id>(v)) > largest) return false;
    return true;
}

void write(std::string const& path, graph_file const& file) {
    check_graph(file, "write GML");
    check_weights_are_exact(file, "write GML");
    bool const ids = are_ids(file.names);
    std::uint64_t const first = file.names.empty() && file.counts_from_one ? 1 : 0;
    auto const id = [&](graph::vertex_id v) {
        return ids && !file.names.empty() ? file.names.number(v) : v + first;
    };
    packed_file output(path);
    text_writer text(output);
    text.put(file.directed ? "graph [\n  directed 1\n" : "graph [\n  directed 0\n");
    std::string label;
    for (std::uint64_t i = 0; i < file.vertex_count; ++i) {
        auto const v = static_cast<graph::vertex_id>(i);
        text.put("  node [ id ");
        text.put_number(id(v));
        if (!ids) {
            label = " label \"";
            append_gml_text(label, file.names.name(v));
            text.put(label += '"');
        }
        text.put(" ]\n");
    }
    weight_text const weights(file);
    for (std::size_t i = 0; i < file.edges.size(); ++i) {
        text.put("  edge [ source ");
        text.put_number(id(file.edges[i].source));
        text.put(" target ");
        text.put_number(id(file.edges[i].target));
        if (weights.any()) {
            text.put(" weight ");
            weights.put(text, i);
        }
        text.put(" ]\n");
    }
    text.put("]\n");
    text.flush();
    output.commit();
}

} // namespace

constinit graph_format const formats::gml{.name = "gml",
                                          .title = "GML",
                                          .endings = ".gml",
                                          .recognises = recognises,
                                          .read = read,
                                          .write = write,
                                          .holds_directed = true,
                                          .holds_names = true,
                                          .weights = weight_rule::real};

} // namespace rhizome::io
