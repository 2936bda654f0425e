// SPDX-License-Identifier: Apache-2.0
// A sliding window over a stream of updates: erases old edges.
#pragma once

#include <rhizome/io/edge_key_map.hpp>
#include <rhizome/io/update.hpp>

#include <cstdint>
#include <deque>
#include <limits>
#include <string>

namespace rhizome::io {

/// Erases the edges that leave a window. The rule: after a batch, an edge that the stream has inserted is
/// present if and only if its last update is an insertion that lies in the window. The window holds
/// - by time: the insertions less than `length` units of time before the last update of the batch;
/// - by edges: the last `length` insertions of the stream. Each insertion counts, also one of an edge that is
///   there, and one that a later update has erased.
/// Edges that the graph had before the stream stay until an update names them. Insertions that the graph does
/// not take are neither in the window nor counted.
///
/// Memory: 24 bytes per insertion in the window, and 16 to 64 bytes per edge in it.
class sliding_window {
public:
    enum class kind : std::uint8_t { time, edges };

    /// Which edges the graph takes.
    struct taken_edges {
        std::uint64_t vertices = std::numeric_limits<std::uint64_t>::max(); ///< both ends are below it
        bool self_loops = true;
    };

    /// If not `directed`, {u, v} and {v, u} are the same edge. Precondition: length > 0.
    sliding_window(kind measure, std::uint64_t length, bool directed)
        : sliding_window(measure, length, directed, {}) {}
    sliding_window(kind measure, std::uint64_t length, bool directed, taken_edges const& taken)
        : kind_(measure), length_(length), directed_(directed), taken_(taken) {}

    /// Appends an erasure to the batch for each edge that leaves the window with it, and counts them in
    /// batch.expired. Oldest first. Batches must come in the order of the stream, with times if the window is
    /// one of time.
    void slide(update_batch& batch);

private:
    struct insertion {
        graph::edge edge;
        std::uint64_t number; ///< insertions of the stream before it
        std::int64_t time;
    };

    [[nodiscard]] bool takes(graph::edge const& edge) const;
    [[nodiscard]] bool is_outside(insertion const& oldest, std::int64_t now) const;

    kind kind_;
    std::uint64_t length_;
    bool directed_;
    taken_edges taken_;
    std::deque<insertion> insertions_; ///< in the window, in the order of the stream
    edge_key_map last_;                ///< of the edges in the window: the number of the last insertion
    std::uint64_t count_ = 0;          ///< insertions of the stream
};

} // namespace rhizome::io
