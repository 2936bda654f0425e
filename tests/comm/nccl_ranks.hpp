// SPDX-License-Identifier: Apache-2.0
// Ranks that are threads, with the backend `nccl` over a stand-in for NCCL.
#pragma once

#include "fake_nccl/fake_nccl.hpp"

#include <rhizome/comm/nccl/nccl.hpp>
#include <rhizome/comm/nccl/nccl_communicator.hpp>
#include <rhizome/exec/host.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rhizome::comm::detail {

/// Host memory that ranks map at addresses of their own, as cuda_peers with that of GPUs: the system counts
/// its mappings. With plans for what tests need, and counts of what all ranks have mapped.
class host_peers final : public exec::memory_resource {
public:
    static constexpr std::size_t words = 1; ///< the bytes

    static inline std::atomic<int> has_none{
        -1}; ///< so many objects made later cannot show memory; -1: all can
    static inline std::atomic<int> opens_left{-1}; ///< after so many calls, one open() fails; -1: none
    static inline std::atomic<int> own{0};         ///< arrays that are allocated
    static inline std::atomic<int> opened{0};      ///< arrays of others that are mapped
    static inline std::atomic<int> shows{0};       ///< calls
    static inline std::atomic<int> opens{0};       ///< calls that succeeded
    static inline std::atomic<int> still_mapped{
        0}; ///< the most arrays that others had mapped when one was made
    static void plan_nothing() {
        has_none = opens_left = -1;
        shows = opens = still_mapped = 0;
    }

    explicit host_peers(exec::host_space const&)
        : is_usable_(has_none.load() < 0 || has_none.fetch_sub(1) <= 0) {}
    host_peers(host_peers const&) = delete;
    host_peers& operator=(host_peers const&) = delete;
    ~host_peers() override {
        EXPECT_TRUE(own_.empty()) << "memory was not given back";
        while (!opened_.empty())
            close(opened_.begin()->first);
    }

    [[nodiscard]] exec::memory_resource* memory() { return is_usable_ ? this : nullptr; }
    [[nodiscard]] bool show(void* mine, std::span<std::uint64_t> told, descriptor& shown) {
        told[0] = 0;
        shows.fetch_add(1);
        if (mine == nullptr) return is_usable_;
        auto const found = own_.find(mine);
        if (found == own_.end()) return false;
        shown.reset(::fcntl(found->second.file.get(), F_DUPFD_CLOEXEC, 3));
        told[0] = found->second.bytes;
        return shown.get() >= 0;
    }
    [[nodiscard]] bool open(std::span<std::uint64_t const> told, descriptor const& shown, void*& address) {
        address = nullptr;
        if (opens_left.load() >= 0 && opens_left.fetch_sub(1) == 0) return false;
        if (told[0] == 0) return true;
        address = map(shown, told[0]);
        if (address == nullptr) return false;
        opened_.emplace(address, told[0]);
        opened.fetch_add(1);
        opens.fetch_add(1);
        return true;
    }
    void close(void* address) noexcept {
        auto const found = opened_.find(address);
        if (found == opened_.end()) return;
        ::munmap(address, found->second);
        opened_.erase(found);
        opened.fetch_sub(1);
    }

    [[nodiscard]] void* allocate(std::uint64_t bytes, void*) override {
        for (int most = still_mapped.load(); opened.load() > most;)
            still_mapped.compare_exchange_weak(most, opened.load());
        array made{descriptor(::memfd_create("rhizome-test", MFD_CLOEXEC)), bytes};
        if (::ftruncate(made.file.get(), static_cast<off_t>(bytes)) != 0) return nullptr;
        void* const address = map(made.file, bytes);
        if (address == nullptr) return nullptr;
        own_.emplace(address, std::move(made));
        own.fetch_add(1);
        return address;
    }
    void deallocate(void* pointer, std::uint64_t bytes, void*) noexcept override {
        EXPECT_EQ(own_.erase(pointer), 1u);
        ::munmap(pointer, bytes);
        own.fetch_sub(1);
    }

private:
    struct array {
        descriptor file;
        std::uint64_t bytes;
    };
    [[nodiscard]] static void* map(descriptor const& file, std::uint64_t bytes) {
        void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
        return at == MAP_FAILED ? nullptr : at;
    }

    bool is_usable_;
    std::map<void*, array> own_;
    std::map<void*, std::uint64_t> opened_;
};

template <>
struct nccl_access<exec::host_space> {
    using peers = host_peers;
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
        comm::detail::host_peers::plan_nothing();
    }
    ~comm_nccl() override {
        EXPECT_EQ(comm::detail::host_peers::own.load(), 0);
        EXPECT_EQ(comm::detail::host_peers::opened.load(), 0);
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
