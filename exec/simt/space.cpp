// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/host/space.hpp>
#include <rhizome/exec/simt/engine.hpp>
#include <rhizome/exec/simt/space.hpp>
#include <rhizome/exec/sizes.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace rhizome::exec {

namespace {
constexpr std::uint64_t alignment_bytes = 256; // as on the device, so that layouts agree between spaces
}

struct simt_space::state {
    explicit state(simt_options const& chosen)
        : options(chosen),
          budget(chosen.memory_limit_bytes == 0 ? memory_budget::unlimited : chosen.memory_limit_bytes),
          engine(chosen) {}

    simt_options options;
    memory_budget budget;
    emulator::engine engine;
    simt_launch_report last_launch;
    std::uint64_t waits = 0;
};

simt_space::simt_space(simt_options const& options) : state_(std::make_shared<state>(options)) {}

void* simt_space::allocate(std::uint64_t bytes) {
    state_->budget.charge(bytes, "emulator memory");
    std::uint64_t const rounded = whole_steps(bytes, alignment_bytes);
    void* const pointer = rounded == endless_bytes ? nullptr : std::aligned_alloc(alignment_bytes, rounded);
    if (pointer == nullptr) {
        state_->budget.refund(bytes);
        throw out_of_memory("emulator memory", bytes, 0);
    }
    state_->engine.note_allocation(pointer, bytes);
    return pointer;
}

void simt_space::deallocate(void* pointer, std::uint64_t bytes) {
    ++state_->waits;
    state_->engine.forget_allocation(pointer);
    std::free(pointer);
    state_->budget.refund(bytes);
}

void simt_space::copy(void* to, void const* from, std::uint64_t bytes) {
    if (bytes != 0) std::memmove(to, from, bytes);
}

void simt_space::copy_out(void* to, void const* from, std::uint64_t bytes) {
    ++state_->waits;
    copy(to, from, bytes);
}

void simt_space::synchronize() { ++state_->waits; }

void simt_space::fill(void* to, std::uint8_t byte, std::uint64_t bytes) {
    if (bytes != 0) std::memset(to, byte, bytes);
}

memory_budget& simt_space::budget() { return state_->budget; }

std::uint64_t simt_space::memory_bytes() const {
    return std::min(physical_memory_bytes(), state_->budget.limit_bytes());
}

std::uint64_t simt_space::waits() const { return state_->waits; }

std::string simt_space::device_name() const { return "emulator, seed " + std::to_string(seed()); }

std::uint64_t simt_space::concurrency() const { return state_->options.concurrency_threads; }

std::uint32_t simt_space::max_block_threads() const { return state_->options.max_block_threads; }

std::uint64_t simt_space::seed() const { return state_->options.seed; }

simt_launch_report const& simt_space::last_launch() const { return state_->last_launch; }

void simt_space::run(emulator::grid const& grid) {
    std::uint64_t const number = state_->last_launch.launch + 1;
    state_->last_launch.launch = number; // a failed launch has a number, too
    state_->engine.run(grid, number, state_->last_launch);
}

} // namespace rhizome::exec
