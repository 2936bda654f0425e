// SPDX-License-Identifier: Apache-2.0
// Whole programs in the style of GPU MPI: several collective operations, one after the other, in one kernel.
#pragma once

#include <rhizome/bench/papers/coalesced_allocation/collectives.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::bench {

/// Ranks are whole blocks of so many threads.
inline constexpr std::uint32_t program_block_threads = 128;
/// All ranks must run at once; a device with 64 multiprocessors runs so many.
inline constexpr std::uint64_t most_program_ranks = 8192;

/// What a round of a program does. Before each of its operations every rank allocates the buffers that it
/// sends from and receives in, and frees them after it.
struct mpi_program {
    collective parts[3];
    std::uint32_t part_count;
};

/// "sort": splitters by an allreduce, keys by an all-to-all, counts by a reduce. "solver": a broadcast, and
/// two dot products by allreduce. "transpose": two all-to-all and a reduce. In none of them only one rank has
/// a buffer.
[[nodiscard]] std::vector<std::string> const& program_names();
/// Throws std::invalid_argument for text that names none.
[[nodiscard]] mpi_program program_of(std::string const& name);

/// Clock ticks of a rank.
struct rank_ticks {
    std::uint64_t first;    ///< when it began
    std::uint64_t last;     ///< when it was done
    std::uint64_t allocate; ///< spent on its own buffers
    std::uint64_t free;
};

/// What the values that a rank received in a round add up to, in all parts.
[[nodiscard]] std::vector<double> expected_sums(mpi_program const& program, std::uint64_t ranks,
                                                std::uint64_t doubles);

} // namespace rhizome::bench
