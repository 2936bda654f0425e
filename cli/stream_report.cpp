// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/stream_report.hpp>
#include <rhizome/cli/text_columns.hpp>

#include <fmt/format.h>

namespace rhizome::cli {
namespace {

void add(graph::batch_report& to, graph::batch_report const& from) {
    to.applied += from.applied;
    to.without_effect += from.without_effect;
    to.duplicates += from.duplicates;
    to.self_loops_refused += from.self_loops_refused;
    to.rejected += from.rejected;
    to.updated += from.updated;
}

nlohmann::ordered_json counts(batch_row const& row) {
    return {{"updates", row.updates},
            {"inserted", row.inserted.applied},
            {"present", row.inserted.without_effect + row.inserted.updated},
            {"erased", row.erased.applied},
            {"absent", row.erased.without_effect},
            {"duplicates", row.inserted.duplicates + row.erased.duplicates},
            {"superseded", row.superseded},
            {"rejected", row.rejected()},
            {"self_loops_refused", row.inserted.self_loops_refused + row.erased.self_loops_refused},
            {"expired", row.expired},
            {"edges_after", row.edges_after},
            {"vertices_after", row.vertices_after},
            {"read_ms", row.read_ms},
            {"reduce_ms", row.reduce_ms},
            {"insert_ms", row.insert_ms},
            {"erase_ms", row.erase_ms},
            {"updates_per_second", row.updates_per_second()}};
}

} // namespace

double batch_row::updates_per_second() const {
    double const ms = insert_ms + erase_ms;
    return ms > 0 ? static_cast<double>(updates) / ms * 1e3 : 0;
}

double stream_summary::wall_updates_per_second() const {
    return wall_ms > 0 ? static_cast<double>(total.updates) / wall_ms * 1e3 : 0;
}

void stream_summary::add(batch_row const& row) {
    ++batches;
    total.batch = row.batch;
    total.updates += row.updates;
    total.superseded += row.superseded;
    cli::add(total.inserted, row.inserted);
    cli::add(total.erased, row.erased);
    total.expired += row.expired;
    total.edges_after = row.edges_after;
    total.vertices_after = row.vertices_after;
    total.read_ms += row.read_ms;
    total.reduce_ms += row.reduce_ms;
    total.insert_ms += row.insert_ms;
    total.erase_ms += row.erase_ms;
    if (row.pagerank) {
        total.pagerank = row.pagerank;
        ++pagerank_runs;
        pagerank_ms += row.pagerank->ms;
    }
    if (row.triangles) {
        total.triangles = row.triangles;
        ++triangle_runs;
        triangles_ms += row.triangles->ms;
    }
    if (row.bfs) {
        total.bfs = row.bfs;
        ++bfs_runs;
        bfs_ms += row.bfs->ms;
    }
    if (row.components) {
        total.components = row.components;
        ++components_runs;
        components_ms += row.components->ms;
    }
    if (row.cores) {
        total.cores = row.cores;
        ++kcore_runs;
        kcore_ms += row.cores->ms;
    }
    if (row.sssp) {
        total.sssp = row.sssp;
        ++sssp_runs;
        sssp_ms += row.sssp->ms;
    }
}

// 100 columns.
std::string table_head() {
    return fmt::format("{:>6} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>10} {:>9} {:>8} {:>9}\n", "batch",
                       "updates", "inserted", "present", "erased", "absent", "other", "edges", "insert ms",
                       "erase ms", "updates/s");
}

std::string table_line(batch_row const& row) {
    std::uint64_t const other = row.superseded + row.inserted.duplicates + row.erased.duplicates +
                                row.inserted.rejected + row.erased.rejected +
                                row.inserted.self_loops_refused + row.erased.self_loops_refused;
    std::string line = fmt::format(
        "{:>6} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>10} {:>9.3f} {:>8.3f} {:>9.3g}\n", row.batch,
        row.updates, row.inserted.applied, row.inserted.without_effect + row.inserted.updated,
        row.erased.applied, row.erased.without_effect, other, row.edges_after, row.insert_ms, row.erase_ms,
        row.updates_per_second());
    std::string after;
    auto const add = [&](std::string const& text) { after += (after.empty() ? "" : "; ") + text; };
    if (row.pagerank)
        add(fmt::format("pagerank {:.3f} ms, {}", row.pagerank->ms,
                        counted(row.pagerank->iterations, "iteration", "iterations")));
    if (row.triangles)
        add(fmt::format("{} in {:.3f} ms", counted(row.triangles->count, "triangle", "triangles"),
                        row.triangles->ms));
    if (row.bfs)
        add(fmt::format("bfs {:.3f} ms, {} reached in {}", row.bfs->ms, row.bfs->reached,
                        counted(row.bfs->levels, "level", "levels")));
    if (row.components)
        add(fmt::format("{} in {:.3f} ms", counted(row.components->count, "component", "components"),
                        row.components->ms));
    if (row.cores) add(fmt::format("largest core number {} in {:.3f} ms", row.cores->largest, row.cores->ms));
    if (row.sssp)
        add(fmt::format("sssp {:.3f} ms, {} reached, distance at most {}", row.sssp->ms, row.sssp->reached,
                        row.sssp->largest_distance));
    if (row.validated) add("valid");
    constexpr std::size_t indent = 7;
    return after.empty() ? line : line + std::string(indent, ' ') + wrapped(after, indent, indent) + "\n";
}

std::string to_text(stream_summary const& summary) {
    batch_row const& total = summary.total;
    std::string text =
        fmt::format("stream    {} in {}: {} inserted, {} present, {} erased, {} absent,\n"
                    "          {}, {} superseded, {} rejected, {} refused\n"
                    "edges     {}\n"
                    "times     insert {:.1f} ms, erase {:.1f} ms: {:.3g} updates/s;\n"
                    "          reading {:.1f} ms, net effect {:.1f} ms; {:.1f} ms in all: {:.3g} updates/s\n",
                    counted(total.updates, "update", "updates"), counted(summary.batches, "batch", "batches"),
                    total.inserted.applied, total.inserted.without_effect + total.inserted.updated,
                    total.erased.applied, total.erased.without_effect,
                    counted(total.inserted.duplicates + total.erased.duplicates, "duplicate", "duplicates"),
                    total.superseded, total.rejected(),
                    counted(total.inserted.self_loops_refused + total.erased.self_loops_refused, "self-loop",
                            "self-loops"),
                    total.edges_after, total.insert_ms, total.erase_ms, total.updates_per_second(),
                    total.read_ms, total.reduce_ms, summary.wall_ms, summary.wall_updates_per_second());
    if (summary.vertices_appear) text += fmt::format("vertices  {}\n", total.vertices_after);
    if (summary.has_window)
        text += fmt::format("window    {} left it\n", counted(total.expired, "edge", "edges"));
    if (total.pagerank)
        text += fmt::format(
            "pagerank  {}, {:.3f} ms each; the last: {}, {} (residual {:.3g})\n",
            counted(summary.pagerank_runs, "run", "runs"), summary.pagerank_ms / summary.pagerank_runs,
            counted(total.pagerank->iterations, "iteration", "iterations"),
            total.pagerank->converged ? "converged" : "NOT converged", total.pagerank->residual);
    if (total.triangles)
        text += fmt::format("triangles {}, {:.3f} ms each; the last: {}\n",
                            counted(summary.triangle_runs, "run", "runs"),
                            summary.triangles_ms / summary.triangle_runs, total.triangles->count);
    if (total.bfs)
        text += fmt::format("bfs       {}, {:.3f} ms each; the last: {} reached in {}\n",
                            counted(summary.bfs_runs, "run", "runs"), summary.bfs_ms / summary.bfs_runs,
                            total.bfs->reached, counted(total.bfs->levels, "level", "levels"));
    if (total.components)
        text += fmt::format("components {}, {:.3f} ms each; the last: {}\n",
                            counted(summary.components_runs, "run", "runs"),
                            summary.components_ms / summary.components_runs, total.components->count);
    if (total.cores)
        text += fmt::format("k-cores   {}, {:.3f} ms each; the last: largest core number {}\n",
                            counted(summary.kcore_runs, "run", "runs"), summary.kcore_ms / summary.kcore_runs,
                            total.cores->largest);
    if (total.sssp)
        text += fmt::format("sssp      {}, {:.3f} ms each; the last: {} reached, distance at most {}\n",
                            counted(summary.sssp_runs, "run", "runs"), summary.sssp_ms / summary.sssp_runs,
                            total.sssp->reached, total.sssp->largest_distance);
    return text;
}

nlohmann::ordered_json to_json(batch_row const& row) {
    nlohmann::ordered_json result{{"batch", row.batch}};
    result.update(counts(row));
    if (row.pagerank)
        result["pagerank"] = {{"ms", row.pagerank->ms},
                              {"iterations", row.pagerank->iterations},
                              {"residual", row.pagerank->residual},
                              {"converged", row.pagerank->converged}};
    if (row.triangles) result["triangles"] = {{"count", row.triangles->count}, {"ms", row.triangles->ms}};
    if (row.bfs)
        result["bfs"] = {{"ms", row.bfs->ms}, {"reached", row.bfs->reached}, {"levels", row.bfs->levels}};
    if (row.components) result["components"] = {{"count", row.components->count}, {"ms", row.components->ms}};
    if (row.cores) result["kcore"] = {{"largest", row.cores->largest}, {"ms", row.cores->ms}};
    if (row.sssp)
        result["sssp"] = {{"ms", row.sssp->ms},
                          {"reached", row.sssp->reached},
                          {"largest_distance", row.sssp->largest_distance}};
    if (row.validated) result["validated"] = true;
    return result;
}

nlohmann::ordered_json to_json(stream_summary const& summary) {
    nlohmann::ordered_json result{{"batches", summary.batches}};
    result.update(counts(summary.total));
    result["wall_ms"] = summary.wall_ms;
    result["wall_updates_per_second"] = summary.wall_updates_per_second();
    if (summary.pagerank_runs > 0)
        result["pagerank"] = {{"runs", summary.pagerank_runs}, {"ms", summary.pagerank_ms}};
    if (summary.triangle_runs > 0)
        result["triangles"] = {{"runs", summary.triangle_runs},
                               {"ms", summary.triangles_ms},
                               {"last_count", summary.total.triangles->count}};
    if (summary.bfs_runs > 0)
        result["bfs"] = {{"runs", summary.bfs_runs},
                         {"ms", summary.bfs_ms},
                         {"last_reached", summary.total.bfs->reached},
                         {"last_levels", summary.total.bfs->levels}};
    if (summary.components_runs > 0)
        result["components"] = {{"runs", summary.components_runs},
                                {"ms", summary.components_ms},
                                {"last_count", summary.total.components->count}};
    if (summary.kcore_runs > 0)
        result["kcore"] = {{"runs", summary.kcore_runs},
                           {"ms", summary.kcore_ms},
                           {"last_largest", summary.total.cores->largest}};
    if (summary.sssp_runs > 0)
        result["sssp"] = {{"runs", summary.sssp_runs},
                          {"ms", summary.sssp_ms},
                          {"last_reached", summary.total.sssp->reached},
                          {"last_largest_distance", summary.total.sssp->largest_distance}};
    return result;
}

} // namespace rhizome::cli
