// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/harness/statistics.hpp>
#include <rhizome/bench/papers/random_walk/correlation.hpp>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

namespace rhizome::bench {
namespace {

std::vector<double> samples_of(measured_cell const& from, std::string const& measure) {
    for (auto const& each : from.result.measures)
        if (each.name == measure) return each.samples;
    return {};
}
double sum_of(std::vector<double> const& numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

comparison correlated(std::vector<measured_cell> const& cells, std::string const& measure,
                      std::string const& what, double paper) {
    std::vector<double> steps;
    std::vector<double> times;
    for (measured_cell const& each : cells) {
        std::vector<double> const here = samples_of(each, measure);
        std::vector<double> const ms = samples_of(each, "kernel");
        steps.insert(steps.end(), here.begin(), here.end());
        times.insert(times.end(), ms.begin(), ms.end());
    }
    comparison found{what, {.mean = paper, .lowest = {}, .highest = {}}, {}, steps.size(), "III-B1"};
    if (steps.size() > 2) found.ours.mean = correlation(steps, times);
    return found;
}

/// Sums, since the formula expects less than one collision in many launches.
comparison collided(std::vector<measured_cell> const& cells, std::string const& measure,
                    std::string const& what) {
    double measured = 0;
    double expected = 0;
    comparison found{what, {.mean = 1, .lowest = {}, .highest = {}}, {}, 0, "III-B3"};
    for (measured_cell const& each : cells) {
        std::vector<double> const here = samples_of(each, measure);
        std::vector<double> const formula = samples_of(each, measure + "_formula");
        if (here.empty() || formula.empty()) continue;
        measured += sum_of(here);
        expected += formula[0] * static_cast<double>(here.size());
        found.ratios += here.size();
    }
    if (expected > 0) found.ours.mean = measured / expected;
    return found;
}

} // namespace

collision_counts count_collisions(std::vector<std::uint64_t> const& first_places, page_set const& used) {
    std::vector<std::uint64_t> places = first_places;
    std::sort(places.begin(), places.end());
    collision_counts found;
    for (auto at = places.begin(); at != places.end();) {
        auto const end = std::upper_bound(at, places.end(), *at);
        auto const threads = static_cast<std::uint64_t>(end - at);
        std::uint64_t const pairs = threads * (threads - 1) / 2;
        found.pairs += pairs;
        if (!used.empty() && !has_page(used, *at)) found.pairs_at_free += pairs;
        at = end;
    }
    return found;
}

cell_result run_correlation(open_walk const& open, cell const& which) {
    walk_numbers const n = walk_numbers_of(which);
    if (std::string const why = too_many_threads(n); !why.empty()) return {cell_status::not_served, why, {}};
    std::string const& search = which.text("search");
    bool const by_pages = search == "flag";
    bool const one_place = by_pages || search == "bitmap"; // each lane looks at one place in a step
    auto const pages = static_cast<std::uint64_t>(n.pages);
    auto const threads = static_cast<std::uint64_t>(n.threads);
    auto const subject = open(search, pages);
    measure tas{"tas", "steps", false, {}};
    measure was{"was", "steps", false, {}};
    measure kernel{"kernel", "ms", false, {}};
    measure pairs{"collisions", "pairs", false, {}};
    measure pairs_at_free{"free_collisions", "pairs", false, {}};
    measure lost{"lost", "looks", false, {}};
    std::uint64_t const warm_up = which.count("warm-up");
    for (std::uint64_t i = 0; i < warm_up + which.count("repetitions"); ++i) {
        std::uint64_t const seed = which.count("seed") + i;
        page_set const used = draw_used_pages(pages, static_cast<std::uint64_t>(n.free), seed);
        subject->set_used(used, seed);
        walk_launch const launch = subject->run(threads);
        step_summary const found = summarize_steps(launch.steps);
        if (found.refused != 0)
            throw std::runtime_error("requests were refused, though as many pages were free");
        if (i < warm_up) continue;
        tas.samples.push_back(found.tas);
        was.samples.push_back(found.was);
        kernel.samples.push_back(launch.ms);
        if (!one_place) continue;
        collision_counts const met = count_collisions(launch.first_places, by_pages ? used : page_set{});
        pairs.samples.push_back(static_cast<double>(met.pairs));
        pairs_at_free.samples.push_back(static_cast<double>(met.pairs_at_free));
        lost.samples.push_back(static_cast<double>(launch.lost));
    }
    cell_result result{cell_status::ok, "", {kernel, tas, was}};
    if (!one_place) return result;
    constexpr double pages_of_word = 32;
    double const expected = expected_collisions(n.threads, by_pages ? n.pages : n.pages / pages_of_word);
    result.measures.push_back(pairs);
    result.measures.push_back({"collisions_formula", "pairs", false, {expected}});
    if (by_pages) {
        result.measures.push_back(pairs_at_free);
        result.measures.push_back({"free_collisions_formula", "pairs", false, {expected * n.free / n.pages}});
    }
    result.measures.push_back(lost);
    return result;
}

std::vector<comparison> compare_walk_correlation(std::vector<measured_cell> const& cells) {
    std::vector<std::string> searches;
    for (measured_cell const& each : cells)
        if (std::find(searches.begin(), searches.end(), each.cell.text("search")) == searches.end())
            searches.push_back(each.cell.text("search"));
    std::vector<comparison> found;
    for (std::string const& search : searches) {
        std::vector<measured_cell> own;
        for (measured_cell const& each : cells)
            if (each.cell.text("search") == search && each.result.status == cell_status::ok)
                own.push_back(each);
        found.push_back(correlated(own, "tas", search + ": correlation of TAS with the time", 0.9046));
        found.push_back(correlated(own, "was", search + ": correlation of WAS with the time", 0.962));
        if (search != "flag" && search != "bitmap") continue;
        found.push_back(collided(own, "collisions", search + ": collisions over N (N - 1) / 2T"));
        if (search == "flag")
            found.push_back(
                collided(own, "free_collisions", "flag: those at free pages over the same times A / T"));
    }
    return found;
}

} // namespace rhizome::bench
