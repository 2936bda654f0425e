// SPDX-License-Identifier: Apache-2.0
// How the ranks of a program that uses MPI find each other. Rhizome itself is not linked with MPI: a program
// that includes this header has to find <mpi.h> and to link MPI.
#pragma once

#include <rhizome/comm/bootstrap/id_exchange.hpp>
#include <rhizome/comm/bootstrap/process_rank.hpp>
#include <rhizome/comm/deadline.hpp>
#include <rhizome/comm/result.hpp>

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rhizome::comm {

/// The place of this process among the ranks of `ranks`; local_rank is that among the ranks of its machine.
/// Collective over `ranks`. Precondition: MPI_Init has been called.
[[nodiscard]] inline process_rank rank_from_mpi(MPI_Comm ranks) {
    process_rank self;
    self.launcher = "MPI";
    MPI_Comm_rank(ranks, &self.rank);
    MPI_Comm_size(ranks, &self.size);
    MPI_Comm neighbours = MPI_COMM_NULL;
    MPI_Comm_split_type(ranks, MPI_COMM_TYPE_SHARED, self.rank, MPI_INFO_NULL, &neighbours);
    MPI_Comm_rank(neighbours, &self.local_rank);
    MPI_Comm_free(&neighbours);
    return self;
}

/// Gives all ranks of an MPI communicator the bytes of rank 0. Needs no file, address or port. For example:
///
///     auto const process = comm::rank_from_mpi(MPI_COMM_WORLD);
///     comm::mpi_exchange exchange(MPI_COMM_WORLD);
///     auto const self = comm::connect_nccl(exec::cuda_space({.device = process.local_rank}), process,
///     exchange);
class mpi_exchange final : public id_exchange {
public:
    /// Collective: messages of the exchange go over a communicator of its own. Precondition: MPI_Init has
    /// been called, and the object is destroyed before MPI_Finalize.
    explicit mpi_exchange(MPI_Comm ranks) { MPI_Comm_dup(ranks, &ranks_); }
    ~mpi_exchange() override {
        // After a time limit a broadcast may still be under way: its memory and communicator stay with MPI.
        if (request_ == MPI_REQUEST_NULL)
            MPI_Comm_free(&ranks_);
        else
            static_cast<void>(bytes_.release());
    }

    [[nodiscard]] comm_result share(std::span<std::byte> bytes, std::chrono::milliseconds limit) override {
        int rank = 0;
        MPI_Comm_rank(ranks_, &rank);
        bytes_ = std::make_unique<std::vector<std::byte>>(bytes.begin(), bytes.end());
        MPI_Ibcast(bytes_->data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, ranks_, &request_);
        auto const end = deadline_after(limit);
        for (int done = 0; done == 0;) {
            MPI_Test(&request_, &done, MPI_STATUS_IGNORE);
            if (done != 0) break;
            if (std::chrono::steady_clock::now() > end)
                return comm_result::failed(failure::timed_out, no_rank,
                                           "rank " + std::to_string(rank) +
                                               " waited for the bytes of rank 0 by MPI: time limit of " +
                                               std::to_string(limit.count()) + " ms");
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
        std::memcpy(bytes.data(), bytes_->data(), bytes.size());
        return {};
    }

private:
    MPI_Comm ranks_ = MPI_COMM_NULL;
    MPI_Request request_ = MPI_REQUEST_NULL;
    std::unique_ptr<std::vector<std::byte>> bytes_; ///< what MPI sends or receives
};

} // namespace rhizome::comm
