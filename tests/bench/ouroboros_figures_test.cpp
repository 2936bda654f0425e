// SPDX-License-Identifier: Apache-2.0
// The figures of the Ouroboros paper: their workloads on a graph of the standard library, their graphs, and
// the ratios that are set beside the paper's.
#include "../io/scratch_folder.hpp"
#include "plain_subject.hpp"

#include <rhizome/bench/papers/ouroboros/fig3_comparison.hpp>
#include <rhizome/bench/papers/ouroboros/ouroboros_fig4.hpp>
#include <rhizome/bench/papers/ouroboros/table1.hpp>
#include <rhizome/cli/datasets.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <stdexcept>

using namespace rhizome;
using namespace rhizome::bench;
using rhizome::testing::message_of;
using rhizome::testing::plain_subject;
using rhizome::testing::scratch_folder;
using rhizome::testing::wrong;

namespace {

/// RHIZOME_DATASETS for the time of a test.
class datasets_folder {
public:
    explicit datasets_folder(char const* folder) {
        char const* const before = std::getenv(name);
        if (before != nullptr) before_ = std::make_unique<std::string>(before);
        setenv(name, folder, 1);
    }
    datasets_folder(datasets_folder const&) = delete;
    datasets_folder& operator=(datasets_folder const&) = delete;
    ~datasets_folder() {
        if (before_)
            setenv(name, before_->c_str(), 1);
        else
            unsetenv(name);
    }

private:
    static constexpr char const* name = "RHIZOME_DATASETS";
    std::unique_ptr<std::string> before_;
};

cell fig4_cell(std::string const& graph, std::string const& variant) {
    return {"ouroboros-fig4",
            {{"graph", graph},
             {"variant", variant},
             {"edges", "50"},
             {"iterations", "4"},
             {"warm-up", "1"},
             {"repetitions", "3"},
             {"seed", "1"}}};
}

cell_result run_plain(wrong what = wrong::nothing) {
    graph_input const input = make_graph_input("rgg", 7, 1);
    return run_fig4(
        [&](bool directed) { return std::make_unique<plain_subject>(input.vertices, directed, what); },
        fig4_cell("rgg_n_2_20_s0", "page-array"), input);
}

/// A cell that came out with these medians.
measured_cell measured(cell which, std::vector<std::pair<std::string, double>> const& medians) {
    measured_cell result{std::move(which), {}, 0};
    for (auto const& [name, value] : medians)
        result.result.measures.push_back({name, "ms", false, {value}});
    return result;
}

measured_cell fig3_cell(char const* allocator, char const* size, char const* threads, double alloc) {
    return measured({"ouroboros-fig3",
                     {{"allocator", allocator},
                      {"size", size},
                      {"threads", threads},
                      {"mode", "thread"},
                      {"space", "cuda"}}},
                    {{"alloc", alloc}});
}

} // namespace

TEST(ouroboros_fig4, measures_eight_panels) {
    auto const result = run_plain();
    ASSERT_EQ(result.status, cell_status::ok);
    std::map<std::string, std::vector<double>> found;
    for (measure const& each : result.measures)
        found[each.name] = each.samples;
    std::vector<double> const fours{4, 4, 4};
    EXPECT_EQ(found.at("initialise"), fours);
    EXPECT_EQ(found.at("pagerank"), fours); // an iteration
    EXPECT_EQ(found.at("triangle_counting"), (std::vector<double>{5, 5, 5}));
    for (std::string const pattern : {"random", "pressure"}) {
        EXPECT_EQ(found.at("insert_" + pattern), (std::vector<double>{1, 1, 1}));
        EXPECT_EQ(found.at("erase_" + pattern), (std::vector<double>{2, 2, 2}));
    }
    graph_input const input = make_graph_input("rgg", 7, 1);
    double const csr = static_cast<double>(input.csr_bytes());
    EXPECT_DOUBLE_EQ(found.at("memory_lasting").at(0), csr * 1e-6);
    EXPECT_DOUBLE_EQ(found.at("memory").at(0), (csr + 1000) * 1e-6);
    EXPECT_EQ(found.at("vertices"), std::vector<double>{128});
    EXPECT_EQ(found.at("arcs").at(0), static_cast<double>(input.arcs()));
}

TEST(ouroboros_fig4, fails_where_something_is_wrong) {
    for (auto const& [what, part] :
         std::vector<std::pair<wrong, std::string>>{{wrong::inserts_one_less, "edges after inserting"},
                                                    {wrong::erases_one_less, "edges after erasing"},
                                                    {wrong::forgets_an_old_edge, "not what it was"},
                                                    {wrong::builds_from_other_rows, "not what it was"},
                                                    {wrong::breaks_an_invariant, "one = two"},
                                                    {wrong::ranks_live, "live: vertex"},
                                                    {wrong::triangles_everywhere, "triangles: "}}) {
        std::string const said = message_of<std::runtime_error>([what = what] { (void)run_plain(what); });
        EXPECT_NE(said.find(part), std::string::npos) << part << ": " << said;
    }
}

TEST(ouroboros_fig4, compares_with_what_the_paper_states) {
    std::vector<measured_cell> cells;
    auto const add = [&](char const* graph, char const* variant, double initialise, double memory,
                         double rank, double triangles) {
        cells.push_back(measured(fig4_cell(graph, variant), {{"initialise", initialise},
                                                             {"memory", memory},
                                                             {"memory_lasting", memory / 2},
                                                             {"pagerank", rank},
                                                             {"triangle_counting", triangles}}));
    };
    add("ldoor", "page-array", 2, 10, 1, 1);
    add("ldoor", "chunk-virtual-array", 4, 5, 2, 1);
    add("ldoor", "linked-pages-64", 1, 50, 3, 4);
    add("ldoor", "device-malloc", 8, 1, 1, 1);
    add("europe_osm", "page-virtual-linked", 1, 2, 1, 1);
    add("europe_osm", "linked-pages-64", 1, 40, 1, 1);
    cells.push_back({fig4_cell("europe_osm", "device-malloc"), {cell_status::timed_out, "", {}}, 1});
    auto const found = compare_fig4(cells);
    ASSERT_EQ(found.size(), 5u);
    EXPECT_EQ(found[0].ours, (ratio_range{(4. + 2 + 8) / 3, 2, 8})); // of ldoor alone
    EXPECT_EQ(found[0].paper, (ratio_range{.mean = 1785}));
    EXPECT_EQ(found[1].ours, (ratio_range{15, 10, 20}));
    EXPECT_EQ(found[2].ours, (ratio_range{15, 10, 20}));
    EXPECT_EQ(found[3].ours, (ratio_range{(3. + 1.5 + 1) / 3, 1, 3}));
    EXPECT_EQ(found[3].ratios, 3u);
    EXPECT_EQ(found[4].ours, (ratio_range{3, 1, 4}));
    std::string const table = comparison_table(found);
    EXPECT_NE(table.find("1785"), std::string::npos) << table;
    EXPECT_NE(table.find("4.67 (2 to 8)"), std::string::npos) << table;
    EXPECT_NE(comparison_table(compare_fig4({})).find(" - "), std::string::npos);
}

TEST(ouroboros_fig3, compares_with_what_the_paper_states) {
    auto const found = compare_fig3(
        {fig3_cell("device-malloc", "16", "10000", 100), fig3_cell("device-malloc", "32", "10000", 300),
         fig3_cell("device-malloc", "32", "1000", 300), fig3_cell("ouroboros-page-array", "16", "10000", 1),
         fig3_cell("ouroboros-page-virtual-array", "32", "10000", 1),
         fig3_cell("ouroboros-page-virtual-array", "32", "1000", 1),
         fig3_cell("ouroboros-chunk-array", "32", "10000", 30)});
    ASSERT_EQ(found.size(), 5u);
    EXPECT_EQ(found[0].ours, (ratio_range{200, 100, 300}));
    EXPECT_EQ(found[0].paper.mean, 163);
    EXPECT_EQ(found[1].ours, ratio_range{});
    EXPECT_EQ(found[2].ours, (ratio_range{10, 10, 10}));
    EXPECT_EQ(found[4].ours, (ratio_range{410. / 3, 10, 300}));
    EXPECT_EQ(found[4].ratios, 3u);
}

TEST(table_1, is_generated_at_the_size_that_is_asked_for) {
    datasets_folder const none("");
    EXPECT_EQ(table1_names().size(), 14u);
    for (std::string const& name : table1_names()) {
        SCOPED_TRACE(name);
        constexpr std::uint64_t most = 20'000;
        EXPECT_EQ(table1_source(name, most), "stand-in");
        graph_input const input = table1_input(name, "stand-in", most, 1);
        EXPECT_LT(input.arcs(), 1.7 * most); // generators of 2^K vertices take the nearest
        EXPECT_GT(input.arcs(), 0.4 * most);
        EXPECT_EQ(table1_input(name, "stand-in", most, 1).edges, input.edges);
        EXPECT_TRUE(std::is_sorted(input.edges.begin(), input.edges.end()));
        double const degree = static_cast<double>(input.arcs()) / static_cast<double>(input.vertices);
        if (!name.starts_with("rgg")) {
            EXPECT_NEAR(degree / cli::find_dataset(name).mean_degree(), 1, 0.3);
        }
    }
    EXPECT_EQ(table1_input("luxembourg_osm", "stand-in", 1'000'000, 1).vertices,
              1u << 17); // no larger than it is
}

TEST(table_1, is_read_from_files_where_there_are_any) {
    scratch_folder const folder;
    datasets_folder const here(folder.path("").c_str());
    EXPECT_EQ(dataset_file("luxembourg_osm"), "");
    EXPECT_NE(message_of<std::runtime_error>([] {
                  (void)table1_input("luxembourg_osm", "file", 1000, 1);
              }).find("luxembourg_osm: there is no file of it"),
              std::string::npos);
    // Names that are not the graph's, an archive, and a download that is not whole.
    for (char const* other : {"luxembourg_osm2.graph", "luxembourg_osm.tar.gz", "luxembourg_osm.mtx.part",
                              "luxembourg_osm.mtx.part.url", "luxembourg_osm.json", "luxembourg_osm.README"})
        (void)folder.write(other, "1 0\n\n");
    EXPECT_EQ(dataset_file("luxembourg_osm"), "");
    std::string const small = folder.write("luxembourg_osm.graph", "3 2\n2\n1 3\n2\n");
    EXPECT_EQ(std::filesystem::path(dataset_file("luxembourg_osm")), std::filesystem::path(small));
    EXPECT_EQ(table1_source("luxembourg_osm", 1'000'000), "file");
    EXPECT_EQ(table1_source("luxembourg_osm", 1000), "stand-in"); // too large for what is asked
    EXPECT_NE(message_of<std::runtime_error>([] {
                  (void)table1_input("luxembourg_osm", "file", 1000, 1);
              }).find("found 3 vertices, expected the 114599 of luxembourg_osm"),
              std::string::npos);
    std::filesystem::remove(small);
    // As many vertices as the graph has, and fewer edges: a stand-in for it.
    (void)folder.write("luxembourg_osm.gr", "p sp 114599 2\na 1 2 1\na 2 1 1\n");
    EXPECT_NE(message_of<std::runtime_error>([] {
                  (void)table1_input("luxembourg_osm", "file", 1000, 1);
              }).find("found 1 edges, each counted once, expected the 119666 of luxembourg_osm"),
              std::string::npos);
    // As many edges, too; arcs of DIMACS9 lose their directions, self-loops go.
    constexpr std::uint64_t vertices = 114599;
    constexpr std::uint64_t edges = 119666;
    std::string text = "p sp 114599 119668\na 3 3 1\na 1 2 1\n";
    std::vector<graph::edge> expected;
    for (std::uint64_t each = 0; each < edges; ++each) { // first to the next vertex, then to the one behind
        std::uint64_t const from = each % (vertices - 1);
        std::uint64_t const to = from + (each < vertices - 1 ? 1 : 2);
        text += "a " + std::to_string(to + 1) + " " + std::to_string(from + 1) + " 1\n";
        expected.push_back({static_cast<graph::vertex_id>(from), static_cast<graph::vertex_id>(to)});
    }
    std::sort(expected.begin(), expected.end());
    (void)folder.write("luxembourg_osm.gr", text);
    graph_input const input = table1_input("luxembourg_osm", "file", 1, 1);
    EXPECT_EQ(input.vertices, vertices);
    EXPECT_TRUE(input.edges == expected);
}

TEST(table_1, takes_no_stand_in_that_the_tool_advises_for_the_graph) {
    scratch_folder const folder;
    datasets_folder const here(folder.path("").c_str());
    for (std::string const& name : table1_names()) {
        (void)folder.write(cli::find_dataset(name).stand_in_file(), "3 2\n2\n1 3\n2\n");
        EXPECT_EQ(dataset_file(name), "");
    }
}

TEST(table_1, has_the_sizes_of_the_published_files) {
    bool any = false;
    for (std::string const& name : table1_names()) {
        if (dataset_file(name).empty()) continue;
        any = true;
        graph_input const input = table1_input(name, "file", 1, 1);
        EXPECT_EQ(input.edges.size(), cli::find_dataset(name).edges) << name;
    }
    if (!any) GTEST_SKIP() << "no file of Table 1 in the folder RHIZOME_DATASETS";
}
