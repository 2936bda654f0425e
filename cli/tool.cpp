#include <rhizome/cli/command.hpp>
#include <rhizome/cli/stopped.hpp>
#include <rhizome/cli/tool.hpp>
#include <rhizome/cli/usage_error.hpp>

#include <fmt/format.h>

#include <new>
#include <utility>

namespace rhizome::cli {
namespace {

using command_list = std::vector<command const*>;

command_list all_commands(command_list const& more) {
    command_list commands{
        &info_command,          &pagerank_command,        &triangles_command,     &stream_command,
        &convert_command,       &generate_rgg_command,    &generate_rmat_command, &generate_mesh_command,
        &generate_road_command, &generate_updates_command};
    commands.insert(commands.end(), more.begin(), more.end());
    return commands;
}

/// The second words of the commands whose first word this is: "rgg", "updates" of "generate".
std::vector<std::string> second_words(command_list const& commands, std::string const& first) {
    std::vector<std::string> found;
    for (command const* each : commands) {
        command_text const text = each->text();
        std::string const name = text.name;
        if (!text.hidden && name.starts_with(first + " ")) found.push_back(name.substr(first.size() + 1));
    }
    return found;
}

void print_help(console& out, command_list const& commands) {
    out.print(
        "Dynamic graphs on the GPU, or without one: loads graphs, streams edge updates through them, ranks\n"
        "vertices and counts triangles on the live structure.\n\nUsage:\n  rhizome COMMAND [options] ...\n\n"
        "Commands:\n");
    for (command const* each : commands) {
        auto const text = each->text();
        if (!text.hidden) out.print(fmt::format("  {:<17} {}\n", text.name, text.summary));
    }
    out.print("\nOptions:\n  -h, --help        print this help; 'rhizome COMMAND --help' prints a command's\n"
              "      --version     print the version\n\n");
    auto const print_choices = [&](char const* title, std::vector<named_choice> const& choices) {
        out.print(fmt::format("{}:\n", title));
        for (named_choice const& each : choices)
            out.print(fmt::format("  {:<17} {}\n", each.name, each.summary));
        out.print("\n");
    };
    print_choices("Spaces (--space; default: cuda with a usable GPU, else host)", spaces());
    print_choices("Allocators (--allocator; the first is the default)", allocators());
    print_choices("Layouts (--layout; the first is the default)", layouts());
    out.print(
        "Files: DIMACS10 / METIS .graph, and update streams ('+ u v [w]', '- u v', '#' comments; vertices\n"
        "count from 0), plain, .gz or .bz2; and stored graphs (.rhz, see 'rhizome convert --help') wherever\n"
        "a graph is read.\n\n"
        "Example, from nothing:\n"
        "  rhizome generate rgg --scale 17 --output rgg17.graph\n"
        "  rhizome generate updates rgg17.graph --count 1000000 --output rgg17.updates\n"
        "  rhizome stream rgg17.graph rgg17.updates --pagerank-every 5 --triangles-every 5\n\n");
    out.print(exit_code_text());
}

/// The command that the words name, and how many of them its name takes.
std::pair<command const*, std::size_t> find_command(command_list const& commands,
                                                    std::vector<std::string> const& words) {
    std::string const& first = words.front();
    for (command const* each : commands) {
        std::string const name = each->text().name;
        if (name == first) return {each, 1};
        if (words.size() > 1 && name == first + " " + words[1]) return {each, 2};
    }
    std::vector<std::string> const seconds = second_words(commands, first);
    if (!seconds.empty() && words.size() == 1)
        throw usage_error(fmt::format("{}: an argument is missing, expected {}; try 'rhizome --help'", first,
                                      fmt::join(seconds, " or ")));
    if (!seconds.empty())
        throw usage_error(fmt::format("{}: there is no '{}', only {}; try 'rhizome --help'", first, words[1],
                                      fmt::join(seconds, ", ")));
    if (first.starts_with('-'))
        throw usage_error(fmt::format("option '{}' does not exist here; try 'rhizome --help'", first));
    throw usage_error(fmt::format("there is no command '{}'; try 'rhizome --help'", first));
}

/// The help of all commands whose first word this is.
void print_group_help(console& out, command_list const& commands, std::string const& first) {
    char const* between = "";
    for (command const* each : commands) {
        command_text const text = each->text();
        if (text.hidden || !std::string(text.name).starts_with(first + " ")) continue;
        out.print(between);
        out.print(arguments(text, {}).help());
        between = "\n";
    }
}

void run(command_list const& commands, std::vector<std::string> const& words) {
    console out;
    if (words.empty()) throw usage_error("no command given; try 'rhizome --help'");
    bool const help = words[0] == "--help" || words[0] == "-h" || words[0] == "help";
    bool const second_is_help = words.size() == 2 && (words[1] == "--help" || words[1] == "-h");
    if (help) {
        print_help(out, commands);
    } else if (words[0] == "--version") {
        out.print("rhizome " RHIZOME_VERSION "\n");
    } else if (second_is_help && !second_words(commands, words[0]).empty()) {
        print_group_help(out, commands, words[0]);
    } else {
        auto const [command, name_words] = find_command(commands, words);
        command_text const text = command->text();
        arguments const args(text, std::vector<std::string>(
                                       words.begin() + static_cast<std::ptrdiff_t>(name_words), words.end()));
        command_context context{.args = args, .out = out, .notice = {}};
        if (args.wants_help()) {
            out.print(args.help());
        } else {
            command->run(context);
        }
        out.flush();
        if (!context.notice.empty() && !context.quiet()) say(context.notice);
    }
    out.flush();
}

} // namespace

int run_tool(std::vector<std::string> const& words, std::vector<command const*> const& more) noexcept {
    try {
        run(all_commands(more), words);
        return 0;
    } catch (usage_error const& error) {
        say(error.what());
        return 2;
    } catch (stopped const& end) {
        say(end.what());
        return end.exit_code();
    } catch (std::bad_alloc const&) {
        say("out of memory on the host");
    } catch (std::exception const& error) {
        say(error.what());
    }
    return 1;
}

} // namespace rhizome::cli
