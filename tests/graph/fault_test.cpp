// The n-th request of a scenario is refused, for every n: alone, or with all that follow it. A batch is then
// applied whole or not at all, nothing is lost, and the next one works.
#include "comparison.hpp"

#include <rhizome/alloc/decorators/counting.hpp>
#include <rhizome/alloc/decorators/failing.hpp>
#include <rhizome/exec/errors.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::tests {
namespace {

struct faulty_ouroboros {
    static std::string name_of() { return "faulty_ouroboros"; }
    template <class Space>
    using owner = alloc::counting<alloc::failing<ouroboros_default::owner<Space>>>;
};
template <class Plan, class Space>
struct faulty_on : graph_case<typename Plan::layout, faulty_ouroboros, typename Plan::value, Space> {};
template <class Layout, class Value>
struct faulty {
    using layout = Layout;
    using value = Value;
};
using faulty_plans =
    std::conditional_t<sanitized,
                       type_list<faulty<graph::contiguous, double>, faulty<small_buckets, std::int32_t>>,
                       type_list<faulty<graph::contiguous, void>, faulty<graph::contiguous, double>,
                                 faulty<small_pages, void>, faulty<small_buckets, std::int32_t>>>;
using faulty_cases = cross_types<faulty_on, faulty_plans, space_list>;

struct step {
    bool erasing;
    std::vector<graph::edge> edges;
};
/// Rows that begin, grow past a page, shrink and go; a hub; repeats.
std::vector<step> scenario() {
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
    steps[3].erasing = true;
    return steps;
}

template <class Case>
class graph_faults : public space_test {
protected:
    using graph_type = typename Case::graph_type;
    using reference_type = basic_reference_graph<typename Case::value>;

    static graph_type make() { return graph_type(make_space<typename Case::space>({.threads = 1}), options); }
    /// The batch, in both or in neither. Whether it was applied.
    static bool apply_or_refuse(graph_type& tested, reference_type& reference, step const& next) {
        try {
            apply_to_both(tested, reference, next.edges, next.erasing);
            return true;
        } catch (exec::out_of_memory const& error) {
            EXPECT_FALSE(next.erasing) << "erasing needs no memory";
            EXPECT_NE(std::string(error.what()).find("graph unchanged"), std::string::npos) << error.what();
            return false;
        }
    }
    static constexpr graph::graph_options options{.vertices = 50, .heap_bytes = 256u << 10};
};
TYPED_TEST_SUITE(graph_faults, faulty_cases, named_types);

TYPED_TEST(graph_faults, one_refused_request_stops_no_batch) {
    std::vector<step> const steps = scenario();
    std::uint64_t refused_requests = 0;
    for (std::uint64_t n = 1;; ++n) {
        SCOPED_TRACE("request " + std::to_string(n));
        auto tested = this->make();
        typename TestFixture::reference_type reference(this->options);
        tested.allocator().base().fail_at(n);
        for (step const& next : steps)
            EXPECT_TRUE(this->apply_or_refuse(tested, reference, next));
        expect_same(tested, reference);
        if (::testing::Test::HasFailure() || tested.allocator().base().requests_seen() < n) break;
        ++refused_requests;
    }
    EXPECT_GT(refused_requests, 10u) << "the scenario asks for less than it is meant to";
}

TYPED_TEST(graph_faults, from_any_request_on_batches_are_refused_whole) {
    std::vector<step> const steps = scenario();
    std::uint64_t refused_batches = 0;
    bool done = false;
    for (std::uint64_t n = 1; !done; ++n) {
        SCOPED_TRACE("from request " + std::to_string(n));
        auto tested = this->make();
        typename TestFixture::reference_type reference(this->options);
        tested.allocator().base().fail_from(n);
        std::vector<step> refused;
        for (step const& next : steps) {
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
        EXPECT_TRUE(this->apply_or_refuse(tested, reference, {true, reference.edge_list()}));
        expect_same(tested, reference);
        EXPECT_EQ(tested.allocator().counts().live_bytes, 0u) << "something has leaked";
        if (::testing::Test::HasFailure()) break;
    }
    EXPECT_GT(refused_batches, 20u) << "the scenario asks for less than it is meant to";
}

} // namespace
} // namespace rhizome::tests
