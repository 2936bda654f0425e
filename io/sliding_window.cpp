// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/sliding_window.hpp>

namespace rhizome::io {

bool sliding_window::takes(graph::edge const& edge) const {
    return edge.source < taken_.vertices && edge.target < taken_.vertices &&
           (taken_.self_loops || edge.source != edge.target);
}

bool sliding_window::is_outside(insertion const& oldest, std::int64_t now) const {
    if (kind_ == kind::edges) return count_ - oldest.number > length_;
    return static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(oldest.time) >= length_;
}

void sliding_window::slide(update_batch& batch) {
    if (batch.empty()) return;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        update const& each = batch.updates[i];
        if (!takes(each.edge)) continue;
        std::uint64_t const key = edge_key(each.edge, directed_);
        if (each.operation == operation::erase) {
            last_.erase(key); // its insertions in the window have no effect any more
            continue;
        }
        last_.set(key, count_);
        insertions_.push_back({each.edge, count_, kind_ == kind::time ? batch.times[i] : 0});
        ++count_;
    }
    std::int64_t const now = kind_ == kind::time ? batch.times.back() : 0;
    for (; !insertions_.empty() && is_outside(insertions_.front(), now); insertions_.pop_front()) {
        insertion const& oldest = insertions_.front();
        std::uint64_t const key = edge_key(oldest.edge, directed_);
        if (!last_.holds(key, oldest.number)) continue;
        last_.erase(key);
        batch.updates.push_back({operation::erase, oldest.edge});
        ++batch.expired;
    }
    if (!batch.weights.empty()) batch.weights.resize(batch.size(), 1.0);
    if (!batch.times.empty()) batch.times.resize(batch.size(), now);
}

} // namespace rhizome::io
