// SPDX-License-Identifier: Apache-2.0
// What a stream did, batch by batch.
#pragma once

#include <rhizome/cli/algorithm_runs.hpp>
#include <rhizome/stream/graph_stream.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rhizome::cli {

/// A run of an algorithm after a batch, or an update of a result that follows the graph.
struct stream_step {
    runtime::algorithm_info const* info;
    algorithm_run run;
    bool is_maintained = false;
    bool recomputed = false; ///< computed anew, though it follows the graph
};

/// All runs of an algorithm.
struct stream_steps {
    stream_step last;
    unsigned runs = 0;
    unsigned recomputed = 0; ///< of them
    double ms = 0;
};

/// One batch, and what ran after it.
struct batch_row : stream::applied_batch {
    std::vector<stream_step> steps;
    bool validated = false;
};

/// The sums over a stream.
struct stream_summary {
    std::uint64_t batches = 0;
    batch_row total;                 ///< number and edges_after are the last one's
    std::vector<stream_steps> steps; ///< of each algorithm that ran
    double wall_ms = 0;
    bool vertices_appear = false; ///< as they are named
    bool has_window = false;

    /// Of all the time that the stream takes.
    [[nodiscard]] double wall_updates_per_second() const;

    void add(batch_row const& row);
};

/// The figures of the step that are in the JSON.
[[nodiscard]] std::vector<std::string_view> const& reported_figures(stream_step const& step);
[[nodiscard]] std::string table_head();
[[nodiscard]] std::string table_line(batch_row const& row);
[[nodiscard]] std::string to_text(stream_summary const& summary);
[[nodiscard]] nlohmann::ordered_json to_json(batch_row const& row);
[[nodiscard]] nlohmann::ordered_json to_json(stream_summary const& summary);

} // namespace rhizome::cli
