// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/papers/random_walk/workloads.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

namespace rhizome::bench {
namespace {

/// A measure of steps; none where a formula gives no number.
void add(std::vector<measure>& measures, std::string name, std::vector<double> samples) {
    if (std::all_of(samples.begin(), samples.end(), [](double value) { return std::isfinite(value); }))
        measures.push_back({std::move(name), "steps", false, std::move(samples)});
}

void require_served(step_summary const& found, std::uint64_t threads) {
    if (found.refused != 0)
        throw std::runtime_error(fmt::format("{} of {} requests were refused, though as many pages were free",
                                             found.refused, threads));
}

std::uint64_t count_of(double value) { return static_cast<std::uint64_t>(value); }

/// `count` of the symbols, drawn at random, each at most once.
std::vector<std::uint64_t> draw_symbols(std::vector<std::uint64_t> symbols, std::uint64_t count,
                                        std::uint64_t seed) {
    std::mt19937_64 bits(seed);
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uniform_int_distribution<std::uint64_t> from(i, symbols.size() - 1);
        std::swap(symbols[i], symbols[from(bits)]);
    }
    symbols.resize(count);
    return symbols;
}

} // namespace

std::vector<std::string> const& walk_searches() {
    static std::vector<std::string> const names{"flag",  "bitmap",    "bitmap-64",      "collaborative",
                                                "claim", "clustered", "clustered-flag", "queue"};
    return names;
}

step_summary summarize_steps(std::vector<std::uint32_t> const& steps) {
    constexpr std::size_t lanes = 32;
    step_summary found;
    double all = 0;
    double most_of_all = 0;
    double warps = 0;
    for (std::size_t first = 0; first < steps.size(); first += lanes) {
        std::uint32_t most = 0;
        for (std::size_t i = first; i < std::min(first + lanes, steps.size()); ++i) {
            all += steps[i];
            found.refused += steps[i] == 0 ? 1 : 0;
            most = std::max(most, steps[i]);
        }
        most_of_all += most;
        warps += most != 0 ? 1 : 0;
    }
    if (found.refused == steps.size()) return found;
    found.tas = all / static_cast<double>(steps.size() - found.refused);
    found.was = most_of_all / warps;
    return found;
}

walk_numbers walk_numbers_of(cell const& which) {
    auto const pages = static_cast<double>(which.count("pages"));
    double const free = std::max(1.0, std::round(pages * std::stod(which.text("free")) / 100));
    return {pages, free, static_cast<double>(which.count("threads"))};
}

std::string too_many_threads(walk_numbers const& n) {
    return n.threads <= n.free ? "" : fmt::format("{} threads, but {} free pages", n.threads, n.free);
}

std::vector<measure> measure_steps(open_walk const& open, std::string const& search, cell const& which) {
    walk_numbers const n = walk_numbers_of(which);
    auto const subject = open(search, count_of(n.pages));
    std::vector<double> tas;
    std::vector<double> was;
    for (std::uint64_t repetition = 0; repetition < which.count("repetitions"); ++repetition) {
        // Free pages anew: in the same state a thread would find the same page by the same walk again.
        subject->set_used(
            draw_used_pages(count_of(n.pages), count_of(n.free), which.count("seed") + repetition));
        step_summary const found = summarize_steps(subject->request(count_of(n.threads)));
        require_served(found, count_of(n.threads));
        tas.push_back(found.tas);
        was.push_back(found.was);
    }
    std::vector<measure> measures;
    add(measures, "tas", std::move(tas));
    add(measures, "was", std::move(was));
    if (search == "flag") {
        add(measures, "tas_formula", {walk_tas(n)});
        add(measures, "was_formula", {walk_was_bound(n)});
    } else if (search == "bitmap" || search == "bitmap-64") {
        std::uint32_t const word_pages = search == "bitmap" ? 32 : 64;
        add(measures, "tas_formula", {bitmap_tas(n, word_pages)});
        add(measures, "was_formula", {bitmap_was_bound(n, word_pages)});
        add(measures, "tas_by_words", {bitmap_tas_by_words(n, word_pages)});
        add(measures, "was_by_words", {bitmap_was_bound_by_words(n, word_pages)});
    } else if (search == "queue") {
        add(measures, "tas_formula", {queue_tas(n.threads)});
        add(measures, "was_formula", {queue_was(n.threads)});
    }
    return measures;
}

cell_result compute_fig6(cell const& which) {
    walk_numbers const n = walk_numbers_of(which);
    if (std::string const why = too_many_threads(n); !why.empty()) return {cell_status::not_served, why, {}};
    cell_result result;
    add(result.measures, "tas", {walk_tas(n)});
    add(result.measures, "was", {walk_was_bound(n)});
    add(result.measures, "queue_tas", {queue_tas(n.threads)});
    add(result.measures, "queue_was", {queue_was(n.threads)});
    return result;
}

cell_result run_fig10(open_walk const& open, cell const& which) {
    walk_numbers const n = walk_numbers_of(which);
    if (std::string const why = too_many_threads(n); !why.empty()) return {cell_status::not_served, why, {}};
    double const clusters = std::max(1.0, std::round(n.free * std::stod(which.text("clusters"))));
    if (clusters + n.free > n.pages) return {cell_status::not_served, "fewer used pages than clusters", {}};
    auto const walks = open("flag", count_of(n.pages));
    auto const clustered = open("clustered-flag", count_of(n.pages));
    std::vector<double> rw;
    std::vector<double> crw;
    std::uint64_t const threads = count_of(n.threads);
    for (std::uint64_t repetition = 0; repetition < which.count("repetitions"); ++repetition) {
        std::uint64_t const seed = which.count("seed") + repetition;
        walks->set_used(draw_used_pages(count_of(n.pages), count_of(n.free), seed));
        step_summary const walked = summarize_steps(walks->request(threads));
        require_served(walked, threads);
        rw.push_back(walked.tas);

        clustered_pages const state =
            draw_clusters(count_of(n.pages), count_of(n.free), count_of(clusters), seed);
        clustered->set_used(state.used);
        // Each thread stands before a star or a bar. A space with fewer hints than threads takes several
        // launches.
        std::vector<std::uint64_t> const next = draw_symbols(state.symbols, threads, seed);
        double steps = 0;
        for (std::uint64_t first = 0; first < threads;) {
            std::uint64_t const count = std::min(threads - first, clustered->own_hints());
            std::vector<std::uint64_t> last_pages;
            for (std::uint64_t i = first; i < first + count; ++i)
                last_pages.push_back(next[i] - 1);
            clustered->set_last_pages(last_pages);
            step_summary const found = summarize_steps(clustered->request(count));
            require_served(found, count);
            steps += found.tas * static_cast<double>(count);
            first += count;
        }
        crw.push_back(steps / n.threads);
    }
    cell_result result;
    add(result.measures, "rw", std::move(rw));
    add(result.measures, "crw", std::move(crw));
    add(result.measures, "rw_formula", {walk_tas(n)});
    add(result.measures, "crw_formula", {clustered_tas(n, clusters)});
    return result;
}

cell_result run_fig12(open_walk const& open, cell const& which) {
    walk_numbers const n = walk_numbers_of(which);
    if (std::string const why = too_many_threads(n); !why.empty()) return {cell_status::not_served, why, {}};
    std::vector<measure> const flags = measure_steps(open, "flag", which);
    std::vector<measure> const words = measure_steps(open, "bitmap", which);
    cell_result result;
    for (measure const& over : flags)
        for (measure const& under : words) {
            if (over.name != under.name) continue;
            measure ratio{over.name + "_ratio", "ratio", true, {}};
            for (std::size_t i = 0; i < over.samples.size(); ++i)
                ratio.samples.push_back(over.samples[i] / under.samples[i]);
            result.measures.push_back(std::move(ratio));
        }
    return result;
}

cell_result run_latency(latency_subject& subject, cell const& which) {
    contended_operation const operation =
        which.text("operation") == "add" ? contended_operation::add : contended_operation::exchange;
    auto const operations = static_cast<std::uint32_t>(which.count("operations"));
    measure latency{"latency", "ns", false, {}};
    measure kernel{"kernel", "ms", false, {}};
    std::uint64_t const warm_up = which.count("warm-up");
    for (std::uint64_t i = 0; i < warm_up + which.count("repetitions"); ++i) {
        double const ms = subject.run_ms(operation, which.count("threads"), operations);
        if (i < warm_up) continue;
        latency.samples.push_back(ms * 1e6 / operations);
        kernel.samples.push_back(ms);
    }
    return {cell_status::ok, "", {latency, kernel}};
}

} // namespace rhizome::bench
