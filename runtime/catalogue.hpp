// The graphs and allocators that this build has, and how to open one by its names.
#pragma once

#include <rhizome/runtime/any_graph.hpp>
#include <rhizome/runtime/graph_choice.hpp>

#include <memory>
#include <string>
#include <vector>

namespace rhizome::runtime {

/// One choice on an axis.
struct named_choice {
    std::string name;
    std::string summary; ///< one line, for help texts
};

/// A graph type that this build has, in each of its spaces.
struct graph_type {
    std::string layout;
    std::string allocator;
    value_type values;
};

[[nodiscard]] std::vector<named_choice> spaces();           ///< those of this build
[[nodiscard]] std::vector<named_choice> layouts();          ///< the first is the default
[[nodiscard]] std::vector<named_choice> allocators();       ///< of graphs; the first is the default
[[nodiscard]] std::vector<named_choice> block_allocators(); ///< all, those without a graph included
[[nodiscard]] std::vector<graph_type> graph_types();        ///< the first is the default

/// Whether this build has the space, whether or not this machine can use it.
[[nodiscard]] bool has_space(std::string const& name);
/// Why the cuda space cannot be used here, or "" where it can: "built without CUDA", "no usable GPU: ...".
[[nodiscard]] std::string cuda_unusable_because();

/// Throws std::invalid_argument for names that this build does not have, or not together, with a message that
/// lists those it has; std::runtime_error where this machine cannot use the space; what the graph's
/// constructor throws.
[[nodiscard]] std::unique_ptr<any_graph> open_graph(graph_choice const& choice);

} // namespace rhizome::runtime
