// The net effect of a batch of ordered updates.
#pragma once

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

/// Reduces batches to their net effect. Keeps its scratch, about 16 to 32 bytes per update, between calls.
///
/// Updates of different edges are independent of each other. After an insertion the edge is present, after a
/// deletion it is absent, whatever was before. So only the last update of each edge matters. Inserting
/// `insertions` and erasing `deletions`, in either order, gives the same graph as applying the updates one by
/// one. A caller that inserts first has changed nothing yet if memory runs out. (The reports may differ: a
/// deletion may find its edge absent because the insertion before it was overruled.)
class net_effect {
public:
    /// Returns the net effect of the updates; it is valid until the next call. Its lists are in the order of
    /// the stream. If not `directed`, {u, v} and {v, u} are the same edge. `weights`: none, or one per
    /// update; an edge gets the weight of its last update.
    net_batch const& reduce(std::span<update const> updates, bool directed,
                            std::span<double const> weights = {});

private:
    edge_key_set decided_;
    net_batch result_;
};

} // namespace rhizome::io
