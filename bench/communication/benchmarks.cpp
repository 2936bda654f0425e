// SPDX-License-Identifier: Apache-2.0
// What can be measured of communicators, and with which values by default.
#include <rhizome/bench/communication/calls.hpp>
#include <rhizome/bench/communication/model_benchmark.hpp>
#include <rhizome/bench/harness/common_choices.hpp>
#include <rhizome/bench/harness/ranks.hpp>
#include <rhizome/cli/parse_values.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/io/message_text.hpp>

#include <fmt/format.h>

#include <utility>

namespace rhizome::bench {
namespace {

constexpr std::uint64_t most_ranks = 1024;
constexpr std::uint64_t most_message_bytes = std::uint64_t{1} << 40;

std::string normal_message(std::string const& option, std::string const& text) {
    std::uint64_t const bytes = cli::parse_bytes(option, text);
    if (bytes % sizeof(std::uint64_t) != 0 || bytes == 0 || bytes > most_message_bytes)
        throw cli::usage_error(fmt::format("--{}: found {}, expected 8 bytes to 1 TiB, a multiple of 8",
                                           option, io::quoted(text)));
    return std::to_string(bytes);
}

std::vector<choice> choices() {
    std::string const calls = fmt::format("{}", fmt::join(communication_calls(), ","));
    std::vector<choice> all{
        {"call", "calls of a communicator: " + calls, "NAMES", calls, true,
         normal_name(communication_calls())},
        {"ranks", "ranks that communicate", "COUNTS", "2", true, normal_count(1, most_ranks)},
        {"message", "bytes that each rank passes to a call", "BYTES", "1K,64K,1M,8M", true, normal_message},
        {"backend",
         "threads: ranks are threads of one process; nccl (cuda): a process and a GPU for each rank", "NAMES",
         "threads", true, normal_name({"threads", "nccl"})},
        space_choice()};
    add_repetition_choices(all, "5", "31");
    return all;
}

/// Calls without arrays have one cell, not one for each size of messages.
std::string fit_to_call(cell& which, std::set<std::string> const&, space_description const&) {
    if (!takes_message(which.text("call"))) which.set("message", "0");
    return "";
}

communication_options options_of(cell const& which) {
    return {.call = which.text("call"),
            .ranks = static_cast<int>(which.count("ranks")),
            .message_bytes = which.count("message"),
            .warm_up = which.count("warm-up"),
            .repetitions = which.count("repetitions")};
}

cell_result result_with(communication_options const& options, std::vector<double> milliseconds) {
    measure const time{"time", "ms", false, std::move(milliseconds)};
    double const bytes = received_bytes(options.call, options.message_bytes, options.ranks);
    if (bytes == 0) return {cell_status::ok, "", {time}};
    measure bandwidth{"bandwidth", "GB/s", true, {}};
    for (double const ms : time.samples)
        bandwidth.samples.push_back(bytes / (ms * 1e6));
    return {cell_status::ok, "", {time, bandwidth}};
}

cell_result run_communication(cell const& which) {
    communication_options const options = options_of(which);
    std::string const& space = which.text("space");
    if (space == "simt") return {cell_status::not_served, "times of the emulator say nothing", {}};
    if (which.text("backend") == "threads")
        return result_with(options,
                           space == "cuda" ? communicate_on_cuda(options) : communicate_on_host(options));
    if (space != "cuda") return {cell_status::not_served, "nccl exchanges arrays on cuda only", {}};
    if (std::string const reason = no_nccl_because(); !reason.empty())
        return {cell_status::not_served, reason, {}};
    return run_as_ranks(which, options.ranks);
}

cell_result run_rank(cell const& which) {
    communication_options const options = options_of(which);
    return result_with(options, communicate_through_nccl(options));
}

} // namespace

std::vector<benchmark> communication_benchmarks() {
    return {{"communication",
             "calls between ranks: milliseconds, and bytes received per second",
             "exchange is all_to_all with counts: each rank sends the same share of its message to each "
             "rank, and keeps one.\n"
             "A time is that of the rank that took longest, from the call to the end of wait(), by the clock "
             "of the host.\n"
             "The bandwidth is the bus bandwidth of nccl-tests: bytes that a rank must receive from others, "
             "per time.\n"
             "counts, vote and barrier exchange words in host memory. The values received are checked.",
             choices(),
             fit_to_call,
             run_communication,
             {},
             run_rank},
            communication_model_benchmark()};
}

} // namespace rhizome::bench
