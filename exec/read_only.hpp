// SPDX-License-Identifier: Apache-2.0
// Loads from memory that does not change while a kernel runs.
#pragma once

#include <rhizome/exec/config.hpp>

#if defined(__CUDA_ARCH__)
#include <cuda/std/bit>
#endif

#include <cstdint>
#include <type_traits>

namespace rhizome::exec {

/// Loads the value at `place`, which no thread writes during the launch. On cuda it goes through the
/// read-only cache, so stores of the kernel do not delay the load.
template <class T>
[[nodiscard]] RZ_HD T load_read_only(T const* place) {
    static_assert(std::is_trivially_copyable_v<T> && (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16));
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(T) == 4)
        return ::cuda::std::bit_cast<T>(__ldg(reinterpret_cast<unsigned const*>(place)));
    else if constexpr (sizeof(T) == 8)
        return ::cuda::std::bit_cast<T>(__ldg(reinterpret_cast<unsigned long long const*>(place)));
    else
        return ::cuda::std::bit_cast<T>(__ldg(reinterpret_cast<uint4 const*>(place)));
#else
    return *place;
#endif
}

/// The same for a value that is not read again soon: on cuda, it is not kept in L1.
template <class T>
[[nodiscard]] RZ_HD T load_once(T const* place) {
    static_assert(std::is_trivially_copyable_v<T> && (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16));
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(T) == 4) {
        unsigned word;
        asm("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(word) : "l"(place));
        return ::cuda::std::bit_cast<T>(word);
    } else if constexpr (sizeof(T) == 8) {
        unsigned long long word;
        asm("ld.global.nc.L1::no_allocate.u64 %0, [%1];" : "=l"(word) : "l"(place));
        return ::cuda::std::bit_cast<T>(word);
    } else {
        uint4 words;
        asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
            : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
            : "l"(place));
        return ::cuda::std::bit_cast<T>(words);
    }
#else
    return *place;
#endif
}

} // namespace rhizome::exec
