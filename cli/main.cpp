// The program `rhizome`. The only file in cli that includes a header of bench, to add its commands where that
// component is built.
#if defined(RHIZOME_HAS_BENCH)
#include <rhizome/bench/commands.hpp>
#endif
#include <rhizome/cli/tool.hpp>

#include <csignal>
#include <string>
#include <vector>

int main(int argument_count, char** arguments) {
    std::signal(SIGPIPE, SIG_IGN); // a reader that went away is a failed write, told as one line
    using namespace rhizome;
    return cli::run_tool(std::vector<std::string>(arguments + 1, arguments + argument_count), {
#if defined(RHIZOME_HAS_BENCH)
        &bench::list_command, &bench::run_command, &bench::cell_command, &bench::rank_command
#endif
    });
}
