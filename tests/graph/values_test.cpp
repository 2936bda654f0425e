// Edges with values: random streams against a map, after every batch.
#include "comparison.hpp"
#include "streams.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Value, class Space>
struct values_on {
    using space = Space;
    using value = Value;
    static std::string name() {
        std::string const type = std::is_same_v<Value, double>         ? "double"
                                 : std::is_same_v<Value, float>        ? "float"
                                 : std::is_same_v<Value, std::int32_t> ? "int32"
                                                                       : "int64";
        return type + "_on_" + std::string(Space::name);
    }
};
using value_cases = cross_types<values_on, type_list<float, double, std::int32_t, std::int64_t>, space_list>;

/// An edge as the graph names it: of an undirected one the smaller end first.
graph::edge canonical(graph::edge edge, bool directed) {
    if (!directed && edge.source > edge.target) std::swap(edge.source, edge.target);
    return edge;
}

template <class Value>
class valued_reference {
public:
    explicit valued_reference(graph::graph_options const& options)
        : vertices_(options.vertices), directed_(options.directed) {}

    graph::batch_report insert(std::vector<graph::edge> const& batch, std::vector<Value> const& values) {
        graph::batch_report report;
        std::map<graph::edge, Value> last;
        for (std::size_t i = 0; i < batch.size(); ++i) {
            if (batch[i].source >= vertices_ || batch[i].target >= vertices_)
                ++report.rejected;
            else if (!last.insert_or_assign(canonical(batch[i], directed_), values[i]).second)
                ++report.duplicates;
        }
        for (auto const& [edge, value] : last)
            ++(edges_.insert_or_assign(edge, value).second ? report.applied : report.updated);
        return report;
    }
    graph::batch_report erase(std::vector<graph::edge> const& batch) {
        graph::batch_report report;
        std::set<graph::edge> seen;
        for (graph::edge const& edge : batch) {
            if (edge.source >= vertices_ || edge.target >= vertices_)
                ++report.rejected;
            else if (!seen.insert(canonical(edge, directed_)).second)
                ++report.duplicates;
            else
                ++(edges_.erase(canonical(edge, directed_)) != 0 ? report.applied : report.without_effect);
        }
        return report;
    }

    /// What a snapshot holds: arcs ascending, each with the value of its edge.
    [[nodiscard]] std::map<graph::edge, Value> arcs() const {
        std::map<graph::edge, Value> all = edges_;
        if (!directed_)
            for (auto const& [edge, value] : edges_)
                all.insert({{edge.target, edge.source}, value});
        return all;
    }

private:
    std::uint64_t vertices_;
    bool directed_;
    std::map<graph::edge, Value> edges_;
};

template <class Case>
class edge_values : public space_test {
protected:
    using space_type = typename Case::space;
    using value_type = typename Case::value;
    using graph_type =
        graph::dynamic_graph<space_type, graph::contiguous, graph::default_allocator<space_type>, value_type>;

    static void run(graph::graph_options const& options, std::uint64_t batch_edges, std::uint64_t batches) {
        graph_type tested(make_space<space_type>({.seed = batch_edges}), options);
        valued_reference<value_type> reference(options);
        update_stream stream(batch_edges, options.vertices, batch_edges);
        std::uint32_t next_value = 0;
        for (std::uint64_t number = 0; number < batches; ++number) {
            SCOPED_TRACE("batch " + std::to_string(number));
            update_batch const batch = stream.next();
            std::vector<value_type> values;
            for (std::size_t i = 0; i < batch.edges.size(); ++i)
                values.push_back(static_cast<value_type>(++next_value));
            graph::batch_report const got =
                batch.erasing ? tested.erase_edges(batch.edges) : tested.insert_edges(batch.edges, values);
            graph::batch_report const expected =
                batch.erasing ? reference.erase(batch.edges) : reference.insert(batch.edges, values);
            EXPECT_EQ(got.applied, expected.applied);
            EXPECT_EQ(got.updated, expected.updated);
            EXPECT_EQ(got.without_effect, expected.without_effect);
            EXPECT_EQ(got.duplicates, expected.duplicates);
            EXPECT_EQ(got.rejected, expected.rejected);
            expect_valid(tested);
            auto const copy = tested.snapshot();
            auto const arcs = arcs_of(copy);
            auto const found = copy.values.to_host();
            ASSERT_EQ(found.size(), arcs.size());
            std::map<graph::edge, value_type> all;
            for (std::size_t i = 0; i < arcs.size(); ++i)
                all.insert({arcs[i], found[i]});
            ASSERT_TRUE(all == reference.arcs()) << "the values differ";
        }
    }
};
TYPED_TEST_SUITE(edge_values, value_cases, named_types);

TYPED_TEST(edge_values, follow_random_streams) {
    bool const emulated = is_emulated<typename TypeParam::space>;
    for (std::uint64_t const batch : {std::uint64_t{60}, std::uint64_t{emulated ? 900u : 4000u}})
        for (graph::graph_options const& options :
             {graph::graph_options{.vertices = 300}, graph::graph_options{.vertices = 300, .directed = true},
              graph::graph_options{.vertices = 300, .directed = true, .in_arcs = true}})
            this->run(options, batch, emulated ? 8 : 24);
}

TYPED_TEST(edge_values, of_repeated_edges_are_the_last_ones) {
    using number = typename TypeParam::value;
    typename TestFixture::graph_type tested(make_space<typename TypeParam::space>(), {.vertices = 40});
    // Each edge five times, in both directions; and so many of one row that they are sorted.
    std::vector<graph::edge> edges;
    std::vector<number> values;
    for (std::uint32_t round = 0; round < 5; ++round)
        for (std::uint32_t v = 1; v < 40; ++v) {
            edges.push_back(round % 2 == 0 ? graph::edge{0, v} : graph::edge{v, 0});
            values.push_back(static_cast<number>(round * 100 + v));
        }
    auto const report = tested.insert_edges(edges, values);
    EXPECT_EQ(report.applied, 39u);
    EXPECT_EQ(report.duplicates, 4 * 39u);
    auto const found = tested.snapshot().values.to_host();
    for (std::uint32_t v = 1; v < 40; ++v)
        EXPECT_EQ(found[v - 1], static_cast<number>(400 + v));
}

TYPED_TEST(edge_values, must_be_as_many_as_the_edges) {
    using number = typename TypeParam::value;
    typename TestFixture::graph_type tested(make_space<typename TypeParam::space>(), {.vertices = 4});
    std::vector<graph::edge> const edges{{0, 1}, {1, 2}};
    EXPECT_THROW(tested.insert_edges(edges, std::vector<number>{1}), std::invalid_argument);
    EXPECT_EQ(tested.edge_count(), 0u);
}

} // namespace
} // namespace rhizome::tests
