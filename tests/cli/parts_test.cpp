// SPDX-License-Identifier: Apache-2.0
// The tool on a graph that several ranks have saved.
#include "../io/saved_parts.hpp"
#include "../io/scratch_folder.hpp"

#include <rhizome/cli/tool.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace rhizome::testing {
namespace {

struct answer {
    int exit_code;
    std::string out;
    std::string err;
};

answer run(std::vector<std::string> const& words) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    int const exit_code = cli::run_tool(words);
    std::string out = ::testing::internal::GetCapturedStdout();
    return {exit_code, std::move(out), ::testing::internal::GetCapturedStderr()};
}

TEST(saved_parts, are_a_graph_for_the_tool) {
    scratch_folder const folder;
    std::string const path = folder.path("graph.rhz");
    saved_parts const saved{};
    saved.write(path);
    answer const info = run({"info", path, "--json"});
    ASSERT_EQ(info.exit_code, 0) << info.err;
    auto const shown = nlohmann::json::parse(info.out);
    EXPECT_EQ(shown["graph"]["vertices"], saved_parts::vertices) << info.out;
    EXPECT_EQ(shown["graph"]["edges"], saved.edges.size()) << info.out;

    // In the order of the parts, unlike those of a whole graph.
    std::string const other = folder.path("whole.rhz");
    answer const converted = run({"convert", path, other});
    ASSERT_EQ(converted.exit_code, 0) << converted.err;
    answer const again = run({"info", other, "--json"});
    ASSERT_EQ(again.exit_code, 0) << again.err;
    EXPECT_EQ(nlohmann::json::parse(again.out)["graph"]["edges"], saved.edges.size());
    EXPECT_EQ(run({"convert", other, folder.path("more.rhz")}).exit_code, 1) << "one file is no parts";

    // Onto itself: one file, and no other parts.
    std::string const same = folder.path("same.rhz");
    saved.write(same);
    ASSERT_EQ(run({"convert", same, same}).exit_code, 0);
    EXPECT_FALSE(std::filesystem::exists(saved_parts::path_of(same, 1)));
    EXPECT_EQ(run({"info", same}).exit_code, 0);

    std::filesystem::remove(saved_parts::path_of(path, 2));
    answer const missing = run({"info", path});
    EXPECT_EQ(missing.exit_code, 1);
    EXPECT_EQ(missing.err.find('\n'), missing.err.size() - 1) << "one line: " << missing.err;
    EXPECT_NE(missing.err.find(saved_parts::path_of(path, 2)), std::string::npos) << missing.err;
}

} // namespace
} // namespace rhizome::testing
