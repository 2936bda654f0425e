// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/allocators/lines.hpp>
#include <rhizome/bench/harness/statistics.hpp>
#include <rhizome/bench/papers/coalesced_allocation/workloads.hpp>

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <string>

namespace rhizome::bench {
namespace {

void require_empty_heap(coalescing_subject& subject) {
    std::vector<std::string> const wrong = subject.audit_empty();
    if (!wrong.empty()) throw std::runtime_error("the heap is damaged: " + wrong.front());
}

cell_result refused_cell(coalescing_subject& subject, std::uint64_t refused, std::uint64_t requests) {
    require_empty_heap(subject);
    return {cell_status::not_served,
            fmt::format("out of memory: {} of {} requests were refused", refused, requests),
            {}};
}

/// What a launch took, in ticks; means over its threads.
struct mean_ticks {
    double allocate = 0;
    double work = 0;
    double free = 0;
};
mean_ticks mean_over_threads(std::vector<phase_ticks> const& times) {
    mean_ticks sum;
    for (phase_ticks const& each : times) {
        sum.allocate += static_cast<double>(each.allocate);
        sum.work += static_cast<double>(each.work);
        sum.free += static_cast<double>(each.free);
    }
    auto const threads = static_cast<double>(times.size());
    return {sum.allocate / threads, sum.work / threads, sum.free / threads};
}

void require_results(std::vector<double> const& found, access_pattern pattern, std::uint32_t floats) {
    // Float sums of the pairs' products are rounded; all other results are exact.
    double const tolerance = pattern == access_pattern::quadratic ? 1e-3 : 0;
    for (std::uint64_t thread = 0; thread < found.size(); ++thread) {
        double const expected = expected_result(pattern, thread, floats);
        if (std::abs(found[thread] - expected) > tolerance * expected)
            throw std::runtime_error(
                fmt::format("thread {} computed {} instead of {}", thread, found[thread], expected));
    }
}

measure milliseconds(char const* name) { return {name, "ms", false, {}}; }

/// Launches that only allocate, only work or only free, and where the blocks lie. Returns how many were
/// refused.
std::uint64_t measure_blocks(coalescing_subject& subject, access_pattern pattern, std::uint32_t floats,
                             std::uint64_t warm_up, std::uint64_t repetitions, cell_result& result) {
    measure allocate = milliseconds("alloc_launch");
    measure work = milliseconds("work_launch");
    measure free = milliseconds("free_launch");
    std::vector<void*> blocks;
    for (std::uint64_t round = 0; round < warm_up + repetitions; ++round) {
        double const allocate_ms = subject.allocate_ms(std::uint64_t{floats} * sizeof(float));
        blocks = subject.blocks();
        std::uint64_t refused = 0;
        for (void* const block : blocks)
            refused += block == nullptr ? 1 : 0;
        work_outcome const worked = refused == 0 ? subject.work(pattern, floats) : work_outcome{};
        double const free_ms = subject.free_ms();
        if (refused != 0) return refused;
        require_results(worked.results, pattern, floats);
        if (round < warm_up) continue;
        allocate.samples.push_back(allocate_ms);
        work.samples.push_back(worked.launch_ms);
        free.samples.push_back(free_ms);
    }
    touched_lines const touched = count_touched_lines(blocks, pattern, floats);
    result.measures.insert(result.measures.end(), {allocate,
                                                   work,
                                                   free,
                                                   {"lines", "lines", false, {touched.lines}},
                                                   {"sectors", "sectors", false, {touched.sectors}},
                                                   {"footprint", "lines", false, {touched.footprint}},
                                                   {"span", "bytes", false, {touched.span_bytes}}});
    return 0;
}

} // namespace

double expected_result(access_pattern pattern, std::uint64_t thread, std::uint32_t floats) {
    double sum = 0;
    for (std::uint32_t i = 0; i < floats; ++i) {
        double value = first_value(thread) + i;
        if (pattern == access_pattern::update)
            for (std::uint32_t pass = 0; pass < update_passes; ++pass)
                value = value / 2 + 1;
        sum += value;
    }
    return pattern == access_pattern::quadratic ? sum * sum : sum;
}

cell_result run_coalescing(coalescing_subject& subject, cell const& which) {
    access_pattern const pattern = pattern_of(which.text("pattern"));
    auto const floats = static_cast<std::uint32_t>(which.count("floats"));
    std::uint64_t const warm_up = which.count("warm-up");
    std::uint64_t const repetitions = which.count("repetitions");
    measure total = milliseconds("total");
    std::vector<mean_ticks> runs;
    double ticks = 0;
    double nanoseconds = 0;
    for (std::uint64_t round = 0; round < warm_up + repetitions; ++round) {
        phases_outcome const outcome = subject.run(pattern, floats);
        if (outcome.refused != 0) return refused_cell(subject, outcome.refused, subject.threads());
        require_results(outcome.results, pattern, floats);
        if (round < warm_up) continue;
        total.samples.push_back(outcome.launch_ms);
        runs.push_back(mean_over_threads(outcome.times));
        clock_readings const& clocks = outcome.clocks;
        ticks += static_cast<double>(clocks.last_ticks - clocks.first_ticks);
        nanoseconds += static_cast<double>(clocks.last_nanoseconds - clocks.first_nanoseconds);
    }
    double const ms_per_tick = ticks == 0 ? 0 : nanoseconds / ticks * 1e-6;
    measure allocate = milliseconds("alloc");
    measure work = milliseconds("work");
    measure free = milliseconds("free");
    measure performance{"performance", "Gflop/s", true, {}};
    double const flops = pattern_flops(pattern, floats) * static_cast<double>(subject.threads());
    for (mean_ticks const& run : runs) {
        allocate.samples.push_back(run.allocate * ms_per_tick);
        work.samples.push_back(run.work * ms_per_tick);
        free.samples.push_back(run.free * ms_per_tick);
        double const work_ms = work.samples.back();
        if (work_ms > 0) performance.samples.push_back(flops / (work_ms * 1e6));
    }
    cell_result result{cell_status::ok, "", {allocate, work, free, total}};
    if (!performance.samples.empty()) result.measures.push_back(performance);
    if (auto const refused = measure_blocks(subject, pattern, floats, warm_up, repetitions, result))
        return refused_cell(subject, refused, subject.threads());
    require_empty_heap(subject);
    return result;
}

std::vector<double> expected_received(collective which, std::uint64_t ranks, std::uint64_t doubles) {
    std::vector<double> expected;
    if (which == collective::reduce || which == collective::allreduce) {
        std::vector<double> sums(doubles, 0.0);
        for (std::uint64_t rank = 0; rank < ranks; ++rank)
            for (std::uint64_t i = 0; i < doubles; ++i)
                sums[i] += sent_value(rank, i);
        for (std::uint64_t rank = 0; rank < (which == collective::reduce ? 1 : ranks); ++rank)
            expected.insert(expected.end(), sums.begin(), sums.end());
        return expected;
    }
    if (which == collective::gather) {
        for (std::uint64_t from = 0; from < ranks; ++from)
            for (std::uint64_t i = 0; i < doubles; ++i)
                expected.push_back(sent_value(from, i));
        return expected;
    }
    for (std::uint64_t rank = 0; rank < ranks; ++rank) {
        std::uint64_t const senders = which == collective::all_to_all ? ranks : 1;
        std::uint64_t const place = which == collective::broadcast ? 0 : rank * doubles;
        for (std::uint64_t from = 0; from < senders; ++from)
            for (std::uint64_t i = 0; i < doubles; ++i)
                expected.push_back(sent_value(from, place + i));
    }
    return expected;
}

cell_result run_collectives(coalescing_subject& subject, cell const& which) {
    collective const operation = collective_of(which.text("collective"));
    std::uint64_t const doubles = which.count("doubles");
    std::vector<double> const expected = expected_received(operation, subject.threads(), doubles);
    measure total = milliseconds("total");
    measure operate = milliseconds("operation");
    measure allocate = milliseconds("alloc");
    measure free = milliseconds("free");
    std::uint64_t const warm_up = which.count("warm-up");
    for (std::uint64_t round = 0; round < warm_up + which.count("repetitions"); ++round) {
        collective_outcome const outcome = subject.run(operation, doubles);
        if (outcome.refused != 0) {
            require_empty_heap(subject);
            return {cell_status::not_served,
                    fmt::format("out of memory: {} requests were refused", outcome.refused),
                    {}};
        }
        for (std::uint64_t i = 0; i < expected.size(); ++i)
            if (outcome.received.at(i) != expected[i])
                throw std::runtime_error(fmt::format("received {} instead of {} at place {} of {}",
                                                     outcome.received[i], expected[i], i, expected.size()));
        if (round < warm_up) continue;
        allocate.samples.push_back(outcome.allocate_ms);
        operate.samples.push_back(outcome.operate_ms);
        free.samples.push_back(outcome.free_ms);
        total.samples.push_back(outcome.allocate_ms + outcome.operate_ms + outcome.free_ms);
    }
    require_empty_heap(subject);
    return {cell_status::ok, "", {operate, allocate, free, total}};
}

std::vector<double> expected_sums(mpi_program const& program, std::uint64_t ranks, std::uint64_t doubles) {
    std::vector<double> sums(ranks, 0.0);
    for (std::uint32_t part = 0; part < program.part_count; ++part) {
        collective const which = program.parts[part];
        std::vector<double> const received = expected_received(which, ranks, doubles);
        std::uint64_t const each = received_doubles(which, ranks, doubles);
        for (std::uint64_t i = 0; i < received.size(); ++i)
            sums[i / each] += received[i];
    }
    return sums;
}

cell_result run_programs(coalescing_subject& subject, cell const& which) {
    mpi_program const program = program_of(which.text("program"));
    auto const rounds = static_cast<std::uint32_t>(which.count("rounds"));
    std::uint64_t const doubles = which.count("doubles");
    std::vector<double> const expected = expected_sums(program, subject.threads(), doubles);
    measure rank = milliseconds("rank");
    measure allocate = milliseconds("alloc");
    measure free = milliseconds("free");
    measure whole = milliseconds("launch");
    std::uint64_t const warm_up = which.count("warm-up");
    for (std::uint64_t repetition = 0; repetition < warm_up + which.count("repetitions"); ++repetition) {
        program_outcome const outcome = subject.run(program, rounds, doubles);
        if (outcome.refused != 0) {
            require_empty_heap(subject);
            return {cell_status::not_served,
                    fmt::format("out of memory: {} requests were refused", outcome.refused),
                    {}};
        }
        for (std::uint64_t i = 0; i < expected.size(); ++i)
            if (outcome.sums.at(i) != expected[i] * rounds) // whole numbers below 2^53
                throw std::runtime_error(fmt::format("rank {} received {} in all instead of {}", i,
                                                     outcome.sums[i], expected[i] * rounds));
        if (repetition < warm_up) continue;
        clock_readings const& clocks = outcome.clocks;
        auto const ticks = static_cast<double>(clocks.last_ticks - clocks.first_ticks);
        double const ms_per_tick =
            ticks == 0
                ? 0
                : static_cast<double>(clocks.last_nanoseconds - clocks.first_nanoseconds) / ticks * 1e-6;
        std::vector<double> spent, allocating, freeing;
        for (rank_ticks const& each : outcome.times) {
            spent.push_back(static_cast<double>(each.last - each.first) * ms_per_tick);
            allocating.push_back(static_cast<double>(each.allocate) * ms_per_tick);
            freeing.push_back(static_cast<double>(each.free) * ms_per_tick);
        }
        rank.samples.push_back(summarize(spent).median);
        allocate.samples.push_back(summarize(allocating).median);
        free.samples.push_back(summarize(freeing).median);
        whole.samples.push_back(outcome.launch_ms);
    }
    require_empty_heap(subject);
    return {cell_status::ok, "", {rank, allocate, free, whole}};
}

} // namespace rhizome::bench
