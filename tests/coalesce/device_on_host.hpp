// SPDX-License-Identifier: Apache-2.0
// The headers of rewritten CUDA sources, compiled for the host: a thread of CUDA is an OS thread. Blocks run
// one after another, since what they share is `static` here. Include it before nothing else of CUDA.
#pragma once
#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

namespace on_host {

struct index {
    unsigned x = 0, y = 0, z = 0;
};

/// Threads that wait for one another, and what they hand over.
struct group {
    explicit group(unsigned threads) : arrived(threads) {}
    std::barrier<> arrived;
    std::atomic<unsigned> failed{0};
    std::atomic<unsigned long long> handed{0};
};

inline group* block = nullptr;
inline thread_local group* warp = nullptr;
inline thread_local unsigned lane = 0;

/// @return whether all threads of the group say yes
inline int vote(group& among, bool yes) {
    if (!yes) ++among.failed;
    among.arrived.arrive_and_wait();
    bool const all = among.failed == 0;
    among.arrived.arrive_and_wait();
    among.failed = 0; // by each of them, before the next vote
    among.arrived.arrive_and_wait();
    return all;
}

} // namespace on_host

inline thread_local on_host::index threadIdx;
inline on_host::index blockDim;

inline void __syncthreads() { on_host::block->arrived.arrive_and_wait(); }
inline int __syncthreads_and(bool yes) { return on_host::vote(*on_host::block, yes); }
inline int __all_sync(unsigned, bool yes) { return on_host::vote(*on_host::warp, yes); }
inline void __syncwarp(unsigned) { on_host::warp->arrived.arrive_and_wait(); }
inline unsigned long long __shfl_sync(unsigned, unsigned long long value, unsigned from) {
    if (on_host::lane == from) on_host::warp->handed = value;
    __syncwarp(0);
    unsigned long long const got = on_host::warp->handed;
    __syncwarp(0);
    return got;
}
inline void __threadfence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline int __clzll(long long word) { return __builtin_clzll(static_cast<unsigned long long>(word)); }

template <class T>
T atomicCAS(T* word, T expected, T desired) {
    std::atomic_ref<T>(*word).compare_exchange_strong(expected, desired);
    return expected;
}
template <class T>
T atomicExch(T* word, T by) {
    return std::atomic_ref<T>(*word).exchange(by);
}
template <class T>
T atomicOr(T* word, T by) {
    return std::atomic_ref<T>(*word).fetch_or(by);
}
template <class T>
T atomicAnd(T* word, T by) {
    return std::atomic_ref<T>(*word).fetch_and(by);
}
template <class T>
T atomicSub(T* word, T by) {
    return std::atomic_ref<T>(*word).fetch_sub(by);
}

#define __CUDACC__
#define __CUDA_ARCH__ 900
#define __host__
#define __device__
#define __shared__ static
#include <rhizome_coalesced_malloc.cuh>
#undef __shared__
#undef __device__
#undef __host__
#undef __CUDA_ARCH__
#undef __CUDACC__

namespace on_host {

/// Runs kernel() in all threads of a block.
template <class Kernel>
void run_block(unsigned threads, Kernel kernel) {
    blockDim = {threads, 1, 1};
    group all(threads);
    block = &all;
    std::vector<std::unique_ptr<group>> warps;
    for (unsigned first = 0; first < threads; first += 32)
        warps.push_back(std::make_unique<group>(threads - first < 32 ? threads - first : 32));
    std::vector<std::thread> running;
    for (unsigned rank = 0; rank < threads; ++rank)
        running.emplace_back([&, rank] {
            threadIdx = {rank, 0, 0};
            warp = warps[rank / 32].get();
            lane = rank % 32;
            kernel();
        });
    for (std::thread& one : running)
        one.join();
}

} // namespace on_host
