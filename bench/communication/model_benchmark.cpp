// SPDX-License-Identifier: Apache-2.0
// What graphs over many ranks would take: computed, not measured.
#include <rhizome/bench/communication/model_benchmark.hpp>
#include <rhizome/bench/communication/workload_model.hpp>
#include <rhizome/bench/harness/common_choices.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/comm/network/known_networks.hpp>
#include <rhizome/io/message_text.hpp>

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <system_error>
#include <vector>

namespace rhizome::bench {
namespace {

constexpr std::uint64_t most_ranks = 1024; // messages of 2^20 pairs are counted

/// A number from `lowest` to 10^6.
normalizer normal_real(double lowest) {
    return [=](std::string const& option, std::string const& text) {
        double value = -1;
        auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size() || !(value >= lowest && value <= 1e6))
            throw cli::usage_error(fmt::format("--{}: found {}, expected a number from {} to 1000000", option,
                                               io::quoted(text), lowest));
        return fmt::format("{}", value);
    };
}

choice number(std::string name, std::string summary, std::string unit, double by_default, double lowest) {
    return {std::move(name), std::move(summary), std::move(unit), fmt::format("{}", by_default),
            false,           normal_real(lowest)};
}

std::vector<choice> choices() {
    std::vector<std::string> names;
    for (modelled_workload const& each : modelled_workloads())
        names.push_back(each.name);
    std::string const all = fmt::format("{}", fmt::join(names, ","));
    comm::network const& net = comm::h200_network;
    constexpr double least_bandwidth = 0.001;
    return {
        {"workload", "steps of programs: " + all, "NAMES", all, true, normal_name(names)},
        {"ranks", "ranks that communicate", "COUNTS", "1,2,4,8,16,32,64,128,256", true,
         normal_count(1, most_ranks)},
        {"ranks-per-host", "GPUs of a host; 0: all are on one", "COUNTS", std::to_string(net.ranks_per_host),
         true, normal_count(0, most_ranks)},
        number("within-latency", "of a message within a host, microseconds", "US", net.within.latency_us, 0),
        number("within-bandwidth", "of a rank within a host, GB/s", "GB/S", net.within.gigabytes_per_second,
               least_bandwidth),
        number("between-latency", "of a message between hosts, microseconds", "US", net.between.latency_us,
               0),
        number("between-bandwidth", "of a rank to other hosts, GB/s", "GB/S",
               net.between.gigabytes_per_second, least_bandwidth),
        number("call-latency", "of a collective before its first message, microseconds", "US", net.call_us,
               0),
        number("words-latency", "the same of votes and counts", "US", net.words_us, 0),
        number("shared-words-latency",
               "of votes and counts among ranks of one host, through its memory; 0: as messages", "US",
               net.shared_words_us, 0)};
}

comm::network network_of(cell const& which) {
    auto const real = [&](char const* choice) { return std::stod(which.text(choice)); };
    return {
        .ranks_per_host = static_cast<int>(which.count("ranks-per-host")),
        .within = {.latency_us = real("within-latency"), .gigabytes_per_second = real("within-bandwidth")},
        .between = {.latency_us = real("between-latency"), .gigabytes_per_second = real("between-bandwidth")},
        .call_us = real("call-latency"),
        .words_us = real("words-latency"),
        .shared_words_us = real("shared-words-latency")};
}

cell_result run_model(cell const& which) {
    modelled_step const step = predict(modelled_workload_of(which.text("workload")), network_of(which),
                                       static_cast<int>(which.count("ranks")));
    return {cell_status::ok,
            "",
            {{"time", "ms", false, {step.time_ms}},
             {"arrays", "ms", false, {step.arrays_ms}},
             {"words", "ms", false, {step.words_ms}},
             {"waiting", "ms", false, {step.waiting_ms}},
             {"counted", "ms", false, {step.counted_ms}},
             {"efficiency", "share", true, {step.efficiency}},
             {"bytes_per_edge", "bytes", false, {step.bytes_per_edge}},
             {"messages", "messages", false, {step.messages}}}};
}

} // namespace

benchmark communication_model_benchmark() {
    return {
        "communication-model",
        "graphs over many GPUs: predicted times of batches, PageRank and triangles",
        "Computed from times of one H200 and of calls between two, and from assumptions about networks "
        "(docs/scaling.md).\n"
        "Each rank has the same share however many there are, and nothing overlaps. time is by formulas, "
        "counted by every\n"
        "message. arrays, words and waiting are parts of time: exchanges of arrays, votes and counts, and "
        "waiting for the host\n"
        "and for the slowest rank. efficiency is the time of one GPU without ranks, with its share, over "
        "time.",
        choices(),
        {},
        run_model};
}

} // namespace rhizome::bench
