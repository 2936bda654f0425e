// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/harness/child.hpp>
#include <rhizome/bench/harness/messages.hpp>
#include <rhizome/bench/harness/runner.hpp>

#include <fmt/format.h>

namespace rhizome::bench {
namespace {

std::string with_last_words(std::string const& text, child_end const& end) {
    return end.last_words.empty() ? text : text + ": " + end.last_words;
}

cell_result outcome_of(child_end const& end, double limit_seconds) {
    switch (end.how) {
    case child_end::kind::timed_out:
        return {cell_status::timed_out, fmt::format("no end within {:g} s", limit_seconds), {}};
    case child_end::kind::signalled:
        return {cell_status::crashed, with_last_words(signal_name(end.code), end), {}};
    case child_end::kind::exited:
        break;
    }
    if (end.code != 0)
        return {cell_status::crashed, with_last_words(fmt::format("exit code {}", end.code), end), {}};
    try {
        return result_of(nlohmann::ordered_json::parse(end.answer));
    } catch (std::exception const&) {
        return {cell_status::crashed, with_last_words("ended without an answer", end), {}};
    }
}

} // namespace

std::vector<std::string> own_program_as_child() { return {own_program(), "bench", "cell"}; }

measured_cell run_cell(cell const& which, run_options const& options,
                       std::function<void(double)> const& tick) {
    child_end const end =
        run_child(options.program_and_words, request_for(which), options.time_limit_seconds, tick);
    return {which, outcome_of(end, options.time_limit_seconds), end.wall_seconds};
}

std::vector<space_description> ask_for_spaces(run_options const& options) {
    child_end const end =
        run_child(options.program_and_words, request_for_spaces(), options.time_limit_seconds);
    try {
        std::vector<space_description> spaces;
        for (auto const& each : nlohmann::ordered_json::parse(end.answer))
            spaces.push_back(space_of(each));
        return spaces;
    } catch (std::exception const&) {
        throw std::runtime_error("cannot find out what this machine has: " +
                                 with_last_words(end.how == child_end::kind::timed_out
                                                     ? "no answer within the time limit"
                                                     : fmt::format("code {}", end.code),
                                                 end));
    }
}

} // namespace rhizome::bench
