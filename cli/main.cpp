// SPDX-License-Identifier: Apache-2.0
// The program `rhizome`, without benchmarks: bench/main.cpp is the one that has them.
#include <rhizome/cli/tool.hpp>

#include <csignal>
#include <string>
#include <vector>

int main(int argument_count, char** arguments) {
    std::signal(SIGPIPE, SIG_IGN); // a reader that went away is a failed write, told as one line
    return rhizome::cli::run_tool(std::vector<std::string>(arguments + 1, arguments + argument_count), {});
}
