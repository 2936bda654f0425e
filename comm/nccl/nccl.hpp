// SPDX-License-Identifier: Apache-2.0
// Ranks that communicate through NCCL, one GPU each. Needs no header of NCCL, and no library until it is
// used.
#pragma once

#include <rhizome/comm/bootstrap/id_exchange.hpp>
#include <rhizome/comm/communicator.hpp>
#include <rhizome/exec/cuda/space.hpp>

#include <memory>
#include <string>

namespace rhizome::comm {

/// Why NCCL cannot be used, in one line: Rhizome was compiled without nccl.h, or libnccl.so.2 cannot be
/// loaded, lacks a function or is older than 2.18. "" if it can. Loads the library. Never throws.
[[nodiscard]] std::string nccl_unusable_because();

/// The version of the library, for example "2.28.9"; "" if NCCL cannot be used.
[[nodiscard]] std::string nccl_version();

/// Connects the ranks of a job through NCCL. All ranks call it at the same time, each with a space on a GPU
/// of its own. `exchange` gives them NCCL's id from rank 0. Charges (ranks + 128) * (ranks + 1) * 8 bytes
/// to the budget of the space, and no call of the communicator charges more; NCCL itself takes device memory
/// that no budget knows. Throws comm_error if NCCL cannot be used or if the ranks do not connect within the
/// time limit, and exec::out_of_memory.
[[nodiscard]] std::unique_ptr<communicator<exec::cuda_space>> connect_nccl(exec::cuda_space space,
                                                                           process_rank const& process,
                                                                           id_exchange& exchange,
                                                                           comm_options const& options = {});

/// The same for a process that torchrun, mpirun or srun has started: rank_from_environment() says which rank
/// it is, and exchange_for() how the ranks meet. The space is on the device process.local_rank.
[[nodiscard]] std::unique_ptr<communicator<exec::cuda_space>> connect_nccl(exec::cuda_options device = {},
                                                                           comm_options const& options = {});

} // namespace rhizome::comm
