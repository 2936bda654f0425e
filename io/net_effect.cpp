#include <rhizome/io/net_effect.hpp>

#include <algorithm>
#include <utility>

namespace rhizome::io {

net_batch const& net_effect::reduce(std::span<update const> updates, bool directed,
                                    std::span<double const> weights) {
    constexpr std::size_t ahead = 16; // updates between prefetching a slot and using it, to hide a cache miss
    constexpr std::uint64_t not_storable = ~std::uint64_t{0};
    decided_.reset(updates.size());
    result_.deletions.clear();
    result_.insertions.clear();
    result_.weights.clear();
    result_.superseded = 0;
    bool not_storable_seen = false;
    for (std::size_t i = updates.size();
         i-- > 0;) { // from the last to the first: the last update of an edge counts
        if (i >= ahead) decided_.prefetch(edge_key(updates[i - ahead].edge, directed));
        std::uint64_t const key = edge_key(updates[i].edge, directed);
        bool const decides =
            key == not_storable ? !std::exchange(not_storable_seen, true) : decided_.insert(key);
        if (!decides) {
            ++result_.superseded;
        } else if (updates[i].operation == operation::insert) {
            result_.insertions.push_back(updates[i].edge);
            if (!weights.empty()) result_.weights.push_back(weights[i]);
        } else {
            result_.deletions.push_back(updates[i].edge);
        }
    }
    std::reverse(result_.deletions.begin(), result_.deletions.end());
    std::reverse(result_.insertions.begin(), result_.insertions.end());
    std::reverse(result_.weights.begin(), result_.weights.end());
    return result_;
}

} // namespace rhizome::io
