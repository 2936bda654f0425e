// SPDX-License-Identifier: Apache-2.0
// The program `rhizome` of a build with the component bench.
#include <rhizome/bench/harness/commands.hpp>
#include <rhizome/cli/tool.hpp>

#include <csignal>
#include <string>
#include <vector>

int main(int argument_count, char** arguments) {
    std::signal(SIGPIPE, SIG_IGN); // a reader that went away is a failed write, told as one line
    using namespace rhizome;
    return cli::run_tool(
        std::vector<std::string>(arguments + 1, arguments + argument_count),
        {&bench::list_command, &bench::run_command, &bench::cell_command, &bench::rank_command});
}
