// SPDX-License-Identifier: Apache-2.0
// What a space's part of the catalogue holds: how to open each graph and each allocator.
#pragma once

#include <rhizome/runtime/any_allocator.hpp>
#include <rhizome/runtime/any_graph.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace rhizome::runtime::detail {

template <class Space>
struct graph_entry {
    std::string_view layout;
    std::string_view allocator;
    value_type values;
    std::unique_ptr<any_graph> (*open)(Space const& space, graph_choice const& choice);
};

template <class Space>
struct allocator_entry {
    std::string_view name;
    std::unique_ptr<any_allocator> (*open)(Space const& space, std::uint64_t heap_bytes);
};

/// Defined by a generated file per space.
template <class Space>
struct entries {
    [[nodiscard]] static std::span<graph_entry<Space> const> graphs();
    [[nodiscard]] static std::span<allocator_entry<Space> const> allocators();
};

} // namespace rhizome::runtime::detail
