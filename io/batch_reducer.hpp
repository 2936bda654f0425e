// SPDX-License-Identifier: Apache-2.0
// The net effect of a batch of ordered updates, formed on threads of the host.
#pragma once

#include <rhizome/exec/host/parallel.hpp>
#include <rhizome/io/edge_key_set.hpp>
#include <rhizome/io/update.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace rhizome::io {

/// Deletions and insertions. No edge is in both lists, and none is twice in one.
/// deletions.size() + insertions.size() + superseded is the size of the batch.
struct net_batch {
    std::vector<graph::edge> deletions;  ///< edges whose last update erases them
    std::vector<graph::edge> insertions; ///< edges whose last update inserts them
    std::vector<double> weights;         ///< one per insertion, if reduce() was given weights
    std::uint64_t superseded = 0; ///< updates that a later update of the same edge in the batch overrules
};

/// Reduces batches to their net effect. Keeps its scratch, 16 to 32 bytes per update, between calls.
///
/// Updates of different edges are independent of each other. After an insertion the edge is present, after a
/// deletion it is absent, whatever was before. So only the last update of each edge matters. Inserting
/// `insertions` and erasing `deletions`, in either order, gives the same graph as applying the updates one by
/// one. graph::net_effect does the same in the memory of a space. A caller that inserts first has changed
/// nothing yet if memory runs out. (The reports may differ: a deletion may find its edge absent because the
/// insertion before it was overruled.)
///
/// Several threads partition a large batch by a hash of its edges, and reduce different parts. A mark per
/// update, set if it is the last one of its edge, then brings the result into the order of the stream.
class batch_reducer {
public:
    /// `threads`: that reduce large batches, including the caller's; 0: all that the machine has. They start
    /// when they are first needed.
    explicit batch_reducer(unsigned threads = 1);

    /// Returns the net effect of the updates; it is valid until the next call. Its lists are in the order of
    /// the stream, for every number of threads. If not `directed`, {u, v} and {v, u} are the same edge.
    /// `weights`: none, or one per update; an edge gets the weight of its last update. Throws
    /// std::length_error for more than 2^32 - 1 updates.
    net_batch const& reduce(std::span<update const> updates, bool directed,
                            std::span<double const> weights = {});
    /// The same, but swaps the result into `result`, whose memory is kept for the next call.
    void reduce(std::span<update const> updates, bool directed, std::span<double const> weights,
                net_batch& result);

private:
    /// An update in its part.
    struct entry {
        std::uint64_t key;
        std::uint32_t index; ///< in the batch
    };
    /// The deletions and insertions in a piece of the batch.
    struct counts {
        std::size_t deletions = 0;
        std::size_t insertions = 0;
    };

    void reduce_alone(std::span<update const> updates, bool directed, std::span<double const> weights);
    void reduce_together(std::span<update const> updates, bool directed, std::span<double const> weights);
    void partition(std::span<update const> updates, bool directed);
    void mark_last();
    void collect(std::span<update const> updates, std::span<double const> weights);

    exec::thread_team team_;
    edge_key_set decided_; ///< of one thread
    net_batch result_;

    // Of several threads.
    unsigned part_bits_ = 0;
    std::size_t pieces_ = 0;
    std::size_t piece_updates_ = 0;
    std::vector<std::uint32_t> places_; ///< [piece][part]: where the piece's next update of the part goes
    std::vector<std::uint32_t> ends_;   ///< of the parts, in entries_
    std::vector<entry> entries_;        ///< part by part, in the order of the stream
    std::vector<std::uint8_t> is_last_; ///< one per update
    std::vector<counts> counts_;        ///< one per piece
};

} // namespace rhizome::io
