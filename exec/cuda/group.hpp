// SPDX-License-Identifier: Apache-2.0
// Tiles and coalesced groups on the device.
#pragma once

#include <cuda/std/bit>

#include <cstdint>
#include <type_traits>

namespace rhizome::exec {

namespace detail {

/// Shuffles any trivially copyable value of up to 8 bytes as one or two words.
template <class T>
__device__ __forceinline__ T shuffle_value(std::uint32_t mask, T value, std::uint32_t lane) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
    if constexpr (sizeof(T) == 4) {
        return ::cuda::std::bit_cast<T>(
            __shfl_sync(mask, ::cuda::std::bit_cast<unsigned>(value), static_cast<int>(lane)));
    } else if constexpr (sizeof(T) == 8) {
        return ::cuda::std::bit_cast<T>(
            __shfl_sync(mask, ::cuda::std::bit_cast<unsigned long long>(value), static_cast<int>(lane)));
    } else {
        return static_cast<T>(__shfl_sync(mask, static_cast<unsigned>(value), static_cast<int>(lane)));
    }
}

template <class T>
__device__ __forceinline__ std::uint32_t match_value(std::uint32_t mask, T value) {
    if constexpr (sizeof(T) == 4) {
        return __match_any_sync(mask, ::cuda::std::bit_cast<unsigned>(value));
    } else if constexpr (sizeof(T) == 8) {
        return __match_any_sync(mask, ::cuda::std::bit_cast<unsigned long long>(value));
    } else {
        return __match_any_sync(mask, static_cast<unsigned>(value));
    }
}

__device__ __forceinline__ std::uint32_t lane_of_warp() {
    std::uint32_t lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

__device__ __forceinline__ std::uint32_t lanes_below() {
    std::uint32_t mask;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}

/// The caller's bit.
__device__ __forceinline__ std::uint32_t own_lane() {
    std::uint32_t mask;
    asm("mov.u32 %0, %%lanemask_eq;" : "=r"(mask));
    return mask;
}

/// The lanes that run together with the caller. Their mask names the caller already: its bit is added to tell
/// ptxas that lanes may hold different masks. ptxas (CUDA 13.0) takes the result of __activemask() for equal
/// in all lanes that run together, but two groups of a warp may meet later, and then __reduce_add_sync(),
/// __reduce_or_sync() and votes count the lanes of both. With the bit, ptxas serves one group at a time.
__device__ __forceinline__ std::uint32_t lanes_together() { return __activemask() | own_lane(); }

} // namespace detail

/// The lanes of one warp that a mask names.
class cuda_coalesced {
public:
    // Not in an initialiser list: nvcc leaves those of device constructors to the host compiler.
    __device__ explicit cuda_coalesced(std::uint32_t mask) {
        mask_ = mask;
        rank_ = static_cast<std::uint32_t>(__popc(mask & detail::lanes_below()));
    }

    [[nodiscard]] __device__ std::uint32_t rank() const { return rank_; }
    [[nodiscard]] __device__ std::uint32_t size() const { return static_cast<std::uint32_t>(__popc(mask_)); }
    [[nodiscard]] __device__ bool is_leader() const { return rank_ == 0; }

    __device__ void sync() const { __syncwarp(mask_); }
    [[nodiscard]] __device__ bool any(bool predicate) const { return __any_sync(mask_, predicate) != 0; }
    [[nodiscard]] __device__ bool all(bool predicate) const { return __all_sync(mask_, predicate) != 0; }
    /// Bit i is the lane of rank i.
    [[nodiscard]] __device__ std::uint32_t ballot(bool predicate) const {
        return __reduce_or_sync(mask_, predicate ? 1u << rank_ : 0u);
    }
    template <class T>
    [[nodiscard]] __device__ T broadcast(T value, std::uint32_t source_rank) const {
        return detail::shuffle_value(mask_, value, lane_of(source_rank));
    }
    template <class T>
    [[nodiscard]] __device__ T shuffle(T value, std::uint32_t source_rank) const {
        return detail::shuffle_value(mask_, value, lane_of(source_rank));
    }
    template <class T>
    [[nodiscard]] __device__ T exclusive_scan(T value) const {
        T through = value;
        for (std::uint32_t step = 1; step < size(); step <<= 1) {
            T const lower = shuffle(through, rank_ >= step ? rank_ - step : rank_);
            if (rank_ >= step) through += lower;
        }
        return static_cast<T>(through - value);
    }
    template <class T>
    [[nodiscard]] __device__ T sum(T value) const {
        if constexpr (std::is_same_v<T, std::uint32_t>) {
            return __reduce_add_sync(mask_, value);
        } else {
            T total{};
            for (std::uint32_t left = mask_; left != 0; left &= left - 1)
                total += detail::shuffle_value(mask_, value, static_cast<std::uint32_t>(__ffs(left)) - 1);
            return total;
        }
    }
    template <class T>
    [[nodiscard]] __device__ cuda_coalesced match(T value) const {
        return cuda_coalesced(detail::match_value(mask_, value));
    }
    /// The rank that the leader of this group has in a group that contains this one.
    [[nodiscard]] __device__ std::uint32_t leader_in(cuda_coalesced const& group) const {
        return static_cast<std::uint32_t>(__popc(group.mask_ & ((mask_ & (0u - mask_)) - 1)));
    }

private:
    [[nodiscard]] __device__ std::uint32_t lane_of(std::uint32_t source_rank) const {
        // Most groups are the first lanes of a warp. Otherwise search by halves: __fns looks at one lane
        // after another.
        if ((mask_ & (mask_ + 1)) == 0) return source_rank;
        std::uint32_t lane = 0;
        std::uint32_t bits = mask_;
#pragma unroll
        for (std::uint32_t half = 16; half != 0; half /= 2) {
            auto const lower = static_cast<std::uint32_t>(__popc(bits & ((1u << half) - 1)));
            if (source_rank < lower) continue;
            source_rank -= lower;
            bits >>= half;
            lane += half;
        }
        return lane;
    }

    std::uint32_t mask_;
    std::uint32_t rank_;
};

/// W neighbouring lanes of a warp.
template <std::uint32_t W>
class cuda_tile {
public:
    static constexpr bool prefers_runs = false;

    __device__ cuda_tile() {
        lane_ = detail::lane_of_warp();
        if constexpr (W == 32) {
            mask_ = 0xffff'ffffu;
        } else {
            mask_ = ((1u << W) - 1u) << (lane_ & ~(W - 1));
        }
    }

    [[nodiscard]] __device__ std::uint32_t rank() const { return lane_ & (W - 1); }
    [[nodiscard]] static constexpr __device__ std::uint32_t size() { return W; }
    [[nodiscard]] __device__ bool is_leader() const { return rank() == 0; }
    [[nodiscard]] __device__ std::uint64_t index() const {
        return (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / W;
    }
    [[nodiscard]] __device__ std::uint64_t count() const { return std::uint64_t{gridDim.x} * blockDim.x / W; }

    __device__ void sync() const { __syncwarp(mask_); }
    [[nodiscard]] __device__ bool any(bool predicate) const { return __any_sync(mask_, predicate) != 0; }
    [[nodiscard]] __device__ bool all(bool predicate) const { return __all_sync(mask_, predicate) != 0; }
    [[nodiscard]] __device__ std::uint32_t ballot(bool predicate) const {
        return __ballot_sync(mask_, predicate) >> (lane_ & ~(W - 1));
    }
    template <class T>
    [[nodiscard]] __device__ T broadcast(T value, std::uint32_t source_rank) const {
        return shuffle(value, source_rank);
    }
    template <class T>
    [[nodiscard]] __device__ T shuffle(T value, std::uint32_t source_rank) const {
        return detail::shuffle_value(mask_, value, (lane_ & ~(W - 1)) + source_rank);
    }
    template <class T>
    [[nodiscard]] __device__ T inclusive_scan(T value) const {
        for (std::uint32_t step = 1; step < W; step <<= 1) {
            T const lower = shuffle(value, rank() >= step ? rank() - step : rank());
            if (rank() >= step) value += lower;
        }
        return value;
    }
    template <class T>
    [[nodiscard]] __device__ T exclusive_scan(T value) const {
        T const through = inclusive_scan(value);
        T const before = shuffle(through, rank() == 0 ? 0 : rank() - 1);
        return rank() == 0 ? T{} : before;
    }
    template <class T>
    [[nodiscard]] __device__ T sum(T value) const {
        // Not for parts of a warp: see lanes_together().
        if constexpr (W == 32 && std::is_same_v<T, std::uint32_t>) return __reduce_add_sync(mask_, value);
        return fold(value, [](T a, T b) { return static_cast<T>(a + b); });
    }
    template <class T>
    [[nodiscard]] __device__ T min(T value) const {
        if constexpr (W == 32 && std::is_same_v<T, std::uint32_t>) return __reduce_min_sync(mask_, value);
        return fold(value, [](T a, T b) { return b < a ? b : a; });
    }
    template <class T>
    [[nodiscard]] __device__ T max(T value) const {
        if constexpr (W == 32 && std::is_same_v<T, std::uint32_t>) return __reduce_max_sync(mask_, value);
        return fold(value, [](T a, T b) { return a < b ? b : a; });
    }
    template <class T>
    [[nodiscard]] __device__ cuda_coalesced match(T value) const {
        return cuda_coalesced(detail::match_value(mask_, value));
    }

private:
    template <class T, class Operation>
    [[nodiscard]] __device__ T fold(T value, Operation operation) const {
        for (std::uint32_t step = W / 2; step != 0; step >>= 1)
            value = operation(value, shuffle(value, rank() ^ step));
        return value;
    }

    std::uint32_t lane_;
    std::uint32_t mask_;
};

} // namespace rhizome::exec
