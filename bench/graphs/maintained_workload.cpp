// SPDX-License-Identifier: Apache-2.0
// Results that follow a graph, beside computing them anew.
#include <rhizome/bench/graphs/change_rounds.hpp>
#include <rhizome/bench/graphs/search_checks.hpp>
#include <rhizome/bench/graphs/workloads.hpp>
#include <rhizome/bench/harness/statistics.hpp>
#include <rhizome/cli/algorithm_runs.hpp>

#include <algorithm>
#include <span>
#include <stdexcept>

namespace rhizome::bench {
namespace {

/// Computing anew is measured after so many rounds at most, at equal distances.
constexpr std::uint64_t most_anew = 100;

/// What run_maintained_together() keeps: the other algorithms find the same of weights, or of each vertex.
constexpr char const* kept_together[] = {"triangles", "components", "bfs", "sssp", "kcore", "pagerank"};

/// Without the parents of a search, of which there are several that are right.
std::span<runtime::array_on_host const> first_array(std::vector<runtime::array_on_host> const& arrays) {
    return std::span(arrays).first(std::min<std::size_t>(arrays.size(), 1));
}

/// The weights of these edges if the graph has weights.
std::vector<double> weights_of(std::vector<graph::edge> const& edges, bool weighted, std::uint64_t seed) {
    std::vector<double> weights;
    if (weighted)
        for (graph::edge const& each : edges)
            weights.push_back(weight_of(each, seed));
    return weights;
}

/// A result that follows the graph, both ways.
struct followed {
    runtime::algorithm_info const& info;
    runtime::algorithm_arguments given; ///< of computing anew
    std::size_t repaired;
    std::size_t cheaper;
};

followed follow(graph_subject& subject, cell const& which, graph_input const& start,
                runtime::algorithm_info const& info) {
    std::string const name(info.name);
    runtime::algorithm_arguments given;
    if (cli::has_parameter(info, "source"))
        given.set("source", std::vector<graph::vertex_id>{source_of(which.text("graph"), start)});
    given.complete(name, info.parameters);

    // Both then state the same bound of their error: an iteration of PageRank shrinks the distance to the
    // solution by the damping.
    runtime::algorithm_arguments given_kept = given;
    if (cli::has_parameter(info, "damping"))
        given_kept.set("tolerance",
                       given.real("tolerance") * given.real("damping") / (1 - given.real("damping")));

    std::size_t const repaired = subject.keep_result(name, given_kept, algorithms::maintenance::repair);
    std::size_t const cheaper = subject.keep_result(name, given_kept, algorithms::maintenance::cheaper);
    (void)subject.update_result(repaired);
    (void)subject.update_result(cheaper);
    return {info, std::move(given), repaired, cheaper};
}

/// Computes the result anew, and throws unless both that follow are like it.
void require_same(graph_subject& subject, followed const& result) {
    timed_run const expected = subject.run(std::string(result.info.name), result.given);
    auto const expected_arrays = subject.arrays_on_host(expected.found);
    for (std::size_t const number : {result.repaired, result.cheaper}) {
        timed_run const kept = subject.update_result(number);
        if (!cli::same_result(result.info, kept.found, first_array(subject.arrays_on_host(kept.found)),
                              expected.found, first_array(expected_arrays), result.given))
            throw std::runtime_error("the result that followed the graph is not the one computed anew");
    }
}

/// The milliseconds that the batch takes.
double apply(graph_subject& subject, edge_change const& change, bool weighted, std::uint64_t seed) {
    subject.set_batch(change.edges,
                      change.erases ? std::vector<double>{} : weights_of(change.edges, weighted, seed));
    timed_batch const applied = change.erases ? subject.erase_batch() : subject.insert_batch();
    require_equal(applied.report.applied, change.edges.size(), "edges changed");
    return applied.ms;
}

} // namespace

cell_result run_maintained(graph_subject& subject, cell const& which, graph_input const& input,
                           runtime::algorithm_info const& info) {
    std::uint64_t const seed = which.count("seed");
    bool const weighted = info.needs_weights();
    change_rounds rounds(input, which.text("pattern"), which.count("edges"), seed);
    load_weighted(subject, rounds.start(), weights_of(rounds.start().edges, weighted, seed));
    followed const result = follow(subject, which, rounds.start(), info);
    std::string const name(info.name);
    measure anew{"anew", "ms", false, {}};
    std::vector<measure> of_change[2]; // insertion, erasure
    for (char const* const change : {"insert", "erase"})
        for (char const* const what : {"", "_repair", "_update"})
            of_change[change[0] == 'e'].push_back({std::string(change) + what, "ms", false, {}});
    std::vector<double> recomputed; // 1: an update computed anew
    std::uint64_t const warm_up = which.count("warm-up");
    std::uint64_t const repetitions = which.count("repetitions");
    std::uint64_t const anew_every = (repetitions + most_anew - 1) / most_anew;
    for (std::uint64_t number = 0; number < warm_up + repetitions; ++number) {
        bool const counts = number >= warm_up;
        for (edge_change const& change : rounds.next()) {
            if (change.edges.empty()) continue; // all that left a window is still in it
            double const change_ms = apply(subject, change, weighted, seed);
            timed_run const repair = subject.update_result(result.repaired);
            timed_run const update = subject.update_result(result.cheaper);
            if (!counts) continue;
            std::vector<measure>& times = of_change[change.erases ? 1 : 0];
            times[0].samples.push_back(change_ms);
            times[1].samples.push_back(repair.ms);
            times[2].samples.push_back(update.ms);
            recomputed.push_back(update.recomputed ? 1 : 0);
        }
        if (counts && (number - warm_up) % anew_every == 0)
            anew.samples.push_back(subject.run(name, result.given).ms);
        else if (number == 0) // kernels are loaded, and scratch is allocated
            (void)subject.run(name, result.given);
    }
    // One more change, after which the results are compared.
    if (edge_change const last = rounds.next()[0]; !last.edges.empty())
        (void)apply(subject, last, weighted, seed);
    require_same(subject, result);
    measure speedup{"speedup", "x anew", true, {}};
    measure against{"over_anew", "x anew", false, {}}; // mean over median
    std::vector<double> updates = of_change[0][2].samples;
    updates.insert(updates.end(), of_change[1][2].samples.begin(), of_change[1][2].samples.end());
    double const anew_ms = summarize(anew.samples).median;
    if (!updates.empty() && anew_ms > 0) {
        std::vector<double> medians;
        for (auto const& each : of_change)
            if (!each[2].samples.empty()) medians.push_back(summarize(each[2].samples).median);
        double const median_ms = summarize(medians).mean;
        speedup.samples.push_back(median_ms == 0 ? 0 : anew_ms / median_ms);
        against.samples.push_back(summarize(updates).mean / anew_ms);
    }
    measure const share{"computed_anew", "share", false, {summarize(recomputed).mean}};
    std::vector<measure> measures{anew, speedup, against, share};
    for (auto const& each : of_change)
        for (measure const& time : each)
            add_with_percentiles(measures, time);
    return {cell_status::ok, "", std::move(measures)};
}

cell_result run_maintained_together(graph_subject& subject, cell const& which, graph_input const& input) {
    std::uint64_t const seed = which.count("seed");
    change_rounds rounds(input, which.text("pattern"), which.count("edges"), seed);
    load_weighted(subject, rounds.start(), weights_of(rounds.start().edges, true, seed));
    std::vector<followed> results;
    for (char const* const name : kept_together)
        results.push_back(
            follow(subject, which, rounds.start(), runtime::algorithms()[runtime::algorithm_number(name)]));

    measure anew{"anew", "ms", false, {}};
    std::vector<measure> of_change[2]; // insertion, erasure
    for (char const* const change : {"insert", "erase"}) {
        std::vector<measure>& times = of_change[change[0] == 'e'];
        for (char const* const what : {"", "_repairs", "_updates", "_and_repairs", "_and_updates"})
            times.push_back({std::string(change) + what, "ms", false, {}});
        for (followed const& each : results)
            times.push_back({std::string(change) + "_" + std::string(each.info.name), "ms", false, {}});
    }
    std::uint64_t const warm_up = which.count("warm-up");
    std::uint64_t const repetitions = which.count("repetitions");
    std::uint64_t const anew_every = (repetitions + most_anew - 1) / most_anew;
    for (std::uint64_t number = 0; number < warm_up + repetitions; ++number) {
        bool const counts = number >= warm_up;
        for (edge_change const& change : rounds.next()) {
            if (change.edges.empty()) continue; // all that left a window is still in it
            double const change_ms = apply(subject, change, true, seed);
            std::vector<double> update_ms;
            double repairs_ms = 0;
            double updates_ms = 0;
            for (followed const& each : results)
                repairs_ms += subject.update_result(each.repaired).ms;
            for (followed const& each : results) {
                update_ms.push_back(subject.update_result(each.cheaper).ms);
                updates_ms += update_ms.back();
            }
            if (!counts) continue;
            std::vector<double> samples{change_ms, repairs_ms, updates_ms, change_ms + repairs_ms,
                                        change_ms + updates_ms};
            samples.insert(samples.end(), update_ms.begin(), update_ms.end());
            std::vector<measure>& times = of_change[change.erases ? 1 : 0];
            for (std::size_t i = 0; i < samples.size(); ++i)
                times[i].samples.push_back(samples[i]);
        }
        bool const measures_anew = counts && (number - warm_up) % anew_every == 0;
        if (!measures_anew && number != 0) continue; // the first time, kernels are loaded
        double all_ms = 0;
        for (followed const& each : results)
            all_ms += subject.run(std::string(each.info.name), each.given).ms;
        if (measures_anew) anew.samples.push_back(all_ms);
    }
    // One more change, after which the results are compared.
    if (edge_change const last = rounds.next()[0]; !last.edges.empty())
        (void)apply(subject, last, true, seed);
    for (followed const& each : results)
        require_same(subject, each);
    std::vector<measure> measures{anew};
    for (auto const& each : of_change)
        for (measure const& time : each)
            add_with_percentiles(measures, time);
    return {cell_status::ok, "", std::move(measures)};
}

} // namespace rhizome::bench
