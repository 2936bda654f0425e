// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/parts_reader.hpp>
#include <rhizome/io/store_file.hpp>
#include <rhizome/io/store_writer.hpp>
#include <rhizome/io/stored_numbers.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::io {
namespace {

constexpr std::size_t batch_edges = std::size_t{1} << 16;

std::string text_of(graph::edge edge) {
    return std::to_string(edge.source) + " -> " + std::to_string(edge.target);
}

/// Appends the values of a batch to the weights.
class weight_reader {
public:
    weight_reader(std::string const& path, store_header const& header) : path_(&path), header_(&header) {
        bool const known = header.value_bytes == 0 || with_integer_type(header.value_type, [&](auto zero) {
                               if (sizeof(zero) != header.value_bytes) fail_type();
                           });
        if (!known) fail_type();
    }

    void append(std::span<graph::edge const> edges, std::vector<std::byte> const& bytes,
                std::vector<std::uint64_t>& weights) const {
        with_integer_type(header_->value_type, [&](auto value) {
            for (std::size_t i = 0; i < edges.size(); ++i) {
                std::memcpy(&value, bytes.data() + i * sizeof(value), sizeof(value));
                if (value < decltype(value){0})
                    throw file_error(*path_, "edge " + text_of(edges[i]) + " has value " +
                                                 std::to_string(value) +
                                                 "; edge weights are whole numbers, 0 or more");
                weights.push_back(static_cast<std::uint64_t>(value));
            }
        });
    }

private:
    [[noreturn]] void fail_type() const {
        throw file_error(*path_, "holds values of type " + quoted(header_->value_type) +
                                     "; edge weights are whole numbers, 0 or more");
    }

    std::string const* path_;
    store_header const* header_;
};

/// Returns the indices of the edges in the order of the stored file: ascending.
std::vector<std::size_t> order_of(std::vector<graph::edge> const& edges) {
    std::vector<std::size_t> order(edges.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    auto const before = [&](std::size_t a, std::size_t b) { return edges[a] < edges[b]; };
    if (!std::is_sorted(edges.begin(), edges.end())) std::stable_sort(order.begin(), order.end(), before);
    return order;
}

/// `order`: of order_of().
bool has_parallel_edges(std::vector<graph::edge> const& edges, std::vector<std::size_t> const& order) {
    return std::adjacent_find(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
               return edges[a] == edges[b];
           }) != order.end();
}

void check(graph_file const& file) {
    auto const demand = [](bool holds, char const* what) {
        if (!holds) throw std::invalid_argument(std::string("write_stored_graph: ") + what);
    };
    demand(file.edge_weights.empty() || file.edge_weights.size() == file.edges.size(),
           "edge_weights must hold one weight an edge");
    demand(file.edge_values.empty() || file.edge_values.size() == file.edges.size(),
           "edge_values must hold one value an edge");
    demand(file.edge_values.empty() || file.edge_weights.empty(), "edges have weights or values, not both");
    for (graph::edge const& edge : file.edges) {
        demand(edge.source < file.vertex_count && edge.target < file.vertex_count,
               "an endpoint is no vertex of the graph");
        demand(file.directed || edge.source <= edge.target, "the smaller end of an edge comes first");
    }
    demand(file.names.empty() || file.names.size() == file.vertex_count, "names must hold one name a vertex");
}

/// Writes items(i) for all indices in `order` to a section, some at a time.
template <class Item, class Items, class Put>
void put_all(std::vector<std::size_t> const& order, Items const& items, Put const& put) {
    std::vector<Item> block;
    for (std::size_t first = 0; first < order.size(); first += batch_edges) {
        block.clear();
        for (std::size_t i = first; i < std::min(first + batch_edges, order.size()); ++i)
            block.push_back(items(order[i]));
        put(std::span<Item const>(block));
    }
}

stored_names kind_of(vertex_names const& names) {
    if (names.empty()) return stored_names::none;
    return names.is_text() ? stored_names::text : stored_names::numbers;
}

std::uint64_t text_bytes(vertex_names const& names) {
    std::uint64_t bytes = 0;
    for (std::uint64_t v = 0; names.is_text() && v < names.size(); ++v)
        bytes += names.name(static_cast<graph::vertex_id>(v)).size();
    return bytes;
}

void write_names(store_writer& writer, vertex_names const& names) {
    std::vector<std::uint64_t> items;
    std::string text;
    for (std::uint64_t v = 0; v < names.size(); ++v) {
        auto const vertex = static_cast<graph::vertex_id>(v);
        if (names.is_text()) {
            text += names.name(vertex);
            items.push_back(text.size());
        } else {
            items.push_back(names.number(vertex));
        }
    }
    writer.names(items);
    writer.name_text(text);
}

bool is_unsigned(std::string_view type) {
    bool result = false;
    with_integer_type(type, [&](auto zero) { result = std::is_unsigned_v<decltype(zero)>; });
    return result;
}

} // namespace

graph_file read_stored_numbers(std::string const& path, std::function<void(double)> const& progress) {
    parts_reader reader(path);
    store_header const header = reader.header();
    if (header.value_bytes == 0 || is_unsigned(header.value_type))
        return read_stored_graph(path, true, progress);
    if (!has_number_values(header))
        throw file_error(path, "holds values of type " + quoted(header.value_type) +
                                   "; weights of edges are numbers");
    reader.expect_no_erased();
    graph_file file;
    file.vertex_count = header.vertices;
    file.directed = header.directed;
    file.counts_from_one = header.counts_from_one;
    file.names = reader.read_names();
    file.value_type = header.value_type;
    std::vector<graph::edge> edges(batch_edges);
    std::vector<std::byte> values(batch_edges * header.value_bytes);
    while (std::size_t const count = reader.next_edges(edges, values.data())) {
        file.edges.insert(file.edges.end(), edges.begin(),
                          edges.begin() + static_cast<std::ptrdiff_t>(count));
        append_numbers(path, header, values, count, file.edge_values);
        if (progress) progress(reader.fraction_read());
    }
    return file;
}

graph_file read_stored_graph(std::string const& path, bool with_values,
                             std::function<void(double)> const& progress) {
    parts_reader reader(path);
    store_header const& header = reader.header();
    reader.expect_no_erased();
    bool const weights = with_values && header.value_bytes != 0;
    if (weights) (void)weight_reader(path, header);
    graph_file file;
    file.vertex_count = header.vertices;
    file.directed = header.directed;
    file.counts_from_one = header.counts_from_one;
    file.names = reader.read_names();
    std::vector<graph::edge> edges(batch_edges);
    std::vector<std::byte> values(weights ? batch_edges * header.value_bytes : 0);
    while (std::size_t const count = reader.next_edges(edges, weights ? values.data() : nullptr)) {
        file.edges.insert(file.edges.end(), edges.begin(),
                          edges.begin() + static_cast<std::ptrdiff_t>(count));
        if (weights)
            weight_reader(path, header).append(std::span(edges).first(count), values, file.edge_weights);
        if (progress) progress(reader.fraction_read());
    }
    return file;
}

std::uint64_t write_stored_graph(std::string const& path, graph_file const& file,
                                 store_file_options const& options) {
    check(file);
    std::vector<std::size_t> const order = order_of(file.edges);
    if (has_parallel_edges(file.edges, order)) {
        graph_file single = file;
        (void)merge_parallel_edges(single, options.parallel);
        return write_stored_graph(path, single, options);
    }
    bool const values = !file.edge_values.empty();
    bool const weights = values || !file.edge_weights.empty();
    std::string value_type;
    if (weights)
        value_type = values ? type_for_numbers(file.edge_values, options.value_type)
                            : std::string(stored_type_name<std::uint64_t>);
    std::uint32_t value_bytes = 0;
    with_number_type(value_type, [&](auto zero) { value_bytes = sizeof(zero); });
    store_writer writer(path, {.directed = file.directed,
                               .in_arcs = options.in_arcs,
                               .self_loops = options.self_loops,
                               .vertices = file.vertex_count,
                               .edges = order.size(),
                               .erased = 0,
                               .value_bytes = value_bytes,
                               .value_type = value_type,
                               .names = kind_of(file.names),
                               .name_bytes = text_bytes(file.names),
                               .counts_from_one = file.counts_from_one});
    std::vector<std::uint64_t> ends(file.vertex_count + 1, 0);
    for (std::size_t const i : order)
        ++ends[file.edges[i].source + std::size_t{1}];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    writer.offsets(ends);
    double done = 0;
    auto const tell = [&](std::size_t count) {
        done += static_cast<double>(count);
        if (options.progress)
            options.progress(done / (static_cast<double>(order.size()) * (weights ? 2 : 1)));
    };
    put_all<graph::vertex_id>(
        order, [&](std::size_t i) { return file.edges[i].target; },
        [&](std::span<graph::vertex_id const> ids) {
            writer.targets(ids);
            tell(ids.size());
        });
    with_number_type(value_type, [&](auto zero) {
        using number_type = decltype(zero);
        put_all<number_type>(
            order,
            [&](std::size_t i) {
                return values ? static_cast<number_type>(file.edge_values[i])
                              : static_cast<number_type>(file.edge_weights[i]);
            },
            [&](std::span<number_type const> items) {
                writer.values(items);
                tell(items.size());
            });
    });
    write_names(writer, file.names);
    writer.commit();
    return order.size();
}

} // namespace rhizome::io
