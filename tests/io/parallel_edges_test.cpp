// SPDX-License-Identifier: Apache-2.0
// Edges that are several times in a file: which of their weights counts, in every format.
#include "format_fixture.hpp"

#include <rhizome/io/parallel_edges.hpp>
#include <rhizome/io/store_file.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

using namespace rhizome;
using namespace rhizome::testing;
using io::parallel_rule;

namespace {

class parallel_edges : public ::testing::Test {
protected:
    scratch_folder folder;

    /// 0 -> 1 with 9, 3 and 5; 1 -> 2 with 4; not in order.
    static io::graph_file sample() {
        io::graph_file file;
        file.vertex_count = 3;
        file.directed = true;
        file.edges = {{1, 2}, {0, 1}, {0, 1}, {0, 1}};
        file.edge_weights = {4, 9, 3, 5};
        file.edge_times = {10, 20, 30, 40};
        return file;
    }
    /// The weights of all edges of the file, as it is read with this rule.
    reals weights_of(std::string const& text, parallel_rule rule, char const* name = "file") const {
        io::graph_file const file = io::read_graph(folder.write(name, text), nullptr, {.parallel = rule});
        return file.edge_values.empty() ? reals(file.edge_weights.begin(), file.edge_weights.end())
                                        : file.edge_values;
    }
};

} // namespace

TEST_F(parallel_edges, get_the_weight_that_the_rule_says) {
    struct expectation {
        parallel_rule rule;
        char const* name;
        std::uint64_t weight;
        std::int64_t time;
    };
    for (auto const& [rule, name, weight, time] : {expectation{parallel_rule::least, "least", 3, 30},
                                                   {parallel_rule::sum, "sum", 17, 20},
                                                   {parallel_rule::last, "last", 5, 40},
                                                   {parallel_rule::first, "first", 9, 20}}) {
        io::graph_file file = sample();
        auto const merged = io::merge_parallel_edges(file, rule);
        EXPECT_EQ(merged.left_out, 2u);
        EXPECT_EQ(merged.weights_differ, 1u);
        EXPECT_EQ(file.edges, (edges{{1, 2}, {0, 1}})) << "in the order of the file";
        EXPECT_EQ(file.edge_weights, (numbers{4, weight})) << name;
        EXPECT_EQ(file.edge_times, (std::vector<std::int64_t>{10, time})) << name;
        EXPECT_EQ(io::parallel_rule_named(name), rule);
    }
    EXPECT_FALSE(io::parallel_rule_named("largest"));
    EXPECT_EQ(io::parallel_rule_names().front(), "least");
}

TEST_F(parallel_edges, leave_files_without_them_as_they_are) {
    io::graph_file file = sample();
    file.edges = {{2, 1}, {1, 2}, {0, 2}, {0, 1}};
    EXPECT_EQ(io::merge_parallel_edges(file).left_out, 0u);
    EXPECT_EQ(file.edges, (edges{{2, 1}, {1, 2}, {0, 2}, {0, 1}}));
    EXPECT_EQ(file.edge_weights, (numbers{4, 9, 3, 5}));
    io::graph_file none;
    EXPECT_EQ(io::merge_parallel_edges(none).left_out, 0u);
    io::graph_file equal = sample();
    equal.edge_weights = {4, 9, 9, 9};
    auto const merged = io::merge_parallel_edges(equal);
    EXPECT_EQ(merged.left_out, 2u);
    EXPECT_EQ(merged.weights_differ, 0u);
}

TEST_F(parallel_edges, refuse_sums_that_no_weight_can_be) {
    std::uint64_t const largest = std::uint64_t{1} << 53;
    io::graph_file file = sample();
    file.edge_weights = {4, largest - 3, 2, 1};
    EXPECT_EQ(io::merge_parallel_edges(file, parallel_rule::sum).left_out, 2u);
    EXPECT_EQ(file.edge_weights, (numbers{4, largest}));
    file = sample();
    file.edge_weights = {4, largest - 3, 2, 2};
    EXPECT_EQ(
        message_of<std::overflow_error>([&] { (void)io::merge_parallel_edges(file, parallel_rule::sum); }),
        "the weights of the parallel edges 0 -> 1 have a sum beyond 2^53");
    file = sample();
    file.edge_weights.clear();
    file.edge_values = {4, 1e308, 1e308, 5};
    EXPECT_EQ(
        message_of<std::overflow_error>([&] { (void)io::merge_parallel_edges(file, parallel_rule::sum); }),
        "the weights of the parallel edges 0 -> 1 have a sum beyond all finite numbers");
}

TEST_F(parallel_edges, are_the_same_in_every_format) {
    std::vector<std::pair<char const*, char const*>> const files{
        {"file", "p sp 2 3\na 1 2 9\na 1 2 3\na 1 2 5\n"},
        {"file", "# Nodes: 2 Edges: 3\n0 1 9\n0 1 3\n1 0 5\n"},
        {"file", "source,target,weight\n0,1,9\n0,1,3\n1,0,5\n"},
        {"file", "% sym positive\n1 2 9\n1 2 3\n2 1 5\n"},
        {"file", "%%MatrixMarket matrix coordinate integer general\n2 2 3\n1 2 9\n1 2 3\n1 2 5\n"},
        {"file", "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n2 1 9.0\n2 1 3.0\n2 1 5.0\n"},
        {"file", "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 value 9 ]\n"
                 "edge [ source 1 target 2 value 3 ] edge [ source 2 target 1 value 5 ] ]\n"}};
    for (auto const& [name, text] : files) {
        EXPECT_EQ(weights_of(text, parallel_rule::least, name), reals{3}) << text;
        EXPECT_EQ(weights_of(text, parallel_rule::sum, name), reals{17}) << text;
        EXPECT_EQ(weights_of(text, parallel_rule::last, name), reals{5}) << text;
        EXPECT_EQ(weights_of(text, parallel_rule::first, name), reals{9}) << text;
    }
    // METIS has each edge in two lines, which may have them in different orders.
    char const* const metis = "2 3 1\n2 9 2 3 2 5\n1 3 1 5 1 9\n";
    EXPECT_EQ(weights_of(metis, parallel_rule::least), reals{3});
    EXPECT_EQ(weights_of(metis, parallel_rule::sum), reals{17});
    EXPECT_EQ(weights_of("% asym positive\n1 2 9\n1 2 3\n2 1 5\n", parallel_rule::least), (reals{3, 5}));
}

TEST_F(parallel_edges, are_stored_with_the_least_weight) {
    std::string const path = folder.path("stored.rhz");
    EXPECT_EQ(io::write_stored_graph(path, sample()), 2u);
    EXPECT_EQ(io::read_stored_graph(path, true).edge_weights, (numbers{3, 4}));
    EXPECT_EQ(io::write_stored_graph(path, sample(), {.parallel = parallel_rule::sum}), 2u);
    EXPECT_EQ(io::read_stored_graph(path, true).edge_weights, (numbers{17, 4}));
}

TEST_F(parallel_edges, agree_with_a_sequential_reference) {
    io::random_source random(37);
    for (int round = 0; round < 50; ++round) {
        io::graph_file file;
        file.vertex_count = 1 + random.below(20'000); // more than a block of the sort
        file.directed = true;
        std::map<graph::edge, reals> expected;
        for (int i = 0; i < 3000; ++i) {
            auto const u = static_cast<graph::vertex_id>(random.below(file.vertex_count));
            graph::edge const edge{u,
                                   static_cast<graph::vertex_id>(random.below(1 + file.vertex_count / 500))};
            file.edges.push_back(edge);
            file.edge_values.push_back(static_cast<double>(random.below(1000)) - 500);
            expected[edge].push_back(file.edge_values.back());
        }
        for (parallel_rule const rule :
             {parallel_rule::least, parallel_rule::sum, parallel_rule::last, parallel_rule::first}) {
            io::graph_file merged = file;
            EXPECT_EQ(io::merge_parallel_edges(merged, rule, 3).left_out,
                      file.edges.size() - expected.size());
            ASSERT_EQ(merged.edges.size(), expected.size());
            for (std::size_t i = 0; i < merged.edges.size(); ++i) {
                reals const& all = expected.at(merged.edges[i]);
                double weight = all.front();
                if (rule == parallel_rule::last) weight = all.back();
                if (rule == parallel_rule::least) weight = *std::min_element(all.begin(), all.end());
                if (rule == parallel_rule::sum) {
                    weight = 0;
                    for (double const each : all)
                        weight += each;
                }
                ASSERT_EQ(merged.edge_values[i], weight);
            }
        }
    }
}
