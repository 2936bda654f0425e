// SPDX-License-Identifier: Apache-2.0
// A kernel thread on the device.
#pragma once

#include <rhizome/exec/cuda/atomic.hpp>
#include <rhizome/exec/cuda/group.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/shape.hpp>

#include <cstdint>

namespace rhizome::exec {

template <class Shared>
class cuda_block {
public:
    static constexpr bool prefers_runs = false;

    __device__ explicit cuda_block(Shared* storage) : storage_(storage) {}

    [[nodiscard]] __device__ std::uint32_t rank() const { return threadIdx.x; }
    [[nodiscard]] __device__ std::uint32_t size() const { return blockDim.x; }
    [[nodiscard]] __device__ bool is_leader() const { return threadIdx.x == 0; }
    [[nodiscard]] __device__ std::uint32_t index() const { return blockIdx.x; }
    [[nodiscard]] __device__ std::uint32_t count() const { return gridDim.x; }
    __device__ void sync() const { __syncthreads(); }
    [[nodiscard]] __device__ Shared& storage() const { return *storage_; }

private:
    Shared* storage_;
};

template <class Shared>
class cuda_thread {
public:
    static constexpr bool prefers_runs = false;

    __device__ explicit cuda_thread(Shared* storage) : storage_(storage) {}

    [[nodiscard]] __device__ std::uint64_t rank() const {
        return std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    }
    [[nodiscard]] __device__ std::uint64_t size() const { return std::uint64_t{gridDim.x} * blockDim.x; }
    [[nodiscard]] __device__ cuda_block<Shared> block() const { return cuda_block<Shared>(storage_); }
    /// The same thread for code that is compiled once for kernels with any shared storage.
    [[nodiscard]] __device__ cuda_thread<no_shared> without_storage() const {
        return cuda_thread<no_shared>(nullptr);
    }
    template <std::uint32_t W>
    [[nodiscard]] __device__ cuda_tile<W> tile(width_t<W>) const {
        return {};
    }
    [[nodiscard]] __device__ cuda_tile<32> warp() const { return {}; }
    [[nodiscard]] __device__ cuda_coalesced coalesced() const {
        return cuda_coalesced(detail::lanes_together());
    }

    template <class T>
    [[nodiscard]] __device__ cuda_atomic<T, device_scope> device(T& word) const {
        return cuda_atomic<T, device_scope>(word);
    }
    template <class T>
    [[nodiscard]] __device__ cuda_atomic<T, block_scope> block_scoped(T& word) const {
        return cuda_atomic<T, block_scope>(word);
    }
    template <class T>
    [[nodiscard]] __device__ cuda_atomic<T, shared_block_scope> shared(T& word) const {
        return cuda_atomic<T, shared_block_scope>(word);
    }

    /// Calls function(o), which accesses device(word) of several words with the order o: each of these
    /// atomics then has the order of the argument. An ordered atomic waits for the caller's earlier
    /// accesses, so that several take their turns. Here they wait once, together.
    template <order::for_update O, class Function>
    __device__ void ordered_together(O, Function&& function) const {
        if constexpr (order::releases<O>) asm volatile("fence.acq_rel.gpu;" ::: "memory");
        function(order::relaxed);
        if constexpr (order::acquires<O>) asm volatile("fence.acq_rel.gpu;" ::: "memory");
    }

    /// Orders the caller's earlier accesses before its later ones. Pairs with the fence of a thread that
    /// reads, by an atomic before its fence, what this thread writes by an atomic after this one.
    __device__ void fence() const { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

    /// The same for readers on the host, too: what the caller wrote, or has learnt of, before it is there for
    /// a thread of the host that reads a word posted after it, and for all that this thread launches.
    __device__ void fence_for_host() const { asm volatile("fence.acq_rel.sys;" ::: "memory"); }

    /// Brings what lies there closer, for a load that follows later.
    __device__ void prefetch(void const* address) const {
        asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(address)));
    }

    /// Writes a word of early_words, which the host reads meanwhile: an atomic store of system scope, that
    /// the host's acquiring load pairs with.
    __device__ void post(std::uint64_t& word, std::uint64_t value) const {
        asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(&word)), "l"(value)
                     : "memory");
    }

    __device__ void relax() const { __nanosleep(64); }
    __device__ void pause() const { __nanosleep(256); }

private:
    Shared* storage_;
};

/// The calling thread of any __global__ kernel, for allocate(), deallocate() and whatever else takes a
/// thread. The kernel's blocks and grid have one dimension.
[[nodiscard]] __device__ inline cuda_thread<no_shared> this_thread() {
    return cuda_thread<no_shared>(nullptr);
}

} // namespace rhizome::exec
