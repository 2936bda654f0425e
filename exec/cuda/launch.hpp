// SPDX-License-Identifier: Apache-2.0
// Launching a kernel on the device.
#pragma once

#include <rhizome/exec/cuda/check.hpp>
#include <rhizome/exec/cuda/device_guard.hpp>
#include <rhizome/exec/cuda/kernel_list.hpp>
#include <rhizome/exec/cuda/space.hpp>
#include <rhizome/exec/cuda/thread.hpp>
#include <rhizome/exec/shape.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>

namespace rhizome::exec {

namespace detail {

/// A kernel whose blocks may have other than 256 threads declares: static constexpr uint32_t block_threads.
template <class Kernel>
inline constexpr std::uint32_t largest_block = 256;
template <class Kernel>
requires requires { Kernel::block_threads; }
inline constexpr std::uint32_t largest_block<Kernel> = Kernel::block_threads;

/// A kernel that mostly waits for memory should have many blocks on a multiprocessor, and declares how many
/// at least: static constexpr uint32_t blocks_side_by_side. It then gets no more registers than that allows.
template <class Kernel>
inline constexpr std::uint32_t least_blocks = 1;
template <class Kernel>
requires requires { Kernel::blocks_side_by_side; }
inline constexpr std::uint32_t least_blocks<Kernel> = Kernel::blocks_side_by_side;

/// A kernel of a few microseconds that follows another one declares: static constexpr bool overlaps_launch =
/// true. CUDA then starts to launch it while the previous kernel ends. Not for kernels that use
/// read_only.hpp: those loads may return stale cached values.
template <class Kernel>
inline constexpr bool overlaps = false;
template <class Kernel>
requires requires { Kernel::overlaps_launch; }
inline constexpr bool overlaps<Kernel> = Kernel::overlaps_launch;

template <class Kernel>
__global__ void __launch_bounds__(largest_block<Kernel>, least_blocks<Kernel>)
    run_kernel(Kernel const kernel) {
#if __CUDA_ARCH__ >= 900
    if constexpr (overlaps<Kernel>)
        asm volatile("griddepcontrol.launch_dependents;\n\tgriddepcontrol.wait;" ::: "memory");
#endif
    using shared = shared_of<Kernel>;
    if constexpr (std::is_same_v<shared, no_shared>) {
        kernel(cuda_thread<no_shared>(nullptr));
    } else {
        __shared__ shared storage;
        kernel(cuda_thread<shared>(&storage));
    }
}

/// A kernel that reads an array among its members at places which are not constant declares: static constexpr
/// bool reads_members_in_place = true. Otherwise each thread gets a copy of all members in its own memory.
/// Not for all kernels: it changes the registers of most.
template <class Kernel>
inline constexpr bool in_place = false;
template <class Kernel>
requires requires { Kernel::reads_members_in_place; }
inline constexpr bool in_place<Kernel> = Kernel::reads_members_in_place;

template <class Kernel>
__global__ void __launch_bounds__(largest_block<Kernel>, least_blocks<Kernel>)
    run_kernel_in_place(__grid_constant__ Kernel const kernel) {
    static_assert(!overlaps<Kernel>);
    using shared = shared_of<Kernel>;
    __shared__ shared storage;
    kernel(cuda_thread<shared>(&storage));
}

/// What the device runs for a kernel.
template <class Kernel>
[[nodiscard]] constexpr auto entry_of() {
    if constexpr (in_place<Kernel>)
        return &run_kernel_in_place<Kernel>;
    else
        return &run_kernel<Kernel>;
}

/// Internal to each translation unit, as the kernel itself is: each unit has its own copy to load.
template <class Kernel>
static listed_kernel listing{reinterpret_cast<void const*>(entry_of<Kernel>())};

/// Whether the code of the kernel for this device waits for the previous kernel by itself: code for older
/// devices does not.
template <class Kernel>
[[nodiscard]] bool waits_by_itself(int device) {
    static std::atomic<std::int64_t> known{-1}; // device, answer: asking costs more than a launch
    std::int64_t const last = known.load(std::memory_order_relaxed);
    if (last >= 0 && last / 2 == device) return last % 2 != 0;
    cudaFuncAttributes found{};
    check_cuda(cudaFuncGetAttributes(&found, entry_of<Kernel>()), "cudaFuncGetAttributes");
    bool const waits = found.ptxVersion >= 90;
    known.store(std::int64_t{device} * 2 + (waits ? 1 : 0), std::memory_order_relaxed);
    return waits;
}

/// The most blocks of the kernel that run at once on the device.
template <class Kernel>
[[nodiscard]] std::uint32_t most_resident_blocks(int device) {
    static std::atomic<std::int64_t> known{-1}; // device, answer: asking costs more than a launch
    std::int64_t const last = known.load(std::memory_order_relaxed);
    if (last >= 0 && last >> 32 == device) return static_cast<std::uint32_t>(last);
    int multiprocessors = 0;
    int on_each = 0;
    check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
               "cudaDeviceGetAttribute");
    check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_each, entry_of<Kernel>(),
                                                             static_cast<int>(largest_block<Kernel>), 0),
               "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    auto const blocks = static_cast<std::uint32_t>(multiprocessors * on_each);
    known.store(std::int64_t{device} << 32 | blocks, std::memory_order_relaxed);
    return blocks;
}

} // namespace detail

/// Gives the kernel to the stream of the space. Asynchronous: synchronize() or copy_out() throws errors of
/// the run. Throws launch_refused if the device lacks what the launch needs; nothing of it has then run.
template <class Kernel>
void launch(cuda_space& space, launch_shape shape, Kernel const& kernel) {
    static_assert(std::is_trivially_copyable_v<Kernel>, "a kernel travels to the device by value");
    static_cast<void>(&detail::listing<Kernel>);
    device_guard const current(space.device());
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(shape.blocks);
    config.blockDim = dim3(shape.block_threads);
    config.stream = space.stream();
    cudaLaunchAttribute overlapping{};
    if constexpr (detail::overlaps<Kernel>) {
        overlapping.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        overlapping.val.programmaticStreamSerializationAllowed = 1;
        config.attrs = &overlapping;
        // On the legacy default stream a kernel also waits for other streams, which its own waiting does not
        // cover.
        bool const alone = space.stream() != cudaStreamLegacy;
        config.numAttrs = alone && detail::waits_by_itself<Kernel>(space.device()) ? 1 : 0;
    }
    // Checks the result of this launch, not the last error of the thread: that may come from a call of the
    // user, and must not end a program of several kernels between two of them.
    check_launch(cudaLaunchKernelEx(&config, detail::entry_of<Kernel>(), kernel));
}

/// Gives a kernel to the stream whose blocks all run at once, so that they may wait for each other
/// (grid_barrier.hpp). Blocks have the kernel's largest size; there are as many as `items` need with one
/// thread per item, at most as many as the device runs at once. Throws launch_refused if the stream may not
/// use so much of the device. Begins only once all blocks have room beside other work, so that a kernel that
/// ends only after this one, or after the host has gone on, must leave it that room. Asynchronous.
template <class Kernel>
void launch_resident(cuda_space& space, std::uint64_t items, Kernel const& kernel) {
    static_assert(std::is_trivially_copyable_v<Kernel>, "a kernel travels to the device by value");
    static_cast<void>(&detail::listing<Kernel>);
    device_guard const current(space.device());
    constexpr std::uint32_t threads = detail::largest_block<Kernel>;
    std::uint64_t const wanted = std::max<std::uint64_t>(1, (items + threads - 1) / threads);
    std::uint64_t const most = detail::most_resident_blocks<Kernel>(space.device());
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<std::uint32_t>(std::min(wanted, most)));
    config.blockDim = dim3(threads);
    config.stream = space.stream();
    cudaLaunchAttribute together{};
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = 1;
    config.attrs = &together;
    config.numAttrs = 1;
    check_launch(cudaLaunchKernelEx(&config, detail::entry_of<Kernel>(), kernel));
}

} // namespace rhizome::exec
