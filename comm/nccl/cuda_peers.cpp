// SPDX-License-Identifier: Apache-2.0
#include <rhizome/comm/nccl/cuda_peers.hpp>
#include <rhizome/exec/cuda/check.hpp>
#include <rhizome/exec/cuda/device_guard.hpp>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace rhizome::comm::detail {

namespace {

/// The bus address of a device, which all processes know by it, as text in two words.
constexpr std::size_t bus_words = 2;
constexpr int bus_bytes = static_cast<int>(bus_words * sizeof(std::uint64_t));
static_assert(cuda_peers::words == 1 + bus_words);

bool succeeded(cudaError_t result) {
    if (result != cudaSuccess) exec::forget_error(result); // an answer, not a failure
    return result == cudaSuccess;
}

/// Whether `device` reaches the device with this bus address, as far as this process can tell: others may be
/// hidden from it (CUDA_VISIBLE_DEVICES), and then the driver decides when memory is mapped.
bool may_reach(int device, std::span<std::uint64_t const> bus) {
    char text[bus_bytes + 1] = {};
    std::memcpy(text, bus.data(), bus_bytes);
    int other = 0;
    if (!succeeded(cudaDeviceGetByPCIBusId(&other, text)) || other == device) return true;
    int reaches = 0;
    return succeeded(cudaDeviceCanAccessPeer(&reaches, device, other)) && reaches != 0;
}

} // namespace

cuda_peers::cuda_peers(exec::cuda_space space) : space_(std::move(space)), memory_(space_) {}

exec::memory_resource* cuda_peers::memory() noexcept {
    if (!usable_) usable_ = memory_.is_usable();
    return *usable_ ? &memory_ : nullptr;
}

bool cuda_peers::show(void* mine, std::span<std::uint64_t> told, descriptor& shown) noexcept {
    std::ranges::fill(told, 0);
    shown.reset();
    if (mine == nullptr) return memory() != nullptr;
    auto const its = memory_.show(mine);
    if (its.descriptor < 0) return false;
    shown.reset(its.descriptor);
    told[0] = its.bytes;
    char text[bus_bytes] = {};
    if (succeeded(cudaDeviceGetPCIBusId(text, bus_bytes, space_.device())))
        std::memcpy(&told[1], text, bus_bytes);
    return true;
}

bool cuda_peers::open(std::span<std::uint64_t const> told, descriptor const& shown, void*& address) noexcept {
    address = nullptr;
    if (told[0] == 0) return true; // it has no array
    if (shown.get() < 0 || !may_reach(space_.device(), told.subspan(1))) return false;
    address = memory_.open(shown.get(), told[0]);
    return address != nullptr;
}

} // namespace rhizome::comm::detail
