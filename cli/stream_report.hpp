// SPDX-License-Identifier: Apache-2.0
// What a stream did, batch by batch.
#pragma once

#include <rhizome/graph/batch_report.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace rhizome::cli {

struct pagerank_run {
    double ms = 0;
    unsigned iterations = 0;
    double residual = 0;
    bool converged = false;
};

struct triangle_run {
    double ms = 0;
    std::uint64_t count = 0;
};

struct bfs_step {
    double ms = 0;
    std::uint64_t reached = 0;
    std::uint32_t levels = 0;
};

struct components_step {
    double ms = 0;
    std::uint64_t count = 0;
};

struct kcore_step {
    double ms = 0;
    std::uint32_t largest = 0; ///< core number
};

struct sssp_step {
    double ms = 0;
    std::uint64_t reached = 0;
    double largest_distance = 0;
};

/// One batch. updates = superseded + erased.total() + inserted.total().
struct batch_row {
    std::uint64_t batch = 0; ///< counts from 1
    std::uint64_t updates = 0;
    std::uint64_t superseded = 0;
    graph::batch_report inserted;
    graph::batch_report erased;
    std::uint64_t expired = 0; ///< updates that erase what left the window
    std::uint64_t edges_after = 0;
    std::uint64_t vertices_after = 0;
    double read_ms = 0;   ///< the stream, on the host
    double reduce_ms = 0; ///< to the net effect, on the host
    double insert_ms = 0;
    double erase_ms = 0;
    std::optional<pagerank_run> pagerank;
    std::optional<triangle_run> triangles;
    std::optional<bfs_step> bfs;
    std::optional<components_step> components;
    std::optional<kcore_step> cores;
    std::optional<sssp_step> sssp;
    bool validated = false;

    [[nodiscard]] std::uint64_t rejected() const { return inserted.rejected + erased.rejected; }
    /// Of the time that the graph takes: inserting and erasing.
    [[nodiscard]] double updates_per_second() const;
};

/// The sums over a stream.
struct stream_summary {
    std::uint64_t batches = 0;
    batch_row total; ///< batch and edges_after are the last one's; the runs are the last ones
    unsigned pagerank_runs = 0;
    unsigned triangle_runs = 0;
    unsigned bfs_runs = 0;
    unsigned components_runs = 0;
    unsigned kcore_runs = 0;
    unsigned sssp_runs = 0;
    double pagerank_ms = 0;
    double triangles_ms = 0;
    double bfs_ms = 0;
    double components_ms = 0;
    double kcore_ms = 0;
    double sssp_ms = 0;
    double wall_ms = 0;
    bool vertices_appear = false; ///< as they are named
    bool has_window = false;

    /// Of all the time that the stream takes.
    [[nodiscard]] double wall_updates_per_second() const;

    void add(batch_row const& row);
};

[[nodiscard]] std::string table_head();
[[nodiscard]] std::string table_line(batch_row const& row);
[[nodiscard]] std::string to_text(stream_summary const& summary);
[[nodiscard]] nlohmann::ordered_json to_json(batch_row const& row);
[[nodiscard]] nlohmann::ordered_json to_json(stream_summary const& summary);

} // namespace rhizome::cli
