// SPDX-License-Identifier: Apache-2.0
// The calls of a communicator under measurement.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::bench {

struct communication_options {
    std::string call; ///< a name of communication_calls()
    int ranks = 2;
    std::uint64_t message_bytes = 0; ///< what each rank passes to the call
    std::uint64_t warm_up = 0;
    std::uint64_t repetitions = 1;
};

/// "exchange", "all-gather", "all-reduce", "broadcast", "counts", "vote", "barrier".
[[nodiscard]] std::vector<std::string> const& communication_calls();
/// Whether the call takes arrays. The others exchange a few words in host memory.
[[nodiscard]] bool takes_message(std::string const& call);

/// The bytes that a rank must receive, and that no rank can receive before all have called: the bytes of the
/// bus bandwidth of NVIDIA's nccl-tests. 0 for calls without arrays.
[[nodiscard]] double received_bytes(std::string const& call, std::uint64_t message_bytes, int ranks);

// Each opens a group of ranks in this process, makes the call warm_up + repetitions times, checks what the
// last one gave, and returns the milliseconds of each measured repetition: from the call to the end of wait()
// by the clock of the host, of the rank that took longest. All ranks begin a repetition after a barrier.
// Throws comm::comm_error, exec::out_of_memory, and std::runtime_error for a wrong result.

/// The backend `threads` on host.
[[nodiscard]] std::vector<double> communicate_on_host(communication_options const& options);
/// The backend `threads` on cuda: rank r is on device r modulo the number of devices.
[[nodiscard]] std::vector<double> communicate_on_cuda(communication_options const& options);
/// The backend `nccl`, as one of several processes: rank_from_environment() says which. The device is the
/// local rank.
[[nodiscard]] std::vector<double> communicate_through_nccl(communication_options const& options);
/// "" if the backend `nccl` can be used, else the reason.
[[nodiscard]] std::string no_nccl_because();

} // namespace rhizome::bench
