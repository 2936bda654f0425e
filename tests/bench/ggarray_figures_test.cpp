// SPDX-License-Identifier: Apache-2.0
// The figures of the GGArray paper: their workloads on a vector of the standard library, the computed memory,
// and the numbers that are set beside the paper's.
#include "../io/scratch_folder.hpp"

#include <rhizome/bench/papers/ggarray/comparison.hpp>
#include <rhizome/bench/papers/ggarray/kernels.hpp>
#include <rhizome/bench/papers/ggarray/standard_vector.hpp>
#include <rhizome/bench/papers/ggarray/workloads.hpp>
#include <rhizome/container/insertion.hpp>
#include <rhizome/exec/host/space.hpp>
#include <rhizome/exec/shape.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>

using namespace rhizome::bench;
using rhizome::testing::message_of;

namespace {

/// Loses the last of the elements that are inserted.
class leaky_vector : public standard_vector {
public:
    double insert_ms(std::uint64_t items, std::uint32_t each) override {
        return standard_vector::insert_ms(items - 1, each);
    }
};
/// Skips one of thirty additions.
class lazy_vector : public standard_vector {
public:
    double read_write_ms() override { return add_one_ms(); }
};

/// Adds up how many elements threads insert, and keeps the most of one call.
struct noting_array {
    std::uint64_t* elements;
    std::uint64_t* most_per_call;

    template <class Insertion, class Thread, class ElementOf>
    int insert(Thread const& thread, typename Insertion::storage&, std::uint32_t count,
               ElementOf const&) const {
        thread.device(*elements).fetch_add(count, rhizome::exec::order::relaxed);
        auto const most = thread.device(*most_per_call);
        std::uint64_t seen = most.load(rhizome::exec::order::relaxed);
        while (seen < count &&
               !most.compare_exchange(seen, std::uint64_t{count}, rhizome::exec::order::relaxed)) {
        }
        return 0;
    }
};
/// The most elements that a call inserts where each of 1000 items inserts `each`.
template <class Insertion = rhizome::container::warp_scan>
std::uint64_t most_elements_per_call(std::uint32_t each, std::uint32_t items_per_call) {
    using kernel = insert_items<noting_array, Insertion>;
    std::uint64_t elements = 0;
    std::uint64_t most = 0;
    rhizome::exec::host_space space;
    launch(space, cover_threads(space, 1000),
           kernel{{&elements, &most}, 1000, each, kernel::items_for(each, items_per_call)});
    space.synchronize();
    EXPECT_EQ(elements, 1000u * each);
    return most;
}

template <class Subject>
open_array opens() {
    return [](std::string const&, std::uint64_t) { return std::make_unique<Subject>(); };
}

cell array_cell(std::string const& benchmark, std::string const& structure, std::string const& size) {
    return {benchmark,
            {{"structure", structure},
             {"elements", size},
             {"insertion", "warp-scan"},
             {"space", "host"},
             {"calls", "3"},
             {"each", "2"},
             {"warm-up", "1"},
             {"repetitions", "2"},
             {"seed", "1"}}};
}

double median(cell_result const& result, std::string const& name) {
    for (measure const& each : result.measures)
        if (each.name == name) return each.samples.at(0);
    throw std::runtime_error("no measure " + name);
}

cell memory_cell(std::string const& sigma) {
    return {"ggarray-fig3",
            {{"sigma", sigma},
             {"elements", "1000000"},
             {"phases", "1"},
             {"vectors", "512"},
             {"first-bucket", "32"},
             {"seed", "1"}}};
}

} // namespace

TEST(ggarray_doubling, measures_and_checks_each_repetition) {
    cell_result const result =
        run_doubling(opens<standard_vector>(), "vector", array_cell("ggarray-fig5", "vector", "1000"), true);
    ASSERT_EQ(result.measures.size(), 5u);
    for (measure const& each : result.measures)
        EXPECT_EQ(each.samples.size(), 2u) << each.name;
    EXPECT_GE(median(result, "memory"), 1.0);
}
TEST(ggarray_doubling, notices_elements_that_are_missing_or_wrong) {
    cell const which = array_cell("ggarray-fig6", "vector", "1000");
    EXPECT_NE(message_of<std::runtime_error>([&] {
                  (void)run_doubling(opens<leaky_vector>(), "vector", which, false);
              }).find("1998 elements instead of 2000"),
              std::string::npos);
    EXPECT_NE(message_of<std::runtime_error>([&] {
                  (void)run_doubling(opens<lazy_vector>(), "vector", which, false);
              }).find("add up to"),
              std::string::npos);
}
TEST(ggarray_insertion, is_by_single_elements_as_in_the_paper_unless_more_are_asked_for) {
    std::uint32_t const by_default = array_subject_options{}.items_per_call;
    EXPECT_EQ(most_elements_per_call(1, by_default), 1u);
    EXPECT_EQ(most_elements_per_call(10, by_default), 10u); // an item's elements stay together
    EXPECT_EQ(most_elements_per_call(1, 4), 4u);
    EXPECT_EQ(most_elements_per_call(3, 4), 12u);
    using rhizome::container::tensor_scan;
    EXPECT_EQ(most_elements_per_call<tensor_scan>(1, tensor_scan::most_per_thread + 1),
              tensor_scan::most_per_thread);
}
TEST(ggarray_phases, compare_two_ways_to_the_same_sums) {
    cell_result const result = run_phases(
        [](std::string const&, std::uint64_t most) {
            auto array = std::make_unique<standard_vector>();
            (void)array->grow_ms(most); // as a gg_array, it takes elements without growing first
            return array;
        },
        "gg-512", array_cell("ggarray-fig7", "vector", "10000"));
    ASSERT_EQ(result.measures.size(), 3u);
    EXPECT_NEAR(median(result, "speedup"), median(result, "semi_static") / median(result, "two_phases"),
                1e-9);
}
TEST(ggarray_phases, copy_the_elements_that_were_inserted_and_no_more) {
    standard_vector from;
    (void)from.grow_ms(1000);
    (void)from.insert_ms(10, 1);
    standard_vector to;
    (void)from.copy_to_ms(to);
    EXPECT_EQ(to.size(), 10u);
    EXPECT_EQ(to.sum(), 45u);
}

TEST(ggarray_memory, follows_the_log_normal_distribution) {
    cell_result const certain = compute_memory(memory_cell("0")); // the factor is 2
    EXPECT_NEAR(median(certain, "expected"), 2.0, 1e-6);
    EXPECT_NEAR(median(certain, "static"), 2.0, 1e-6);
    cell_result const wide = compute_memory(memory_cell("2"));
    EXPECT_NEAR(median(wide, "expected"), 1 + std::exp(2.0), 0.5);
    EXPECT_NEAR(median(wide, "static") / (1 + std::exp(2.3263 * 2)), 1.0, 0.1);
    EXPECT_GE(median(wide, "gg"), median(wide, "expected"));
    EXPECT_LE(median(wide, "gg"), 2 * median(wide, "expected"));
    EXPECT_LE(median(wide, "gg_worst"), 2.1);
    EXPECT_LT(median(wide, "gg"), median(wide, "static"));
}

TEST(ggarray_table2, stands_beside_our_cells) {
    auto const measured = [](char const* structure, char const* size, double insert, double read_write) {
        measured_cell cell{array_cell("ggarray-table2", structure, size), {}, 0};
        cell.result.measures = {{"insert", "ms", false, {insert}}, {"read_write", "ms", false, {read_write}}};
        return cell;
    };
    auto const with_policy = [](char const* policy, measured_cell cell) {
        cell.cell.set("insertion", policy);
        return cell;
    };
    auto const found = compare_ggarray_table2(
        {measured("static", "512000000", 2.0, 4.0), measured("gg-512", "512000000", 3.0, 5.0),
         measured("gg-512", "1000", 1.0, 1.0),
         with_policy("atomic", measured("static", "512000000", 9.0, 9.0)),
         with_policy("atomic", measured("gg-512", "512000000", 9.0, 9.0))});
    ASSERT_EQ(found.size(), 11u + 6);
    auto const of = [&](std::string const& what) -> comparison const& {
        auto const at = std::find_if(found.begin(), found.end(),
                                     [&](comparison const& each) { return each.what.starts_with(what); });
        EXPECT_NE(at, found.end()) << what;
        return *at;
    };
    EXPECT_EQ(of("milliseconds of insert, GGArray512").paper.mean, 11.79);
    EXPECT_EQ(of("milliseconds of insert, GGArray512").ours.mean, 3.0) << "not of the small array";
    EXPECT_EQ(of("milliseconds of grow, memMap").ratios, 0u);
    EXPECT_EQ(of("read_write, GGArray512 over static").ours.mean, 1.25);
    EXPECT_NEAR(*of("read_write, GGArray512 over static").paper.mean, 11.12, 0.01);
}
