// What a batch of ordered updates comes to.
#pragma once

#include <rhizome/io/edge_key_set.hpp>
#include <rhizome/io/update.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace rhizome::io {

/// Two lists that share no edge and hold none twice.
/// deletions.size() + insertions.size() + superseded is the size of the batch.
struct net_batch {
    std::vector<graph::edge> deletions;
    std::vector<graph::edge> insertions;
    std::vector<double> weights;  ///< one an insertion, where reduce() was given weights
    std::uint64_t superseded = 0; ///< updates that a later one of the batch on the same edge overrules
};

/// Reduces batches to their net effect. Keeps its scratch, about 16 to 32 bytes an update, between calls.
///
/// Updates of different edges do not touch each other, and an insertion leaves its edge present, a deletion
/// leaves it absent, whatever was before. So the last update of each edge decides alone, and inserting
/// `insertions` and erasing `deletions`, in either order since they share no edge, gives the same graph as
/// applying the updates one by one. Whoever inserts first has done nothing yet where memory runs out. (What
/// the steps report may differ: a deletion that finds its edge absent may be one whose insertion was
/// overruled.)
class net_effect {
public:
    /// `directed` false: {u, v} and {v, u} are the same edge. The result is valid until the next call; its
    /// lists are in the order of the stream.
    /// `weights`: none, or one an update; an edge has the weight of its last update.
    net_batch const& reduce(std::span<update const> updates, bool directed,
                            std::span<double const> weights = {});

private:
    edge_key_set decided_;
    net_batch result_;
};

} // namespace rhizome::io
