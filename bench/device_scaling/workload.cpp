// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/device_scaling/rank_times.hpp>
#include <rhizome/bench/device_scaling/workload.hpp>
#include <rhizome/bench/graphs/batch_shape.hpp>
#include <rhizome/bench/graphs/workloads.hpp>
#include <rhizome/bench/harness/statistics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <thread>
#include <utility>

namespace rhizome::bench {
namespace {

constexpr std::uint64_t edges_per_load = std::uint64_t{1} << 24; ///< of a rank: bounds the scratch

/// Ranks of the vertices of one copy of the graph, as one number: another vertex has another weight.
double fingerprint(std::span<double const> ranks, std::uint64_t copies) {
    double sum = 0;
    for (std::size_t v = 0; v < ranks.size(); ++v)
        sum += ranks[v] * static_cast<double>(v % 1009 + 1);
    return sum * static_cast<double>(copies);
}

cell_result result_with(std::vector<measure> times, std::uint64_t bytes, double found) {
    times.push_back({"bytes", "B", false, {static_cast<double>(bytes)}});
    times.push_back({"found", "", false, {found}});
    return {cell_status::ok, "", std::move(times)};
}

/// Inserts a batch and erases it again. `insert` and `erase` return times and reports.
template <class Batch>
cell_result measure_updates(scaling_options const& options, std::function<std::uint64_t()> const& edge_count,
                            std::function<std::uint64_t()> const& bytes, Batch const& batch) {
    measure insert{"insert", "ms", false, {}};
    measure erase{"erase", "ms", false, {}};
    std::uint64_t const before = edge_count();
    for (std::uint64_t i = 0; i < options.warm_up + options.repetitions; ++i) {
        auto const [inserted, erased] = batch(batch_shape::mixed(options.seed + i));
        require_equal(inserted.report.total(), options.batch_edges(), "edges in the report of inserting");
        require_equal(inserted.report.applied + inserted.report.duplicates, options.batch_edges(),
                      "new edges inserted");
        require_equal(erased.report.applied, inserted.report.applied, "edges erased of those inserted");
        require_equal(edge_count(), before, "edges after erasing what was inserted");
        if (i < options.warm_up) continue;
        insert.samples.push_back(inserted.ms);
        erase.samples.push_back(erased.ms);
    }
    double const copies = static_cast<double>(options.copies());
    return result_with({insert, erase}, bytes(), static_cast<double>(before) / copies);
}

struct inserted_and_erased {
    timed_batch inserted;
    timed_batch erased;
};

/// Calls insert() for each batch that loads a share. How many these are does not depend on the number of
/// devices: a graph that is loaded in more batches takes more memory.
template <class Insert>
void load_share(std::vector<graph::edge> const& share, scaling_options const& options,
                graph_input const& copy, Insert const& insert) {
    std::uint64_t const all = copy.edges.size() * (options.is_directed() ? 2 : 1);
    std::uint64_t const batches = std::max<std::uint64_t>(1, (all + edges_per_load - 1) / edges_per_load);
    for (std::uint64_t i = 0; i < batches; ++i) {
        std::uint64_t const begin = share.size() * i / batches;
        insert(std::span(share).subspan(begin, share.size() * (i + 1) / batches - begin));
    }
}

void load(runtime::any_rank& self, runtime::any_part& part, scaling_options const& options,
          scaled_input const& input) {
    load_share(input.share(static_cast<std::uint64_t>(self.rank()), static_cast<std::uint64_t>(self.size()),
                           options.is_directed()),
               options, input.copy,
               [&](std::span<graph::edge const> edges) { (void)part.insert_edges(edges); });
    require_equal(part.edge_count(), input.edges() * (options.is_directed() ? 2 : 1), "edges of the graph");
}

std::uint64_t lasting_bytes(graph::memory_report const& memory) {
    return memory.total_bytes() - memory.scratch_bytes;
}

measure const& measure_of(cell_result const& from, std::string const& name) {
    for (measure const& each : from.measures)
        if (each.name == name) return each;
    throw std::runtime_error("nothing was measured of " + name);
}

} // namespace

graph::edge scaled_input::edge(std::uint64_t i) const {
    auto const first = static_cast<graph::vertex_id>(i / copy.edges.size() * copy.vertices);
    graph::edge const own = copy.edges[i % copy.edges.size()];
    return {own.source + first, own.target + first};
}

std::vector<graph::edge> scaled_input::share(std::uint64_t first, std::uint64_t step, bool directed) const {
    std::vector<graph::edge> chosen;
    chosen.reserve((edges() / step + 1) * (directed ? 2 : 1));
    for (std::uint64_t i = first; i < edges(); i += step) {
        chosen.push_back(edge(i));
        if (directed) chosen.push_back({chosen.back().target, chosen.back().source});
    }
    return chosen;
}

std::vector<graph::edge> scaled_input::batch(std::uint64_t count, std::uint64_t seed, std::uint64_t first,
                                             std::uint64_t step) const {
    batch_shape const shape{.count = count,
                            .source_count = static_cast<std::uint32_t>(vertices()),
                            .vertices = vertices(),
                            .seed = seed};
    auto const is_free = [&](graph::edge pair) {
        if (pair.source == pair.target) return false;
        if (pair.source / copy.vertices != pair.target / copy.vertices) return true;
        auto const source = static_cast<graph::vertex_id>(pair.source % copy.vertices);
        auto const target = static_cast<graph::vertex_id>(pair.target % copy.vertices);
        graph::edge const own{std::min(source, target), std::max(source, target)};
        return !std::binary_search(copy.edges.begin(), copy.edges.end(), own);
    };
    std::vector<graph::edge> chosen(count <= first ? 0 : (count - first + step - 1) / step);
    std::atomic<bool> found_all = true;
    auto const draw = [&](std::uint64_t begin, std::uint64_t by) {
        for (std::uint64_t i = begin; i < chosen.size(); i += by) {
            std::uint64_t const place = first + i * step;
            std::uint64_t attempt = 0;
            while (attempt < batch_shape::tries && !is_free(shape.draw(place, attempt)))
                ++attempt;
            if (attempt == batch_shape::tries) found_all = false;
            chosen[i] = shape.draw(place, attempt);
        }
    };
    std::uint64_t const cores = std::max(1u, std::thread::hardware_concurrency());
    std::uint64_t const threads = chosen.size() < 100'000 ? 1 : (cores + step - 1) / step; // of this rank
    std::vector<std::thread> others;
    for (std::uint64_t thread = 1; thread < threads; ++thread)
        others.emplace_back(draw, thread, threads);
    draw(0, threads);
    for (auto& each : others)
        each.join();
    if (!found_all) throw std::runtime_error("the graph has nearly all edges");
    return chosen;
}

scaling_options::scaling_options(cell const& which)
    : workload(which.text("workload")), devices(which.count("devices")),
      is_weak(which.text("mode") == "weak"), edges(which.count("edges")),
      iterations(static_cast<unsigned>(which.count("iterations"))), seed(which.count("seed")),
      warm_up(which.count("warm-up")), repetitions(which.count("repetitions")) {}

cell_result measure_alone(graph_subject& subject, scaling_options const& options, graph_input const& input) {
    scaled_input const one{input, 1};
    subject.renew();
    load_share(one.share(0, 1, options.is_directed()), options, input,
               [&](std::span<graph::edge const> edges) {
                   subject.set_batch(edges);
                   (void)subject.insert_batch();
               });
    subject.set_batch({});
    auto const bytes = [&] { return lasting_bytes(subject.memory()); };
    if (options.workload == "updates")
        return measure_updates(
            options, [&] { return subject.edge_count(); }, bytes,
            [&](std::uint64_t seed) {
                subject.set_batch(one.batch(options.edges, seed, 0, 1));
                timed_batch const inserted = subject.insert_batch();
                return inserted_and_erased{inserted, subject.erase_batch()};
            });
    bool const ranks = options.workload == "pagerank";
    measure time{ranks ? "iteration" : "count", "ms", false, {}};
    double found = 0;
    for (std::uint64_t i = 0; i < options.warm_up + options.repetitions; ++i) {
        double ms = 0;
        if (ranks) {
            ms = subject.rank(seen_as::live, options.iterations).ms / options.iterations;
        } else {
            timed_triangles const counted = subject.count_triangles(seen_as::live);
            ms = counted.ms;
            found = static_cast<double>(counted.triangles);
        }
        if (i >= options.warm_up) time.samples.push_back(ms);
    }
    if (ranks) {
        std::vector<float> const first = subject.rank(seen_as::live, checked_iterations).ranks;
        found = fingerprint(std::vector<double>(first.begin(), first.end()), 1);
    }
    return result_with({time}, bytes(), found);
}

cell_result measure_rank(runtime::any_rank& self, scaling_options const& options, graph_input const& input) {
    scaled_input const all{input, options.copies()};
    // As the graph on one device: it does not compact itself while it is measured.
    auto const part =
        self.open({.vertices = all.vertices(), .directed = options.is_directed(), .compacts = false});
    load(self, *part, options, all);
    auto const bytes = [&] { return lasting_bytes(part->memory_of_all()); };
    if (options.workload == "updates")
        return measure_updates(
            options, [&] { return part->edge_count(); }, bytes,
            [&](std::uint64_t seed) {
                auto const share =
                    all.batch(options.batch_edges(), seed, static_cast<std::uint64_t>(self.rank()),
                              static_cast<std::uint64_t>(self.size()));
                auto const placed = part->copy_in(share);
                inserted_and_erased both;
                both.inserted.ms = ms_of_all_ranks(self, *part, [&] {
                    both.inserted.report = part->insert_edges_in_space(placed->data(), share.size());
                });
                both.erased.ms = ms_of_all_ranks(self, *part, [&] {
                    both.erased.report = part->erase_edges_in_space(placed->data(), share.size());
                });
                return both;
            });
    bool const ranks = options.workload == "pagerank";
    measure time{ranks ? "iteration" : "count", "ms", false, {}};
    double found = 0;
    algorithms::pagerank_options rules{.tolerance = 0, .max_iterations = options.iterations};
    for (std::uint64_t i = 0; i < options.warm_up + options.repetitions; ++i) {
        double const ms = ms_of_all_ranks(self, *part, [&] {
            if (ranks)
                (void)part->pagerank(rules, runtime::rank_type::float32, false);
            else
                found = static_cast<double>(part->count_triangles());
        });
        if (i >= options.warm_up) time.samples.push_back(ranks ? ms / options.iterations : ms);
    }
    if (ranks) {
        rules.max_iterations = checked_iterations;
        auto const values = part->pagerank(rules, runtime::rank_type::float32, true).values;
        found = fingerprint(std::span(values).first(std::min<std::size_t>(values.size(), input.vertices)),
                            options.copies());
    } else {
        found /= static_cast<double>(options.copies());
    }
    return result_with({time}, bytes(), found);
}

cell_result compared(scaling_options const& options, cell_result const& alone, cell_result const& together) {
    double const expected = measure_of(alone, "found").samples.at(0);
    double const found = measure_of(together, "found").samples.at(0);
    double const tolerance = options.workload == "pagerank" ? 1e-4 : 0;
    if (!(std::abs(found - expected) <= tolerance * std::abs(expected)))
        throw std::runtime_error(
            fmt::format("{} devices found {} per graph instead of {}", options.devices, found, expected));
    cell_result result;
    for (measure const& each : together.measures) {
        if (!each.is_time()) continue;
        measure const& one = measure_of(alone, each.name);
        double const time = summarize(each.samples).median;
        double const times = options.is_weak ? 1.0 : static_cast<double>(options.devices);
        double const efficiency = time == 0 ? 0 : summarize(one.samples).median / (times * time);
        result.measures.push_back(each);
        result.measures.push_back({each.name + "_one_device", "ms", false, one.samples});
        result.measures.push_back({each.name + "_efficiency", "share", true, {efficiency}});
    }
    double const bytes = measure_of(together, "bytes").samples.at(0) / static_cast<double>(options.copies());
    result.measures.push_back(
        {"memory", "x one device", false, {bytes / measure_of(alone, "bytes").samples.at(0)}});
    return result;
}

} // namespace rhizome::bench
