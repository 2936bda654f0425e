// SPDX-License-Identifier: Apache-2.0
// Real graphs on the host: triangles against the index that comes with them, PageRank, core numbers and
// shortest paths against oracles.
// RHIZOME_DATASETS names their folder.
#include "cases.hpp"
#include "oracles.hpp"
#include "search_oracles.hpp"
#include "weighted_graphs.hpp"

#include <rhizome/algorithms/kcore.hpp>
#include <rhizome/algorithms/pagerank.hpp>
#include <rhizome/algorithms/sssp.hpp>
#include <rhizome/algorithms/triangles.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/host.hpp>
#include <rhizome/io/graph_format.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <sstream>

namespace rhizome::tests {
namespace {

struct indexed_graph {
    std::string path;
    std::uint64_t triangles;
    bool is_metis;
};

/// The graphs that the index lists.
std::vector<indexed_graph> indexed_graphs(std::string const& folder) {
    std::ifstream index(folder + "/INDEX.csv");
    std::vector<indexed_graph> found;
    std::string line;
    std::getline(index, line); // the names of the columns
    while (std::getline(index, line)) {
        std::istringstream cells(line);
        std::vector<std::string> cell(7); // file, name, format, vertices, edges, degree, triangles
        for (auto& each : cell) {
            if (cells.peek() == '"') cells >> std::quoted(each);
            std::string rest;
            std::getline(cells, rest, ',');
            each += rest;
        }
        found.push_back({folder + "/" + cell[0], std::stoull(cell[6]), cell[2] == "METIS"});
    }
    return found;
}

template <class Real>
void expect_ranks_of_oracle(exec::host_space const& space, graph::default_view const& view,
                            plain_graph const& arcs, double accuracy) {
    algorithms::pagerank_options const options{.tolerance = 0, .max_iterations = 40};
    algorithms::pagerank<Real, exec::host_space> pagerank(space);
    auto const ranks = pagerank.run(view, options).ranks_on_host();
    auto const expected = rank_plainly(arcs, options).ranks;
    ASSERT_EQ(ranks.size(), expected.size());
    double distance = 0;
    for (std::size_t v = 0; v < ranks.size(); ++v)
        distance = std::max(distance, std::abs(static_cast<double>(ranks[v]) - expected[v]) / expected[v]);
    EXPECT_LT(distance, accuracy);
}

/// Of an undirected graph, with weights from 1 to 255 that look random.
void expect_cores_and_paths(exec::host_space& space, io::graph_file const& file) {
    struct positive : weighing {
        [[nodiscard]] std::uint32_t operator()(graph::edge const& e) const {
            return 1 + weighing::operator()(e);
        }
    } const weigher{{255, true}};
    weighted_live_graph<exec::host_space> graph(space, {.vertices = file.vertex_count});
    insert_weighted(graph, file.edges, weigher);
    auto const expected = weigh<double>(plain(file.vertex_count, file.edges, false), weigher);

    algorithms::k_core<exec::host_space> cores(space);
    exec::buffer<exec::host_space, std::uint32_t> found(space, file.vertex_count);
    (void)cores.run(graph.view(), found.data());
    EXPECT_EQ(found.to_host(), core_numbers_by_boost(expected.arcs));

    algorithms::shortest_paths<exec::host_space> paths(space);
    expect_paths(space, paths, graph.view(), expected, {0});
}

TEST(algorithms_on_datasets, agree_with_the_index_and_the_oracle) {
    char const* const folder = std::getenv("RHIZOME_DATASETS");
    if (folder == nullptr) GTEST_SKIP() << "RHIZOME_DATASETS is not set";
    auto const graphs = indexed_graphs(folder);
    ASSERT_FALSE(graphs.empty()) << "no graph in " << folder << "/INDEX.csv";
    exec::host_space space;
    algorithms::triangle_counter<exec::host_space> counter(space);
    for (auto const& [path, triangles, is_metis] : graphs) {
        SCOPED_TRACE(path);
        auto const file = io::read_graph(path);
        if (sanitized && file.edges.size() > 50'000) continue;
        if (!is_metis) { // parallel edges and self-loops among them: the oracle knows neither
            graph::dynamic_graph<exec::host_space> graph(space, {.vertices = file.vertex_count});
            graph.insert_edges(file.edges);
            EXPECT_EQ(counter.count(graph.view()), triangles);
            continue;
        }
        expect_cores_and_paths(space, file);
        for (auto const& way : directions()) {
            SCOPED_TRACE(way.name);
            auto graph = build(space, named_edges{path, file.vertex_count, file.edges}, way);
            EXPECT_EQ(counter.count(graph.view(), {.symmetrize = way.directed}), triangles);
            auto const arcs = plain(file.vertex_count, file.edges, way.directed);
            expect_ranks_of_oracle<float>(space, graph.view(), arcs, 2e-6);
            expect_ranks_of_oracle<double>(space, graph.view(), arcs, 1e-13);
        }
    }
}

} // namespace
} // namespace rhizome::tests
