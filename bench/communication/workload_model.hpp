// SPDX-License-Identifier: Apache-2.0
// What a graph over many ranks would take, from measurements of one to four GPUs.
#pragma once

#include <rhizome/comm/network/network.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::bench {

/// One step of a program on a graph over several ranks, with the same share for each rank however many there
/// are (weak scaling). Bytes and words are those of the collectives that the step makes.
struct modelled_workload {
    std::string name;
    double alone_ms = 0;         ///< the step on one GPU without ranks, measured: what efficiency refers to
    double one_rank_ms = 0;      ///< the step on one rank, measured: computation of a rank
    double divided_ms = 0;       ///< what a rank's computation takes longer among several ranks
    double spread = 0;           ///< standard deviation of the computation of a rank, as a share of it
    double host_us = 0;          ///< for which a GPU waits for its host in each call of `words`
    double routing_bytes = 0;    ///< that a rank moves in its own memory to group arcs by owner
    double edges = 0;            ///< of a rank's share: what bytes per edge refer to
    double exchanged_bytes = 0;  ///< all_to_all: what a rank has for all ranks together, itself included
    double gathered_bytes = 0;   ///< all_gather: of each rank
    double reduced_bytes = 0;    ///< all_reduce
    int exchanges = 1;           ///< calls among which exchanged_bytes are divided evenly
    int gathers = 1;             ///< the same for gathered_bytes
    bool uneven_gathers = false; ///< of other counts from each rank
    /// Ranks of one host write what others get into their memory, instead of exchanges, all_gathers and
    /// all_reduces, and meet once after it. divided_ms and host_us are then 0.
    bool writes = false;
    double written_bytes = 0;       ///< to each other rank, of those that computation does not hide
    std::vector<double> words = {}; ///< gather_words: of each rank, in each call
    int words_for_each_rank = 0;    ///< the first of them has so many words more for each rank
};

/// batch-1M, batch-10M, pagerank, triangles: docs/scaling.md has their numbers and what is assumed.
[[nodiscard]] std::vector<modelled_workload> const& modelled_workloads();
/// The workload of this name. Throws std::out_of_range where there is none.
[[nodiscard]] modelled_workload const& modelled_workload_of(std::string const& name);

struct modelled_step {
    double time_ms = 0;        ///< computation, then collectives, one after the other: nothing overlaps
    double waiting_ms = 0;     ///< part of it: for the host, and for the slowest rank
    double arrays_ms = 0;      ///< part of it: exchange, all_gather and all_reduce
    double words_ms = 0;       ///< part of it: votes and counts
    double counted_ms = 0;     ///< the same step with each message counted by itself
    double efficiency = 0;     ///< the time on one GPU over time_ms
    double bytes_per_edge = 0; ///< that a rank sends to others
    double messages = 0;       ///< that a rank sends to others
};

/// By how many standard deviations the largest of `count` numbers is above their mean, on average, if they
/// are normally distributed.
[[nodiscard]] double expected_largest(int count);

/// Predicts the step on `ranks` ranks. Cost: ranks * ranks operations and words.
[[nodiscard]] modelled_step predict(modelled_workload const& work, comm::network const& net, int ranks);

} // namespace rhizome::bench
