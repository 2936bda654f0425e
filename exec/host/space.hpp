// SPDX-License-Identifier: Apache-2.0
// The host space: memory of this process, kernels on OS threads.
#pragma once

#include <rhizome/exec/event.hpp>
#include <rhizome/exec/host/mapped_memory.hpp>
#include <rhizome/exec/host/parallel.hpp>
#include <rhizome/exec/host/sanitizers.hpp>
#include <rhizome/exec/memory_budget.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace rhizome::exec {

/// Options of a host space.
struct host_options {
    unsigned threads = 0;                 ///< number of OS threads; 0: std::thread::hardware_concurrency()
    std::uint64_t memory_limit_bytes = 0; ///< 0: no limit
};

/// The host space: memory of this process, kernels on OS threads. Runs each kernel thread to completion on
/// one of `threads()` OS threads; blocks and tiles have one thread. launch() returns when the kernel is done.
class host_space {
public:
    /// The name of the space in runtime::spaces().
    static constexpr std::string_view name = "host";

    /// Makes the space. Its OS threads start with the first large launch.
    explicit host_space(host_options const& options = {});

    /// Memory of this process, aligned to 256 bytes, charged to the budget. Throws out_of_memory.
    [[nodiscard]] void* allocate(std::uint64_t bytes);
    /// Frees what allocate(bytes) returned. Counts as a wait.
    void deallocate(void* pointer, std::uint64_t bytes);
    // The contract of these functions is in exec/README.md. All are complete on return.
    void copy_in(void* to, void const* from, std::uint64_t bytes) { copy(to, from, bytes); }
    void copy_out(void* to, void const* from, std::uint64_t bytes) {
        count_wait();
        copy(to, from, bytes);
    }
    void copy(void* to, void const* from, std::uint64_t bytes);
    void fill(void* to, std::uint8_t byte, std::uint64_t bytes);
    /// Only counts a wait: no work is pending between calls.
    void synchronize() { count_wait(); }
    /// Does nothing, as record() and wait_for().
    void load_kernels() {}
    void record(event<host_space>&) {}
    void wait_for(event<host_space> const&) {}

    /// What this space has allocated, and its limit.
    [[nodiscard]] memory_budget& budget() { return state_->budget; }
    /// Bytes of physical memory, or the memory limit if that is smaller.
    [[nodiscard]] std::uint64_t memory_bytes() const;
    /// How often copy_out(), synchronize() and deallocate() were called.
    [[nodiscard]] std::uint64_t waits() const { return state_->waits.load(std::memory_order_relaxed); }
    /// For example "host, 8 threads".
    [[nodiscard]] std::string device_name() const;
    /// The number of OS threads that run kernels.
    [[nodiscard]] unsigned threads() const { return state_->team.threads(); }
    /// The OS threads of this space and of all its copies.
    [[nodiscard]] thread_team& team() { return state_->team; }

    /// The largest number of kernel threads of a cover function: 32 per OS thread, so that uneven work is
    /// balanced between OS threads; 1 if there is one OS thread.
    [[nodiscard]] std::uint64_t concurrency() const { return threads() == 1 ? 1 : 32u * threads(); }
    /// The number of kernel threads that run at the same time: threads().
    [[nodiscard]] std::uint64_t workers() const { return threads(); }
    /// cover_threads() gives each kernel thread at least this many items: fewer would be done before a second
    /// OS thread has woken. It is 1 under ThreadSanitizer, so that tests with few items still run on several
    /// threads.
    static constexpr std::uint64_t least_run_items = under_thread_sanitizer ? 1 : 64;
    /// The memory of the space is host memory, so batches from host memory are read in place.
    static constexpr bool shares_host_memory = true;
    /// Blocks and tiles have one thread.
    [[nodiscard]] static constexpr std::uint32_t max_block_threads() { return 1; }
    [[nodiscard]] static constexpr std::uint32_t tile_lanes(std::uint32_t) { return 1; }

    struct region_storage : mapped_memory {
        region_storage(host_space const&, std::uint64_t reserve_bytes, std::string const& what)
            : mapped_memory(reserve_bytes, what) {}
    };

private:
    struct state {
        state(std::uint64_t limit_bytes, unsigned threads) : budget(limit_bytes), team(threads) {}

        memory_budget budget;
        thread_team team;
        std::atomic<std::uint64_t> waits{0};
    };
    void count_wait() { state_->waits.fetch_add(1, std::memory_order_relaxed); }

    std::shared_ptr<state> state_;
};

/// Bytes of physical memory of this machine.
[[nodiscard]] std::uint64_t physical_memory_bytes();

} // namespace rhizome::exec
