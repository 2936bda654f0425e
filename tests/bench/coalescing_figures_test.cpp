// SPDX-License-Identifier: Apache-2.0
// The parts of the coalescing benchmarks that need no kernel: lines, expected results, comparisons; and what
// a cell says of an allocator that answers wrongly, refuses or loses blocks.
#include <rhizome/bench/allocators/lines.hpp>
#include <rhizome/bench/papers/coalesced_allocation/comparison.hpp>
#include <rhizome/bench/papers/coalesced_allocation/workloads.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

using namespace rhizome::bench;

namespace {

std::vector<void*> blocks_at(std::uint64_t first, std::uint64_t stride, std::uint64_t count) {
    std::vector<void*> blocks;
    for (std::uint64_t i = 0; i < count; ++i)
        blocks.push_back(reinterpret_cast<void*>(first + i * stride));
    return blocks;
}

/// Computes on the host what kernels compute, from the definitions of the patterns and of MPI, or wrongly.
class counting_subject final : public coalescing_subject {
public:
    bool wrong = false;
    std::uint64_t refuses = 0;
    bool loses = false;
    bool works_wrongly = false; // in the launch that does nothing else

    [[nodiscard]] std::uint64_t threads() const override { return 96; }
    [[nodiscard]] phases_outcome run(access_pattern pattern, std::uint32_t floats) override {
        phases_outcome outcome;
        outcome.launch_ms = 2;
        outcome.refused = refuses;
        outcome.clocks = {1000, 50, 3000, 1050}; // half a nanosecond per tick
        for (std::uint64_t thread = 0; thread < threads(); ++thread)
            outcome.times.push_back({thread % 2 == 0 ? 1000u : 3000u, 4000, 500});
        outcome.results = results(pattern, floats);
        if (wrong) outcome.results[50] += 1;
        return outcome;
    }
    [[nodiscard]] work_outcome work(access_pattern pattern, std::uint32_t floats) override {
        work_outcome outcome{5, results(pattern, floats)};
        if (works_wrongly) outcome.results[50] += 1;
        return outcome;
    }
    [[nodiscard]] program_outcome run(mpi_program const& program, std::uint32_t rounds,
                                      std::uint64_t doubles) override {
        program_outcome outcome;
        outcome.launch_ms = 6;
        outcome.clocks = {1000, 50, 3000, 1050};
        outcome.refused = refuses;
        outcome.sums = expected_sums(program, threads(), doubles);
        for (double& sum : outcome.sums)
            sum *= rounds;
        if (wrong) outcome.sums[7] += 1;
        for (std::uint64_t rank = 0; rank < threads(); ++rank)
            outcome.times.push_back({1000, 5000 + rank % 2 * 4000, 200, 400});
        return outcome;
    }
    [[nodiscard]] double allocate_ms(std::uint64_t) override { return 3; }
    [[nodiscard]] std::vector<void*> blocks() override { return blocks_at(4096, 256, threads()); }
    [[nodiscard]] double free_ms() override { return 4; }
    [[nodiscard]] collective_outcome run(collective, std::uint64_t doubles) override {
        collective_outcome outcome{1, 2, 3, refuses, std::vector<double>(threads() * doubles, 0)};
        for (std::uint64_t rank = 0; rank < threads(); ++rank)
            for (std::uint64_t i = 0; i < doubles; ++i)
                outcome.received[rank * doubles + i] = sent_value(wrong ? rank : 0, i); // a broadcast
        return outcome;
    }
    [[nodiscard]] std::vector<std::string> audit_empty() override {
        return loses ? std::vector<std::string>{"16 bytes are live"} : std::vector<std::string>{};
    }

private:
    [[nodiscard]] std::vector<double> results(access_pattern pattern, std::uint32_t floats) const {
        std::vector<double> sums;
        for (std::uint64_t thread = 0; thread < threads(); ++thread) {
            double const sum = static_cast<double>(thread % 7) * floats + floats * (floats - 1.0) / 2;
            sums.push_back(pattern == access_pattern::quadratic ? sum * sum : sum);
        }
        return sums;
    }
};

cell phases_cell(std::string pattern) {
    return {"coalescing-fig1",
            {{"allocator", "a"},
             {"floats", "40"},
             {"pattern", std::move(pattern)},
             {"warm-up", "1"},
             {"repetitions", "3"}}};
}
cell broadcast_cell() {
    return {"coalescing-fig5",
            {{"allocator", "a"},
             {"collective", "broadcast"},
             {"doubles", "5"},
             {"warm-up", "1"},
             {"repetitions", "2"}}};
}
measure const& measure_named(cell_result const& result, std::string const& name) {
    auto const found = std::find_if(result.measures.begin(), result.measures.end(),
                                    [&](measure const& each) { return each.name == name; });
    if (found == result.measures.end()) throw std::runtime_error("no measure " + name);
    return *found;
}

measured_cell measured(std::string allocator, std::string floats, std::string pattern,
                       std::vector<measure> measures) {
    return {{"coalescing-fig3",
             {{"allocator", std::move(allocator)},
              {"floats", std::move(floats)},
              {"pattern", std::move(pattern)},
              {"blocks", "12"},
              {"block-threads", "1024"}}},
            {cell_status::ok, "", std::move(measures)},
            0};
}
measure time_named(char const* name, double ms) { return {name, "ms", false, {ms}}; }
comparison const* line_with(std::vector<comparison> const& lines, std::string const& text) {
    auto const found = std::find_if(lines.begin(), lines.end(), [&](comparison const& each) {
        return each.what.find(text) != std::string::npos;
    });
    return found == lines.end() ? nullptr : &*found;
}

} // namespace

TEST(coalescing_lines, are_counted_for_each_access_and_for_all) {
    // A float of each lane side by side: one line, four sectors.
    touched_lines const dense = count_touched_lines(blocks_at(1280, 4, 32), access_pattern::linear, 1);
    EXPECT_EQ(dense.lines, 1);
    EXPECT_EQ(dense.sectors, 4);
    EXPECT_EQ(dense.footprint, 1);
    EXPECT_EQ(dense.span_bytes, 128);
    // 25 floats of each lane side by side: 32 * 100 bytes lie in 25 lines, and a lane in the line of its
    // neighbour from time to time.
    touched_lines const packed = count_touched_lines(blocks_at(1280, 100, 64), access_pattern::linear, 25);
    EXPECT_EQ(packed.footprint, 25);
    EXPECT_LT(packed.lines, 26);
    EXPECT_GE(packed.lines, 25 * 32.0 / 33);
    EXPECT_EQ(packed.sectors, 32);
    // Each lane in lines of its own.
    touched_lines const apart = count_touched_lines(blocks_at(1280, 4096, 32), access_pattern::linear, 40);
    EXPECT_EQ(apart.lines, 32);
    EXPECT_EQ(apart.footprint, 32 * 2);
    EXPECT_EQ(apart.span_bytes, 31 * 4096 + 160);
    EXPECT_EQ(count_touched_lines({}, access_pattern::linear, 40).lines, 0);

    // Ranges: the first two share a line and not a sector, the last one crosses into another line.
    std::vector<byte_range> const ranges{{1024, 1056}, {1060, 1061}, {1270, 1290}, {1270, 1290}};
    touched_memory const touched = count_touched(ranges);
    EXPECT_EQ(touched.lines, 3u);
    EXPECT_EQ(touched.sectors, 4u);
    EXPECT_EQ(count_touched({}).lines, 0u);
}
TEST(coalescing_lines, a_pattern_touches_every_place_once) {
    for (std::uint32_t const floats : {1u, 5u, 8u, 25u, 200u, 401u})
        for (access_pattern const pattern :
             {access_pattern::linear, access_pattern::stride, access_pattern::scattered}) {
            std::set<std::uint32_t> places;
            for (std::uint32_t k = 0; k < floats; ++k)
                places.insert(place_of_access(pattern, 77, k, floats));
            EXPECT_EQ(places.size(), floats);
            EXPECT_EQ(*places.rbegin(), floats - 1);
        }
    std::vector<std::uint32_t> strides; // the order of the kernel's loop
    for (std::uint32_t first = 0; first < 8; ++first)
        for (std::uint32_t i = first; i < 27; i += 8)
            strides.push_back(i);
    for (std::uint32_t k = 0; k < 27; ++k)
        EXPECT_EQ(place_of_access(access_pattern::stride, 0, k, 27), strides[k]) << k;
}

TEST(coalescing_results, are_those_of_the_formulas) {
    for (std::uint32_t const floats : {1u, 25u, 400u})
        for (std::uint64_t const thread : {0u, 6u, 8u}) {
            double const n = floats;
            double const sum = static_cast<double>(thread % 7) * n + n * (n - 1) / 2;
            EXPECT_EQ(expected_result(access_pattern::linear, thread, floats), sum);
            EXPECT_EQ(expected_result(access_pattern::stride, thread, floats), sum);
            EXPECT_EQ(expected_result(access_pattern::scattered, thread, floats), sum);
            EXPECT_EQ(expected_result(access_pattern::quadratic, thread, floats), sum * sum);
            EXPECT_EQ(expected_result(access_pattern::update, thread, floats), sum / 16 + 1.875 * n);
        }
}
TEST(coalescing_results, collectives_exchange_what_mpi_says) {
    auto const sent = [](std::uint64_t rank, std::uint64_t i) { return sent_value(rank, i); };
    EXPECT_EQ(
        expected_received(collective::reduce, 3, 2),
        (std::vector<double>{sent(0, 0) + sent(1, 0) + sent(2, 0), sent(0, 1) + sent(1, 1) + sent(2, 1)}));
    EXPECT_EQ(expected_received(collective::allreduce, 3, 2).size(), 6u);
    EXPECT_EQ(expected_received(collective::broadcast, 2, 2),
              (std::vector<double>{sent(0, 0), sent(0, 1), sent(0, 0), sent(0, 1)}));
    EXPECT_EQ(expected_received(collective::gather, 2, 2),
              (std::vector<double>{sent(0, 0), sent(0, 1), sent(1, 0), sent(1, 1)}));
    EXPECT_EQ(expected_received(collective::scatter, 2, 2),
              (std::vector<double>{sent(0, 0), sent(0, 1), sent(0, 2), sent(0, 3)}));
    EXPECT_EQ(expected_received(collective::all_to_all, 2, 2),
              (std::vector<double>{sent(0, 0), sent(0, 1), sent(1, 0), sent(1, 1), // rank 0
                                   sent(0, 2), sent(0, 3), sent(1, 2), sent(1, 3)}));
}
TEST(coalescing_results, a_tree_has_as_many_rounds_as_doublings) {
    EXPECT_EQ(tree_rounds(1), 0u);
    EXPECT_EQ(tree_rounds(2), 1u);
    EXPECT_EQ(tree_rounds(64), 6u);
    EXPECT_EQ(tree_rounds(65), 7u);
    EXPECT_EQ(collective_steps(collective::allreduce, 64), 14u);
}

TEST(coalescing_cells, turn_ticks_into_milliseconds_and_gflops) {
    counting_subject subject;
    cell_result const result = run_coalescing(subject, phases_cell("linear"));
    ASSERT_EQ(result.status, cell_status::ok);
    EXPECT_EQ(measure_named(result, "alloc").samples.size(), 3u); // no warm-up among them
    EXPECT_DOUBLE_EQ(measure_named(result, "alloc").samples[0], 2000 * 0.5e-6);
    EXPECT_DOUBLE_EQ(measure_named(result, "work").samples[0], 4000 * 0.5e-6);
    EXPECT_DOUBLE_EQ(measure_named(result, "free").samples[0], 500 * 0.5e-6);
    EXPECT_DOUBLE_EQ(measure_named(result, "performance").samples[0], 96 * 40 / 2000.0); // flops by ns
    EXPECT_EQ(measure_named(result, "total").samples[0], 2);
    EXPECT_EQ(measure_named(result, "alloc_launch").samples[0], 3);
    EXPECT_EQ(measure_named(result, "work_launch").samples[0], 5);
    EXPECT_EQ(measure_named(result, "free_launch").samples[0], 4);
    EXPECT_EQ(measure_named(result, "footprint").samples[0], 64); // 160 bytes at multiples of 256
}
TEST(coalescing_cells, notice_a_wrong_result_a_refusal_and_a_lost_block) {
    for (char const* pattern : {"linear", "quadratic"}) {
        counting_subject wrong;
        wrong.wrong = true;
        if (pattern == std::string("linear"))
            EXPECT_THROW((void)run_coalescing(wrong, phases_cell(pattern)), std::runtime_error);
        else // is rounded
            EXPECT_EQ(run_coalescing(wrong, phases_cell(pattern)).status, cell_status::ok);
    }
    counting_subject apart;
    apart.works_wrongly = true;
    EXPECT_THROW((void)run_coalescing(apart, phases_cell("linear")), std::runtime_error);
    counting_subject other;
    EXPECT_THROW((void)run_coalescing(other, phases_cell("update")), std::runtime_error); // it sums
    counting_subject refusing;
    refusing.refuses = 5;
    cell_result const refused = run_coalescing(refusing, phases_cell("linear"));
    EXPECT_EQ(refused.status, cell_status::not_served);
    EXPECT_EQ(refused.message, "out of memory: 5 of 96 requests were refused");
    EXPECT_EQ(run_collectives(refusing, broadcast_cell()).status, cell_status::not_served);
    refusing.loses = true;
    EXPECT_THROW((void)run_coalescing(refusing, phases_cell("linear")), std::runtime_error);
    counting_subject losing;
    losing.loses = true;
    EXPECT_THROW((void)run_coalescing(losing, phases_cell("linear")), std::runtime_error);
    EXPECT_THROW((void)run_collectives(losing, broadcast_cell()), std::runtime_error);
}
TEST(coalescing_cells, check_what_ranks_receive) {
    counting_subject subject;
    cell_result const result = run_collectives(subject, broadcast_cell());
    ASSERT_EQ(result.status, cell_status::ok);
    EXPECT_EQ(measure_named(result, "operation").samples, (std::vector<double>{2, 2}));
    EXPECT_EQ(measure_named(result, "total").samples[0], 6);
    subject.wrong = true;
    EXPECT_THROW((void)run_collectives(subject, broadcast_cell()), std::runtime_error);
}

TEST(coalescing_cells, time_each_rank_of_a_program) {
    EXPECT_EQ(expected_sums(program_of("solver"), 2, 1), // 1 to both, and the sum of 1 and 32 twice
              (std::vector<double>{1 + 33 + 33, 1 + 33 + 33}));
    EXPECT_EQ(expected_sums(program_of("transpose"), 2, 1), // rank 0 also has the sum of a reduce
              (std::vector<double>{2 * (1 + 32) + 33, 2 * (8 + 39)}));
    cell const which{
        "coalescing-programs",
        {{"program", "sort"}, {"doubles", "2"}, {"rounds", "3"}, {"warm-up", "1"}, {"repetitions", "2"}}};
    counting_subject subject;
    cell_result const result = run_programs(subject, which);
    ASSERT_EQ(result.status, cell_status::ok);
    EXPECT_EQ(measure_named(result, "rank").samples.size(), 2u);
    EXPECT_DOUBLE_EQ(measure_named(result, "rank").samples[0],
                     6000 * 0.5e-6); // between those of 4000 and 8000 ticks
    EXPECT_DOUBLE_EQ(measure_named(result, "alloc").samples[0], 200 * 0.5e-6);
    EXPECT_DOUBLE_EQ(measure_named(result, "free").samples[0], 400 * 0.5e-6);
    EXPECT_EQ(measure_named(result, "launch").samples[0], 6);
    counting_subject wrong;
    wrong.wrong = true;
    EXPECT_THROW((void)run_programs(wrong, which), std::runtime_error);
    counting_subject refusing;
    refusing.refuses = 1;
    EXPECT_EQ(run_programs(refusing, which).status, cell_status::not_served);
    EXPECT_THROW((void)program_of("moon"), std::invalid_argument);
}
TEST(coalescing_comparison, puts_the_papers_speedups_beside_ours) {
    auto const work = [](double ms) { return std::vector<measure>{time_named("work", ms)}; };
    std::vector<measured_cell> const cells{
        measured("device-malloc", "200", "linear", work(8)),
        measured("coalescing-warp-header-device-malloc", "200", "linear", work(2)),
        measured("coalescing-block-table", "200", "linear", work(1)),
        measured("ouroboros-page-virtual-array", "200", "linear", work(0.5)),
        measured("device-malloc", "400", "quadratic", work(6)),
        measured("coalescing-warp-table-device-malloc", "400", "quadratic", work(3)),
        measured("device-malloc", "200", "stride", work(8)), // the paper shows none
        measured("coalescing-block-table", "200", "stride", work(8)),
        measured("device-malloc", "225", "linear", work(8))};
    auto const lines = compare_coalescing_work(cells);
    auto const* const header = line_with(lines, "linear, 200 floats, 12 x 1024 threads: warp-header");
    ASSERT_NE(header, nullptr);
    EXPECT_EQ(header->paper.mean, 3.81);
    EXPECT_EQ(header->ours.mean, 4);
    auto const* const table =
        line_with(lines, "linear, 200 floats, 12 x 1024 threads: block-table over Ouroboros");
    ASSERT_NE(table, nullptr);
    EXPECT_EQ(table->paper.mean, 0.42);
    EXPECT_EQ(table->ours.mean, 8);
    auto const* const best =
        line_with(lines, "linear, 200 floats, 12 x 1024 threads: best, coalescing-block-table");
    ASSERT_NE(best, nullptr);
    EXPECT_EQ(best->paper.mean, 3.81);
    EXPECT_EQ(best->ours.mean, 8);
    auto const* const quadratic = line_with(lines, "quadratic, 400 floats");
    ASSERT_NE(quadratic, nullptr);
    EXPECT_EQ(quadratic->paper.mean, 2.21);
    EXPECT_EQ(quadratic->ours.mean, 2);
    EXPECT_EQ(line_with(lines, "stride"), nullptr);
    EXPECT_EQ(line_with(lines, "225"), nullptr);
    auto const* const loss = line_with(lines, "work, variants over ouroboros-page-virtual-array alone");
    ASSERT_NE(loss, nullptr);
    EXPECT_EQ(loss->ours.mean, 2);
    EXPECT_EQ(loss->ratios, 1u);
}
TEST(coalescing_comparison, divides_the_times_of_figure_4) {
    auto const times = [](double allocate, double free) {
        return std::vector<measure>{time_named("alloc", allocate), time_named("free", free)};
    };
    auto const lines = compare_coalescing_times(
        {measured("device-malloc", "100", "linear", times(10, 1)),
         measured("coalescing-block-header-device-malloc", "100", "linear", times(1, 4))});
    auto const* const allocating =
        line_with(lines, "allocating, 100 floats, 12 x 1024 threads: block-header");
    ASSERT_NE(allocating, nullptr);
    EXPECT_NEAR(*allocating->paper.mean, 10.37 / 0.13, 1e-9);
    EXPECT_EQ(allocating->ours.mean, 10);
    auto const* const freeing = line_with(lines, "freeing, 100 floats, 12 x 1024 threads: block-header");
    ASSERT_NE(freeing, nullptr);
    EXPECT_NEAR(*freeing->paper.mean, 6, 1e-9);
    EXPECT_EQ(freeing->ours.mean, 0.25);
}
TEST(coalescing_comparison, names_have_a_variant_and_a_backing) {
    std::set<std::string> const names(coalescing_allocators().begin(), coalescing_allocators().end());
    EXPECT_EQ(names.size(), coalescing_allocators().size());
    EXPECT_EQ(names.size(), 3u + 5 + 5 + 2 + 2);
    EXPECT_EQ(split_allocator("coalescing-warp-table-device-malloc").variant, "warp-table");
    EXPECT_EQ(split_allocator("coalescing-warp-table-device-malloc").backing, "device-malloc");
    EXPECT_EQ(split_allocator("coalescing-dynamic").backing, "ouroboros-page-virtual-array");
    EXPECT_EQ(split_allocator("device-malloc").variant, "");
    EXPECT_THROW((void)pattern_of("moon"), std::invalid_argument);
    EXPECT_THROW((void)collective_of("moon"), std::invalid_argument);
}
