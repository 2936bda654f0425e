// SPDX-License-Identifier: Apache-2.0
// Ranks that are threads, with the backend `nccl` over a stand-in for NCCL.
#pragma once

#include "fake_nccl/fake_nccl.hpp"

#include <rhizome/comm/nccl/nccl.hpp>
#include <rhizome/comm/nccl/nccl_communicator.hpp>
#include <rhizome/exec/host.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace rhizome::comm::detail {
template <>
struct nccl_access<exec::host_space> {
    struct guard {
        explicit guard(exec::host_space const&) {}
    };
    [[nodiscard]] static cudaStream_t stream(exec::host_space const&) { return nullptr; }
};
} // namespace rhizome::comm::detail

namespace rhizome::tests {

using comm::comm_result;
using comm::communicator;
using comm::failure;
using exec::host_space;
using std::chrono::milliseconds;
using counts = std::vector<std::uint64_t>;

constexpr milliseconds two_minutes = std::chrono::minutes(2);
inline constexpr milliseconds brief{150};

class comm_nccl : public ::testing::Test {
protected:
    comm_nccl()
        : id_file_(std::filesystem::temp_directory_path() /
                   ("rhizome_nccl_" + std::to_string(::getpid()) + "_" +
                    ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
        ::setenv("RHIZOME_NCCL_LIBRARY", RHIZOME_FAKE_NCCL, 1);
        library_ = std::make_shared<comm::detail::nccl_library const>();
        plan({});
    }
    ~comm_nccl() override {
        std::filesystem::remove(id_file_);
        ::unsetenv("RHIZOME_NCCL_LIBRARY");
    }

    static void plan(fake_nccl_plan const& wanted) { fake_nccl_set(&wanted); }

    [[nodiscard]] std::unique_ptr<communicator<host_space>> connect(int rank, int ranks,
                                                                    milliseconds limit) const {
        comm::process_rank process{.rank = rank, .size = ranks};
        process.file = id_file_.string();
        process.board = board_;
        auto const exchange = comm::exchange_for(process);
        return std::make_unique<comm::detail::nccl_communicator<host_space>>(
            library_, host_space({.threads = 1}), process, *exchange,
            comm::comm_options{.time_limit = limit});
    }

    /// Runs the function on each rank, a thread each.
    void on_ranks(int ranks, std::function<void(communicator<host_space>&)> const& function,
                  milliseconds limit = two_minutes) const {
        std::vector<std::thread> threads;
        for (int rank = 0; rank < ranks; ++rank)
            threads.emplace_back([&, rank] {
                try {
                    auto const self = connect(rank, ranks, limit);
                    function(*self);
                } catch (std::exception const& error) {
                    ADD_FAILURE() << "rank " << rank << ": " << error.what();
                }
            });
        for (auto& thread : threads)
            thread.join();
    }

    std::filesystem::path id_file_;
    std::string board_; ///< "": none
    std::shared_ptr<comm::detail::nccl_library const> library_;
};

} // namespace rhizome::tests
