// SPDX-License-Identifier: Apache-2.0
// The n-th request of a scenario is refused, for every n: alone, or with all that follow it. A batch is then
// applied whole or not at all, nothing is lost, and the next one works.
#include "comparison.hpp"

#include <rhizome/alloc/abilities.hpp>
#include <rhizome/alloc/decorators/counting.hpp>
#include <rhizome/alloc/decorators/failing.hpp>
#include <rhizome/exec/errors.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Allocator>
struct faulty_allocator {
    static std::string name_of() { return "faulty_" + Allocator::name_of(); }
    template <class Space>
    using owner = alloc::counting<alloc::failing<typename Allocator::template owner<Space>>>;
};
template <class Plan, class Space>
struct faulty_on : graph_case<typename Plan::layout, faulty_allocator<typename Plan::allocator>,
                              typename Plan::value, Space> {};
template <class Layout, class Value, class Allocator = ouroboros_default>
struct faulty {
    using layout = Layout;
    using value = Value;
    using allocator = Allocator;
};
using faulty_plans = std::conditional_t<
    sanitized || detail::length<space_list> == 1, // where compilers are slow
    type_list<faulty<graph::contiguous, double>, faulty<small_buckets, std::int32_t>>,
    type_list<faulty<graph::contiguous, void>, faulty<graph::contiguous, double>,
              faulty<small_pages, void, catalogued::page_queue>, faulty<small_buckets, std::int32_t>>>;
using faulty_cases = cross_types<faulty_on, faulty_plans, planned_space_list>;

/// The distance between requests that the tests let fail: every request on host and GPU, fewer where all of
/// them would take minutes.
template <class Space>
inline constexpr std::uint64_t stride_of = is_emulated<Space> ? (sanitized ? 83 : 11) : (sanitized ? 3 : 1);

enum class change : std::uint8_t { insert, erase, erase_vertices };
struct step {
    change what;
    std::vector<graph::edge> edges;
    std::vector<graph::vertex_id> vertices = {};
};
/// What is done to a graph of `kind`, and how many requests and refused batches that has to come to.
struct scenario {
    char const* name;
    graph::graph_options kind;
    std::vector<step> steps;
    std::uint64_t least_requests;
    std::uint64_t least_refusals;
};

/// So many pages of 64 bytes fill several chunks.
constexpr graph::vertex_id bulk_rows = 700;

/// Rows that begin, grow past a page, shrink and go; a hub; repeats; vertices that go, the hub among them.
std::vector<step> small_steps() {
    constexpr graph::vertex_id rows = 5;
    std::vector<step> steps(5);
    for (graph::vertex_id v = 0; v < rows; ++v) {
        steps[0].edges.push_back({v, (v + 1) % rows});
        steps[1].edges.push_back({0, v + 20});
        steps[1].edges.push_back({v, v + 20});
        for (graph::vertex_id w = 0; w < 6; ++w)
            steps[2].edges.push_back({v, 20 + (v + 3 * w) % 30});
        for (graph::vertex_id w = 0; w < 5; ++w)
            steps[3].edges.push_back({v, 20 + (v + 3 * w) % 30});
        steps[4].edges.push_back({v, 49 - v});
        steps[4].edges.push_back({v, v});
    }
    steps[3].what = change::erase;
    steps.push_back({change::erase_vertices, {}, {0, 23, 4}});
    steps.push_back({change::insert, {{1, 2}, {1, 24}, {2, 24}, {3, 24}, {24, 49}}, {}});
    return steps;
}
/// A graph that is loaded at once, grows by a batch as large, and loses it: enough arcs for the ways of large
/// batches, in few rows.
std::vector<step> large_steps() {
    std::vector<step> steps(3);
    for (graph::vertex_id v = 0; v < 12; ++v)
        for (graph::vertex_id w = 0; w < 70; ++w) {
            steps[0].edges.push_back({v, 20 + (v + w) % 90});
            steps[1].edges.push_back({v, 110 + (v + w) % 80});
        }
    steps[2] = {change::erase, steps[1].edges, {}};
    return steps;
}
/// Rows whose pages are requested in bulk: they are loaded, outgrow their pages in a batch that is counted
/// and in one that is sorted, and shrink.
std::vector<step> bulk_steps() {
    std::vector<step> steps(4);
    for (graph::vertex_id v = 0; v < bulk_rows; ++v)
        for (graph::vertex_id w = 0; w < 28; ++w)
            steps[w < 16 ? 0 : w < 17 ? 1 : 2].edges.push_back({v, (v + w) % bulk_rows});
    steps[3] = {change::erase, steps[2].edges, {}};
    return steps;
}
scenario bulk_scenario() {
    return {"bulk",
            {.vertices = bulk_rows,
             .directed = true,
             .heap_bytes = 2u << 20,
             .pages = graph::page_requests::bulk},
            bulk_steps(),
            3,
            3};
}
std::vector<scenario> scenarios() {
    std::uint64_t const heap_bytes = 256u << 10;
    return {{"undirected", {.vertices = 50, .heap_bytes = heap_bytes}, small_steps(), 10, 20},
            {"in-arcs",
             {.vertices = 50, .directed = true, .in_arcs = true, .heap_bytes = heap_bytes},
             small_steps(),
             10,
             20},
            {"large", {.vertices = 200, .directed = true, .heap_bytes = heap_bytes}, large_steps(), 10, 10},
            bulk_scenario()};
}

template <class Case>
class graph_faults : public space_test {
protected:
    using graph_type = typename Case::graph_type;
    using reference_type = basic_reference_graph<typename Case::value>;

    /// Whether the graph does in a scenario what it is about: linked pages request none in bulk, nor does a
    /// batch that is small for a GPU.
    static bool serves(scenario const& of) {
        bool const gives_runs = alloc::gives_runs<typename Case::owner::ref_type> &&
                                std::is_same_v<typename Case::layout, graph::contiguous> &&
                                !is_gpu<typename Case::space>;
        return of.kind.pages != graph::page_requests::bulk || gives_runs;
    }
    static graph_type make(scenario const& of) {
        return graph_type(make_space<typename Case::space>({.threads = 1}), of.kind);
    }
    /// The batch, in both or in neither. Whether it was applied.
    static bool apply_or_refuse(graph_type& tested, reference_type& reference, step const& next) {
        try {
            if (next.what == change::erase_vertices)
                EXPECT_EQ(tested.erase_vertices(next.vertices), reference.erase_vertices(next.vertices));
            else
                apply_to_both(tested, reference, next.edges, next.what == change::erase);
            return true;
        } catch (exec::out_of_memory const& error) {
            EXPECT_EQ(next.what, change::insert) << "erasing needs no memory";
            EXPECT_NE(std::string(error.what()).find("graph unchanged"), std::string::npos) << error.what();
            return false;
        }
    }
};
TYPED_TEST_SUITE(graph_faults, faulty_cases, named_types);

TYPED_TEST(graph_faults, one_refused_request_stops_no_batch) {
    constexpr std::uint64_t stride = stride_of<typename TypeParam::space>;
    for (scenario const& each : scenarios()) {
        if (!this->serves(each)) continue;
        SCOPED_TRACE(each.name);
        std::uint64_t refused_requests = 0;
        for (std::uint64_t n = 1;; n += stride) {
            SCOPED_TRACE("request " + std::to_string(n));
            auto tested = this->make(each);
            typename TestFixture::reference_type reference(each.kind);
            tested.allocator().base().fail_at(n);
            for (step const& next : each.steps)
                EXPECT_TRUE(this->apply_or_refuse(tested, reference, next));
            expect_same(tested, reference);
            bool const done = tested.allocator().base().requests_seen() < n;
            EXPECT_TRUE(this->apply_or_refuse(tested, reference, {change::erase, reference.edge_list()}));
            EXPECT_EQ(tested.allocator().counts().live_requests(), 0u) << "something has leaked";
            if (::testing::Test::HasFailure() || done) break;
            ++refused_requests;
        }
        EXPECT_GT(refused_requests * stride, each.least_requests)
            << "the scenario asks for less than it is meant to";
    }
}

TYPED_TEST(graph_faults, from_any_request_on_batches_are_refused_whole) {
    constexpr std::uint64_t stride = stride_of<typename TypeParam::space>;
    for (scenario const& each : scenarios()) {
        if (!this->serves(each)) continue;
        SCOPED_TRACE(each.name);
        std::uint64_t refused_batches = 0;
        bool done = false;
        for (std::uint64_t n = 1; !done; n += stride) {
            SCOPED_TRACE("from request " + std::to_string(n));
            auto tested = this->make(each);
            typename TestFixture::reference_type reference(each.kind);
            tested.allocator().base().fail_from(n);
            std::vector<step> refused;
            for (step const& next : each.steps) {
                if (!this->apply_or_refuse(tested, reference, next)) refused.push_back(next);
                expect_same(tested, reference);
            }
            done = tested.allocator().base().requests_seen() < n;
            EXPECT_TRUE(!done || refused.empty()) << "nothing failed, and yet a batch was refused";
            refused_batches += refused.size();
            tested.allocator().base().fail_never();
            for (step const& next : refused)
                EXPECT_TRUE(this->apply_or_refuse(tested, reference, next)) << "the memory is there again";
            expect_same(tested, reference);
            EXPECT_TRUE(this->apply_or_refuse(tested, reference, {change::erase, reference.edge_list()}));
            expect_same(tested, reference);
            EXPECT_EQ(tested.allocator().counts().live_bytes, 0u) << "something has leaked";
            if (::testing::Test::HasFailure()) break;
        }
        EXPECT_GT(refused_batches * stride, each.least_refusals)
            << "the scenario asks for less than it is meant to";
    }
}

/// Each batch of the scenario requests the pages of all its rows at once. If that is refused, the batch
/// requests them one by one, and says so.
TYPED_TEST(graph_faults, of_a_request_in_bulk_are_counted_and_stop_no_batch) {
    scenario const of = bulk_scenario();
    if (!this->serves(of)) GTEST_SKIP() << "no batch of this graph requests pages in bulk";
    graph::bulk_requests const served{1, bulk_rows, 0, 0};
    graph::bulk_requests const refused{0, 0, 1, bulk_rows};
    for (std::size_t fails = 0; fails < of.steps.size(); ++fails) {
        auto tested = this->make(of);
        auto& failing = tested.allocator().base();
        typename TestFixture::reference_type reference(of.kind);
        for (std::size_t i = 0; i < of.steps.size(); ++i) {
            SCOPED_TRACE("batch " + std::to_string(i) + ", refused in batch " + std::to_string(fails));
            bool const erasing = of.steps[i].what == change::erase;
            auto const& edges = of.steps[i].edges;
            std::vector<typename TestFixture::reference_type::value_type> values;
            if (TestFixture::graph_type::has_values && !erasing) values.resize(edges.size());
            if (i == fails) failing.fail_at(1);
            graph::batch_report report;
            if constexpr (TestFixture::graph_type::has_values)
                report = erasing ? tested.erase_edges(edges) : tested.insert_edges(edges, values);
            else
                report = erasing ? tested.erase_edges(edges) : tested.insert_edges(edges);
            EXPECT_EQ(report, reference.apply(edges, erasing, values));
            EXPECT_EQ(report.bulk, i == fails ? refused : served);
        }
        expect_same(tested, reference);
        EXPECT_TRUE(this->apply_or_refuse(tested, reference, {change::erase, reference.edge_list()}));
        EXPECT_EQ(tested.allocator().counts().live_requests(), 0u) << "something has leaked";
    }
}

} // namespace
} // namespace rhizome::tests
