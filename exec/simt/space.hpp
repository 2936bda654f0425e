// SPDX-License-Identifier: Apache-2.0
// The emulator space: runs CUDA-like kernels (warps of 32 lanes) on fibers of one OS thread, for tests.
#pragma once

#include <rhizome/exec/event.hpp>
#include <rhizome/exec/host/mapped_memory.hpp>
#include <rhizome/exec/memory_budget.hpp>
#include <rhizome/exec/simt/options.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace rhizome::exec {

namespace emulator {
struct grid;
class engine;
} // namespace emulator

/// Runs CUDA-shaped grids on the calling OS thread, one lane at a time, in an order that the seed decides.
/// launch() returns when the kernel is done. Only one OS thread may use a space and its copies.
class simt_space {
public:
    /// The name of the space in runtime::spaces().
    static constexpr std::string_view name = "simt";

    explicit simt_space(simt_options const& options = {});

    // Memory, copies and events: as exec::host_space.
    [[nodiscard]] void* allocate(std::uint64_t bytes);
    void deallocate(void* pointer, std::uint64_t bytes);
    void copy_in(void* to, void const* from, std::uint64_t bytes) { copy(to, from, bytes); }
    void copy_out(void* to, void const* from, std::uint64_t bytes);
    void copy(void* to, void const* from, std::uint64_t bytes);
    void fill(void* to, std::uint8_t byte, std::uint64_t bytes);
    void synchronize();
    void load_kernels() {}
    void record(event<simt_space>&) {}
    void wait_for(event<simt_space> const&) {}

    // As exec::host_space; concurrency() and max_block_threads() are those of simt_options.
    [[nodiscard]] memory_budget& budget();
    [[nodiscard]] std::uint64_t memory_bytes() const;
    [[nodiscard]] std::uint64_t waits() const;
    [[nodiscard]] std::string device_name() const;
    [[nodiscard]] std::uint64_t concurrency() const;
    [[nodiscard]] std::uint32_t max_block_threads() const;
    [[nodiscard]] static constexpr std::uint32_t tile_lanes(std::uint32_t width) { return width; }

    struct region_storage : mapped_memory {
        region_storage(simt_space const&, std::uint64_t reserve_bytes, std::string const& what)
            : mapped_memory(reserve_bytes, what) {}
    };

    /// The seed of the space. Each launch has a seed of its own, derived from this seed and the launch's
    /// number (from 1).
    [[nodiscard]] std::uint64_t seed() const;
    /// Report of the last launch: its seed, number, steps, switches and trace hash.
    [[nodiscard]] simt_launch_report const& last_launch() const;

    /// Used by launch(). Runs a grid to its end. Throws the exception of a lane, deadlock, or
    /// step_limit_exceeded.
    void run(emulator::grid const& grid);

private:
    struct state;
    std::shared_ptr<state> state_;
};

} // namespace rhizome::exec
