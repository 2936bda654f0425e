// Real graphs, against the index that comes with them. RHIZOME_DATASETS names their folder.
#include <rhizome/io/metis.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace rhizome;

TEST(datasets, hold_what_their_index_says) {
    char const* const folder = std::getenv("RHIZOME_DATASETS");
    if (folder == nullptr) GTEST_SKIP() << "RHIZOME_DATASETS is not set";
    std::ifstream index(std::string(folder) + "/INDEX.csv");
    ASSERT_TRUE(index) << "no INDEX.csv in " << folder;
    std::string line;
    std::getline(index, line);
    ASSERT_TRUE(line.starts_with(
        "file,name,format,vertices,undirected_edges,max_degree,triangles,components,self_loops"));
    int graphs = 0;
    while (std::getline(index, line)) {
        if (line.find(",METIS,") == std::string::npos) continue;
        std::istringstream cells(line);
        std::vector<std::string> cell(9);
        for (auto& each : cell)
            std::getline(cells, each, ',');
        SCOPED_TRACE(cell[0]);
        auto const file = io::read_metis(std::string(folder) + "/" + cell[0]);
        std::vector<std::uint64_t> degrees(file.vertex_count);
        std::uint64_t loops = 0;
        for (auto const edge : file.edges) {
            loops += edge.source == edge.target ? 1 : 0;
            ++degrees[edge.source];
            ++degrees[edge.target];
        }
        EXPECT_EQ(file.vertex_count, std::stoull(cell[3]));
        EXPECT_EQ(file.edges.size(), std::stoull(cell[4]));
        EXPECT_EQ(*std::max_element(degrees.begin(), degrees.end()), std::stoull(cell[5]));
        EXPECT_EQ(loops, std::stoull(cell[8]));
        EXPECT_TRUE(std::is_sorted(file.edges.begin(), file.edges.end()));
        ++graphs;
    }
    EXPECT_GT(graphs, 0);
}
