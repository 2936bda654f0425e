// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/communication/workload_model.hpp>
#include <rhizome/comm/network/collective_times.hpp>
#include <rhizome/comm/network/cost_model.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <utility>

namespace rhizome::bench {
namespace {

constexpr double routed_arc_bytes = 8;      // graph/partition/routing.hpp, 32-bit ids
constexpr double memory_bytes_per_ms = 3e9; // of an H200, for passes over arrays: assumed
// NCCL gathers uneven counts by a broadcast for each rank. That these take twice as long is fitted to what
// triangles took on two and four GPUs, as the next two numbers are to what batches and PageRank took there
// before ranks wrote into each other's memory.
constexpr double uneven_gather_times = 2;
constexpr double spread_of_ranks = 0.08;
constexpr double host_us = 15;

modelled_workload batch(std::string name, double arcs, double alone_ms, double one_rank_ms,
                        double sort_pass_ms) {
    return {.name = std::move(name),
            .alone_ms = alone_ms,
            .one_rank_ms = one_rank_ms,
            .divided_ms = sort_pass_ms, // ids of several copies of the graph have more bits
            .spread = spread_of_ranks,
            .host_us = host_us,
            .edges = arcs,
            .exchanged_bytes = routed_arc_bytes * arcs,
            .writes = true,     // while it groups the arcs, which hides it
            .words = {6, 1, 4}, // counts; whether all have reserved their pages; the report
            .words_for_each_rank = 1};
}

/// Each message of the collectives of a step, one collective after the other.
class counted_step {
public:
    counted_step(comm::network const& net, int ranks)
        : net_(net), now_us_(static_cast<std::size_t>(ranks), 0), sent_(now_us_.size()) {}

    void exchange(double bytes_for_all) {
        std::size_t const ranks = now_us_.size();
        auto const each =
            static_cast<std::uint64_t>(std::llround(bytes_for_all / static_cast<double>(ranks)));
        take(
            comm::exchange_cost(net_, begins(net_.call_us), std::vector<std::uint64_t>(ranks * ranks, each)));
    }
    void gather(double bytes) {
        std::vector<std::uint64_t> const each(now_us_.size(),
                                              static_cast<std::uint64_t>(std::llround(bytes)));
        take(comm::all_gather_cost(net_, begins(net_.call_us), each));
    }
    void pass(double us) {
        for (double& each : now_us_)
            each += us;
    }
    void tell(double words) {
        take(comm::words_cost(net_, begins(0), static_cast<std::uint64_t>(std::llround(words))));
    }
    void reduce(double bytes) {
        take(comm::all_reduce_cost(net_, begins(net_.call_us),
                                   static_cast<std::uint64_t>(std::llround(bytes))));
    }
    [[nodiscard]] double end_us() const { return *std::ranges::max_element(now_us_); }
    [[nodiscard]] comm::sent_messages most_sent() const {
        return *std::ranges::max_element(sent_, {}, [](auto const& each) { return each.bytes; });
    }

private:
    [[nodiscard]] std::vector<double> begins(double call_us) const {
        std::vector<double> begins_us = now_us_;
        for (double& each : begins_us)
            each += call_us;
        return begins_us;
    }
    void take(comm::collective_cost cost) {
        now_us_ = std::move(cost.ends_us);
        for (std::size_t rank = 0; rank < sent_.size(); ++rank) {
            sent_[rank].messages += cost.sent[rank].messages;
            sent_[rank].bytes += cost.sent[rank].bytes;
        }
    }

    comm::network const& net_;
    std::vector<double> now_us_;
    std::vector<comm::sent_messages> sent_;
};

} // namespace

std::vector<modelled_workload> const& modelled_workloads() {
    constexpr double rmat_vertices = 1 << 22;
    constexpr double rmat_arcs = 128.3e6;
    // Times on one H200, without ranks and on one rank: docs/scaling.md.
    static std::vector<modelled_workload> const all{
        batch("batch-1M", 1e6, 0.333, 0.509, 0.008),
        batch("batch-10M", 1e7, 1.19, 1.50, 0.077),
        {.name = "pagerank", // the ranks of all vertices, and the sum of those without neighbours
         .alone_ms = 1.15,
         .one_rank_ms = 1.11,
         .spread = spread_of_ranks,
         .edges = rmat_arcs / 2,
         .gathered_bytes = 4 * rmat_vertices,
         .reduced_bytes = 8,
         .writes = true,
         .written_bytes = 4 * rmat_vertices},
        // Rows are dealt to all ranks, 4 bytes per arc and 20 per vertex, and packed there. All ranks get the
        // degrees and numbers of all vertices, and the higher neighbours of each: 4 bytes per edge, 16 per
        // vertex in 4 calls.
        {.name = "triangles",
         .alone_ms = 31.9,
         .one_rank_ms = 32.2,
         .spread = spread_of_ranks,
         .host_us = host_us,
         .routing_bytes = 2 * 4 * rmat_arcs / 2,
         .edges = rmat_arcs / 2,
         .exchanged_bytes = 4 * rmat_arcs + 20 * rmat_vertices,
         .gathered_bytes = 4 * rmat_arcs / 2 + 16 * rmat_vertices,
         .reduced_bytes = 8,
         .exchanges = 3,
         .gathers = 5,
         .uneven_gathers = true,
         .words = {2, 1, 1}, // counts; whether all have memory, twice
         .words_for_each_rank = 2}};
    return all;
}

modelled_workload const& modelled_workload_of(std::string const& name) {
    for (modelled_workload const& each : modelled_workloads())
        if (each.name == name) return each;
    throw std::out_of_range("there is no workload '" + name + "'");
}

double expected_largest(int count) {
    // The integral of 1 - Phi(x)^count over x > 0, less that of Phi(x)^count over x < 0.
    constexpr double step = 0.005;
    auto const phi_to_count = [&](double x) { return std::pow(std::erfc(-x / std::sqrt(2.0)) / 2, count); };
    double sum = 0;
    for (double x = step / 2; x < 10; x += step)
        sum += (1 - phi_to_count(x) - phi_to_count(-x)) * step;
    return sum;
}

modelled_step predict(modelled_workload const& work, comm::network const& net, int ranks) {
    comm::cost_model const model(net, ranks);
    counted_step counted(net, ranks);
    modelled_step step;
    double arrays_us = 0;
    double words_us = 0;
    bool const writes = work.writes && (net.ranks_per_host == 0 || ranks <= net.ranks_per_host);
    for (std::size_t call = 0; ranks > 1 && call < work.words.size(); ++call) {
        double const words = work.words[call] + (call == 0 ? work.words_for_each_rank * ranks : 0);
        words_us += model.words_us(words);
        counted.tell(words);
    }
    if (ranks > 1 && writes) {
        words_us += model.words_us(1);
        counted.tell(1);
        arrays_us = (ranks - 1) * work.written_bytes / (1000 * net.within.gigabytes_per_second);
        counted.pass(arrays_us);
    } else if (ranks > 1) {
        for (int call = 0; work.exchanged_bytes > 0 && call < work.exchanges; ++call) {
            arrays_us += model.exchange_us(work.exchanged_bytes / work.exchanges / ranks);
            counted.exchange(work.exchanged_bytes / work.exchanges);
        }
        for (int call = 0; work.gathered_bytes > 0 && call < work.gathers; ++call) {
            double const even_us = model.all_gather_us(work.gathered_bytes / work.gathers);
            double const longer_us = work.uneven_gathers ? (uneven_gather_times - 1) * even_us : 0;
            arrays_us += even_us + longer_us;
            counted.gather(work.gathered_bytes / work.gathers);
            counted.pass(longer_us);
        }
        if (work.reduced_bytes > 0) {
            arrays_us += model.all_reduce_us(work.reduced_bytes);
            counted.reduce(work.reduced_bytes);
        }
    }
    double compute_ms = work.one_rank_ms;
    if (ranks > 1) {
        double const host_us = writes ? 0 : work.host_us * static_cast<double>(work.words.size());
        compute_ms += (writes ? 0 : work.divided_ms) + work.routing_bytes / memory_bytes_per_ms;
        step.waiting_ms = host_us / 1000 + work.spread * compute_ms * expected_largest(ranks);
    }
    step.arrays_ms = arrays_us / 1000;
    step.words_ms = words_us / 1000;
    step.time_ms = compute_ms + step.waiting_ms + step.arrays_ms + step.words_ms;
    step.counted_ms = compute_ms + step.waiting_ms + counted.end_us() / 1000;
    step.efficiency = work.alone_ms / step.time_ms;
    comm::sent_messages const sent = counted.most_sent();
    double const written = writes ? (ranks - 1) * (work.exchanged_bytes / ranks + work.written_bytes) : 0;
    step.bytes_per_edge = (static_cast<double>(sent.bytes) + written) / work.edges;
    step.messages = static_cast<double>(sent.messages);
    return step;
}

} // namespace rhizome::bench
