// SPDX-License-Identifier: Apache-2.0
// What only the reference session can show: it has no GPU ever, and its memory is counted simply.
#include "../io/scratch_folder.hpp"
#include "process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

using namespace rhizome::cli::testing;
using namespace rhizome::testing;

TEST(reference_tool, says_once_that_there_is_no_gpu) {
    scratch_folder const folder;
    std::string const graph = folder.write("edge.graph", "2 1\n2\n1\n");
    auto const result = run({"triangles", graph});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.err, "rhizome: no usable GPU (this is a reference): running on host\n");
    EXPECT_EQ(run({"triangles", graph, "--quiet"}).err, "");
    EXPECT_EQ(run({"triangles", graph, "--space", "host"}).err, "");
    auto const wanted = run({"triangles", graph, "--space", "cuda"});
    EXPECT_EQ(wanted.exit_code, 1);
    EXPECT_EQ(wanted.err_lines(), 1);
}

TEST(reference_tool, names_what_was_needed_and_what_there_is) {
    scratch_folder const folder;
    std::string const updates = folder.write("many.updates", "+ 0 1\n+ 0 2\n+ 1 2\n");
    auto const result = run({"stream", "--vertices", "3", updates, "--batch", "1", "--memory-limit", "64B"});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.err,
              "rhizome: batch 3: insert_edges: out of memory: needed 96 bytes, available 64 bytes\n");
}

TEST(reference_tool, ends_without_waiting_for_a_stream_that_stays_open) {
    scratch_folder const folder;
    std::string const pipe = folder.path("updates");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    int const end = open(pipe.c_str(), O_RDWR | O_CLOEXEC); // both ends: it stays open
    ASSERT_GE(end, 0);
    std::string const text = "+ 0 1\n+ 0 2\n+ 1 2\n";
    ASSERT_EQ(write(end, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    auto const result =
        run_with({"stream", "--vertices", "3", "-", "--batch", "1", "--memory-limit", "64B"}, "", pipe);
    close(end);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.err.find("batch 3: insert_edges: out of memory"), std::string::npos) << result.err;
}

// It lacks a component, as a tool does that was not built with all of them.
TEST(reference_tool, says_which_component_brings_what_it_lacks) {
    scratch_folder const folder;
    std::string const graph = folder.write("edge.graph", "2 1\n2\n1\n");
    auto const result = run({"triangles", graph, "--allocator", "third"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.err, "rhizome: allocator 'third': this build lacks the component third; to add it: "
                          "scripts/build.sh third\n");
    EXPECT_EQ(run({"triangles", graph, "--allocator", "fourth"}).err.find("component"), std::string::npos);

    std::string const help = run({"help"}).out;
    EXPECT_NE(help.find("third   [not in this build: component third]"), std::string::npos) << help;
    EXPECT_NE(help.find("Components that this build lacks"), std::string::npos) << help;
    auto const info = nlohmann::json::parse(run({"info", "--json"}).out);
    EXPECT_EQ(info.at("components").at(0).at("built"), true);
    EXPECT_EQ(info.at("components").at(2).at("name"), "third");
    EXPECT_EQ(info.at("components").at(2).at("built"), false);
}
