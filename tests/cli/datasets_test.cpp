// SPDX-License-Identifier: Apache-2.0
// The manifest of graphs, and the generated graphs that stand in for them.
#include "../io/scratch_folder.hpp"

#include <rhizome/cli/datasets.hpp>
#include <rhizome/cli/packed_check.hpp>
#include <rhizome/cli/stand_in.hpp>
#include <rhizome/cli/tool.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/io/graph_format.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

using namespace rhizome;
using namespace rhizome::cli;
using rhizome::testing::message_of;
using rhizome::testing::scratch_folder;

namespace {

/// Vertices of the stand-ins that the tests make.
std::uint64_t small_size(dataset const& graph) {
    // A small Kronecker graph drops many parallel edges: its degree is like that of the family from here on.
    std::uint64_t const wanted = graph.stand_in.generator == "kronecker" ? 1u << 16 : 4000;
    return std::min(graph.vertices, wanted);
}

/// The mean degree of a graph of this family that has so many vertices.
double expected_degree(dataset const& graph, std::uint64_t vertices) {
    if (graph.stand_in.generator != "rgg") return graph.mean_degree();
    return graph.mean_degree() * std::log(static_cast<double>(vertices)) /
           std::log(static_cast<double>(graph.vertices));
}

} // namespace

TEST(manifest, has_the_graphs_of_table_1_in_its_order) {
    std::vector<std::string> names;
    for (dataset const& each : datasets()) {
        if (!each.ouroboros_table1) continue;
        EXPECT_EQ(&each - datasets().data(), static_cast<std::ptrdiff_t>(names.size())) << each.name;
        names.push_back(each.name);
        // The paper counts entries of a matrix: each edge twice, and the diagonal where the file has one.
        std::uint64_t const printed = each.ouroboros_table1->edges;
        EXPECT_TRUE(printed == 2 * each.edges || printed == 2 * each.edges + each.vertices) << each.name;
    }
    EXPECT_EQ(names, (std::vector<std::string>{"luxembourg_osm", "coAuthorsCiteseer", "coAuthorsDBLP",
                                               "ldoor", "audikw_1", "delaunay_n20", "rgg_n_2_20_s0",
                                               "hugetric-00000", "delaunay_n23", "germany_osm", "nlpkkt120",
                                               "nlpkkt200", "nlpkkt240", "europe_osm"}));
}

TEST(manifest, is_complete) {
    std::set<std::string> names;
    for (dataset const& each : datasets()) {
        SCOPED_TRACE(each.name);
        EXPECT_TRUE(names.insert(each.name).second);
        EXPECT_EQ(&find_dataset(each.name), &each);
        EXPECT_GT(each.vertices, 0u);
        EXPECT_GT(each.edges, 0u);
        EXPECT_TRUE(each.listed == "once" || each.listed == "both directions" || each.listed == "directed");
        EXPECT_FALSE(each.kind.empty() || each.licence.empty() || each.format.empty());
        EXPECT_TRUE(each.home.starts_with("http"));
        EXPECT_TRUE(each.download.starts_with("http"));
        EXPECT_NE(each.file_name(), "");
        EXPECT_TRUE(has_own_checksum(each.file_name())); // 'rhizome fetch' sees whether it is whole
        EXPECT_TRUE(each.sha256.empty() || each.sha256.size() == 64);
    }
    EXPECT_EQ(dataset_families(), (std::vector<std::string>{"dimacs10", "dimacs9", "snap"}));
    EXPECT_DOUBLE_EQ(find_dataset("USA-road-d.NY").mean_degree(), 733846. / 264346);
    EXPECT_EQ(find_dataset("roadNet-CA").file_name(), "roadNet-CA.txt.gz");
}

TEST(manifest, names_what_is_wrong) {
    EXPECT_NE(
        message_of<usage_error>([] { (void)find_dataset("europe_os"); }).find("did you mean 'europe_osm'"),
        std::string::npos);
    std::string const lacking =
        message_of<std::runtime_error>([] { (void)parse_datasets(R"([{"name": "x"}])"); });
    EXPECT_NE(lacking.find("manifest: x: "), std::string::npos) << lacking;
    dataset odd = datasets().front();
    odd.stand_in.generator = "moon";
    EXPECT_THROW((void)stand_in_for(odd, 100), std::runtime_error);
}

TEST(stand_ins, have_the_size_and_the_degree_that_they_promise) {
    if (RHIZOME_UNDER_SANITIZER != 0)
        GTEST_SKIP() << "half a minute of large graphs; smaller ones are generated under sanitizers too";
    scratch_folder const folder;
    std::string const file = folder.path("stand-in.graph");
    for (dataset const& graph : datasets()) {
        SCOPED_TRACE(graph.name);
        std::uint64_t const wanted = small_size(graph);
        stand_in const model = stand_in_for(graph, wanted);
        std::vector<std::string> words = model.words();
        words.insert(words.end(), {"--seed", "3", "--output", file, "--quiet"});
        if (graph.stand_in.generator == "grid")
            words.erase(std::find(words.begin(), words.end(), "--seed"),
                        std::find(words.begin(), words.end(), "--output"));
        ::testing::internal::CaptureStdout();
        int const exit_code = run_tool(words);
        (void)::testing::internal::GetCapturedStdout();
        ASSERT_EQ(exit_code, 0);
        io::graph_file const found = io::read_graph(file);
        EXPECT_EQ(found.vertex_count, model.vertex_count());
        EXPECT_TRUE(found.edges == model.generate(3).edges); // a benchmark makes the graph of the call
        double const ratio = static_cast<double>(found.vertex_count) / static_cast<double>(wanted);
        double const most = model.scale != 0 ? std::sqrt(2.) + 0.01 : 1.05;
        EXPECT_LE(ratio, most);
        EXPECT_GE(ratio, 1 / most);
        double const degree =
            2 * static_cast<double>(found.edges.size()) / static_cast<double>(found.vertex_count);
        double const expected = expected_degree(graph, found.vertex_count);
        EXPECT_NEAR(degree / expected, 1, 0.3) << degree << " instead of " << expected;
    }
}

TEST(stand_ins, of_any_size_are_as_large_as_asked) {
    for (dataset const& graph : datasets())
        for (std::uint64_t const wanted : {graph.vertices, graph.vertices / 3, std::uint64_t{1000}}) {
            if (wanted < 1000) continue;
            stand_in const model = stand_in_for(graph, wanted);
            double const ratio = static_cast<double>(model.vertex_count()) / static_cast<double>(wanted);
            double const most = model.scale != 0 ? std::sqrt(2.) + 0.01 : 1.05;
            EXPECT_TRUE(ratio <= most && ratio >= 1 / most) << graph.name << " " << wanted << " " << ratio;
        }
    EXPECT_EQ(stand_in_for(find_dataset("ldoor"), 10'000).call("a.graph"),
              "rhizome generate grid --extents 12x12x10 --stencil 7 --per-point 7 --wrap --output a.graph");
    EXPECT_EQ(stand_in_for(find_dataset("europe_osm"), 1 << 20).call("a.graph"),
              "rhizome generate road --scale 20 --output a.graph");
}

TEST(manifest, is_the_table_of_the_documentation) {
    ::testing::internal::CaptureStdout();
    int const exit_code = run_tool({"datasets", "--markdown"});
    std::string const table = ::testing::internal::GetCapturedStdout();
    EXPECT_EQ(exit_code, 0);
    ASSERT_GT(std::count(table.begin(), table.end(), '\n'), 100);
    EXPECT_TRUE(
        rhizome::testing::text_of(RHIZOME_SOURCE_FOLDER "/docs/datasets.md").ends_with("\n\n" + table))
        << "replace the table in docs/datasets.md by what 'rhizome datasets --markdown' prints";
}
