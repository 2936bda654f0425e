#include <rhizome/cli/arguments.hpp>
#include <rhizome/cli/parse_values.hpp>
#include <rhizome/cli/usage_error.hpp>

#include <cxxopts.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace rhizome::cli {
namespace {

std::string choices_text(std::vector<named_choice> const& choices) {
    std::string text;
    for (named_choice const& choice : choices)
        text += (text.empty() ? "" : ", ") + choice.name;
    return text;
}

std::string first_choice(std::vector<named_choice> const& choices) {
    return choices.empty() ? std::string() : choices.front().name;
}

void add_session_options(cxxopts::Options& options) {
    auto const value = [](std::string const& by_default) {
        return cxxopts::value<std::string>()->default_value(by_default);
    };
    options.add_options("Graph")("space",
                                 "where it lives: " + choices_text(spaces()) +
                                     " (default: cuda with a usable GPU, else host)",
                                 cxxopts::value<std::string>(),
                                 "NAME")("allocator", "memory of adjacencies: " + choices_text(allocators()),
                                         value(first_choice(allocators())), "NAME")(
        "layout", "shape of adjacencies: " + choices_text(layouts()), value(first_choice(layouts())),
        "NAME")("directed", "edges are arcs; each edge of an undirected file gives two")(
        "in-arcs", "directed graphs: keep the reverse adjacency as well")("refuse-self-loops",
                                                                          "refuse and count self-loops")(
        "heap-bytes", "size of the heap at the start; it grows by itself (also 64M, 2GiB)", value("2M"),
        "BYTES")("memory-limit", "all memory that the graph may take; 0: no limit", value("0"),
                 "BYTES")("threads", "host space: threads; 0: one a core", value("0"),
                          "N")("seed", "simt space: seed of its scheduler", value("1"), "S");
}

void add_common_options(cxxopts::Options& options, bool has_json) {
    if (has_json)
        options.add_options("Output")("json", "one JSON document on standard output, nothing else there");
    options.add_options("Output")(
        "quiet", "no notices, no progress, no line per batch; results and errors only")("h,help",
                                                                                        "print this help");
}

bool is_known_name(std::vector<named_choice> const& choices, std::string const& name) {
    return std::any_of(choices.begin(), choices.end(), [&](auto const& each) { return each.name == name; });
}

std::string checked_name(char const* option, std::string const& name,
                         std::vector<named_choice> const& choices) {
    if (!is_known_name(choices, name))
        throw usage_error(
            fmt::format("--{}: there is no '{}', only {}", option, name, choices_text(choices)));
    return name;
}

} // namespace

struct arguments::parsed {
    parsed(command_text const& text)
        : command(text), options("rhizome " + std::string(text.name), text.summary) {}

    command_text const& command;
    cxxopts::Options options;
    cxxopts::ParseResult result;
    std::vector<std::string> words;
};

arguments::arguments(command_text const& command, std::vector<std::string> const& words)
    : parsed_(std::make_unique<parsed>(command)) {
    cxxopts::Options& options = parsed_->options;
    options.custom_help(fmt::format("[options] {}", command.words)).set_width(100);
    for (option_text const& each : command.options) {
        auto const value = each.value == nullptr ? cxxopts::value<bool>() : cxxopts::value<std::string>();
        if (each.default_value != nullptr) value->default_value(each.default_value);
        options.add_options("Command")(each.name, each.summary, value,
                                       each.value == nullptr ? "" : each.value);
    }
    if (command.opens_session) add_session_options(options);
    add_common_options(options, command.has_json);

    std::vector<char const*> pointers{"rhizome"};
    for (std::string const& word : words)
        pointers.push_back(word.c_str());
    try {
        parsed_->result = options.parse(static_cast<int>(pointers.size()), pointers.data());
    } catch (cxxopts::exceptions::exception const& error) {
        throw usage_error(fmt::format("{}; try 'rhizome {} --help'", error.what(), command.name));
    }
    parsed_->words = parsed_->result.unmatched();
}

arguments::arguments(arguments&&) noexcept = default;
arguments::~arguments() = default;

std::string arguments::help() const {
    command_text const& command = parsed_->command;
    std::vector<std::string> groups{"Output"};
    if (command.opens_session) groups.insert(groups.begin(), "Graph");
    if (!command.options.empty()) groups.insert(groups.begin(), "Command");
    return fmt::format("{}\n{}\nExamples:\n{}\n\n{}", parsed_->options.help(groups), command.details,
                       command.examples, exit_code_text());
}

std::vector<std::string> const& arguments::words(std::size_t fewest, std::size_t most) const {
    auto const& words = parsed_->words;
    char const* const command = parsed_->command.name;
    if (words.size() < fewest)
        throw usage_error(fmt::format("{}: an argument is missing, expected {}; try 'rhizome {} --help'",
                                      command, parsed_->command.words, command));
    if (words.size() > most)
        throw usage_error(fmt::format("{}: '{}' is one argument too many; try 'rhizome {} --help'", command,
                                      words[most], command));
    return words;
}

bool arguments::has(char const* option) const { return parsed_->result.count(option) > 0; }

std::string arguments::text(char const* option) const { return parsed_->result[option].as<std::string>(); }

std::uint64_t arguments::count(char const* option, std::uint64_t lowest, std::uint64_t highest) const {
    return parse_count(option, text(option), lowest, highest);
}

double arguments::real(char const* option) const { return parse_real(option, text(option)); }

session_options arguments::session() const {
    session_options options;
    if (has("space")) // cuda is a name in every build: open_session() says why it cannot be used
        options.space = text("space") == "cuda" ? "cuda" : checked_name("space", text("space"), spaces());
    options.allocator = checked_name("allocator", text("allocator"), allocators());
    options.layout = checked_name("layout", text("layout"), layouts());
    options.directed = has("directed");
    options.in_arcs = has("in-arcs");
    if (options.in_arcs && !options.directed)
        throw usage_error("--in-arcs: only for directed graphs, with --directed");
    options.self_loops = !has("refuse-self-loops");
    options.heap_bytes = parse_bytes("heap-bytes", text("heap-bytes"));
    options.memory_limit_bytes = parse_bytes("memory-limit", text("memory-limit"));
    options.threads = static_cast<unsigned>(count("threads", 0, 4096));
    options.seed = count("seed", 0);
    return options;
}

std::string exit_code_text() {
    return "Exit codes: 0 done; 1 a bad file, out of memory or another failure; 2 wrong usage.\n"
           "Failures are one line on standard error. Output files appear whole or not at all.\n";
}

} // namespace rhizome::cli
