// SPDX-License-Identifier: Apache-2.0
// How a program gets ranks: as threads of this process, or as one process of a job.
#pragma once

#include <rhizome/runtime/ranks/any_rank.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rhizome::runtime {

class rank_group;

struct rank_options {
    unsigned threads = 0;                 ///< host: of all ranks together; 0: one per core
    std::uint64_t memory_limit_bytes = 0; ///< of each rank; 0: no limit
    /// How long a rank waits for the others (comm::comm_options).
    std::chrono::milliseconds time_limit = std::chrono::minutes(5);
};

/// The ranks of a group of threads on host, rank r at place r. Each is used by a thread of its own. Throws
/// exec::out_of_memory.
[[nodiscard]] std::vector<std::unique_ptr<any_rank>> host_ranks(int ranks, rank_options const& options);

/// This process as a rank of a job with a GPU per process (comm::connect_nccl). Waits until all processes of
/// the job have called it. Throws comm::comm_error, and std::runtime_error in a build without CUDA.
[[nodiscard]] std::unique_ptr<any_rank> cuda_rank(rank_options const& options);

/// Why cuda_rank() cannot work here: the GPU, or NCCL; "" if nothing is known against it.
[[nodiscard]] std::string cuda_ranks_unusable_because();

/// The number of GPUs of this machine.
[[nodiscard]] int cuda_device_count();

/// Opens a graph over ranks (rank_group::open()), of the default layout and allocator, without values. Throws
/// std::invalid_argument for a choice of others, and what rank_group::open() throws.
[[nodiscard]] std::unique_ptr<any_graph> open_graph_over_ranks(std::shared_ptr<rank_group> const& ranks,
                                                               graph_choice const& choice);

} // namespace rhizome::runtime
