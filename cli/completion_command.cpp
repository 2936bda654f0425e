// SPDX-License-Identifier: Apache-2.0
// rhizome completion: what makes a shell complete commands, options and their values.
#include <rhizome/cli/command_set.hpp>
#include <rhizome/cli/option_list.hpp>
#include <rhizome/cli/report.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/io/message_text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace rhizome::cli {
namespace {

command_text completion_text() {
    return {.name = "completion",
            .words = "bash|zsh",
            .summary = "prints a script that completes commands and options in a shell",
            .details = "The installed tool brings both scripts where bash and zsh look for them.\n",
            .examples = "  source <(rhizome completion bash)\n"
                        "  rhizome completion zsh > ~/.zsh/completions/_rhizome    a folder of $fpath",
            .options = {{"output", "write the script to a file", "FILE"}},
            .opens_session = false,
            .has_json = false};
}

/// First words of commands, each once; their second words.
struct command_words {
    std::vector<std::string> first;
    std::vector<std::pair<std::string, std::vector<std::string>>> second;
};

command_words words_of(std::vector<command_text> const& commands) {
    command_words words;
    for (command_text const& each : commands) {
        std::string const name = each.name;
        auto const blank = name.find(' ');
        std::string const first = name.substr(0, blank);
        if (std::find(words.first.begin(), words.first.end(), first) == words.first.end())
            words.first.push_back(first);
        if (blank == std::string::npos) continue;
        if (words.second.empty() || words.second.back().first != first) words.second.push_back({first, {}});
        words.second.back().second.push_back(name.substr(blank + 1));
    }
    words.first.emplace_back("help");
    return words;
}

/// In single quotes of a shell.
std::string in_quotes(std::string const& text) {
    std::string result;
    for (char const c : text)
        result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return "'" + result + "'";
}

std::string bash_script(std::vector<command_text> const& commands) {
    command_words const words = words_of(commands);
    std::string script = fmt::format(
        "# bash completion for rhizome\n"
        "_rhizome() {{\n"
        "    local current=\"${{COMP_WORDS[COMP_CWORD]}}\" before=\"${{COMP_WORDS[COMP_CWORD-1]}}\"\n"
        "    local command=\"${{COMP_WORDS[1]}}\" options= values=\n"
        "    COMPREPLY=()\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "        COMPREPLY=($(compgen -W '{} --help --version' -- \"$current\"))\n"
        "        return\n"
        "    fi\n"
        "    case \"$command\" in\n",
        fmt::join(words.first, " "));
    for (auto const& [first, second] : words.second)
        script += fmt::format("    {})\n"
                              "        if [ \"$COMP_CWORD\" -eq 2 ]; then\n"
                              "            COMPREPLY=($(compgen -W '{}' -- \"$current\"))\n"
                              "            return\n"
                              "        fi\n"
                              "        command=\"$command ${{COMP_WORDS[2]}}\";;\n",
                              first, fmt::join(second, " "));
    script += fmt::format("    help)\n"
                          "        COMPREPLY=($(compgen -W '{}' -- \"$current\"))\n"
                          "        return;;\n"
                          "    completion)\n"
                          "        COMPREPLY=($(compgen -W 'bash zsh' -- \"$current\"))\n"
                          "        return;;\n"
                          "    esac\n"
                          "    case \"$command:$before\" in\n",
                          fmt::join(words.first, " "));
    std::string options;
    for (command_text const& each : commands) {
        std::string names;
        for (listed_option const& option : options_of(each)) {
            names += (names.empty() ? "--" : " --") + option.name;
            if (!option.choices.empty())
                script += fmt::format("    '{}:--{}') values={};;\n", each.name, option.name,
                                      in_quotes(fmt::format("{}", fmt::join(option.choices, " "))));
        }
        options += fmt::format("    '{}') options={};;\n", each.name, in_quotes(names));
    }
    script += fmt::format("    esac\n"
                          "    case \"$command\" in\n{}"
                          "    esac\n"
                          "    if [ -n \"$values\" ]; then\n"
                          "        COMPREPLY=($(compgen -W \"$values\" -- \"$current\"))\n"
                          "    elif [ \"${{current#-}}\" != \"$current\" ]; then\n"
                          "        COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
                          "    fi\n"
                          "}}\n"
                          "complete -o default -F _rhizome rhizome\n",
                          options);
    return script;
}

/// For _arguments, which takes brackets and colons for its own.
std::string zsh_text(std::string const& text) {
    std::string result;
    for (char const c : text) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
        result += c;
    }
    return result;
}

std::string zsh_option(listed_option const& option) {
    std::string const value =
        option.is_switch() ? ""
        : !option.choices.empty()
            ? fmt::format(":{}:({})", option.value, fmt::join(option.choices, " "))
            : fmt::format(":{}:{}", option.value, option.value == "FILE" ? "_files" : " ");
    auto const one = [&](std::string const& name) {
        return "        " + in_quotes(fmt::format("{}[{}]{}", name, zsh_text(option.summary), value)) +
               " \\\n";
    };
    return one("--" + option.name) + (option.letter.empty() ? "" : one("-" + option.letter));
}

std::string zsh_script(std::vector<command_text> const& commands) {
    command_words const words = words_of(commands);
    std::string script = fmt::format("#compdef rhizome\n"
                                     "_rhizome() {{\n"
                                     "    local command=$words[2]\n"
                                     "    if (( CURRENT == 2 )); then\n"
                                     "        compadd -- {} --help --version\n"
                                     "        return\n"
                                     "    fi\n"
                                     "    case $command in\n",
                                     fmt::join(words.first, " "));
    for (auto const& [first, second] : words.second)
        script += fmt::format("    ({})\n"
                              "        if (( CURRENT == 3 )); then\n"
                              "            compadd -- {}\n"
                              "            return\n"
                              "        fi\n"
                              "        command+=\" $words[3]\" ;;\n",
                              first, fmt::join(second, " "));
    script += fmt::format("    (help) compadd -- {}; return ;;\n"
                          "    (completion) compadd -- bash zsh; return ;;\n"
                          "    esac\n"
                          "    case $command in\n",
                          fmt::join(words.first, " "));
    for (command_text const& each : commands) {
        script += fmt::format("    ({}) _arguments \\\n", in_quotes(each.name));
        for (listed_option const& option : options_of(each))
            script += zsh_option(option);
        script += "        '*:file:_files' ;;\n";
    }
    return script + "    esac\n}\n_rhizome \"$@\"\n";
}

void run_completion(command_context& context) {
    std::string const shell = context.args.words(1, 1)[0];
    auto const commands = context.commands->visible();
    if (shell == "bash")
        print_or_write(context, bash_script(commands));
    else if (shell == "zsh")
        print_or_write(context, zsh_script(commands));
    else
        throw usage_error(fmt::format("completion: there is no {}, only bash, zsh", io::quoted(shell)));
}

} // namespace

command const completion_command{completion_text, run_completion};

} // namespace rhizome::cli
