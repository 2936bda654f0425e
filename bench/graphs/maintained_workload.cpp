// SPDX-License-Identifier: Apache-2.0
// Results that follow a graph, beside computing them anew.
#include <rhizome/bench/graphs/search_checks.hpp>
#include <rhizome/bench/graphs/workloads.hpp>
#include <rhizome/bench/harness/statistics.hpp>
#include <rhizome/cli/algorithm_runs.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <span>
#include <stdexcept>

namespace rhizome::bench {
namespace {

/// Neighbouring vertices of the sources of a local batch, for each of its edges.
constexpr std::uint64_t vertices_an_edge = 4;

/// Batches of edges: `random` and `local` ones that the input lacks, and ones that it has.
class batch_maker {
public:
    batch_maker(graph_input const& input, std::string pattern, std::uint64_t seed)
        : input_(input), pattern_(std::move(pattern)), random_(seed) {}

    [[nodiscard]] bool are_present() const { return pattern_ == "present"; }
    [[nodiscard]] std::vector<graph::edge> make(std::uint64_t count) {
        if (are_present() && count > input_.edges.size())
            throw std::invalid_argument(
                fmt::format("batches of {} of the {} edges", count, input_.edges.size()));
        std::uint64_t const region =
            pattern_ == "local" ? std::min(count * vertices_an_edge, input_.vertices) : input_.vertices;
        std::uint64_t const first = random_() % (input_.vertices - region + 1);
        std::vector<graph::edge> edges;
        std::uint64_t attempts = 0;
        while (edges.size() < count) {
            while (edges.size() < count) {
                if (++attempts > 100 * count + 1000)
                    throw std::runtime_error(fmt::format("{} new edges were not found", count));
                if (are_present()) {
                    edges.push_back(input_.edges[random_() % input_.edges.size()]);
                    continue;
                }
                auto const one = static_cast<graph::vertex_id>(first + random_() % region);
                auto const other = static_cast<graph::vertex_id>(first + random_() % region);
                graph::edge const drawn{std::min(one, other), std::max(one, other)};
                if (one != other && !std::binary_search(input_.edges.begin(), input_.edges.end(), drawn))
                    edges.push_back(drawn);
            }
            std::sort(edges.begin(), edges.end());
            edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
        }
        std::shuffle(edges.begin(), edges.end(), random_);
        return edges;
    }

private:
    graph_input const& input_;
    std::string pattern_;
    std::mt19937_64 random_;
};

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
    load_weighted(subject, input, weights_of(input.edges));
    runtime::algorithm_arguments given;
    if (cli::has_parameter(info, "source"))
        given.set("source", std::vector<graph::vertex_id>{source_of(which.text("graph"), input)});
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
    measure recomputed{"computed_anew", "share", false, {}};
    (void)subject.update_result(repaired);
    (void)subject.update_result(cheaper);

    batch_maker batches(input, which.text("pattern"), seed);
    std::uint64_t const warm_up = which.count("warm-up");
    for (std::uint64_t repetition = 0; repetition < warm_up + which.count("repetitions"); ++repetition) {
        bool const counts = repetition >= warm_up;
        std::vector<graph::edge> const edges = batches.make(which.count("edges"));
        std::vector<double> const weights = weights_of(edges);
        for (bool const erases : {batches.are_present(), !batches.are_present()}) {
            subject.set_batch(edges, erases ? std::vector<double>{} : weights);
            timed_batch const change = erases ? subject.erase_batch() : subject.insert_batch();
            require_equal(change.report.applied, edges.size(), "edges changed");
            timed_run const repair = subject.update_result(repaired);
            timed_run const update = subject.update_result(cheaper);
            if (!counts) continue;
            std::vector<measure>& times = of_change[erases ? 1 : 0];
            times[0].samples.push_back(change.ms);
            times[1].samples.push_back(repair.ms);
            times[2].samples.push_back(update.ms);
            recomputed.samples.push_back(update.recomputed ? 1 : 0);
        }
        timed_run const found = subject.run(name, given);
        if (counts) anew.samples.push_back(found.ms);
    }
    // One more change, after which the results are compared.
    std::vector<graph::edge> const last = batches.make(which.count("edges"));
    subject.set_batch(last, batches.are_present() ? std::vector<double>{} : weights_of(last));
    (void)(batches.are_present() ? subject.erase_batch() : subject.insert_batch());
    timed_run const expected = subject.run(name, given);
    auto const expected_arrays = subject.arrays_on_host(expected.found);
    for (std::size_t const number : {repaired, cheaper}) {
        timed_run const kept = subject.update_result(number);
        if (!cli::same_result(info, kept.found, first_array(subject.arrays_on_host(kept.found)),
                              expected.found, first_array(expected_arrays), given))
            throw std::runtime_error("the result that followed the graph is not the one computed anew");
    }
    measure speedup{"speedup", "x anew", true, {}};
    double const changes_ms =
        (summarize(of_change[0][2].samples).median + summarize(of_change[1][2].samples).median) / 2;
    speedup.samples.push_back(changes_ms == 0 ? 0 : summarize(anew.samples).median / changes_ms);
    std::vector<measure> measures{anew, speedup, recomputed};
    for (auto const& each : of_change)
        measures.insert(measures.end(), each.begin(), each.end());
    return {cell_status::ok, "", std::move(measures)};
}

} // namespace rhizome::bench
