// SPDX-License-Identifier: Apache-2.0
// rhizome bench rank: one rank of a cell, in this process. run_as_ranks() starts it, once for each rank.
#include <rhizome/bench/harness/commands.hpp>
#include <rhizome/bench/harness/messages.hpp>
#include <rhizome/comm/bootstrap/process_rank.hpp>

#include <fmt/format.h>

#include <optional>
#include <stdexcept>

namespace rhizome::bench {
namespace {

cli::command_text rank_text() {
    return {.name = "bench rank",
            .words = "CELL",
            .summary = "one rank of a cell that several processes measure",
            .details = "",
            .examples = "",
            .options = {},
            .opens_session = false,
            .has_json = false,
            .hidden = true};
}

void run_rank(cli::command_context& context) {
    std::string const word = context.args.words(1, 1)[0];
    std::optional<cell> which;
    try {
        which = cell_of(nlohmann::ordered_json::parse(word));
    } catch (nlohmann::json::exception const&) {
        throw std::runtime_error("bench rank is started by 'rhizome bench run', and not by hand");
    }
    benchmark const& asked = find_benchmark(which->benchmark);
    if (!asked.run_rank) throw std::runtime_error(asked.name + " is measured by one process");
    cell_result const result = asked.run_rank(*which);
    if (comm::rank_from_environment().rank != 0) return;
    context.out.print(fmt::format(
        "\n{}\n", to_json(result).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)));
}

} // namespace

cli::command const rank_command{rank_text, run_rank};

} // namespace rhizome::bench
