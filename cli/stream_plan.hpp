// SPDX-License-Identifier: Apache-2.0
// What the command line of `rhizome stream` asks for.
#pragma once

#include <rhizome/cli/arguments.hpp>
#include <rhizome/io/graph_format.hpp>
#include <rhizome/io/update_stream.hpp>
#include <rhizome/runtime/algorithm.hpp>
#include <rhizome/stream/lengths.hpp>
#include <rhizome/stream/update_source.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rhizome::cli {

/// An algorithm that runs after every `every` batches, or whose result follows the graph.
struct planned_algorithm {
    runtime::algorithm_info const* info;
    std::uint64_t every;
    runtime::algorithm_arguments given;         ///< without the sources of a search
    bool is_maintained = false;                 ///< after every batch; `every` is 1
    std::vector<graph::vertex_id> sources = {}; ///< of a search
};

struct stream_plan {
    std::string graph_path; ///< empty: start from `vertices`
    std::string updates_path;
    std::string output_path; ///< empty: none
    io::graph_format const* output_format = &io::formats::metis;
    std::uint64_t vertices = 0;
    bool starts_empty = false; ///< from no vertices, as neither GRAPH nor --vertices is given
    stream::batch_rule batches;
    std::optional<stream::window_length> window;
    io::update_reader_options reading;
    bool grows_vertices = false;
    bool maps_names = false;
    std::vector<planned_algorithm> algorithms; ///< in the order of runtime::algorithms()
    std::uint64_t validate_every = 0;          ///< 0: never
    int devices = 0;                           ///< 0: one, without ranks
    bool strict = false;
    bool gives_weights = false;
    bool drops_weights = false;
};

/// Reads it from the command line. Throws usage_error.
[[nodiscard]] stream_plan stream_plan_of(arguments const& args);

/// Whether an algorithm needs the weights of edges.
[[nodiscard]] bool needs_weights(stream_plan const& plan);
/// The options that run algorithms which need weights: "--sssp-every".
[[nodiscard]] std::string options_that_need_weights();

/// Whether the graph keeps weights of edges, if it gets any.
[[nodiscard]] inline bool wants_weights(stream_plan const& plan) {
    return (!plan.output_path.empty() && !plan.drops_weights) || needs_weights(plan);
}

/// Throws usage_error for a source that a graph of so many vertices does not have, unless vertices appear.
void check_sources(stream_plan const& plan, std::uint64_t vertices);

/// Throws usage_error if the last graph is directed and the format of --output holds undirected graphs only.
void check_output(stream_plan const& plan, bool directed);

/// Throws usage_error for what is not offered over several devices, if the plan asks for them.
void check_devices(stream_plan const& plan, bool directed, bool in_arcs);

/// The help text of the command, and its options.
[[nodiscard]] command_text stream_text();

} // namespace rhizome::cli
