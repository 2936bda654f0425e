// SPDX-License-Identifier: Apache-2.0
// Applies the batches of an update stream to a graph. While one list is applied, the next one is copied.
#pragma once

#include <rhizome/runtime/any_graph.hpp>
#include <rhizome/stream/batch_reader.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace rhizome::stream {

/// The two lists of a batch, applied in this order. Only insertions need more memory for adjacency. They come
/// first, so that nothing of the batch is applied if they are refused. The lists are disjoint, so the order
/// makes no other difference.
enum class batch_list : std::size_t { insertions, deletions };

/// Holds the present batch, and the next one if the reader has read it. Only next() waits for the reader.
///
/// If the reader does not reduce batches to their net effect (graph/net_effect.hpp), the graph
/// does so in its space. If the space has too little memory for that, the host does it.
class batch_pipeline {
public:
    batch_pipeline(runtime::any_graph& graph, batch_reader& reader) : graph_(graph), reader_(reader) {}

    /// Goes on to the next batch, waiting for it; false at the end. Throws as batch_reader::next().
    bool next();
    [[nodiscard]] reduced_batch const& present() const { return present_.batch; }
    /// Forms the net effect of the present batch, unless the reader has done so. Begins to copy the next
    /// batch, if that has been read. Throws std::length_error for more than 2^32 - 1 updates.
    void reduce();
    /// The number of edges in a list of the present batch. Precondition: reduce() was called.
    [[nodiscard]] std::uint64_t size(batch_list list) const { return present_.size(list); }
    /// The number of updates that a later update of the same edge in the present batch overrules.
    /// Precondition: reduce() was called.
    [[nodiscard]] std::uint64_t superseded() const {
        return present_.is_in_space ? present_.in_space.superseded : present_.batch.net.superseded;
    }
    /// The time in ms that it took to form the net effect, in reduce() or in the reader.
    [[nodiscard]] double reduce_ms() const { return present_.batch.reduce_ms; }

    /// Copies a list of the present batch into the space, unless it was copied before, and begins to copy the
    /// list that comes after it, if that has been read. Throws exec::out_of_memory if there is no memory for
    /// the first list. If there is none for the second, that one is copied when its turn comes.
    void prepare(batch_list list);
    /// Applies a list that was prepared. If memory is short, frees the lists that were copied ahead and tries
    /// again. Throws exec::out_of_memory if that does not suffice; the graph is then unchanged.
    graph::batch_report apply(batch_list list);
    /// Gives up what was copied into the space: after a failure, so that reduce() can begin anew.
    void drop_copies();

private:
    using copy = std::unique_ptr<runtime::any_staged_batch>;
    struct work {
        reduced_batch batch;
        std::array<copy, 2> copies;
        copy updates;              ///< of batch.in_order
        graph::net_edges in_space; ///< their net effect, if is_in_space
        bool is_in_space = false;
        bool is_read = false;

        [[nodiscard]] std::span<graph::edge const> edges(batch_list list) const {
            return list == batch_list::insertions ? batch.net.insertions : batch.net.deletions;
        }
        [[nodiscard]] std::uint64_t size(batch_list list) const {
            if (!is_in_space) return edges(list).size();
            return list == batch_list::insertions ? in_space.insertion_count : in_space.deletion_count;
        }
        /// One for each of edges(list), or none.
        [[nodiscard]] runtime::values_view values(batch_list list) const {
            return list == batch_list::insertions ? batch.insertion_values() : runtime::values_view();
        }
        [[nodiscard]] copy& copy_of(batch_list list) { return copies[static_cast<std::size_t>(list)]; }
    };

    void reduce_in_space();
    void reduce_on_host();
    void read_ahead();
    [[nodiscard]] graph::batch_report apply_in_space(batch_list list);
    [[nodiscard]] graph::batch_report apply_copy(batch_list list);
    void stage_ahead(work& from, batch_list list);
    [[nodiscard]] bool drop_what_is_ahead(batch_list list);

    runtime::any_graph& graph_;
    batch_reader& reader_;
    work present_;
    work ahead_;                               ///< the next batch, if it has been read (is_read)
    std::optional<io::batch_reducer> on_host_; ///< made when it is first needed
};

} // namespace rhizome::stream
