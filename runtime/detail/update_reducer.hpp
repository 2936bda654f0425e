// SPDX-License-Identifier: Apache-2.0
// Batches of ordered updates on their way into a space, and their net effect there. Neither layout, allocator
// nor value type matters: a generated file instantiates this class once for each space.
#pragma once

#include <rhizome/graph/net_effect.hpp>
#include <rhizome/runtime/any_graph.hpp>

#include <memory>
#include <span>

namespace rhizome::runtime::detail {

/// Holds at most two batches. Its batches may be destroyed after it.
template <class Space>
class update_reducer {
public:
    explicit update_reducer(Space const& space);
    ~update_reducer();
    update_reducer(update_reducer const&) = delete;
    update_reducer& operator=(update_reducer const&) = delete;

    /// Copies updates from host memory, as any_graph::stage_updates().
    [[nodiscard]] std::unique_ptr<any_staged_batch> stage(std::span<graph::update const> updates);
    /// As any_graph::net_effect().
    graph::net_edges reduce(any_staged_batch const& staged, bool directed);
    /// Frees the scratch, and the memory of places that hold no batch.
    void release_scratch();

private:
    struct state;
    class staged_updates;
    std::shared_ptr<state> state_;
};

} // namespace rhizome::runtime::detail
