// SPDX-License-Identifier: Apache-2.0
// Drawing edges by kernels.
#pragma once

#include <rhizome/bench/device_scaling/edge_source.hpp>
#include <rhizome/bench/harness/subject_on.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/shape.hpp>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>

namespace rhizome::bench {

/// edges[i] = source.draw(first + i).
struct draw_graph_edges {
    graph::edge* edges;
    std::uint64_t first;
    std::uint64_t count;
    generated_edges source;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) { edges[i] = source.draw(first + i); });
    }
};

/// edges[i] = shape.draw(first + i, 0).
struct draw_batch_edges {
    graph::edge* edges;
    std::uint64_t first;
    std::uint64_t count;
    batch_shape shape;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) { edges[i] = shape.draw(first + i, 0); });
    }
};

template <class Space>
class edge_source_on final : public edge_source {
public:
    edge_source_on(Space space, edge_source_options const& options)
        : space_(std::move(space)), source_(options.edges), edges_(space_, options.most_edges) {}

    [[nodiscard]] graph::edge const* of_graph(std::uint64_t first, std::uint64_t count) override {
        expect_room(count);
        launch(space_, cover_threads(space_, count), draw_graph_edges{edges_.data(), first, count, source_});
        space_.synchronize(); // the rank's own space reads them
        return edges_.data();
    }
    [[nodiscard]] graph::edge const* of_batch(batch_shape const& shape, std::uint64_t first,
                                              std::uint64_t count) override {
        expect_room(count);
        launch(space_, cover_threads(space_, count), draw_batch_edges{edges_.data(), first, count, shape});
        space_.synchronize();
        return edges_.data();
    }

private:
    void expect_room(std::uint64_t count) const {
        if (count > edges_.size()) throw std::logic_error("more edges than an edge source has room for");
    }

    Space space_;
    generated_edges source_;
    exec::buffer<Space, graph::edge> edges_;
};

template <class Space>
std::unique_ptr<edge_source> open_on(chosen_space const& where, edge_source_options const& options) {
    // Kernels are loaded by the graph of the rank.
    if constexpr (requires(Space space) { space.device(); })
        return std::make_unique<edge_source_on<Space>>(
            Space({.device = options.device, .preload_kernels = false}), options);
    else
        return std::make_unique<edge_source_on<Space>>(space_for<Space>(where), options);
}

} // namespace rhizome::bench
