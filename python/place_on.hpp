// SPDX-License-Identifier: Apache-2.0
// The part of a place that is the same on host and device.
#pragma once

#include "place.hpp"

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/runtime/open_on.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

namespace rhizome::python {

/// An id of a column.
RZ_HD inline std::uint64_t id_at(id_column const& column, std::uint64_t i) {
    return column.wide ? static_cast<std::uint64_t const*>(column.ids)[i]
                       : std::uint64_t{static_cast<std::uint32_t const*>(column.ids)[i]};
}

struct find_outside {
    id_column first;
    id_column second;
    std::uint64_t limit;
    std::uint64_t* found;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t least = ~std::uint64_t{0};
        exec::for_each_item(thread, first.count, [&](std::uint64_t i) {
            if (id_at(first, i) >= limit && i < least) least = i;
        });
        exec::for_each_item(thread, second.count, [&](std::uint64_t i) {
            if (id_at(second, i) >= limit && i < least) least = i;
        });
        if (least != ~std::uint64_t{0}) thread.device(*found).fetch_min(least, exec::order::relaxed);
    }
};

struct narrow_ids {
    id_column from;
    graph::vertex_id* to;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, from.count, [&](std::uint64_t i) {
            std::uint64_t const id = id_at(from, i);
            to[i] = id < graph::no_vertex ? static_cast<graph::vertex_id>(id) : graph::no_vertex;
        });
    }
};

struct pair_ids {
    id_column sources;
    id_column targets;
    graph::edge* to;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, sources.count, [&](std::uint64_t i) {
            std::uint64_t const source = id_at(sources, i);
            std::uint64_t const target = id_at(targets, i);
            to[i] = {source < graph::no_vertex ? static_cast<graph::vertex_id>(source) : graph::no_vertex,
                     target < graph::no_vertex ? static_cast<graph::vertex_id>(target) : graph::no_vertex};
        });
    }
};

template <class Space>
class place_on : public place {
public:
    explicit place_on(Space space) : space_(std::move(space)), found_(space_) {}

    [[nodiscard]] std::unique_ptr<runtime::any_graph> open(runtime::graph_choice const& choice) override {
        return runtime::open_graph_on(space_, choice);
    }
    void synchronize() override { space_.synchronize(); }
    void copy(void* to, void const* from, std::uint64_t bytes) override {
        if (bytes != 0) space_.copy(to, from, bytes);
    }
    void copy_in(void* to, void const* on_host, std::uint64_t bytes) override {
        if (bytes != 0) space_.copy_in(to, on_host, bytes);
    }
    void copy_out(void* to_host, void const* from, std::uint64_t bytes) override {
        if (bytes != 0) space_.copy_out(to_host, from, bytes);
    }

    [[nodiscard]] std::int64_t first_outside(id_column const& first, id_column const& second,
                                             std::uint64_t limit) override {
        std::uint64_t const count = std::max(first.count, second.count);
        if (count == 0) return -1;
        if (found_.size() == 0) found_.discard_and_resize(1);
        found_.fill_bytes(0xff);
        launch(space_, cover_threads(space_, count), find_outside{first, second, limit, found_.data()});
        std::uint64_t found = 0;
        space_.copy_out(&found, found_.data(), sizeof(found));
        return found == ~std::uint64_t{0} ? -1 : static_cast<std::int64_t>(found);
    }
    void narrow(id_column const& from, graph::vertex_id* to) override {
        if (from.count != 0) launch(space_, cover_threads(space_, from.count), narrow_ids{from, to});
    }
    void pair(id_column const& sources, id_column const& targets, graph::edge* to) override {
        if (sources.count != 0)
            launch(space_, cover_threads(space_, sources.count), pair_ids{sources, targets, to});
    }

protected:
    Space space_;

private:
    exec::buffer<Space, std::uint64_t> found_; ///< of first_outside()
};

} // namespace rhizome::python
