// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/losses.hpp>
#include <rhizome/cli/text_columns.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace rhizome::cli {
namespace {

std::uint64_t vertices_without_edges(io::graph_file const& file) {
    std::vector<bool> has_edge(file.vertex_count);
    for (graph::edge const& edge : file.edges)
        has_edge[edge.source] = has_edge[edge.target] = true;
    return static_cast<std::uint64_t>(std::count(has_edge.begin(), has_edge.end(), false));
}

} // namespace

std::string rounded_times_text(std::uint64_t count) {
    return fmt::format("{} a fraction and {} rounded down: times are whole numbers",
                       counted(count, "time has", "times have"), count == 1 ? "is" : "are");
}

std::string losses(io::graph_file const& file, io::graph_format const& to, std::uint64_t left_out) {
    std::string text;
    auto const add = [&](std::string const& what) { text += (text.empty() ? "" : "; ") + what; };
    std::string const holder = fmt::format("{} files have none", to.title);
    bool const one_each = file.vertex_sizes.empty() && file.weights_per_vertex <= 1;
    bool const has_place = &to == &io::formats::metis || (to.holds_vertex_weights && one_each);
    if (!has_place && (!file.vertex_weights.empty() || !file.vertex_sizes.empty()))
        add("sizes and weights of vertices are left out: " + holder);
    if (to.weights == io::weight_rule::none && has_edge_weights(file))
        add("weights of edges are left out: " + holder);
    if (!file.edge_times.empty() && !to.holds_times) add("times of edges are left out: " + holder);
    if (file.rounded_times > 0 && to.holds_times) add(rounded_times_text(file.rounded_times));
    if (!file.names.empty() && !to.holds_names) add("names of vertices are left out: " + holder);
    if (&to == &io::formats::csv || (&to == &io::formats::edge_list && !file.names.empty()))
        if (std::uint64_t const count = vertices_without_edges(file); count > 0)
            add(counted(count, "vertex", "vertices") + " without edges left out: a list of edges has none");
    if (&to == &io::formats::csv && file.directed)
        add("that edges are directed is left out: CSV files do not say it, --directed does");
    if (left_out > 0)
        add(counted(left_out, "parallel edge is", "parallel edges are") + " left out" +
            (to.holds_parallel_edges ? "" : ": " + holder));
    return text;
}

} // namespace rhizome::cli
