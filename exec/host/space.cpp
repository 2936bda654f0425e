// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/host/space.hpp>
#include <rhizome/exec/sizes.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace rhizome::exec {

namespace {
constexpr std::uint64_t alignment_bytes = 256; // what cudaMalloc gives, so that layouts agree between spaces
}

std::uint64_t physical_memory_bytes() {
    return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

host_space::host_space(host_options const& options)
    : state_(std::make_shared<state>(
          options.memory_limit_bytes == 0 ? memory_budget::unlimited : options.memory_limit_bytes,
          options.threads == 0 ? std::max(1u, std::thread::hardware_concurrency()) : options.threads)) {}

void* host_space::allocate(std::uint64_t bytes) {
    state_->budget.charge(bytes, "host memory");
    std::uint64_t const rounded = whole_steps(bytes, alignment_bytes);
    void* const pointer = rounded == endless_bytes ? nullptr : std::aligned_alloc(alignment_bytes, rounded);
    if (pointer == nullptr) {
        state_->budget.refund(bytes);
        throw out_of_memory("host memory", bytes, 0);
    }
    prefer_large_pages(pointer, bytes);
    return pointer;
}

void host_space::deallocate(void* pointer, std::uint64_t bytes) {
    count_wait();
    std::free(pointer);
    state_->budget.refund(bytes);
}

void host_space::copy(void* to, void const* from, std::uint64_t bytes) {
    if (bytes != 0) std::memmove(to, from, bytes);
}

void host_space::fill(void* to, std::uint8_t byte, std::uint64_t bytes) {
    if (bytes != 0) std::memset(to, byte, bytes);
}

std::uint64_t host_space::memory_bytes() const {
    return std::min(physical_memory_bytes(), state_->budget.limit_bytes());
}

std::string host_space::device_name() const {
    return "host, " + std::to_string(threads()) + (threads() == 1 ? " thread" : " threads");
}

} // namespace rhizome::exec
