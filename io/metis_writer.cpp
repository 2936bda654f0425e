// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/metis.hpp>
#include <rhizome/io/text_writer.hpp>

#include <stdexcept>
#include <vector>

namespace rhizome::io {
namespace {

void check(graph_file const& file) {
    auto const demand = [](bool holds, char const* what) {
        if (!holds) throw std::invalid_argument(std::string("write_metis: ") + what);
    };
    std::uint64_t const n = file.vertex_count;
    demand(!file.directed, "the format holds undirected graphs only");
    demand(n <= graph::no_vertex, "too many vertices");
    demand(file.edge_weights.empty() || file.edge_weights.size() == file.edges.size(),
           "edge_weights must hold one weight an edge");
    demand(file.edge_values.empty(), "edge_values have no place in the format; edge_weights have");
    demand(file.vertex_sizes.empty() || file.vertex_sizes.size() == n,
           "vertex_sizes must hold one size a vertex");
    demand(file.vertex_weights.size() == n * file.weights_per_vertex,
           "vertex_weights must hold weights_per_vertex weights a vertex");
    for (graph::edge const& edge : file.edges)
        demand(edge.source < n && edge.target < n, "an endpoint is no vertex of the graph");
}

void write_header(text_writer& text, graph_file const& file) {
    text.put_number(file.vertex_count);
    text.put(' ');
    text.put_number(file.edges.size());
    bool const sizes = !file.vertex_sizes.empty();
    bool const weights = file.weights_per_vertex > 0;
    bool const edge_weights = !file.edge_weights.empty();
    if (sizes || weights || edge_weights) {
        text.put(' ');
        text.put(sizes ? '1' : '0');
        text.put(weights ? '1' : '0');
        text.put(edge_weights ? '1' : '0');
    }
    if (file.weights_per_vertex > 1) {
        text.put(' ');
        text.put_number(file.weights_per_vertex);
    }
    text.put('\n');
}

} // namespace

void write_metis(std::string const& path, graph_file const& file) {
    check(file);
    // For each vertex the indices of its edges. Both ends list an edge; a self-loop is listed once.
    std::vector<std::size_t> first(file.vertex_count + 1, 0);
    for (graph::edge const& edge : file.edges) {
        ++first[edge.source + std::size_t{1}];
        if (edge.source != edge.target) ++first[edge.target + std::size_t{1}];
    }
    for (std::size_t v = 1; v < first.size(); ++v)
        first[v] += first[v - 1];
    std::vector<std::size_t> incident(first.back());
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    for (std::size_t i = 0; i < file.edges.size(); ++i) {
        graph::edge const edge = file.edges[i];
        incident[next[edge.source]++] = i;
        if (edge.source != edge.target) incident[next[edge.target]++] = i;
    }

    packed_file output(path);
    text_writer text(output);
    write_header(text, file);
    for (std::size_t v = 0; v < file.vertex_count; ++v) {
        bool first_word = true;
        auto const put_word = [&](std::uint64_t number) {
            if (!first_word) text.put(' ');
            first_word = false;
            text.put_number(number);
        };
        if (!file.vertex_sizes.empty()) put_word(file.vertex_sizes[v]);
        for (std::size_t i = 0; i < file.weights_per_vertex; ++i)
            put_word(file.vertex_weights[v * file.weights_per_vertex + i]);
        for (std::size_t i = first[v]; i < first[v + 1]; ++i) {
            graph::edge const edge = file.edges[incident[i]];
            put_word((edge.source == v ? edge.target : edge.source) + std::uint64_t{1});
            if (!file.edge_weights.empty()) put_word(file.edge_weights[incident[i]]);
        }
        text.put('\n');
    }
    text.flush();
    output.commit();
}

} // namespace rhizome::io
