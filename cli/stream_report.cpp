// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/stream_report.hpp>
#include <rhizome/cli/text_columns.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace rhizome::cli {
namespace {

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

double stream_summary::wall_updates_per_second() const {
    return wall_ms > 0 ? static_cast<double>(total.updates) / wall_ms * 1e3 : 0;
}

void stream_summary::add(batch_row const& row) {
    ++batches;
    total.number = row.number;
    total.updates += row.updates;
    total.superseded += row.superseded;
    total.inserted += row.inserted;
    total.erased += row.erased;
    total.expired += row.expired;
    total.edges_after = row.edges_after;
    total.vertices_after = row.vertices_after;
    total.read_ms += row.read_ms;
    total.reduce_ms += row.reduce_ms;
    total.insert_ms += row.insert_ms;
    total.erase_ms += row.erase_ms;
    for (stream_step const& step : row.steps) {
        // In the order of the table.
        auto found = std::find_if(steps.begin(), steps.end(),
                                  [&](stream_steps const& each) { return each.last.info >= step.info; });
        if (found == steps.end() || found->last.info != step.info)
            found = steps.insert(found, stream_steps{step});
        found->last = step;
        ++found->runs;
        found->recomputed += step.recomputed ? 1 : 0;
        found->ms += step.run.ms;
    }
}

std::vector<std::string_view> const& reported_figures(stream_step const& step) {
    return step.is_maintained ? step.info->maintained_figures : step.info->batch_figures;
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
        "{:>6} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>10} {:>9.3f} {:>8.3f} {:>9.3g}\n", row.number,
        row.updates, row.inserted.applied, row.inserted.without_effect + row.inserted.updated,
        row.erased.applied, row.erased.without_effect, other, row.edges_after, row.insert_ms, row.erase_ms,
        row.updates_per_second());
    std::string after;
    auto const add = [&](std::string const& text) { after += (after.empty() ? "" : "; ") + text; };
    for (stream_step const& step : row.steps)
        add(filled(step.is_maintained ? step.info->maintained_text : step.info->batch_text, step.run) +
            (step.recomputed ? " (computed anew)" : ""));
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
    for (stream_steps const& each : summary.steps) {
        bool const maintained = each.last.is_maintained;
        text += fmt::format(
            "{:<9} {}, {:.3f} ms each{}; the last: {}\n", each.last.info->title,
            maintained ? counted(each.runs, "update", "updates") : counted(each.runs, "run", "runs"),
            each.ms / each.runs, maintained ? fmt::format(", {} computed anew", each.recomputed) : "",
            filled(maintained ? each.last.info->maintained_final_text : each.last.info->final_text,
                   each.last.run));
    }
    return text;
}

nlohmann::ordered_json to_json(batch_row const& row) {
    nlohmann::ordered_json result{{"batch", row.number}};
    result.update(counts(row));
    for (stream_step const& step : row.steps) {
        nlohmann::ordered_json& own = result[std::string(step.info->name)];
        own["ms"] = step.run.ms;
        if (step.is_maintained) own["recomputed"] = step.recomputed;
        for (std::string_view const name : reported_figures(step))
            own[std::string(name)] = json_of(step.run.found.at(name));
    }
    if (row.validated) result["validated"] = true;
    return result;
}

nlohmann::ordered_json to_json(stream_summary const& summary) {
    nlohmann::ordered_json result{{"batches", summary.batches}};
    result.update(counts(summary.total));
    result["wall_ms"] = summary.wall_ms;
    result["wall_updates_per_second"] = summary.wall_updates_per_second();
    for (stream_steps const& each : summary.steps) {
        nlohmann::ordered_json& own = result[std::string(each.last.info->name)];
        own = {{"runs", each.runs}, {"ms", each.ms}};
        if (each.last.is_maintained) own["recomputed"] = each.recomputed;
        for (std::string_view const name : reported_figures(each.last))
            own["last_" + std::string(name)] = json_of(each.last.run.found.at(name));
    }
    return result;
}

} // namespace rhizome::cli
