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

/// Without the parents of a search, of which there are several that are right.
std::span<runtime::array_on_host const> first_array(std::vector<runtime::array_on_host> const& arrays) {
    return std::span(arrays).first(std::min<std::size_t>(arrays.size(), 1));
}

} // namespace

cell_result run_maintained(graph_subject& subject, cell const& which, graph_input const& input,
                           runtime::algorithm_info const& info) {
    std::uint64_t const seed = which.count("seed");
    std::string const name(info.name);
    auto const weights_of = [&](std::vector<graph::edge> const& edges) {
        std::vector<double> weights;
        if (info.needs_weights())
            for (graph::edge const& each : edges)
                weights.push_back(weight_of(each, seed));
        return weights;
    };
    change_rounds rounds(input, which.text("pattern"), which.count("edges"), seed);
    load_weighted(subject, rounds.start(), weights_of(rounds.start().edges));
    runtime::algorithm_arguments given;
    if (cli::has_parameter(info, "source"))
        given.set("source", std::vector<graph::vertex_id>{source_of(which.text("graph"), rounds.start())});
    given.complete(name, info.parameters);

    // Both then state the same bound of their error: an iteration of PageRank shrinks the distance to the
    // solution by the damping.
    runtime::algorithm_arguments given_kept = given;
    if (cli::has_parameter(info, "damping"))
        given_kept.set("tolerance",
                       given.real("tolerance") * given.real("damping") / (1 - given.real("damping")));

    std::size_t const repaired = subject.keep_result(name, given_kept, algorithms::maintenance::repair);
    std::size_t const cheaper = subject.keep_result(name, given_kept, algorithms::maintenance::cheaper);
    measure anew{"anew", "ms", false, {}};
    std::vector<measure> of_change[2]; // insertion, erasure
    for (char const* const change : {"insert", "erase"})
        for (char const* const what : {"", "_repair", "_update"})
            of_change[change[0] == 'e'].push_back({std::string(change) + what, "ms", false, {}});
    std::vector<double> recomputed; // 1: an update computed anew
    (void)subject.update_result(repaired);
    (void)subject.update_result(cheaper);

    auto const apply = [&](edge_change const& change) {
        subject.set_batch(change.edges, change.erases ? std::vector<double>{} : weights_of(change.edges));
        timed_batch const applied = change.erases ? subject.erase_batch() : subject.insert_batch();
        require_equal(applied.report.applied, change.edges.size(), "edges changed");
        return applied.ms;
    };
    std::uint64_t const warm_up = which.count("warm-up");
    std::uint64_t const repetitions = which.count("repetitions");
    std::uint64_t const anew_every = (repetitions + most_anew - 1) / most_anew;
    for (std::uint64_t number = 0; number < warm_up + repetitions; ++number) {
        bool const counts = number >= warm_up;
        for (edge_change const& change : rounds.next()) {
            if (change.edges.empty()) continue; // all that left a window is still in it
            double const change_ms = apply(change);
            timed_run const repair = subject.update_result(repaired);
            timed_run const update = subject.update_result(cheaper);
            if (!counts) continue;
            std::vector<measure>& times = of_change[change.erases ? 1 : 0];
            times[0].samples.push_back(change_ms);
            times[1].samples.push_back(repair.ms);
            times[2].samples.push_back(update.ms);
            recomputed.push_back(update.recomputed ? 1 : 0);
        }
        if (counts && (number - warm_up) % anew_every == 0)
            anew.samples.push_back(subject.run(name, given).ms);
        else if (number == 0) // kernels are loaded, and scratch is allocated
            (void)subject.run(name, given);
    }
    // One more change, after which the results are compared.
    if (edge_change const last = rounds.next()[0]; !last.edges.empty()) (void)apply(last);
    timed_run const expected = subject.run(name, given);
    auto const expected_arrays = subject.arrays_on_host(expected.found);
    for (std::size_t const number : {repaired, cheaper}) {
        timed_run const kept = subject.update_result(number);
        if (!cli::same_result(info, kept.found, first_array(subject.arrays_on_host(kept.found)),
                              expected.found, first_array(expected_arrays), given))
            throw std::runtime_error("the result that followed the graph is not the one computed anew");
    }
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
    for (auto const& each : of_change) {
        for (measure const& time : each)
            add_with_percentiles(measures, time);
    }
    return {cell_status::ok, "", std::move(measures)};
}

} // namespace rhizome::bench
