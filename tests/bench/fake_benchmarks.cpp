// SPDX-License-Identifier: Apache-2.0
// A registry whose cells do what cells should not: lets the harness be tested without anything to measure.
#include <rhizome/bench/harness/ranks.hpp>
#include <rhizome/bench/harness/registry.hpp>
#include <rhizome/cli/parse_values.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/comm/bootstrap/process_rank.hpp>

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace rhizome::bench {
namespace {

using namespace std::chrono_literals;

cell_result behave(cell const& which) {
    std::string const& behaviour = which.text("behaviour");
    std::uint64_t const count = which.count("count");
    if (behaviour == "hang") {
        std::signal(SIGTERM, SIG_IGN);
        if (fork() == 0) std::this_thread::sleep_for(100s); // holds the pipes, too
        std::this_thread::sleep_for(100s);
    }
    if (behaviour == "crash") {
        std::fputs("first words\nlast words\n", stderr);
        std::signal(SIGSEGV, SIG_DFL); // sanitizers would make it an exit
        std::raise(SIGSEGV);
    }
    if (behaviour == "leave") std::_Exit(5);
    if (behaviour == "leave-silently") std::_Exit(0);
    if (behaviour == "throw") throw std::runtime_error("it does, \"so\"\nand says \xff");
    if (behaviour == "shun") return {cell_status::not_served, "not for everybody", {}};
    if (behaviour == "chatter") std::puts("{\"status\": \"nonsense\"}");
    double const time = static_cast<double>(count);
    return {cell_status::ok,
            "",
            {{"work", "ms", false, {3 * time, time, 2 * time}}, {"share", "share", true, {0.5}}}};
}

/// What each of several processes does: rank 1 misbehaves.
cell_result behave_as_rank(cell const& which) {
    std::string const& behaviour = which.text("behaviour");
    comm::process_rank const self = comm::rank_from_environment();
    std::printf("rank %d is here, without an end of its line", self.rank);
    if (self.rank == 1) {
        if (behaviour == "hang") std::this_thread::sleep_for(100s);
        if (behaviour == "leave-silently") return {};
        return behave(which);
    }
    if (behaviour == "leave-silently") std::_Exit(0);
    return {cell_status::ok, "", {{"ranks", "", true, {static_cast<double>(self.size)}}}};
}

std::vector<comparison> compare(std::vector<measured_cell> const& cells) {
    std::vector<double> shares;
    for (measured_cell const& each : cells)
        if (auto const share = median_of(each, "share")) shares.push_back(*share);
    return {{"shares of cells that behave", {.mean = 1}, range_of(shares), shares.size(), "a paper"}};
}

std::string halve(cell& which, std::set<std::string> const& chosen, space_description const& space) {
    if (space.name != "small" || chosen.contains("count")) return "";
    which.set("count", "4");
    return "count 4 on small";
}

std::string normal_behaviour(std::string const& option, std::string const& text) {
    for (char const* known : {"work", "hang", "crash", "leave", "leave-silently", "throw", "shun", "chatter"})
        if (text == known) return text;
    throw cli::usage_error("--" + option + ": there is no '" + text + "'");
}

std::string normal_count(std::string const& option, std::string const& text) {
    return std::to_string(cli::parse_count(option, text, 1, 1000));
}

} // namespace

std::vector<benchmark> const& benchmarks() {
    static std::vector<choice> const choices{
        {"behaviour", "what it does", "NAMES", "work,shun", true, normal_behaviour},
        {"count", "how long", "N", "8", true, normal_count},
        {"space", "where", "NAME", "", true, {}}};
    static std::vector<benchmark> const all{
        {"misbehaving", "does what it is told", "Nothing is measured.", choices, halve, behave, compare},
        {"plain",
         "has one choice",
         "",
         {{"depth", "how deep", "N", "1", false, normal_count}},
         {},
         [](cell const& which) {
             return cell_result{
                 cell_status::ok, "", {{"depth", "m", true, {which.text("depth") == "1" ? 1. : 2.}}}};
         }},
        {"several",
         "is measured by three processes",
         "",
         choices,
         {},
         [](cell const& which) { return run_as_ranks(which, 3); },
         {},
         behave_as_rank}};
    return all;
}

std::vector<space_description> describe_spaces() {
    return {{.name = "moon", .usable = false, .reason = "too far"},
            {.name = "earth", .device = "a planet", .memory_bytes = 1 << 20},
            {.name = "small", .device = "an asteroid", .memory_bytes = 1 << 10}};
}

} // namespace rhizome::bench
