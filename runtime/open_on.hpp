// SPDX-License-Identifier: Apache-2.0
// Opens graphs and allocators on a space that the caller has made: for programs that launch kernels of their
// own on it, give it a stream, or measure.
#pragma once

#include <rhizome/runtime/any_allocator.hpp>
#include <rhizome/runtime/any_graph.hpp>
#include <rhizome/runtime/catalogue.hpp>
#include <rhizome/runtime/detail/entries.hpp>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rhizome::runtime {

namespace detail {
/// Throws std::invalid_argument that lists the allocators that go with the choice's layout and values, or
/// says that `space` lacks this graph.
[[noreturn]] void refuse(graph_choice const& choice, std::string_view space = {});
/// The choice with its defaults filled in. Throws std::invalid_argument for unknown names.
[[nodiscard]] graph_choice completed(graph_choice const& choice);
} // namespace detail

/// Opens a graph on `space`, a space that the caller has made. As open_graph(), except that choice.space,
/// memory_limit_bytes, threads and seed are ignored.
template <class Space>
[[nodiscard]] std::unique_ptr<any_graph> open_graph_on(Space const& space, graph_choice const& choice) {
    graph_choice const wanted = detail::completed(choice);
    for (auto const& entry : detail::entries<Space>::graphs())
        if (entry.layout == wanted.layout && entry.allocator == wanted.allocator &&
            entry.values == wanted.values)
            return entry.open(space, wanted);
    detail::refuse(wanted, Space::name);
}

/// Opens the allocator `name` (one of block_allocators()) with a heap of `heap_bytes` bytes on `space`.
/// Throws std::invalid_argument if this build has no such allocator, and what its constructor throws.
template <class Space>
[[nodiscard]] std::unique_ptr<any_allocator> open_allocator_on(Space const& space, std::string const& name,
                                                               std::uint64_t heap_bytes) {
    for (auto const& entry : detail::entries<Space>::allocators())
        if (entry.name == name) return entry.open(space, heap_bytes);
    throw std::invalid_argument("there is no allocator '" + name + "'");
}

} // namespace rhizome::runtime
