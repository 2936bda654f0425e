// SPDX-License-Identifier: Apache-2.0
// What is similar, what is aligned, what is free.
#include "../io/scratch_folder.hpp"

#include <rhizome/cli/machine_memory.hpp>
#include <rhizome/cli/names.hpp>
#include <rhizome/cli/text_columns.hpp>
#include <rhizome/cli/usage_error.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

using namespace rhizome::cli;

TEST(closest_name, finds_what_was_meant_and_nothing_else) {
    std::vector<std::string> const names{"info", "pagerank", "triangles", "stream", "convert"};
    EXPECT_EQ(closest_name("strem", names), "stream");
    EXPECT_EQ(closest_name("paegrnak", names), "pagerank");
    EXPECT_EQ(closest_name("inof", names), "info") << "a swap is one edit";
    EXPECT_EQ(closest_name("dance", names), "");
    EXPECT_EQ(closest_name("", names), "");
    EXPECT_EQ(closest_name("x", {"y"}), "") << "nothing in common";
    EXPECT_EQ(closest_name(std::string(1000, 'x'), names), "");
    EXPECT_EQ(did_you_mean("strem", names), "; did you mean 'stream'?");
    EXPECT_EQ(with_advice("x" + did_you_mean("strem", names), "try y"), "x; did you mean 'stream'? Try y");
    EXPECT_EQ(with_advice("x" + did_you_mean("dance", names), "try y"), "x; try y");
    EXPECT_EQ(checked_name("x", "info", names), "info");
    EXPECT_THROW((void)checked_name("x", "infos", names), usage_error);
}

TEST(did_you_mean_one_of, names_the_closest_first_and_three_at_most) {
    std::vector<std::string> const names{"figure-1", "figure-22", "figure-3", "figure-4", "table"};
    EXPECT_EQ(did_you_mean_one_of("figure-2", names),
              "; did you mean 'figure-1', 'figure-22' or 'figure-3'?");
    EXPECT_EQ(did_you_mean_one_of("figure-222", names), "; did you mean 'figure-22'?");
    EXPECT_EQ(did_you_mean_one_of("igu", names), "; did you mean 'figure-1', 'figure-22' or 'figure-3'?");
    EXPECT_EQ(did_you_mean_one_of("tabel", names), "; did you mean 'table'?");
    EXPECT_EQ(did_you_mean_one_of("tab", names), "; did you mean 'table'?");
    EXPECT_EQ(did_you_mean_one_of("dance", names), "");
    EXPECT_EQ(did_you_mean_one_of("", names), "");
}

TEST(text_columns, wraps_and_aligns) {
    std::string text = "xxxxxxxxx";
    for (std::size_t i = 1; i < 30; ++i)
        text += " xxxxxxxxx";
    std::string const lines = two_columns({{"a", text}, {"longer", "b"}});
    EXPECT_TRUE(lines.starts_with("  a       xxxxxxxxx ")) << lines;
    EXPECT_NE(lines.find("\n          xxxxxxxxx"), std::string::npos) << lines;
    EXPECT_NE(lines.find("\n  longer  b\n"), std::string::npos) << lines;
    for (std::size_t begin = 0; begin < lines.size();) {
        std::size_t const end = lines.find('\n', begin);
        EXPECT_LE(end - begin, text_columns);
        begin = end + 1;
    }
    EXPECT_EQ(counted(1, "batch", "batches"), "1 batch");
    EXPECT_EQ(counted(0, "batch", "batches"), "0 batches");
}

namespace {

class machine_memory : public ::testing::Test {
protected:
    void put(std::string const& path, std::string const& text) const {
        std::filesystem::path const file = root() + path;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }
    std::string root() const { return folder.path("root/"); }

    rhizome::testing::scratch_folder folder;
};

} // namespace

TEST_F(machine_memory, is_what_the_machine_has_available) {
    EXPECT_EQ(available_memory_bytes(root()), 0u) << "nothing is known";
    EXPECT_NO_THROW(demand_memory(1ull << 60, "it", root()));
    put("proc/meminfo", "MemTotal:       9000 kB\nMemAvailable:   1000 kB\n");
    EXPECT_EQ(available_memory_bytes(root()), 1'024'000u);
    EXPECT_NO_THROW(demand_memory(1'024'000, "it", root()));
    EXPECT_THROW(demand_memory(1'024'001, "it", root()), std::runtime_error);
    EXPECT_GT(available_memory_bytes(), 0u) << "of this machine";
}

TEST_F(machine_memory, is_less_where_a_control_group_leaves_less) {
    put("proc/meminfo", "MemAvailable:   1000 kB\n");
    put("proc/self/cgroup", "0::/a/b\n");
    put("sys/fs/cgroup/a/b/memory.max", "max\n");
    put("sys/fs/cgroup/a/b/memory.current", "5\n");
    EXPECT_EQ(available_memory_bytes(root()), 1'024'000u) << "a group without a limit";
    put("sys/fs/cgroup/a/memory.max", "500000\n");
    put("sys/fs/cgroup/a/memory.current", "300000\n");
    put("sys/fs/cgroup/a/memory.stat", "anon 1\ninactive_file 100000\n");
    EXPECT_EQ(available_memory_bytes(root()), 300'000u) << "a limit of the group above, files can be dropped";
    put("proc/self/cgroup", "4:cpu,memory:/c\n0::/\n");
    put("sys/fs/cgroup/memory/c/memory.limit_in_bytes", "9223372036854771712\n");
    put("sys/fs/cgroup/memory/c/memory.usage_in_bytes", "1\n");
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "200000\n");
    put("sys/fs/cgroup/memory/memory.usage_in_bytes", "250000\n");
    EXPECT_EQ(available_memory_bytes(root()), 0u) << "more is used than may be";
}
