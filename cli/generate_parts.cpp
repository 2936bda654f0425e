#include <rhizome/cli/generate_parts.hpp>
#include <rhizome/cli/usage_error.hpp>

#include <fmt/format.h>

namespace rhizome::cli {

void demand(arguments const& args, char const* command, char const* option) {
    if (!args.has(option))
        throw usage_error(
            fmt::format("{}: --{} is missing; try 'rhizome {} --help'", command, option, command));
}

void report(command_context& context, nlohmann::ordered_json const& document, std::string const& text) {
    context.out.print(context.json() ? document.dump(2) + "\n" : text);
}

} // namespace rhizome::cli
