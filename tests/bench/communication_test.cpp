// SPDX-License-Identifier: Apache-2.0
// Calls of a communicator under measurement: times of each repetition, and wrong values that are found.
#include <rhizome/bench/communication/calls.hpp>
#include <rhizome/bench/communication/measure.hpp>
#include <rhizome/bench/communication/workload_model.hpp>
#include <rhizome/bench/harness/common_choices.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/comm/network/cost_model.hpp>
#include <rhizome/comm/network/known_networks.hpp>
#include <rhizome/comm/threads.hpp>
#include <rhizome/exec/host.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

using namespace rhizome;
using namespace rhizome::bench;

namespace rhizome::bench {
std::vector<double> communicate_on_cuda(communication_options const&) {
    throw std::logic_error("this test measures on host alone");
}
std::vector<double> communicate_through_nccl(communication_options const&) {
    throw std::logic_error("this test measures on host alone");
}
std::string no_nccl_because() { return "this test has no NCCL"; }
} // namespace rhizome::bench

namespace {

benchmark const& communication() {
    static std::vector<benchmark> const all = communication_benchmarks();
    return all.front();
}

cell cell_of_call(std::string const& call, std::string const& ranks, std::string const& message) {
    return {"communication",
            {{"call", call},
             {"ranks", ranks},
             {"message", message},
             {"backend", "threads"},
             {"space", "host"},
             {"warm-up", "1"},
             {"repetitions", "3"}}};
}

} // namespace

TEST(bench_communication, measures_every_call_with_even_and_uneven_shares) {
    for (std::string const& call : communication_calls())
        for (char const* ranks : {"1", "2", "3"})
            for (char const* message : {"8", "4096", "1000"}) {
                cell_result const result = communication().run(cell_of_call(call, ranks, message));
                EXPECT_EQ(result.status, cell_status::ok) << call << ": " << result.message;
                bool const has_bandwidth = takes_message(call) && std::string(ranks) != "1";
                ASSERT_EQ(result.measures.size(), has_bandwidth ? 2u : 1u) << call;
                EXPECT_EQ(result.measures[0].samples.size(), 3u);
                for (double const ms : result.measures[0].samples)
                    EXPECT_GT(ms, 0);
                for (std::size_t i = 0; has_bandwidth && i < 3; ++i)
                    EXPECT_DOUBLE_EQ(result.measures[1].samples[i] * result.measures[0].samples[i] * 1e6,
                                     received_bytes(call, std::stoull(message), std::stoi(ranks)));
            }
}

TEST(bench_communication, finds_values_that_did_not_arrive) {
    for (std::string const& call : communication_calls()) {
        if (call == "barrier") continue;
        auto const run = [&](bool make) {
            std::vector<exec::host_space> const spaces(2, exec::host_space({.threads = 1}));
            comm::run_ranks(spaces, [&](comm::communicator<exec::host_space>& self) {
                measured_call<exec::host_space> measured(self,
                                                         {.call = call, .ranks = 2, .message_bytes = 64});
                if (make) measured.make();
                measured.check();
            });
        };
        EXPECT_NO_THROW(run(true)) << call;
        EXPECT_THROW(run(false), std::runtime_error) << call;
    }
}

TEST(bench_communication, counts_the_bytes_that_must_cross) {
    EXPECT_DOUBLE_EQ(received_bytes("exchange", 8000, 4), 6000);
    EXPECT_DOUBLE_EQ(received_bytes("all-gather", 8000, 4), 24'000);
    EXPECT_DOUBLE_EQ(received_bytes("all-reduce", 8000, 4), 12'000);
    EXPECT_DOUBLE_EQ(received_bytes("broadcast", 8000, 4), 8000);
    EXPECT_DOUBLE_EQ(received_bytes("vote", 8000, 4), 0);
    EXPECT_DOUBLE_EQ(received_bytes("exchange", 8000, 1), 0);
}

TEST(bench_communication, calls_without_arrays_have_one_cell) {
    std::set<std::string> messages;
    for (char const* message : {"8", "4096"}) {
        cell which = cell_of_call("vote", "2", message);
        EXPECT_EQ(communication().fit(which, {"message"}, {}), "");
        messages.insert(which.text("message"));
        cell gather = cell_of_call("all-gather", "2", message);
        EXPECT_EQ(communication().fit(gather, {}, {}), "");
        EXPECT_EQ(gather.text("message"), message);
    }
    EXPECT_EQ(messages, std::set<std::string>{"0"});
}

TEST(bench_communication, does_not_serve_nccl_where_there_is_none_or_in_host_memory) {
    cell which = cell_of_call("vote", "2", "0");
    which.set("backend", "nccl");
    EXPECT_EQ(communication().run(which).status, cell_status::not_served);
    EXPECT_NE(communication().run(which).message.find("nccl exchanges arrays on cuda"), std::string::npos);
    which.set("space", "cuda");
    EXPECT_EQ(communication().run(which).status, cell_status::not_served);
    EXPECT_EQ(communication().run(which).message, "this test has no NCCL");
}

/// A round by hand: two ranks of one host, with numbers that can be added up.
TEST(bench_communication_model, adds_up_what_a_step_takes) {
    comm::network const net{
        .within = {.latency_us = 3, .gigabytes_per_second = 1}, .call_us = 7, .words_us = 11};
    modelled_workload const work{.name = "two kinds of arrays",
                                 .alone_ms = 1,
                                 .one_rank_ms = 2,
                                 .divided_ms = 0.5,
                                 .spread = 0.1,
                                 .host_us = 20,
                                 .routing_bytes = 3e9,
                                 .edges = 1000,
                                 .exchanged_bytes = 8000,
                                 .gathered_bytes = 2000,
                                 .words = {4, 1},
                                 .words_for_each_rank = 1};
    modelled_step const step = predict(work, net, 2);
    EXPECT_NEAR(step.words_ms, 0.001 * ((11 + 3 + 0.048) + (11 + 3 + 0.008)), 1e-12);
    EXPECT_NEAR(step.arrays_ms, 0.001 * ((7 + 3 + 4) + (7 + 3 + 2)), 1e-12);
    // The larger of two numbers is 1 / sqrt(pi) deviations above the mean.
    EXPECT_NEAR(step.waiting_ms, 2 * 0.02 + 0.1 * 3.5 / std::sqrt(std::numbers::pi), 1e-4);
    EXPECT_NEAR(step.time_ms, 3.5 + step.waiting_ms + step.words_ms + step.arrays_ms, 1e-12);
    EXPECT_NEAR(step.counted_ms, step.time_ms, 1e-9);
    EXPECT_NEAR(step.efficiency, 1 / step.time_ms, 1e-12);
    EXPECT_DOUBLE_EQ(step.bytes_per_edge, (4000 + 2000 + 48 + 8) / 1000.0);
    EXPECT_DOUBLE_EQ(step.messages, 4);
    EXPECT_DOUBLE_EQ(predict(work, net, 1).time_ms, 2);
    EXPECT_DOUBLE_EQ(predict(work, net, 1).bytes_per_edge, 0);
}

/// On one host kernels write what others get; ranks on several hosts exchange it.
TEST(bench_communication_model, adds_up_what_ranks_write_on_one_host) {
    comm::network const net{.ranks_per_host = 2,
                            .within = {.latency_us = 3, .gigabytes_per_second = 1},
                            .between = {.latency_us = 5, .gigabytes_per_second = 1},
                            .call_us = 7,
                            .words_us = 11};
    modelled_workload const work{.name = "written",
                                 .alone_ms = 1,
                                 .one_rank_ms = 2,
                                 .divided_ms = 0.5,
                                 .host_us = 20,
                                 .edges = 1000,
                                 .exchanged_bytes = 8000,
                                 .writes = true,
                                 .written_bytes = 3000,
                                 .words = {4}};
    modelled_step const step = predict(work, net, 2);
    EXPECT_NEAR(step.words_ms, 0.001 * ((11 + 3 + 0.032) + (11 + 3 + 0.008)), 1e-12);
    EXPECT_NEAR(step.arrays_ms, 0.003, 1e-12);
    EXPECT_NEAR(step.time_ms, 2 + step.words_ms + step.arrays_ms, 1e-12);
    EXPECT_NEAR(step.counted_ms, step.time_ms, 1e-9);
    EXPECT_DOUBLE_EQ(step.bytes_per_edge, (4000 + 3000 + 32 + 8) / 1000.0);
    modelled_step const apart = predict(work, net, 4);
    EXPECT_NEAR(apart.waiting_ms, 0.02, 1e-12);
    EXPECT_NEAR(apart.time_ms, 2.5 + apart.waiting_ms + apart.words_ms + apart.arrays_ms, 1e-12);
    EXPECT_GT(apart.arrays_ms, 0.006) << "three messages of 2000 bytes";
}

TEST(bench_communication_model, formulas_and_counted_messages_agree_for_every_workload) {
    std::vector<benchmark> const all = communication_benchmarks();
    ASSERT_EQ(all.back().name, "communication-model");
    for (modelled_workload const& work : modelled_workloads())
        for (int const ranks : {1, 2, 8, 64, 256}) {
            cell which{"communication-model", {}};
            for (choice const& each : all.back().choices)
                which.values.emplace_back(each.name,
                                          each.is_axis ? "8" : each.normalize(each.name, each.defaults));
            which.set("workload", work.name);
            which.set("ranks", std::to_string(ranks));
            cell_result const result = all.back().run(which);
            std::map<std::string, double> found;
            for (measure const& each : result.measures)
                found[each.name] = each.samples.at(0);
            EXPECT_NEAR(found["counted"] / found["time"], 1, comm::cost_model::greatest_error) << work.name;
            EXPECT_NEAR(found["efficiency"], work.alone_ms / found["time"], 1e-12);
            EXPECT_EQ(found["bytes_per_edge"] == 0, ranks == 1); // on one host without messages
        }
    EXPECT_THROW((void)modelled_workload_of("chess"), std::out_of_range);
}

/// Weak scaling on four H200s of one host (bench/results/h200/scaling-four-*), each beside one rank in the
/// same run.
TEST(bench_communication_model, gives_what_two_and_four_gpus_took) {
    struct measured {
        char const* workload;
        double one_rank_ms;
        double two_ms;
        double four_ms;
        double within = 0.07;
    };
    for (measured const& each :
         {measured{"batch-1M", 0.509, 0.541, 0.538, 0.10}, // inserted
          measured{"batch-1M", 0.388, 0.434, 0.449},       // erased
          measured{"batch-10M", 1.50, 1.64, 1.74},         // inserted
          measured{"batch-10M", 1.40, 1.49, 1.58},         // erased
          measured{"pagerank", 1.11, 1.21, 1.34}, measured{"triangles", 32.2, 38.9, 45.5}}) {
        modelled_workload work = modelled_workload_of(each.workload);
        work.one_rank_ms = each.one_rank_ms;
        EXPECT_NEAR(predict(work, comm::h200_network, 2).time_ms / each.two_ms, 1, each.within)
            << each.workload;
        EXPECT_NEAR(predict(work, comm::h200_network, 4).time_ms / each.four_ms, 1, each.within)
            << each.workload;
    }
}

TEST(bench_communication, refuses_sizes_and_names_that_are_none) {
    auto const normal = [](std::string const& name, std::string const& text) {
        for (choice const& each : communication().choices)
            if (each.name == name) return each.normalize(name, text);
        return std::string("no such choice");
    };
    EXPECT_EQ(normal("message", "64K"), "65536");
    for (char const* wrong : {"0", "12", "2TiB"})
        EXPECT_THROW((void)normal("message", wrong), cli::usage_error) << wrong;
    EXPECT_THROW((void)normal("call", "shout"), cli::usage_error);
    EXPECT_THROW((void)normal("ranks", "0"), cli::usage_error);
}
