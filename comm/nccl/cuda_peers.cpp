// SPDX-License-Identifier: Apache-2.0
#include <rhizome/comm/nccl/cuda_peers.hpp>
#include <rhizome/exec/cuda/check.hpp>
#include <rhizome/exec/cuda/device_guard.hpp>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>

namespace rhizome::comm::detail {

namespace {

/// A number that other processes have not.
std::uint64_t process_number() {
    static std::uint64_t const number = [] {
        std::random_device random;
        return std::uint64_t{random()} << 32 | random();
    }();
    return number;
}

// The words of a rank: its process, the array, its device, the event, and two handles of 64 bytes.
constexpr std::size_t memory_handle_at = 5;
constexpr std::size_t event_handle_at = memory_handle_at + sizeof(cudaIpcMemHandle_t) / 8;
static_assert(event_handle_at + sizeof(cudaIpcEventHandle_t) / 8 == cuda_peers::words);

/// Whether a call that other systems may refuse has succeeded.
bool succeeded(cudaError_t result) {
    if (result != cudaSuccess) exec::forget_error(result);
    return result == cudaSuccess;
}

} // namespace

cuda_peers::cuda_peers(exec::cuda_space space, int ranks)
    : space_(std::move(space)), events_(static_cast<std::size_t>(ranks)) {
    exec::device_guard const current(space_.device());
    if (!succeeded(cudaEventCreateWithFlags(&own_, cudaEventDisableTiming | cudaEventInterprocess)))
        own_ = nullptr;
}

cuda_peers::~cuda_peers() {
    for (void* const each : std::exchange(mappings_, {}))
        static_cast<void>(succeeded(cudaIpcCloseMemHandle(each)));
    for (peer_event const& each : events_)
        if (each.opened) cudaEventDestroy(each.event);
    if (own_ != nullptr) cudaEventDestroy(own_);
}

bool cuda_peers::show(void* mine, std::span<std::uint64_t> told) {
    std::ranges::fill(told, 0);
    if (own_ == nullptr) return false;
    exec::device_guard const current(space_.device());
    cudaIpcMemHandle_t memory{};
    cudaIpcEventHandle_t event{};
    if (mine != nullptr && !succeeded(cudaIpcGetMemHandle(&memory, mine))) return false;
    if (!succeeded(cudaIpcGetEventHandle(&event, own_))) return false;
    told[0] = process_number();
    told[1] = reinterpret_cast<std::uintptr_t>(mine);
    told[2] = static_cast<std::uint64_t>(space_.device());
    told[3] = reinterpret_cast<std::uintptr_t>(own_);
    std::memcpy(&told[memory_handle_at], &memory, sizeof(memory));
    std::memcpy(&told[event_handle_at], &event, sizeof(event));
    return true;
}

bool cuda_peers::open(int rank, std::span<std::uint64_t const> told, void*& address) {
    exec::device_guard const current(space_.device());
    peer_event& known = events_[static_cast<std::size_t>(rank)];
    address = nullptr;
    if (told[0] == process_number()) {
        if (!space_.reaches_device(static_cast<int>(told[2]))) return false;
        known.event = reinterpret_cast<cudaEvent_t>(static_cast<std::uintptr_t>(told[3]));
        address = reinterpret_cast<void*>(static_cast<std::uintptr_t>(told[1]));
        return true;
    }
    if (known.event == nullptr) {
        cudaIpcEventHandle_t handle;
        std::memcpy(&handle, &told[event_handle_at], sizeof(handle));
        known.opened = succeeded(cudaIpcOpenEventHandle(&known.event, handle));
        if (!known.opened) {
            known.event = nullptr;
            return false;
        }
    }
    if (told[1] == 0) return true;
    cudaIpcMemHandle_t handle;
    std::memcpy(&handle, &told[memory_handle_at], sizeof(handle));
    mappings_.reserve(mappings_.size() + 1);
    if (!succeeded(cudaIpcOpenMemHandle(&address, handle, cudaIpcMemLazyEnablePeerAccess))) return false;
    mappings_.push_back(address);
    return true;
}

void cuda_peers::close(void* address) noexcept {
    auto const found = std::ranges::find(mappings_, address);
    if (address == nullptr || found == mappings_.end()) return;
    mappings_.erase(found);
    exec::device_guard const current(space_.device(), std::nothrow);
    static_cast<void>(succeeded(cudaIpcCloseMemHandle(address)));
}

void cuda_peers::record() { space_.record(own_); }
void cuda_peers::wait_for(int rank) { space_.wait_for(events_[static_cast<std::size_t>(rank)].event); }

} // namespace rhizome::comm::detail
