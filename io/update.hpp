// One update of a graph, and a batch of updates.
#pragma once

#include <rhizome/graph/types.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rhizome::io {

enum class operation : std::uint8_t { insert, erase };

struct update {
    io::operation operation;
    graph::edge edge;

    friend constexpr bool operator==(update const&, update const&) = default;
};

/// Updates in the order of the stream. weights[i] belongs to updates[i]; it is 1 if the stream has none.
struct update_batch {
    std::vector<update> updates;
    std::vector<double> weights;
    std::uint64_t first_weight_line = 0; ///< line of the first weight in the batch; 0: it has none

    [[nodiscard]] std::size_t size() const { return updates.size(); }
    [[nodiscard]] bool empty() const { return updates.empty(); }
};

} // namespace rhizome::io
