// SPDX-License-Identifier: Apache-2.0
// Breadth-first search, connected components, core numbers and shortest paths, on the live structure beside a
// snapshot of it.
#include <rhizome/bench/graphs/both_times.hpp>
#include <rhizome/bench/graphs/search_checks.hpp>
#include <rhizome/bench/graphs/workloads.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace rhizome::bench {
namespace {

constexpr seen_as both_views[] = {seen_as::live, seen_as::snapshot};

char const* name_of(seen_as view) { return view == seen_as::live ? "live" : "snapshot"; }

/// Repeats run(view) on both views of a graph that was loaded in turn, after warming up, and hands each
/// result to check(view, result).
template <class Run, class Check>
both_times time_loaded(graph_subject& subject, cell const& which, Run const& run, Check const& check) {
    (void)subject.take_snapshot();
    std::uint64_t const warm_up = which.count("warm-up");
    both_times times;
    for (std::uint64_t repetition = 0; repetition < warm_up + which.count("repetitions"); ++repetition) {
        auto const live = run(seen_as::live);
        auto const csr = run(seen_as::snapshot);
        check(seen_as::live, live);
        check(seen_as::snapshot, csr);
        if (repetition >= warm_up) times.add(live.ms, csr.ms);
    }
    return times;
}

/// The same of the graph of the input.
template <class Run, class Check>
both_times time_both(graph_subject& subject, cell const& which, graph_input const& input, Run const& run,
                     Check const& check) {
    load(subject, which, input);
    return time_loaded(subject, which, run, check);
}

/// Edges per time on the live graph, each undirected one once.
measure rate_of(both_times const& times, std::uint64_t edges) {
    measure rate{"live_rate", "M edges/s", true, {}};
    for (double const ms : times.live.samples)
        rate.samples.push_back(ms == 0 ? 0 : static_cast<double>(edges) * 1e-3 / ms);
    return rate;
}

} // namespace

cell_result run_bfs(graph_subject& subject, cell const& which, graph_input const& input) {
    graph::vertex_id const source = source_of(which.text("graph"), input);
    timed_search last;
    both_times const times = time_both(
        subject, which, input, [&](seen_as view) { return subject.search(view, source, false); },
        [&](seen_as view, timed_search const& found) {
            if (!last.levels.empty() && found.levels != last.levels)
                throw std::runtime_error(fmt::format("{}: other levels than before", name_of(view)));
            last = found;
        });
    for (seen_as const view : both_views) {
        timed_search const found = subject.search(view, source, true);
        std::string broken = broken_search_rule(input, source, found.levels, found.parents);
        if (broken.empty() && found.levels != last.levels) broken = "other levels without parents";
        if (!broken.empty()) throw std::runtime_error(fmt::format("{}: {}", name_of(view), broken));
    }
    auto const unreached = std::count(last.levels.begin(), last.levels.end(), algorithms::unreached);
    require_equal(last.report.reached, input.vertices - static_cast<std::uint64_t>(unreached),
                  "vertices reached");
    cell_result result{cell_status::ok, "", times.measures()};
    result.measures.push_back(rate_of(times, last.report.arcs / 2));
    result.measures.push_back({"reached", "vertices", true, {static_cast<double>(last.report.reached)}});
    result.measures.push_back({"levels", "levels", true, {static_cast<double>(last.report.levels)}});
    result.measures.push_back({"bottom_up", "levels", true, {static_cast<double>(last.report.bottom_up)}});
    return result;
}

cell_result run_components(graph_subject& subject, cell const& which, graph_input const& input) {
    std::vector<graph::vertex_id> const expected = components_by_union_find(input);
    std::uint64_t count = 0;
    for (std::size_t v = 0; v < expected.size(); ++v)
        count += expected[v] == v ? 1 : 0;
    both_times const times = time_both(
        subject, which, input, [&](seen_as view) { return subject.join(view); },
        [&](seen_as view, timed_components const& found) {
            auto const wrong = std::mismatch(expected.begin(), expected.end(), found.components.begin(),
                                             found.components.end());
            if (wrong.first != expected.end())
                throw std::runtime_error(fmt::format("{}: vertex {} is not in the component of vertex {}",
                                                     name_of(view), wrong.first - expected.begin(),
                                                     *wrong.first));
            require_equal(found.count, count, "components");
        });
    cell_result result{cell_status::ok, "", times.measures()};
    result.measures.push_back(rate_of(times, input.edges.size()));
    result.measures.push_back({"components", "components", true, {static_cast<double>(count)}});
    return result;
}

cell_result run_kcore(graph_subject& subject, cell const& which, graph_input const& input) {
    std::vector<std::uint32_t> const expected = cores_plainly(input);
    std::uint32_t const largest = expected.empty() ? 0 : *std::max_element(expected.begin(), expected.end());
    both_times const times = time_both(
        subject, which, input, [&](seen_as view) { return subject.decompose(view); },
        [&](seen_as view, timed_cores const& found) {
            auto const wrong =
                std::mismatch(expected.begin(), expected.end(), found.cores.begin(), found.cores.end());
            if (wrong.first != expected.end())
                throw std::runtime_error(fmt::format("{}: vertex {} has not the core number {}",
                                                     name_of(view), wrong.first - expected.begin(),
                                                     *wrong.first));
            require_equal(found.largest, largest, "largest core number");
        });
    cell_result result{cell_status::ok, "", times.measures()};
    result.measures.push_back(rate_of(times, input.edges.size()));
    result.measures.push_back({"largest", "core number", true, {static_cast<double>(largest)}});
    return result;
}

cell_result run_sssp(graph_subject& subject, cell const& which, graph_input const& input) {
    std::uint64_t const seed = which.count("seed");
    std::vector<double> weights;
    weights.reserve(input.edges.size());
    for (graph::edge const each : input.edges)
        weights.push_back(weight_of(each, seed));
    load_weighted(subject, input, weights);
    graph::vertex_id const source = source_of(which.text("graph"), input);
    timed_paths last;
    both_times const times = time_loaded(
        subject, which, [&](seen_as view) { return subject.find_paths(view, source, false); },
        [&](seen_as view, timed_paths const& found) {
            if (!last.distances.empty() && found.distances != last.distances)
                throw std::runtime_error(fmt::format("{}: other distances than before", name_of(view)));
            last = found;
        });
    for (seen_as const view : both_views) {
        timed_paths const found = subject.find_paths(view, source, true);
        std::string broken = broken_path_rule(input, seed, source, found.distances, found.parents);
        if (broken.empty() && found.distances != last.distances) broken = "other distances without parents";
        if (!broken.empty()) throw std::runtime_error(fmt::format("{}: {}", name_of(view), broken));
    }
    auto const finite = [](double distance) { return std::isfinite(distance); };
    auto const reached = std::count_if(last.distances.begin(), last.distances.end(), finite);
    require_equal(last.reached, static_cast<std::uint64_t>(reached), "vertices reached");
    auto const edges = std::count_if(input.edges.begin(), input.edges.end(),
                                     [&](graph::edge each) { return finite(last.distances[each.source]); });
    cell_result result{cell_status::ok, "", times.measures()};
    result.measures.push_back(rate_of(times, static_cast<std::uint64_t>(edges)));
    result.measures.push_back({"reached", "vertices", true, {static_cast<double>(reached)}});
    return result;
}

} // namespace rhizome::bench
