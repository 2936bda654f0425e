// SPDX-License-Identifier: Apache-2.0
// Applies a file of updates to a graph, batch by batch.
#pragma once

#include <rhizome/graph/batch_report.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/io/batch_reducer.hpp>
#include <rhizome/io/file_edges.hpp>
#include <rhizome/io/update.hpp>
#include <rhizome/io/update_stream.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rhizome {

/// How stream_updates() reads.
struct stream_options {
    std::size_t batch_updates = 100'000;          ///< updates per batch; 0 counts as 1
    std::optional<io::stream_format> format = {}; ///< empty: recognised by content
    /// Whether a temporal list is sorted by time: it is then read batch by batch. Otherwise the reader holds
    /// the whole list in host memory, and sorts it. Does not matter for other formats.
    bool is_sorted = false;
    unsigned threads = 0; ///< threads that parse, and that form net effects; 0: one per core
};

/// What a batch of a stream has changed.
struct streamed_batch {
    std::uint64_t number;  ///< of the batch, from 1
    std::uint64_t updates; ///< lines of the stream
    graph::batch_report inserted;
    graph::batch_report erased;
};

/// Applies the updates of a file (formats: io::update_reader) to the graph, batch by batch, and calls
/// after(streamed_batch) once each is applied. A batch has the effect of its updates one after the other. The
/// graph gets the vertices that the stream names and it lacks. A graph with values, which must be numbers,
/// takes the weights of the stream; an insertion without a weight gives the edge the value 1. Other graphs
/// ignore weights. Returns the number of updates.
///
/// Throws io::file_error, also for a weight that the values cannot hold; io::parse_error; std::length_error
/// for an id beyond those that the graph can have; std::logic_error if the graph is broken;
/// exec::out_of_memory. Earlier batches are then applied; of the failing one, its new vertices are there, and
/// its insertions if erasing failed. What after() throws ends the call. Memory on the host: a batch, and 40
/// bytes per update of it; of a temporal list that is not marked as sorted, the whole list. Cost per
/// batch: reading and parsing it, its net effect, an insertion and an erasure. Waits.
template <class Graph, class After>
std::uint64_t stream_updates(Graph& graph, std::string const& path, stream_options const& options,
                             After&& after) {
    io::update_reader reader(
        path, {.format = options.format, .threads = options.threads, .is_sorted = options.is_sorted});
    io::batch_reducer reduce(options.threads);
    io::update_batch batch;
    std::vector<typename Graph::value_type> values;
    std::uint64_t applied = 0;
    for (std::uint64_t number = 1; reader.next_batch(std::max<std::size_t>(1, options.batch_updates), batch);
         ++number) {
        std::uint64_t vertices = 0;
        for (io::update const& each : batch.updates)
            vertices = std::max<std::uint64_t>(
                {vertices, std::uint64_t{each.edge.source} + 1, std::uint64_t{each.edge.target} + 1});
        if (vertices > graph.vertex_count()) graph.add_vertices(vertices - graph.vertex_count());
        io::net_batch const& net = reduce.reduce(batch.updates, graph.directed(), batch.weights);
        streamed_batch done{number, batch.size(), {}, {}};
        // Insertions first: if memory runs out, nothing of the batch is applied yet.
        if constexpr (Graph::has_values) {
            values.assign(net.insertions.size(), typename Graph::value_type{1});
            for (std::size_t i = 0; i < net.weights.size(); ++i)
                values[i] = io::value_of_weight<typename Graph::value_type>(path, net.weights[i]);
            done.inserted = graph.insert_edges(net.insertions, values);
        } else {
            done.inserted = graph.insert_edges(net.insertions);
        }
        done.erased = graph.erase_edges(net.deletions);
        applied += batch.size();
        after(static_cast<streamed_batch const&>(done));
    }
    return applied;
}

} // namespace rhizome
