// SPDX-License-Identifier: Apache-2.0
// A small graph in a folder of its own, and what a tool that fails has to say.
#pragma once

#include "../io/scratch_folder.hpp"
#include "process.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace rhizome::cli::testing {

/// A triangle 0 1 2 with a tail 2 - 3, and an isolated vertex 4.
inline constexpr char const* kite = "5 4\n2 3\n1 3\n1 2 4\n3\n\n";

class tool : public ::testing::Test {
protected:
    rhizome::testing::scratch_folder folder;
    std::string graph = folder.write("kite.graph", kite);

    std::string updates(std::string const& text) const { return folder.write("updates.txt", text); }
};

/// What stream --json prints: batches, a line each, and what comes last.
struct stream_lines {
    std::vector<nlohmann::json> batches;
    nlohmann::json last;
};

inline stream_lines lines_of(outcome const& result) {
    stream_lines lines;
    std::istringstream text(result.out);
    for (std::string line; std::getline(text, line);)
        lines.batches.push_back(nlohmann::json::parse(line));
    if (lines.batches.empty()) throw std::runtime_error("no line of JSON: " + result.err);
    lines.last = lines.batches.back();
    lines.batches.pop_back();
    return lines;
}

inline void expect_failure(outcome const& result, int exit_code, std::string const& part) {
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    EXPECT_EQ(result.err_lines(), 1) << result.err;
    EXPECT_TRUE(result.err.starts_with("rhizome: ")) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
}

} // namespace rhizome::cli::testing
