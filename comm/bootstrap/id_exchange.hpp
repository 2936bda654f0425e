// SPDX-License-Identifier: Apache-2.0
// How ranks of different processes get a few bytes from rank 0 before they can communicate.
#pragma once

#include <rhizome/comm/bootstrap/process_rank.hpp>
#include <rhizome/comm/result.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>

namespace rhizome::comm {

/// Gives all ranks the bytes of rank 0: NCCL needs this for the id of a communicator. For programs that
/// are linked with MPI there is mpi_exchange (mpi_exchange.hpp).
class id_exchange {
public:
    id_exchange() = default;
    id_exchange(id_exchange const&) = delete;
    id_exchange& operator=(id_exchange const&) = delete;
    virtual ~id_exchange() = default;

    /// Every rank calls it once, with equally many bytes. On rank 0 `bytes` holds what all get; on other
    /// ranks it is filled. Fails, with one line that says what is missing, if that takes longer than `limit`.
    [[nodiscard]] virtual comm_result share(std::span<std::byte> bytes, std::chrono::milliseconds limit) = 0;
    /// Called by every rank when all ranks have the bytes: the exchange frees what it used for them.
    virtual void finish() noexcept {}
};

/// An exchange through the file `process.file` if that is not empty, or else through TCP; for one rank, an
/// exchange that does nothing.
[[nodiscard]] std::unique_ptr<id_exchange> exchange_for(process_rank const& process);

/// Through a file that all ranks can reach, under the path process.file. Rank 0 writes the file aside and
/// renames it. It refuses to start if the path exists: a file that an aborted run left would be read as this
/// run's. finish(), or else the destructor, removes the file.
[[nodiscard]] std::unique_ptr<id_exchange> file_exchange(process_rank const& process);

/// Through TCP: rank 0 listens on process.port and sends the bytes to each rank that connects to
/// process.address. Other ranks try again until rank 0 listens. The ports must be reachable, and the network
/// trusted, as for NCCL itself: nothing is encrypted. Rank 0 names ranks that are missing. The limit holds
/// for the search for the name in process.address too; the thread that searches may outlive the call.
[[nodiscard]] std::unique_ptr<id_exchange> tcp_exchange(process_rank const& process);

} // namespace rhizome::comm
