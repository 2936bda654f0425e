// Loads from memory that does not change while a kernel runs.
#pragma once

#include <rhizome/exec/config.hpp>

#if defined(__CUDA_ARCH__)
#include <cuda/std/bit>
#endif

#include <cstdint>
#include <type_traits>

namespace rhizome::exec {

/// The value at `place`, which nobody writes from the beginning of the launch to its end. Stores of the
/// kernel then keep no load from being made early: on cuda, a load through the read-only cache.
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

} // namespace rhizome::exec
