#include <rhizome/cli/command.hpp>
#include <rhizome/cli/tool.hpp>
#include <rhizome/cli/usage_error.hpp>

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <new>

namespace rhizome::cli {
namespace {

std::array<command const*, 6> const commands{&info_command,         &pagerank_command,
                                             &triangles_command,    &stream_command,
                                             &generate_rgg_command, &generate_updates_command};

void print_help(console& out) {
    out.print(
        "Dynamic graphs on the GPU, or without one: loads graphs, streams edge updates through them, ranks\n"
        "vertices and counts triangles on the live structure.\n\nUsage:\n  rhizome COMMAND [options] ...\n\n"
        "Commands:\n");
    for (command const* each : commands) {
        auto const text = each->text();
        out.print(fmt::format("  {:<17} {}\n", text.name, text.summary));
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
        "count from 0), plain, .gz or .bz2.\n\n"
        "Example, from nothing:\n"
        "  rhizome generate rgg --scale 17 --output rgg17.graph\n"
        "  rhizome generate updates rgg17.graph --count 1000000 --output rgg17.updates\n"
        "  rhizome stream rgg17.graph rgg17.updates --pagerank-every 5 --triangles-every 5\n\n");
    out.print(exit_code_text());
}

/// The command that the words name, and how many of them its name takes.
std::pair<command const*, std::size_t> find_command(std::vector<std::string> const& words) {
    std::string const& first = words.front();
    for (command const* each : commands) {
        std::string const name = each->text().name;
        if (name == first) return {each, 1};
        if (words.size() > 1 && name == first + " " + words[1]) return {each, 2};
    }
    if (first == "generate" && words.size() == 1)
        throw usage_error("generate: an argument is missing, expected rgg or updates; try 'rhizome --help'");
    if (first == "generate")
        throw usage_error(
            fmt::format("generate: there is no '{}', only rgg, updates; try 'rhizome --help'", words[1]));
    if (first.starts_with('-'))
        throw usage_error(fmt::format("option '{}' does not exist here; try 'rhizome --help'", first));
    throw usage_error(fmt::format("there is no command '{}'; try 'rhizome --help'", first));
}

void print_generate_help(console& out) {
    for (command const* each : {&generate_rgg_command, &generate_updates_command}) {
        command_text const text = each->text();
        out.print(arguments(text, {}).help());
        if (each == &generate_rgg_command) out.print("\n");
    }
}

void run(std::vector<std::string> const& words) {
    console out;
    if (words.empty()) throw usage_error("no command given; try 'rhizome --help'");
    bool const help = words[0] == "--help" || words[0] == "-h" || words[0] == "help";
    if (help) {
        print_help(out);
    } else if (words[0] == "--version") {
        out.print("rhizome " RHIZOME_VERSION "\n");
    } else if (words[0] == "generate" && words.size() == 2 && (words[1] == "--help" || words[1] == "-h")) {
        print_generate_help(out);
    } else {
        auto const [command, name_words] = find_command(words);
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

int run_tool(std::vector<std::string> const& words) noexcept {
    try {
        run(words);
        return 0;
    } catch (usage_error const& error) {
        say(error.what());
        return 2;
    } catch (std::bad_alloc const&) {
        say("out of memory on the host");
    } catch (std::exception const& error) {
        say(error.what());
    }
    return 1;
}

} // namespace rhizome::cli
