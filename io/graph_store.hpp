// SPDX-License-Identifier: Apache-2.0
// Saving a graph of any space to a file, and loading it again. The file: docs/formats.md.
#pragma once

#include <rhizome/graph/options.hpp>
#include <rhizome/graph/queries.hpp>
#include <rhizome/graph/query_answers.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/io/graph_format.hpp>
#include <rhizome/io/store_format.hpp>
#include <rhizome/io/store_parts.hpp>
#include <rhizome/io/store_reader.hpp>
#include <rhizome/io/store_writer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome {

/// How load_graph() and io::load_stored_graph() work. The first fields are for files of other formats than
/// stored graphs: a stored graph says these things itself.
struct load_options {
    io::graph_format const* format = nullptr; ///< nullptr: recognised by content
    bool directed = false;                    ///< edges of an undirected file become two arcs
    bool in_arcs = false;                     ///< as in graph_options: for directed graphs
    bool lenient = false;                     ///< METIS: repair errors where possible
    std::string columns = {};                 ///< of an edge list (io::read_options)
    /// What a graph with values keeps of parallel edges of the file.
    io::parallel_rule parallel = io::default_parallel_rule;
    /// Edges per batch of a stored graph. 0: all at once if the graph is built from rows and they take at
    /// most an eighth of the memory; otherwise first_load_edges of the graph in the first batch, 2^22 in
    /// later ones.
    std::uint64_t batch_edges = 0;
    std::uint64_t heap_bytes = 2u << 20;       ///< as in graph_options
    std::uint64_t reserve_bytes = 0;           ///< as in graph_options
    std::function<void(double)> progress = {}; ///< called with the share that was read; negative: not known
};

} // namespace rhizome

namespace rhizome::io {

using rhizome::load_options;

/// How save_graph() works.
struct save_options {
    std::uint64_t piece_arcs =
        std::uint64_t{1} << 22; ///< arcs fetched from the space at a time; a longer row is fetched as a whole
    std::function<void(double)> progress = {}; ///< called with the share that is done, in [0, 1]
};

namespace detail {

template <class Graph>
[[nodiscard]] constexpr std::string_view value_name_of() {
    if constexpr (Graph::has_values) {
        constexpr std::string_view name = stored_type_name<typename Graph::value_type>;
        static_assert(!name.empty(), "specialise io::stored_type_name for the values of this graph");
        return name;
    } else {
        return {};
    }
}
template <class Graph>
inline constexpr std::uint32_t
    stored_value_bytes = Graph::has_values ? static_cast<std::uint32_t>(sizeof(typename Graph::value_type))
                                           : 0;

/// Fetches the rows of a graph in the form of the file, from the first to the last, some at a time. Of a
/// graph over ranks, the rows that this rank owns.
template <class Graph>
class stored_rows {
public:
    static_assert(std::is_same_v<typename Graph::id_type, graph::vertex_id>,
                  "files of this version hold ids of 4 bytes");
    using lists_type = graph::neighbour_lists<graph::vertex_id, typename Graph::value_type>;

    stored_rows(Graph& graph, save_options const& options) : graph_(&graph), options_(&options) {}

    /// Calls function(lists) for all rows. Neighbours ascend. In an undirected graph, smaller neighbours than
    /// the row's own vertex are left out.
    template <class Function>
    void for_each(Function&& function) {
        for_each_piece([&](std::span<graph::vertex_id const> ids, std::span<std::uint32_t const>) {
            lists_type lists = graph_->neighbours_of(ids);
            arrange(ids, lists);
            function(lists);
        });
    }
    /// Calls function(ids) for all erased vertices.
    template <class Function>
    void for_each_erased(Function&& function) {
        if (graph_->live_vertex_count() == graph_->vertex_count()) return;
        std::vector<graph::vertex_id> erased;
        for_each_block([&](std::span<graph::vertex_id const> ids, std::vector<std::uint32_t> const& degrees) {
            erased.clear();
            for (std::size_t i = 0; i < ids.size(); ++i)
                if (degrees[i] == graph::no_degree) erased.push_back(ids[i]);
            function(std::span<graph::vertex_id const>(erased));
        });
    }
    /// Calls function(ids) for the vertices of all rows.
    template <class Function>
    void for_each_vertex(Function&& function) {
        for_each_ids([&](std::vector<graph::vertex_id> const& ids) {
            function(std::span<graph::vertex_id const>(ids));
        });
    }
    /// Calls function(sizes) for all rows.
    template <class Function>
    void for_each_sizes(Function&& function) {
        if (graph_->directed()) {
            for_each_piece([&](std::span<graph::vertex_id const>, std::span<std::uint32_t const> degrees) {
                function(degrees);
            });
            return;
        }
        std::vector<std::uint32_t> sizes;
        for_each([&](lists_type const& lists) {
            sizes.clear();
            for (std::size_t i = 0; i + 1 < lists.offsets.size(); ++i)
                sizes.push_back(static_cast<std::uint32_t>(lists.offsets[i + 1] - lists.offsets[i]));
            function(std::span<std::uint32_t const>(sizes));
        });
    }

private:
    template <class Function>
    void for_each_ids(Function&& function) {
        constexpr std::uint64_t block = 1u << 18; // vertices
        std::uint64_t const vertices = graph_->vertex_count();
        std::vector<graph::vertex_id> ids;
        for (std::uint64_t first = 0; first < vertices; first += block) {
            ids.resize(static_cast<std::size_t>(std::min(block, vertices - first)));
            std::iota(ids.begin(), ids.end(), static_cast<graph::vertex_id>(first));
            if constexpr (requires { graph_->owns(ids[0]); })
                std::erase_if(ids, [&](graph::vertex_id id) { return !graph_->owns(id); });
            if (!ids.empty()) function(ids);
        }
    }
    template <class Function>
    void for_each_block(Function&& function) {
        for_each_ids([&](std::vector<graph::vertex_id> const& ids) {
            function(std::span<graph::vertex_id const>(ids),
                     std::vector<std::uint32_t>(graph_->degrees(ids)));
        });
    }
    template <class Function>
    void for_each_piece(Function&& function) {
        for_each_block([&](std::span<graph::vertex_id const> ids, std::vector<std::uint32_t> degrees) {
            std::replace(degrees.begin(), degrees.end(), graph::no_degree, 0u); // of erased vertices
            for (std::size_t begin = 0; begin < ids.size();) {
                std::uint64_t arcs = degrees[begin];
                std::size_t end = begin + 1;
                while (end < ids.size() && arcs + degrees[end] <= options_->piece_arcs)
                    arcs += degrees[end++];
                function(ids.subspan(begin, end - begin),
                         std::span<std::uint32_t const>(degrees).subspan(begin, end - begin));
                begin = end;
            }
        });
    }

    void arrange(std::span<graph::vertex_id const> ids, lists_type& lists) {
        std::uint64_t kept = 0;
        for (std::size_t i = 0; i < ids.size(); ++i) {
            std::uint64_t const begin = lists.offsets[i];
            std::uint64_t const end = lists.offsets[i + 1];
            if constexpr (!Graph::view_type::sorted) sort_row(lists, begin, end);
            lists.offsets[i] = kept;
            for (std::uint64_t k = begin; k < end; ++k) {
                if (!graph_->directed() && lists.targets[k] < ids[i]) continue;
                lists.targets[kept] = lists.targets[k];
                if constexpr (Graph::has_values) lists.values[kept] = lists.values[k];
                ++kept;
            }
        }
        lists.offsets[ids.size()] = kept;
        lists.targets.resize(kept);
        if constexpr (Graph::has_values) lists.values.resize(kept);
    }

    static void sort_row(lists_type& lists, std::uint64_t begin, std::uint64_t end) {
        std::vector<std::pair<graph::vertex_id, std::uint64_t>> order;
        for (std::uint64_t k = begin; k < end; ++k)
            order.emplace_back(lists.targets[k], k);
        std::sort(order.begin(), order.end());
        std::vector<typename Graph::value_type> values;
        for (std::uint64_t k = begin; k < end; ++k) {
            lists.targets[k] = order[k - begin].first;
            if constexpr (Graph::has_values) values.push_back(lists.values[order[k - begin].second]);
        }
        if constexpr (Graph::has_values)
            std::copy(values.begin(), values.end(),
                      lists.values.begin() + static_cast<std::ptrdiff_t>(begin));
    }

    Graph* graph_;
    save_options const* options_;
};

/// Builds the graph from the rows of the file. Returns false if it is not built from rows, if they are too
/// large, or if memory is short; the graph is then unchanged, and the reader before the first edge. Throws
/// what insert_rows_in_space() throws, out_of_memory only if the graph is broken.
template <class Graph>
bool insert_stored_rows(Graph& graph, store_reader& reader, load_options const& options) {
    if constexpr (Graph::builds_rows) {
        if (reader.header().is_part()) return false;
        bool const fit =
            reader.rows_bytes(Graph::has_values) <= graph.space().memory_bytes() / rows_memory_parts;
        if (options.batch_edges != 0 || reader.header().edges == 0 || !fit) return false;
        stored_arrays const rows = reader.read_rows(graph.space().team(), Graph::has_values);
        std::uint64_t const edges = reader.header().edges;
        graph::csr_view const view(rows.offsets.get(), rows.targets.get(), reader.header().vertices, edges,
                                   false);
        std::uint64_t applied = 0;
        try {
            if constexpr (Graph::has_values)
                applied = graph
                              .insert_rows_in_space(view, reinterpret_cast<typename Graph::value_type const*>(
                                                              rows.values.get()))
                              .applied;
            else
                applied = graph.insert_rows_in_space(view).applied;
        } catch (exec::out_of_memory const&) {
            if (graph.broken()) throw;
            reader.rewind();
            return false;
        }
        if (applied != edges)
            throw std::logic_error("load_stored_graph: the graph refused edges of a sound file");
        if (options.progress) options.progress(1.0);
        return true;
    } else {
        return false;
    }
}

/// After the last batch of a graph that was loaded in several: gives back the memory that the batches before
/// have left in the heap, unless the graph is not to compact itself.
template <class Graph>
void compact_loaded(Graph& graph) {
    if (!graph.options().compacts) return;
    try {
        graph.compact();
    } catch (exec::out_of_memory const&) { // for its plan: the heap stays as it is
        if (graph.broken()) throw;
    }
}

/// Inserts the edges of the file. Returns the number of batches.
template <class Graph>
std::uint64_t insert_stored(Graph& graph, store_reader& reader, load_options const& options) {
    constexpr std::uint64_t later_edges = std::uint64_t{1} << 22;
    bool const chosen = options.batch_edges != 0;
    std::uint64_t room = std::clamp<std::uint64_t>(reader.header().edges, 1,
                                                   chosen ? options.batch_edges : Graph::first_load_edges);
    // Not vectors, which would write zeros first.
    auto const edges = std::make_unique_for_overwrite<graph::edge[]>(room);
    std::vector<typename Graph::value_type> values(Graph::has_values ? room : 0);
    std::uint64_t batches = 0;
    while (std::size_t const count =
               reader.next_edges({edges.get(), room}, Graph::has_values ? values.data() : nullptr)) {
        if (!chosen) room = std::min(room, later_edges); // the rest is merged, which takes more scratch
        std::span<graph::edge const> const batch(edges.get(), count);
        std::uint64_t applied = 0;
        if constexpr (Graph::has_values)
            applied = graph.insert_edges(batch, std::span(values).first(count)).applied;
        else
            applied = graph.insert_edges(batch).applied;
        if (applied != count)
            throw std::logic_error("load_stored_graph: the graph refused edges of a sound file");
        ++batches;
        if (options.progress) options.progress(reader.fraction_read());
    }
    return batches;
}

/// Returns the header of a graph's file.
template <class Graph>
[[nodiscard]] store_header header_of(Graph const& graph) {
    return {.directed = graph.directed(),
            .in_arcs = graph.options().in_arcs,
            .self_loops = graph.options().self_loops,
            .vertices = graph.vertex_count(),
            .edges = graph.edge_count(),
            .erased = graph.vertex_count() - graph.live_vertex_count(),
            .value_bytes = stored_value_bytes<Graph>,
            .value_type = std::string(value_name_of<Graph>())};
}

/// Writes the rows of a graph, and if the file is a part, those of this rank.
template <class Graph>
void write_rows(store_writer& writer, Graph& graph, bool is_part, save_options const& options) {
    stored_rows<Graph> rows(graph, options);
    using lists_type = typename stored_rows<Graph>::lists_type;

    if (is_part) rows.for_each_vertex([&](std::span<graph::vertex_id const> ids) { writer.rows(ids); });
    rows.for_each_erased([&](std::span<graph::vertex_id const> ids) { writer.erased(ids); });
    std::vector<std::uint64_t> ends{0};
    writer.offsets(ends);
    std::uint64_t edges = 0;
    rows.for_each_sizes([&](std::span<std::uint32_t const> sizes) {
        ends.clear();
        for (std::uint32_t const size : sizes)
            ends.push_back(edges += size);
        writer.offsets(ends);
    });
    double const steps = static_cast<double>(std::max<std::uint64_t>(1, edges)) * (Graph::has_values ? 2 : 1);
    double done = 0;
    auto const tell = [&](std::size_t written) {
        done += static_cast<double>(written);
        if (options.progress) options.progress(done / steps);
    };
    rows.for_each([&](lists_type const& lists) {
        writer.targets(lists.targets);
        tell(lists.targets.size());
    });
    if constexpr (Graph::has_values)
        rows.for_each([&](lists_type const& lists) {
            writer.values(std::span<typename Graph::value_type const>(lists.values));
            tell(lists.values.size());
        });
}

/// Fills a new graph from the parts that several ranks have saved.
template <class Graph>
void insert_parts(Graph& graph, store_parts const& parts, load_options const& options) {
    std::vector<graph::vertex_id> erased;
    part_sums sums;
    for (std::uint32_t number = 0; number < parts.count(); ++number) {
        auto const reader = parts.open(number);
        sums.add(reader->header());
        erased.insert(erased.end(), reader->erased().begin(), reader->erased().end());
    }
    parts.expect_all(sums);
    if (!erased.empty()) graph.erase_vertices(erased);
    double read = 0;
    double const all = static_cast<double>(std::max<std::uint64_t>(1, parts.header().all_edges()));
    for (std::uint32_t number = 0; number < parts.count(); ++number) {
        auto const reader = parts.open(number);
        auto const edges = static_cast<double>(reader->header().edges);
        load_options of_part = options;
        of_part.progress = {};
        if (options.progress)
            of_part.progress = [&](double share) { options.progress((read + share * edges) / all); };
        static_cast<void>(insert_stored(graph, *reader, of_part));
        read += edges;
    }
    compact_loaded(graph);
}

} // namespace detail

/// Saves the graph with its values to a file, and replaces the file when everything is written. If anything
/// goes wrong before, the old file stays.
/// Memory: scratch in the space for piece_arcs arcs (or for the longest row), and a few arrays of that length
/// on the host. Throws file_error, exec::out_of_memory; the graph is unchanged. Cost: one pass over the arcs,
/// a second one for values, another one if the graph is undirected, and the time of the disk. Waits for the
/// space.
template <class Graph>
void save_graph(Graph& graph, std::string const& path, save_options const& options = {}) {
    store_writer writer(path, detail::header_of(graph));
    detail::write_rows(writer, graph, false, options);
    writer.commit();
}

/// Loads a stored graph: from one file, or from the files that several ranks have saved. (load_graph() of
/// io/load_graph.hpp reads files of any format.) Its options, vertices, edges
/// and values are those of the graph that was saved. `Graph` is a graph::dynamic_graph whose values have the
/// type in the file. Throws file_error; store_error if the file is damaged or has values of another type;
/// exec::out_of_memory. Memory on the host: one batch of edges (batch_edges; if that is 0, at most
/// first_load_edges of the graph), or all rows (see load_options). A memory limit of the space does not count
/// it. Cost: that of reading the file on the threads of the space, and of writing the rows; or that of
/// inserting batches of ascending edges, after several of which the graph is compacted. Waits for the space.
template <class Graph, class Space>
[[nodiscard]] Graph load_stored_graph(Space space, std::string const& path,
                                      load_options const& options = {}) {
    store_parts const parts(path);
    auto const reader = parts.open(0);
    store_header const& header = reader->header();
    reader->expect_values(detail::value_name_of<Graph>(), detail::stored_value_bytes<Graph>);
    Graph graph(std::move(space), {.vertices = header.vertices,
                                   .directed = header.directed,
                                   .in_arcs = header.in_arcs,
                                   .self_loops = header.self_loops,
                                   .heap_bytes = options.heap_bytes,
                                   .reserve_bytes = options.reserve_bytes});
    if (header.is_part()) {
        detail::insert_parts(graph, parts, options);
        return graph;
    }
    if (!reader->erased().empty()) graph.erase_vertices(reader->erased());
    if (!detail::insert_stored_rows(graph, *reader, options))
        if (detail::insert_stored(graph, *reader, options) > 1) detail::compact_loaded(graph);
    return graph;
}

} // namespace rhizome::io
