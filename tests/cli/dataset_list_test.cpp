// SPDX-License-Identifier: Apache-2.0
// rhizome datasets, as a user runs it.
#include "tool_fixture.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>
#include <string>

using namespace rhizome::cli::testing;
using nlohmann::json;

namespace {

json list(std::vector<std::string> words) {
    words.insert(words.begin(), "datasets");
    words.emplace_back("--json");
    auto const result = run(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(result.out)["datasets"];
}

} // namespace

TEST(dataset_list, has_all_graphs_and_those_of_a_family) {
    json const all = list({});
    EXPECT_GT(all.size(), 100u);
    std::size_t of_families = 0;
    for (char const* family : {"dimacs10", "dimacs9", "snap"}) {
        json const own = list({"--family", family});
        EXPECT_GT(own.size(), 10u);
        for (json const& each : own)
            EXPECT_EQ(each["family"], family);
        of_families += own.size();
    }
    EXPECT_EQ(of_families, all.size());
    EXPECT_EQ(list({"--table1"}).size(), 14u);
    EXPECT_EQ(list({"--table1", "--family", "snap"}).size(), 0u);
}

TEST(dataset_list, tells_all_of_a_graph) {
    json const found = list({"ldoor", "USA-road-d.NY"});
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0]["vertices"], 952203);
    EXPECT_EQ(found[0]["ouroboros_table1"]["edges"], 46522475);
    EXPECT_EQ(found[0]["home"], "https://sparse.tamu.edu/GHS_psdef/ldoor");
    EXPECT_EQ(found[1]["stand_in"], "rhizome generate road --scale 18 --output USA-road-d.NY-stand-in.graph");
    EXPECT_FALSE(found[1].contains("ouroboros_table1"));
    auto const text = run({"datasets", "ldoor"});
    for (char const* part : {"952,203 vertices", "46,522,475", "CC BY 4.0", "rhizome generate grid"})
        EXPECT_NE(text.out.find(part), std::string::npos) << part << ": " << text.out;
}

TEST(dataset_list, scales_stand_ins) {
    json const small = list({"preferentialAttachment", "europe_osm", "--scale", "0.01"});
    EXPECT_EQ(small[0]["stand_in"], "rhizome generate barabasi-albert --vertices 1000 --degree 5 --output "
                                    "preferentialAttachment-stand-in.graph");
    EXPECT_EQ(small[1]["stand_in"], "rhizome generate road --scale 19 --output europe_osm-stand-in.graph");
}

TEST(dataset_list, is_as_wide_as_a_terminal) {
    for (std::vector<std::string> const& words :
         {std::vector<std::string>{"datasets"},
          {"datasets", "channel-500x100x100-b050", "sx-stackoverflow"}}) {
        std::istringstream lines(run(words).out);
        for (std::string line; std::getline(lines, line);)
            EXPECT_LE(line.size(), 100u) << line;
    }
}

TEST(dataset_list, checks_its_words) {
    expect_failure(run({"datasets", "ldor"}), 2, "did you mean 'ldoor'");
    expect_failure(run({"datasets", "--family", "moon"}), 2, "--family");
    for (char const* scale : {"0", "-1", "2", "x"})
        expect_failure(run({"datasets", "--scale", scale}), 2, "--scale");
    // Names choose by themselves: with a filter it is not clear what is meant.
    expect_failure(run({"datasets", "ldoor", "--table1"}), 2, "either names or");
    expect_failure(run({"datasets", "ldoor", "--family", "snap"}), 2, "either names or");
    expect_failure(run({"datasets", "--json", "--markdown"}), 2, "either");
}
