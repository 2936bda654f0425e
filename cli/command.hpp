// SPDX-License-Identifier: Apache-2.0
// The commands of the tool.
#pragma once

#include <rhizome/cli/arguments.hpp>
#include <rhizome/cli/console.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace rhizome::runtime {
class rank_group;
}

namespace rhizome::cli {

class command_set;

/// What a command runs in.
struct command_context {
    arguments const& args;
    console& out;                          ///< the report
    std::string notice = {};               ///< said on standard error once the command has succeeded
    std::string losses = {};               ///< the part of the notice that is said with --quiet too
    command_set const* commands = nullptr; ///< all of the tool
    std::vector<std::string> words = {};   ///< the whole command line
    std::shared_ptr<runtime::rank_group> ranks = nullptr; ///< that graphs are divided among; nullptr: none

    [[nodiscard]] bool json() const { return args.has("json"); }
    [[nodiscard]] bool quiet() const { return args.has("quiet"); }

    /// Adds to the notice, which stays one line.
    void add_notice(std::string const& text) { append(notice, text); }
    /// Adds to the notice what data was left out or changed, which no user should miss.
    void add_loss(std::string const& text) {
        append(notice, text);
        append(losses, text);
    }

private:
    static void append(std::string& line, std::string const& text) {
        line += (line.empty() ? "" : "; ") + text;
    }
};

/// One command: how it presents itself, and what it does. Throws usage_error for wrong usage, any other
/// std::exception for failures.
struct command {
    std::function<command_text()> text;
    std::function<void(command_context& context)> run;
    /// What the help shows if it depends on the words of the command line. Empty: text().
    std::function<command_text(arguments const& args)> help_text = {};
};

extern command const info_command;
extern command const stream_command;
extern command const convert_command;
extern command const generate_rgg_command;
extern command const generate_rmat_command;
extern command const generate_mesh_command;
extern command const generate_road_command;
extern command const generate_kronecker_command;
extern command const generate_grid_command;
extern command const generate_erdos_renyi_command;
extern command const generate_barabasi_albert_command;
extern command const generate_delaunay_command;
extern command const generate_updates_command;
extern command const datasets_command;
extern command const fetch_command;
extern command const completion_command;
extern command const manual_command;

} // namespace rhizome::cli
