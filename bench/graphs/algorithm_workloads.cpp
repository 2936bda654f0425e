// SPDX-License-Identifier: Apache-2.0
// PageRank and triangles, on the live structure beside a snapshot of it.
#include <rhizome/bench/graphs/boost_baseline.hpp>
#include <rhizome/bench/graphs/both_times.hpp>
#include <rhizome/bench/graphs/workloads.hpp>
#include <rhizome/bench/harness/statistics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace rhizome::bench {
namespace {

/// Both went their own way to the same fixed point.
void require_same_fixed_point(std::vector<float> const& ours, std::vector<double> const& theirs,
                              unsigned iterations) {
    double distance = 0;
    for (std::size_t v = 0; v < theirs.size(); ++v)
        distance += std::abs(static_cast<double>(ours.at(v)) - theirs[v]);
    double const left = 4 * std::pow(0.85, iterations) + 1e-3; // each way ends within half of it
    if (!(distance <= left))
        throw std::runtime_error(
            fmt::format("ranks lie {:g} from those of Boost.Graph, at most {:g} expected", distance, left));
}

double ratio(double over, double under) { return under == 0 ? 0 : over / under; }

void add_baseline(cell_result& result, both_times const& times, double boost_ms) {
    result.measures.push_back({"boost", "ms", false, {boost_ms}});
    result.measures.push_back(
        {"over_boost", "x Boost.Graph", true, {ratio(boost_ms, summarize(times.live.samples).median)}});
}

} // namespace

void require_ranks(std::vector<float> const& found, std::vector<double> const& expected, char const* where) {
    constexpr double tolerance = 1e-4; // of floats, of which a hub adds up tens of thousands
    for (std::size_t v = 0; v < expected.size(); ++v)
        if (!(std::abs(static_cast<double>(found.at(v)) - expected[v]) <= tolerance * expected[v]))
            throw std::runtime_error(
                fmt::format("{}: vertex {} has rank {} instead of {} after {} iterations", where, v, found[v],
                            expected[v], checked_iterations));
}

cell_result run_pagerank(graph_subject& subject, cell const& which, graph_input const& input) {
    bool const with_boost = which.text("baseline") == "boost";
    if (with_boost && which.text("space") != "host")
        return {cell_status::not_served, "Boost.Graph runs on the host alone", {}};
    load(subject, which, input);
    (void)subject.take_snapshot();
    auto const iterations = static_cast<unsigned>(which.count("iterations"));
    std::uint64_t const warm_up = which.count("warm-up");
    both_times times;
    timed_ranks last;
    for (std::uint64_t repetition = 0; repetition < warm_up + which.count("repetitions"); ++repetition) {
        last = subject.rank(seen_as::live, iterations);
        timed_ranks const csr = subject.rank(seen_as::snapshot, iterations);
        if (repetition >= warm_up) times.add(last.ms / iterations, csr.ms / iterations);
    }
    std::vector<double> const expected = rank_plainly(input, checked_iterations);
    require_ranks(subject.rank(seen_as::live, checked_iterations).ranks, expected, "live");
    require_ranks(subject.rank(seen_as::snapshot, checked_iterations).ranks, expected, "snapshot");

    cell_result result{cell_status::ok, "", times.measures()};
    if (with_boost) {
        boost_ranks const boost = rank_by_boost(input, iterations);
        require_same_fixed_point(last.ranks, boost.ranks, iterations);
        add_baseline(result, times, boost.ms / iterations);
    }
    return result;
}

cell_result run_triangles(graph_subject& subject, cell const& which, graph_input const& input) {
    bool const with_boost = which.text("baseline") == "boost";
    if (with_boost && which.text("space") != "host")
        return {cell_status::not_served, "Boost.Graph runs on the host alone", {}};
    load(subject, which, input);
    (void)subject.take_snapshot();
    std::uint64_t const warm_up = which.count("warm-up");
    both_times times;
    std::uint64_t triangles = 0;
    for (std::uint64_t repetition = 0; repetition < warm_up + which.count("repetitions"); ++repetition) {
        timed_triangles const live = subject.count_triangles(seen_as::live);
        timed_triangles const csr = subject.count_triangles(seen_as::snapshot);
        if (live.triangles != csr.triangles)
            throw std::runtime_error(
                fmt::format("{} triangles live, {} in the snapshot", live.triangles, csr.triangles));
        triangles = live.triangles;
        if (repetition >= warm_up) times.add(live.ms, csr.ms);
    }
    auto const require_count = [&](std::uint64_t expected, char const* whose) {
        if (triangles != expected)
            throw std::runtime_error(fmt::format("{} triangles, {} by {}", triangles, expected, whose));
    };
    if (input.edges.size() <= most_edges_counted_plainly)
        require_count(count_triangles_plainly(input), "a plain count");

    cell_result result{cell_status::ok, "", times.measures()};
    result.measures.push_back({"triangles", "triangles", true, {static_cast<double>(triangles)}});
    if (with_boost) {
        boost_triangles const boost = count_triangles_by_boost(input);
        require_count(boost.triangles, "Boost.Graph");
        add_baseline(result, times, boost.ms);
    }
    return result;
}

} // namespace rhizome::bench
