// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/algorithm_command.hpp>
#include <rhizome/cli/devices.hpp>
#include <rhizome/cli/help_text.hpp>
#include <rhizome/cli/report.hpp>
#include <rhizome/cli/stopped.hpp>
#include <rhizome/cli/tool.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/io/parse_error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <new>

namespace rhizome::cli {
namespace {

/// What a shell reports for a program that SIGPIPE ended.
constexpr int reader_gone_code = 128 + SIGPIPE;

command_set all_commands(std::vector<command const*> const& more) {
    std::vector<command const*> commands{&info_command,
                                         &stream_command,
                                         &convert_command,
                                         &generate_rgg_command,
                                         &generate_rmat_command,
                                         &generate_mesh_command,
                                         &generate_road_command,
                                         &generate_kronecker_command,
                                         &generate_grid_command,
                                         &generate_erdos_renyi_command,
                                         &generate_barabasi_albert_command,
                                         &generate_delaunay_command,
                                         &generate_updates_command,
                                         &datasets_command,
                                         &fetch_command,
                                         &completion_command,
                                         &manual_command};
    std::vector<command const*> algorithms;
    for (command const& each : algorithm_commands())
        algorithms.push_back(&each);
    commands.insert(std::find(commands.begin(), commands.end(), &stream_command), algorithms.begin(),
                    algorithms.end());
    auto const behind = std::find(commands.begin(), commands.end(), &completion_command);
    commands.insert(behind, more.begin(), more.end());
    return command_set(std::move(commands));
}

bool asks_for_help(std::string const& word) { return word == "--help" || word == "-h"; }

void run_command(command_set const& commands, std::vector<std::string> const& words, console& out) {
    auto const [command, name_words] = commands.find(words);
    arguments const args(command->text(),
                         {words.begin() + static_cast<std::ptrdiff_t>(name_words), words.end()});
    if (args.wants_help()) {
        out.print(help_of(*command, args));
        return;
    }
    command_context context{.args = args, .out = out, .commands = &commands, .words = words};
    command->run(context);
    out.flush();
    std::string const& notice = context.quiet() ? context.losses : context.notice;
    if (!notice.empty()) say(notice);
}

/// rhizome --version: as text, or as a document with --json.
void print_version(console& out, std::vector<std::string> const& options) {
    bool json = false;
    for (std::string const& each : options) {
        if (each != "--json" && each != "--quiet" && each != "-q")
            throw usage_error(
                fmt::format("--version: found {}, expected --json or nothing", io::quoted(each)));
        json = json || each == "--json";
    }
    out.print(json ? json_text({{"name", "rhizome"}, {"version", RHIZOME_VERSION}})
                   : "rhizome " RHIZOME_VERSION "\n");
}

void run(command_set const& commands, std::vector<std::string> const& words) {
    console out;
    if (words.empty()) throw usage_error("no command given; try 'rhizome --help'");
    std::vector<std::string> const rest(words.begin() + 1, words.end());
    bool const group_help = rest.size() == 1 && asks_for_help(rest[0]) && !commands.group(words[0]).empty();
    if (words[0] == "--version" || words[0] == "-V") {
        print_version(out, rest);
    } else if (asks_for_help(words[0]) || (words[0] == "help" && (rest.empty() || asks_for_help(rest[0])))) {
        out.print(general_help(commands));
    } else if (words[0] == "help") {
        out.print(help_of(commands, rest));
    } else if (group_help) {
        out.print(help_of(commands, {words[0]}));
    } else {
        run_command(commands, words, out);
    }
    out.flush();
}

/// What was printed before a failure goes before the line about it.
int fail(int exit_code, char const* what) {
    (void)std::fflush(stdout);
    say(what);
    return exit_code;
}

} // namespace

int run_tool(std::vector<std::string> const& words, std::vector<command const*> const& more) noexcept {
    try {
        run(all_commands(more), words);
        return 0;
    } catch (usage_error const& error) {
        return fail(2, error.what());
    } catch (stopped const& end) {
        return fail(end.exit_code(), end.what());
    } catch (job_failure const& error) {
        return fail(error.exit_code(), error.what());
    } catch (io::closed_pipe const&) {
        return reader_gone_code;
    } catch (std::bad_alloc const&) {
        return fail(1, "out of memory on the host");
    } catch (std::exception const& error) {
        return fail(1, error.what());
    }
}

} // namespace rhizome::cli
