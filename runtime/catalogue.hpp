// SPDX-License-Identifier: Apache-2.0
// The graphs and allocators that this build has, and how to open one by its names.
#pragma once

#include <rhizome/runtime/any_graph.hpp>
#include <rhizome/runtime/graph_choice.hpp>

#include <memory>
#include <string>
#include <vector>

namespace rhizome::runtime {

/// One name that can be chosen, for example a layout.
struct named_choice {
    std::string name;
    std::string summary; ///< one line, for help texts
};

/// A combination of layout, allocator and value type that this build can open, in every space of the build.
/// The emulator lacks those with values of type float and int32.
struct graph_type {
    std::string layout;
    std::string allocator;
    value_type values;
};

[[nodiscard]] std::vector<named_choice> spaces();  ///< those of this build
[[nodiscard]] std::vector<named_choice> layouts(); ///< the first is the default
/// Those that graphs can use. Without a choice, a graph gets the first allocator in graph_types() that goes
/// with its layout and value type.
[[nodiscard]] std::vector<named_choice> allocators();
/// All allocators of this build, also those that no graph type uses.
[[nodiscard]] std::vector<named_choice> block_allocators();
[[nodiscard]] std::vector<graph_type> graph_types(); ///< the first is the default

/// Why the cuda space cannot be used here, or "" if it can: "built without CUDA", "no usable GPU: ...".
[[nodiscard]] std::string cuda_unusable_because();

/// Opens a graph of the chosen types. Throws
/// - std::invalid_argument if this build lacks a name or the combination; the message lists what it has;
/// - std::runtime_error if space "cuda" cannot be used, also in a build without CUDA;
/// - what the graph's constructor throws.
[[nodiscard]] std::unique_ptr<any_graph> open_graph(graph_choice const& choice);

} // namespace rhizome::runtime
