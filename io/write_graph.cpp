// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/message_text.hpp>
#include <rhizome/io/packed_file.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/stored_numbers.hpp>
#include <rhizome/io/write_graph.hpp>

#include <charconv>
#include <cmath>
#include <sstream>
#include <string>

namespace rhizome::io {
namespace {

/// Which weights the rule holds, if not this one; "" if it holds this one.
char const* weights_held(weight_rule rule, double weight) {
    bool const whole =
        std::trunc(weight) == weight && std::abs(weight) <= static_cast<double>(largest_exact_number);
    switch (rule) {
    case weight_rule::natural:
        return whole && weight >= 0 ? "" : "whole numbers, 0 or more, up to 2^53";
    case weight_rule::whole:
        return whole ? "" : "whole numbers up to 2^53";
    case weight_rule::none:
    case weight_rule::real:
        break;
    }
    return "";
}

} // namespace

graph_format const* format_by_name(std::string const& path) {
    std::string const name = without_packing(path);
    for (graph_format const* const each : graph_formats()) {
        std::istringstream endings(each->endings);
        for (std::string ending; endings >> ending;) {
            if (!name.ends_with(ending)) continue;
            if (each->is_stored && name != path)
                throw file_error(path,
                                 "stored graphs are not compressed; '" + shown(name) + "' is a name for one");
            return each;
        }
    }
    return nullptr;
}

void check_weights(std::string const& path, graph_format const& format, std::span<graph::edge const> edges,
                   std::span<double const> weights) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
        std::string const holds = weights_held(format.weights, weights[i]);
        if (holds.empty()) continue;
        char digits[32];
        std::string const weight(digits, std::to_chars(digits, digits + sizeof(digits), weights[i]).ptr);
        throw file_error(path, "edge " + std::to_string(edges[i].source) + " -> " +
                                   std::to_string(edges[i].target) + " has weight " + weight + "; " +
                                   format.title + " files hold " + holds + "; one named .rhz holds any");
    }
}

std::uint64_t write_graph(std::string const& path, graph_format const& format, graph_file const& file,
                          store_file_options const& options) {
    if (format.is_stored) return write_stored_graph(path, file, options);
    if (format.write == nullptr)
        throw file_error(path, std::string(format.title) + " files cannot be written");
    if (file.directed && !format.holds_directed)
        throw file_error(path, std::string("the graph is directed, and ") + format.title +
                                   " files hold undirected graphs only");
    check_weights(path, format, file.edges, file.edge_values);
    if (!file.edge_values.empty() && format.weights == weight_rule::natural) {
        graph_file whole = file;
        whole.edge_weights.assign(file.edge_values.begin(), file.edge_values.end());
        whole.edge_values.clear();
        format.write(path, whole);
    } else {
        format.write(path, file);
    }
    return file.edges.size();
}

} // namespace rhizome::io
