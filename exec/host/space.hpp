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

struct host_options {
    unsigned threads = 0;                 ///< 0: as many as the machine has cores
    std::uint64_t memory_limit_bytes = 0; ///< 0: no limit
};

/// Runs each kernel thread to completion on one of `threads()` OS threads; blocks and tiles have one thread.
/// launch() returns when the kernel is done.
class host {
public:
    static constexpr std::string_view name = "host";

    explicit host(host_options const& options = {});

    [[nodiscard]] void* allocate(std::uint64_t bytes);
    void deallocate(void* pointer, std::uint64_t bytes);
    void copy_in(void* to, void const* from, std::uint64_t bytes) { copy(to, from, bytes); }
    void copy_out(void* to, void const* from, std::uint64_t bytes) {
        count_wait();
        copy(to, from, bytes);
    }
    void copy(void* to, void const* from, std::uint64_t bytes);
    void fill(void* to, std::uint8_t byte, std::uint64_t bytes);
    void synchronize() { count_wait(); }
    void load_kernels() {}
    void record(event<host>&) {}
    void wait_for(event<host> const&) {}

    [[nodiscard]] memory_budget& budget() { return state_->budget; }
    [[nodiscard]] std::uint64_t memory_bytes() const;
    [[nodiscard]] std::uint64_t waits() const { return state_->waits.load(std::memory_order_relaxed); }
    [[nodiscard]] std::string device_name() const;
    [[nodiscard]] unsigned threads() const { return state_->team.threads(); }
    /// The OS threads of this space and of all its copies.
    [[nodiscard]] thread_team& team() { return state_->team; }

    /// Several runs of items per thread, so that uneven runs balance.
    [[nodiscard]] std::uint64_t concurrency() const { return threads() == 1 ? 1 : 32u * threads(); }
    /// Kernel threads that run at the same time.
    [[nodiscard]] std::uint64_t workers() const { return threads(); }
    /// A kernel thread has at least so many items of those that one thread each would do: fewer are done
    /// before another OS thread has woken. ThreadSanitizer is to see them all on several.
    static constexpr std::uint64_t least_run_items = under_thread_sanitizer ? 1 : 64;
    /// Kernels read the memory of the process directly.
    static constexpr bool shares_host_memory = true;
    [[nodiscard]] static constexpr std::uint32_t max_block_threads() { return 1; }
    [[nodiscard]] static constexpr std::uint32_t tile_lanes(std::uint32_t) { return 1; }

    struct region_storage : mapped_memory {
        region_storage(host const&, std::uint64_t reserve_bytes, std::string const& what)
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
