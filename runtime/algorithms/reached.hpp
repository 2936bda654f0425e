// SPDX-License-Identifier: Apache-2.0
// How many vertices a search has reached, from its array of levels or distances.
#pragma once

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/shape.hpp>

#include <cstdint>
#include <span>
#include <utility>

namespace rhizome::runtime {

template <class T>
struct count_reached {
    T const* elements;
    std::uint64_t vertices;
    T unreached;
    std::uint64_t* count; ///< 0 before

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t own = 0;
        exec::for_each_item(thread, vertices,
                            [&](std::uint64_t v) { own += elements[v] == unreached ? 0 : 1; });
        exec::add_to_total(thread, *count, own);
    }
};

/// Counts the vertices that have a level or a distance. One launch, and a wait.
template <class Space>
class reached_counter {
public:
    explicit reached_counter(Space space) : space_(space), count_(std::move(space), 1) {}

    template <class T>
    [[nodiscard]] std::uint64_t count(std::span<T const> elements, T unreached) {
        std::uint64_t found = 0;
        count_.fill_bytes(0);
        launch(space_, cover_threads(space_, elements.size()),
               count_reached<T>{elements.data(), elements.size(), unreached, count_.data()});
        space_.copy_out(&found, count_.data(), sizeof(found));
        return found;
    }

private:
    Space space_;
    exec::buffer<Space, std::uint64_t> count_;
};

} // namespace rhizome::runtime
