// SPDX-License-Identifier: Apache-2.0
// The C++ of graph/README.md, runtime/README.md and stream/README.md: compiled, not run. check_docs.sh
// compares it with the pages.
#include <rhizome/exec/host.hpp>
#include <rhizome/graph/dynamic_graph.hpp>
#include <rhizome/runtime/catalogue.hpp>
#include <rhizome/stream/file_updates.hpp>
#include <rhizome/stream/graph_stream.hpp>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::graph {

void use_a_graph(std::uint64_t n, std::span<edge const> edges, std::span<float const> values,
                 edge const* device_edges, float const* device_values, std::uint64_t count,
                 std::vector<std::uint32_t> const& sources, std::vector<std::uint32_t> const& targets) {
    using space = exec::host_space;
    // clang-format off
    using weighted = weighted_graph<space, float>;     // values of type float
    weighted g(space(), {.vertices = n, .directed = true, .in_arcs = true});  // all options: options.hpp

    batch_report r = g.insert_edges(edges, values);    // applied, updated (present: has the new value), duplicates, ...
    g.insert_edges_in_space(device_edges, device_values, count);     // arrays that lie in the space
    g.insert_edges(graph::edge_columns{sources, targets}, values);   // two columns of 32 or 64 bits; also in the space
    auto ids = g.insert_vertices(10);                  // ids of erased vertices first; add_vertices(10) only makes new ids
    vertex_report gone = g.erase_vertices(ids);        // with all their edges, in both directions

    auto view = g.view();                              // in a kernel: neighbours(v), values(v), in_neighbours(v), is_live(v),
                                                       // for_each_edge(group, v, function(i, id, value)); arc_count()
    auto copy = g.snapshot();                          // csr: offsets, targets, values in the space; copy.view()
    graph_changes<space, float> changes(g.space());    // what batches really change, with old and new values
    g.erase_edges(edges, &changes);                    // appends to changes.erased(), values_of_erased()
    g.insert_rows_in_space(copy.view());               // compressed sparse rows in the space, with values, as one batch
    memory_report m = g.memory();                      // heap = adjacency + slack + free; tables; scratch
    g.release_scratch();                               // after a load much larger than the batches to come
    // clang-format on
    static_cast<void>(r);
    static_cast<void>(gone);
    static_cast<void>(view);
    static_cast<void>(m);
}

void overlap_copies(dynamic_graph<exec::host_space>& g, std::vector<std::vector<edge>> const& batches) {
    // clang-format off
    auto present = g.stage(batches[0]);
    for (std::size_t k = 1; k < batches.size(); ++k) {
        auto next = g.stage(batches[k]);           // is copied while the present batch is applied
        g.insert_edges(present);
        present = std::move(next);
    }
    g.insert_edges(present);
    // clang-format on
}

void choose_at_run_time(std::vector<edge> const& edges) {
    // clang-format off
    auto const graph = rhizome::runtime::open_graph(
        {.space = "cuda", .layout = "contiguous", .vertices = 1'000'000, .directed = true});
    graph->insert_edges(edges);
    auto const answer = graph->pagerank({.tolerance = 1e-6});
    // clang-format on
    static_cast<void>(answer);
}

void stream_a_file(runtime::any_graph& graph, std::string const& path) {
    // clang-format off
    auto const updates = std::make_shared<stream::file_updates>(path, stream::batch_rule{.time_step = 86'400});
    updates->map_names({});                            // vertices have names, such as those of users
    stream::graph_stream applied(graph, updates, {.window = stream::parse_window("30d"), .grows_vertices = true});
    for (stream::applied_batch batch; applied.next(batch);)
        std::printf("%llu edges\n", static_cast<unsigned long long>(batch.edges_after));
    // clang-format on
}

} // namespace rhizome::graph
