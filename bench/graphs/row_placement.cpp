// SPDX-License-Identifier: Apache-2.0
// Where the rows of a graph lie that batches have built, with pages requested lane by lane and in bulk.
#include <rhizome/bench/allocators/lines.hpp>
#include <rhizome/bench/graphs/workloads.hpp>

#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace rhizome::bench {
namespace {

constexpr std::uint64_t warp_rows = 32;

/// Means over warps, each of which reads the rows of 32 neighbouring vertices.
struct warp_means {
    double lines = 0;
    double sectors = 0;
    double packed_lines = 0; ///< if the rows lay side by side
};

warp_means count_lines_of_rows(std::span<std::span<graph::vertex_id const> const> rows) {
    warp_means means;
    std::vector<byte_range> ranges;
    for (std::uint64_t first = 0; first < rows.size(); first += warp_rows) {
        ranges.clear();
        std::uint64_t bytes = 0;
        for (auto const& row : rows.subspan(first, std::min(warp_rows, rows.size() - first))) {
            auto const begin = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(row.data()));
            if (!row.empty()) ranges.push_back({begin, begin + row.size_bytes()});
            bytes += row.size_bytes();
        }
        touched_memory const touched = count_touched(ranges);
        byte_range const packed{0, bytes};
        means.lines += static_cast<double>(touched.lines);
        means.sectors += static_cast<double>(touched.sectors);
        means.packed_lines += static_cast<double>(count_touched({&packed, 1}).lines);
    }
    std::uint64_t const all_warps = (rows.size() + warp_rows - 1) / warp_rows;
    if (all_warps == 0) return {};
    auto const warps = static_cast<double>(all_warps);
    return {means.lines / warps, means.sectors / warps, means.packed_lines / warps};
}

/// What is measured of one way to request pages.
struct placement {
    graph::page_requests pages;
    measure build;
    measure pagerank;
    measure lines;
    measure sectors;
    measure heap;
    measure bulk_pages;
    measure refused_pages;

    placement(graph::page_requests how, std::string const& name)
        : pages(how), build{name + "_build", "ms", false, {}}, pagerank{name + "_pagerank", "ms", false, {}},
          lines{name + "_lines", "lines", false, {}}, sectors{name + "_sectors", "sectors", false, {}},
          heap{name + "_heap", "MB", false, {}}, bulk_pages{name + "_pages_in_bulk", "pages", true, {}},
          refused_pages{name + "_pages_refused", "pages", false, {}} {}

    /// Builds the graph by batches; the sum of their times.
    [[nodiscard]] double build_by_batches(graph_subject& subject, std::span<graph::edge const> edges,
                                          std::uint64_t batch_edges, graph::bulk_requests& bulk) const {
        subject.request_pages(pages);
        subject.renew();
        double ms = 0;
        std::uint64_t applied = 0;
        for (std::uint64_t first = 0; first < edges.size(); first += batch_edges) {
            subject.set_batch(edges.subspan(first, std::min(batch_edges, edges.size() - first)));
            timed_batch const batch = subject.insert_batch();
            ms += batch.ms;
            applied += batch.report.applied;
            bulk += batch.report.bulk;
        }
        require_equal(applied, edges.size(), "edges inserted into the empty graph");
        return ms;
    }
};

measure ratio_of(char const* name, measure const& over, measure const& under) {
    measure ratio{name, "x lane-wise", false, {}};
    for (std::size_t i = 0; i < over.samples.size(); ++i)
        ratio.samples.push_back(under.samples[i] == 0 ? 0 : over.samples[i] / under.samples[i]);
    return ratio;
}

} // namespace

cell_result run_row_placement(graph_subject& subject, cell const& which, graph_input const& input) {
    std::vector<graph::edge> edges = input.edges;
    if (which.text("order") == "random")
        std::shuffle(edges.begin(), edges.end(), std::mt19937_64(which.count("seed")));
    auto const iterations = static_cast<unsigned>(which.count("iterations"));
    std::uint64_t const warm_up = which.count("warm-up");
    std::vector<double> const expected = rank_plainly(input, checked_iterations);
    host_rows const rows = input.rows();
    placement each[] = {{graph::page_requests::lane_wise, "lane_wise"}, {graph::page_requests::bulk, "bulk"}};
    measure packed_lines{"packed_lines", "lines", false, {}};
    for (std::uint64_t repetition = 0; repetition < warm_up + which.count("repetitions"); ++repetition)
        for (unsigned turn = 0; turn < 2; ++turn) {
            placement& way = each[(repetition + turn) % 2]; // neither is always the first
            graph::bulk_requests bulk;
            double const build_ms = way.build_by_batches(subject, edges, which.count("edges"), bulk);
            (void)subject.rank(seen_as::live, 1); // takes the scratch of PageRank
            double const rank_ms = subject.rank(seen_as::live, iterations).ms / iterations;
            if (repetition == 0) {
                require_sound(subject);
                subject.keep_rows(rows);
                require_equal(subject.changes(), 0, "places in which the graph is not that of its edges");
                require_ranks(subject.rank(seen_as::live, checked_iterations).ranks, expected, "live");
            }
            if (repetition < warm_up) continue;
            auto const places = subject.row_places();
            if (places.empty())
                return {cell_status::not_served, "the rows of this layout have several pages", {}};
            warp_means const means = count_lines_of_rows(places);
            way.build.samples.push_back(build_ms);
            way.pagerank.samples.push_back(rank_ms);
            way.lines.samples.push_back(means.lines);
            way.sectors.samples.push_back(means.sectors);
            way.heap.samples.push_back(static_cast<double>(subject.memory().heap_bytes) * 1e-6);
            way.bulk_pages.samples.push_back(static_cast<double>(bulk.pages));
            way.refused_pages.samples.push_back(static_cast<double>(bulk.refused_pages));
            if (turn == 0) packed_lines.samples.push_back(means.packed_lines);
        }
    placement const& lane_wise = each[0];
    placement const& bulk = each[1];
    return {cell_status::ok,
            "",
            {lane_wise.build, bulk.build, ratio_of("build_ratio", bulk.build, lane_wise.build),
             lane_wise.pagerank, bulk.pagerank, ratio_of("pagerank_ratio", bulk.pagerank, lane_wise.pagerank),
             lane_wise.lines, bulk.lines, packed_lines, ratio_of("lines_ratio", bulk.lines, lane_wise.lines),
             lane_wise.sectors, bulk.sectors, lane_wise.heap, bulk.heap, bulk.bulk_pages,
             bulk.refused_pages}};
}

} // namespace rhizome::bench
