// SPDX-License-Identifier: Apache-2.0
// Updates, memory, building, snapshots.
#include <rhizome/bench/graphs/workloads.hpp>
#include <rhizome/bench/harness/statistics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

namespace rhizome::bench {
namespace {

constexpr std::uint64_t pressed_vertices = 1000;
constexpr std::uint64_t largest_emulated_batch = 1'000'000; ///< whose graph is still audited

double mega(std::uint64_t bytes) { return static_cast<double>(bytes) * 1e-6; }

void add_parts(std::vector<measure>& measures, std::string const& when, graph::memory_report const& memory) {
    std::pair<char const*, std::uint64_t> const parts[] = {{"heap", memory.heap_bytes},
                                                           {"adjacency", memory.adjacency_bytes},
                                                           {"slack", memory.slack_bytes},
                                                           {"free", memory.free_bytes},
                                                           {"vertices", memory.vertex_table_bytes},
                                                           {"allocator", memory.allocator_table_bytes},
                                                           {"scratch", memory.scratch_bytes}};
    for (auto const& [part, bytes] : parts)
        measures.push_back({when + "_" + part, "MB", false, {mega(bytes)}});
}

} // namespace

void require_equal(std::uint64_t found, std::uint64_t expected, char const* what) {
    if (found != expected)
        throw std::runtime_error(fmt::format("{}: {} instead of {}", what, found, expected));
}

void add_with_percentiles(std::vector<measure>& measures, measure const& times) {
    measures.push_back(times);
    auto const add = [&](char const* suffix, double share) {
        measures.push_back({times.name + suffix, times.unit, false, {percentile(times.samples, share)}});
    };
    if (times.samples.size() >= 100) add("_p99", 0.99);
    if (times.samples.size() >= 1000) add("_p99.9", 0.999);
}

void require_sound(graph_subject& subject) {
    std::vector<std::string> const broken = subject.validate();
    if (!broken.empty()) throw std::runtime_error("the graph is broken: " + broken.front());
}

batch_shape shape_of(cell const& which, std::string const& pattern, graph_input const& input,
                     std::uint64_t repetition) {
    batch_shape shape{.count = which.count("edges"), .vertices = input.vertices};
    shape.seed = batch_shape::mixed(which.count("seed") + repetition);
    std::uint64_t const sources = pattern == "hub"        ? 1
                                  : pattern == "pressure" ? std::min(pressed_vertices, input.vertices)
                                                          : input.vertices;
    shape.source_count = static_cast<std::uint32_t>(sources);
    std::uint64_t const places = input.vertices - sources + 1;
    shape.first_source = static_cast<graph::vertex_id>((batch_shape::mixed(shape.seed) >> 32) * places >> 32);
    return shape;
}

round_times run_round(graph_subject& subject, batch_shape const& shape) {
    subject.draw_batch(shape);
    std::uint64_t const before = subject.edge_count();
    timed_batch const insert = subject.insert_batch();
    require_equal(insert.report.total(), shape.count, "edges that the report of inserting accounts for");
    require_equal(insert.report.applied + insert.report.duplicates, shape.count, "new edges inserted");
    require_equal(subject.edge_count(), before + insert.report.applied, "edges after inserting");
    timed_batch const erase = subject.erase_batch();
    require_equal(erase.report.total(), shape.count, "edges that the report of erasing accounts for");
    require_equal(erase.report.applied, insert.report.applied, "edges erased of those inserted");
    require_equal(subject.edge_count(), before, "edges after erasing what was inserted");
    return {insert.ms, erase.ms};
}

void load(graph_subject& subject, cell const& which, graph_input const& input, std::uint64_t edges_a_batch) {
    bool const directed = is_directed(which);
    std::vector<graph::edge> const edges = directed ? input.both_directions() : input.edges;
    std::uint64_t applied = 0;
    if (edges_a_batch == 0) {
        subject.set_batch(edges);
        applied = subject.build().report.applied;
    } else {
        subject.renew();
        for (std::uint64_t first = 0; first < edges.size(); first += edges_a_batch) {
            subject.set_batch(std::span(edges).subspan(first, std::min(edges_a_batch, edges.size() - first)));
            applied += subject.insert_batch().report.applied;
        }
    }
    subject.set_batch({});
    require_equal(applied, edges.size(), "edges inserted into the empty graph");
    require_equal(subject.edge_count(), edges.size(), "edges of the graph");
    require_equal(subject.arc_count(), input.arcs(), "arcs of the graph");
}

void load_weighted(graph_subject& subject, graph_input const& input, std::span<double const> weights) {
    subject.set_batch(input.edges, weights);
    require_equal(subject.build().report.applied, input.edges.size(), "edges inserted into the empty graph");
    subject.set_batch({});
    require_equal(subject.arc_count(), input.arcs(), "arcs of the graph");
}

cell_result run_updates(graph_subject& subject, cell const& which, graph_input const& input) {
    load(subject, which, input);
    (void)subject.take_snapshot();
    std::uint64_t const warm_up = which.count("warm-up");
    measure insert{"insert", "ms", false, {}};
    measure erase{"erase", "ms", false, {}};
    for (std::uint64_t repetition = 0; repetition < warm_up + which.count("repetitions"); ++repetition) {
        round_times const times =
            run_round(subject, shape_of(which, which.text("pattern"), input, repetition));
        if (repetition < warm_up) continue;
        insert.samples.push_back(times.insert_ms);
        erase.samples.push_back(times.erase_ms);
    }
    require_equal(subject.changes(), 0, "places in which the graph is not what it was");
    bool const emulated = which.text("space") == "simt";
    if (!emulated || which.count("edges") <= largest_emulated_batch) require_sound(subject);
    std::vector<measure> measures;
    add_with_percentiles(measures, insert);
    add_with_percentiles(measures, erase);
    return {cell_status::ok, "", std::move(measures)};
}

cell_result run_memory(graph_subject& subject, cell const& which, graph_input const& input) {
    load(subject, which, input, which.count("load-batch"));
    subject.keep_rows(input.rows()); // a snapshot would take scratch of the graph
    graph::memory_report const loaded = subject.memory();
    std::uint64_t const rounds = which.count("rounds");
    for (std::uint64_t round = 0; round < rounds; ++round)
        (void)run_round(subject, shape_of(which, "random", input, round));
    graph::memory_report const after = subject.memory();
    double const compaction_ms = subject.compact();
    graph::memory_report const compacted = subject.memory();
    require_equal(subject.changes(), 0, "places in which the graph is not what it was");
    require_equal(after.adjacency_bytes + after.inline_bytes, sizeof(graph::vertex_id) * input.arcs(),
                  "bytes of neighbours");
    require_sound(subject);

    auto const over_csr = [&](std::uint64_t bytes) {
        return static_cast<double>(bytes) / static_cast<double>(input.csr_bytes());
    };
    std::vector<measure> measures{
        {"loaded", "x CSR", false, {over_csr(loaded.total_bytes())}},
        {"churned", "x CSR", false, {over_csr(after.total_bytes())}},
        {"loaded_lasting", "x CSR", false, {over_csr(loaded.total_bytes() - loaded.scratch_bytes)}},
        {"churned_lasting", "x CSR", false, {over_csr(after.total_bytes() - after.scratch_bytes)}},
        {"compacted_lasting", "x CSR", false, {over_csr(compacted.total_bytes() - compacted.scratch_bytes)}},
        {"compaction", "ms", false, {compaction_ms}},
        {"csr", "MB", false, {mega(input.csr_bytes())}}};
    add_parts(measures, "loaded", loaded);
    add_parts(measures, "churned", after);
    add_parts(measures, "compacted", compacted);
    return {cell_status::ok, "", std::move(measures)};
}

cell_result run_build(graph_subject& subject, cell const& which, graph_input const& input) {
    std::vector<graph::edge> const edges = is_directed(which) ? input.both_directions() : input.edges;
    std::uint64_t const warm_up = which.count("warm-up");
    std::vector<measure> measures;
    auto const repeat = [&](char const* name, auto const& build_once) {
        measure build{name, "ms", false, {}};
        for (std::uint64_t repetition = 0; repetition < warm_up + which.count("repetitions"); ++repetition) {
            timed_batch const built = build_once();
            require_equal(built.report.applied, edges.size(), "edges built");
            require_equal(subject.edge_count(), edges.size(), "edges of the graph");
            if (repetition >= warm_up) build.samples.push_back(built.ms);
        }
        measures.push_back(std::move(build));
        (void)subject.take_snapshot();
        if (subject.snapshot_on_host() != input.rows())
            throw std::runtime_error("the graph is not that of its edges");
        require_sound(subject);
    };
    subject.set_batch(edges);
    repeat("build", [&] { return subject.build(); });
    subject.set_batch({});
    subject.keep_rows(input.rows());
    repeat("build_from_rows", [&] { return subject.build_from_rows(); });
    return {cell_status::ok, "", std::move(measures)};
}

cell_result run_snapshot(graph_subject& subject, cell const& which, graph_input const& input) {
    load(subject, which, input);
    std::uint64_t const warm_up = which.count("warm-up");
    measure snapshot{"snapshot", "ms", false, {}};
    for (std::uint64_t repetition = 0; repetition < warm_up + which.count("repetitions"); ++repetition) {
        double const ms = subject.take_snapshot();
        if (repetition >= warm_up) snapshot.samples.push_back(ms);
    }
    if (subject.snapshot_on_host() != input.rows())
        throw std::runtime_error("the snapshot is not the graph that was loaded");
    return {cell_status::ok, "", {snapshot}};
}

} // namespace rhizome::bench
