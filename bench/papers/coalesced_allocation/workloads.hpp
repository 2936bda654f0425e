// SPDX-License-Identifier: Apache-2.0
// The figures of the coalescing paper: what a cell measures. What is wrong is thrown as std::runtime_error.
#pragma once

#include <rhizome/bench/harness/cell.hpp>
#include <rhizome/bench/papers/coalesced_allocation/subject.hpp>

#include <cstdint>
#include <vector>

namespace rhizome::bench {

/// What a thread's work gives, computed in order and in double precision.
[[nodiscard]] double expected_result(access_pattern pattern, std::uint64_t thread, std::uint32_t floats);
/// What each rank receives, or the root alone, computed in order.
[[nodiscard]] std::vector<double> expected_received(collective which, std::uint64_t ranks,
                                                    std::uint64_t doubles);

/// Figures 1 to 4: a cell with the choices pattern, floats, warm-up and repetitions. Measures
///   alloc, work, free         milliseconds, the mean over the threads of the times that each takes in the
///                             kernel
///   total                     milliseconds of that launch, by events
///   performance               Gflop/s: the operations of all threads by the mean time of work
///   alloc_launch, work_launch, free_launch   milliseconds of launches that do nothing else, by events: there
///                             all threads work at the same time, whatever the allocator
///   lines, sectors, footprint, span    see lines.hpp
/// Not served if a request is refused. All blocks are given back in both cases, and the heap is checked.
[[nodiscard]] cell_result run_coalescing(coalescing_subject& subject, cell const& which);

/// Figure 5: a cell with the choices collective, doubles, warm-up and repetitions. Measures `operation`,
/// which includes the messages' allocation, `alloc` and `free` of the ranks' own buffers, and `total`, by
/// events.
[[nodiscard]] cell_result run_collectives(coalescing_subject& subject, cell const& which);

/// Programs of several collectives: a cell with the choices program, rounds, doubles, warm-up and
/// repetitions. Measures, in milliseconds, `rank`: from a rank's first to its last step, `alloc` and `free`
/// of its own buffers in it, medians over the ranks by the clock inside the kernel; and `launch` by events.
[[nodiscard]] cell_result run_programs(coalescing_subject& subject, cell const& which);

} // namespace rhizome::bench
