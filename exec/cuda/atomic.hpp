// SPDX-License-Identifier: Apache-2.0
// Atomic access to one word on the device, with the instructions of hand-written code.
// `cuda_space::atomic_ref` emits generic-address atomics with fallbacks. Here relaxed device-scope updates go
// through the intrinsics, so that the compiler can aggregate a warp and drop unused results; ordered ones are
// PTX with an explicit address space.
#pragma once

#include <rhizome/exec/order.hpp>

#include <cuda/std/bit>

#include <cstdint>
#include <type_traits>

namespace rhizome::exec {

/// Where a word lies, and which threads its synchronisation covers.
struct device_scope {};       // global memory, the whole device
struct block_scope {};        // global memory, the block
struct shared_block_scope {}; // shared memory, the block

namespace detail {

// PTX names operation, type, order, scope and address space in one string literal: only a macro can build it.
#define RZ_PTX_ORDERS(Asm, place)                                                                            \
    if constexpr (std::is_same_v<O, order::relaxed_t>) {                                                     \
        Asm("relaxed", place);                                                                               \
    } else if constexpr (std::is_same_v<O, order::acquire_t>) {                                              \
        Asm("acquire", place);                                                                               \
    } else if constexpr (std::is_same_v<O, order::release_t>) {                                              \
        Asm("release", place);                                                                               \
    } else {                                                                                                 \
        Asm("acq_rel", place);                                                                               \
    }
#define RZ_PTX_PLACES(Asm)                                                                                   \
    if constexpr (std::is_same_v<Place, device_scope>) {                                                     \
        RZ_PTX_ORDERS(Asm, "gpu.global")                                                                     \
    } else if constexpr (std::is_same_v<Place, block_scope>) {                                               \
        RZ_PTX_ORDERS(Asm, "cta.global")                                                                     \
    } else {                                                                                                 \
        RZ_PTX_ORDERS(Asm, "cta.shared")                                                                     \
    }

template <class Place>
__device__ __forceinline__ std::uint64_t ptx_address(void* pointer) {
    if constexpr (std::is_same_v<Place, shared_block_scope>) {
        return __cvta_generic_to_shared(pointer);
    } else {
        return __cvta_generic_to_global(pointer);
    }
}

#define RZ_DEFINE_UPDATE(name, operation, type, word, constraint)                                            \
    template <class Place, class O>                                                                          \
    __device__ __forceinline__ word name(word* pointer, word value) {                                        \
        std::uint64_t const address = ptx_address<Place>(pointer);                                           \
        word old;                                                                                            \
        RZ_PTX_PLACES(RZ_ASM_##name)                                                                         \
        return old;                                                                                          \
    }
#define RZ_ASM_UPDATE(operation, type, constraint, o, place)                                                 \
    asm volatile("atom." o "." place "." operation "." type " %0, [%1], %2;"                                 \
                 : "=" constraint(old)                                                                       \
                 : "l"(address), constraint(value)                                                           \
                 : "memory")

#define RZ_ASM_ptx_add_32(o, place) RZ_ASM_UPDATE("add", "u32", "r", o, place)
RZ_DEFINE_UPDATE(ptx_add_32, "add", "u32", std::uint32_t, "r")
#define RZ_ASM_ptx_add_64(o, place) RZ_ASM_UPDATE("add", "u64", "l", o, place)
RZ_DEFINE_UPDATE(ptx_add_64, "add", "u64", std::uint64_t, "l")
#define RZ_ASM_ptx_and_32(o, place) RZ_ASM_UPDATE("and", "b32", "r", o, place)
RZ_DEFINE_UPDATE(ptx_and_32, "and", "b32", std::uint32_t, "r")
#define RZ_ASM_ptx_and_64(o, place) RZ_ASM_UPDATE("and", "b64", "l", o, place)
RZ_DEFINE_UPDATE(ptx_and_64, "and", "b64", std::uint64_t, "l")
#define RZ_ASM_ptx_or_32(o, place) RZ_ASM_UPDATE("or", "b32", "r", o, place)
RZ_DEFINE_UPDATE(ptx_or_32, "or", "b32", std::uint32_t, "r")
#define RZ_ASM_ptx_or_64(o, place) RZ_ASM_UPDATE("or", "b64", "l", o, place)
RZ_DEFINE_UPDATE(ptx_or_64, "or", "b64", std::uint64_t, "l")
#define RZ_ASM_ptx_exchange_32(o, place) RZ_ASM_UPDATE("exch", "b32", "r", o, place)
RZ_DEFINE_UPDATE(ptx_exchange_32, "exch", "b32", std::uint32_t, "r")
#define RZ_ASM_ptx_exchange_64(o, place) RZ_ASM_UPDATE("exch", "b64", "l", o, place)
RZ_DEFINE_UPDATE(ptx_exchange_64, "exch", "b64", std::uint64_t, "l")
#define RZ_ASM_ptx_min_u32(o, place) RZ_ASM_UPDATE("min", "u32", "r", o, place)
RZ_DEFINE_UPDATE(ptx_min_u32, "min", "u32", std::uint32_t, "r")
#define RZ_ASM_ptx_max_u32(o, place) RZ_ASM_UPDATE("max", "u32", "r", o, place)
RZ_DEFINE_UPDATE(ptx_max_u32, "max", "u32", std::uint32_t, "r")
#define RZ_ASM_ptx_min_u64(o, place) RZ_ASM_UPDATE("min", "u64", "l", o, place)
RZ_DEFINE_UPDATE(ptx_min_u64, "min", "u64", std::uint64_t, "l")
#define RZ_ASM_ptx_max_u64(o, place) RZ_ASM_UPDATE("max", "u64", "l", o, place)
RZ_DEFINE_UPDATE(ptx_max_u64, "max", "u64", std::uint64_t, "l")
#define RZ_ASM_ptx_min_s32(o, place) RZ_ASM_UPDATE("min", "s32", "r", o, place)
RZ_DEFINE_UPDATE(ptx_min_s32, "min", "s32", std::int32_t, "r")
#define RZ_ASM_ptx_max_s32(o, place) RZ_ASM_UPDATE("max", "s32", "r", o, place)
RZ_DEFINE_UPDATE(ptx_max_s32, "max", "s32", std::int32_t, "r")
#define RZ_ASM_ptx_min_s64(o, place) RZ_ASM_UPDATE("min", "s64", "l", o, place)
RZ_DEFINE_UPDATE(ptx_min_s64, "min", "s64", std::int64_t, "l")
#define RZ_ASM_ptx_max_s64(o, place) RZ_ASM_UPDATE("max", "s64", "l", o, place)
RZ_DEFINE_UPDATE(ptx_max_s64, "max", "s64", std::int64_t, "l")
#define RZ_ASM_ptx_add_f32(o, place) RZ_ASM_UPDATE("add", "f32", "f", o, place)
RZ_DEFINE_UPDATE(ptx_add_f32, "add", "f32", float, "f")
#define RZ_ASM_ptx_add_f64(o, place) RZ_ASM_UPDATE("add", "f64", "d", o, place)
RZ_DEFINE_UPDATE(ptx_add_f64, "add", "f64", double, "d")

#define RZ_DEFINE_CAS(name, word, constraint, type)                                                          \
    template <class Place, class O>                                                                          \
    __device__ __forceinline__ word name(word* pointer, word expected, word desired) {                       \
        std::uint64_t const address = ptx_address<Place>(pointer);                                           \
        word old;                                                                                            \
        RZ_PTX_PLACES(RZ_ASM_##name)                                                                         \
        return old;                                                                                          \
    }
#define RZ_ASM_CAS(type, constraint, o, place)                                                               \
    asm volatile("atom." o "." place ".cas." type " %0, [%1], %2, %3;"                                       \
                 : "=" constraint(old)                                                                       \
                 : "l"(address), constraint(expected), constraint(desired)                                   \
                 : "memory")
#define RZ_ASM_ptx_cas_16(o, place) RZ_ASM_CAS("b16", "h", o, place)
RZ_DEFINE_CAS(ptx_cas_16, std::uint16_t, "h", "b16")
#define RZ_ASM_ptx_cas_32(o, place) RZ_ASM_CAS("b32", "r", o, place)
RZ_DEFINE_CAS(ptx_cas_32, std::uint32_t, "r", "b32")
#define RZ_ASM_ptx_cas_64(o, place) RZ_ASM_CAS("b64", "l", o, place)
RZ_DEFINE_CAS(ptx_cas_64, std::uint64_t, "l", "b64")

#define RZ_PTX_LOAD_ORDERS(type, constraint, place)                                                          \
    if constexpr (std::is_same_v<O, order::acquire_t>) {                                                     \
        asm volatile("ld.acquire." place "." type " %0, [%1];"                                               \
                     : "=" constraint(value)                                                                 \
                     : "l"(address)                                                                          \
                     : "memory");                                                                            \
    } else {                                                                                                 \
        asm volatile("ld.relaxed." place "." type " %0, [%1];"                                               \
                     : "=" constraint(value)                                                                 \
                     : "l"(address)                                                                          \
                     : "memory");                                                                            \
    }
#define RZ_PTX_STORE_ORDERS(type, constraint, place)                                                         \
    if constexpr (std::is_same_v<O, order::release_t>) {                                                     \
        asm volatile("st.release." place "." type " [%0], %1;" ::"l"(address), constraint(value)             \
                     : "memory");                                                                            \
    } else {                                                                                                 \
        asm volatile("st.relaxed." place "." type " [%0], %1;" ::"l"(address), constraint(value)             \
                     : "memory");                                                                            \
    }
#define RZ_DEFINE_ACCESS(suffix, word, constraint, type)                                                     \
    template <class Place, class O>                                                                          \
    __device__ __forceinline__ word ptx_load_##suffix(word* pointer) {                                       \
        std::uint64_t const address = ptx_address<Place>(pointer);                                           \
        word value;                                                                                          \
        if constexpr (std::is_same_v<Place, device_scope>) {                                                 \
            RZ_PTX_LOAD_ORDERS(type, constraint, "gpu.global")                                               \
        } else if constexpr (std::is_same_v<Place, block_scope>) {                                           \
            RZ_PTX_LOAD_ORDERS(type, constraint, "cta.global")                                               \
        } else {                                                                                             \
            RZ_PTX_LOAD_ORDERS(type, constraint, "cta.shared")                                               \
        }                                                                                                    \
        return value;                                                                                        \
    }                                                                                                        \
    template <class Place, class O>                                                                          \
    __device__ __forceinline__ void ptx_store_##suffix(word* pointer, word value) {                          \
        std::uint64_t const address = ptx_address<Place>(pointer);                                           \
        if constexpr (std::is_same_v<Place, device_scope>) {                                                 \
            RZ_PTX_STORE_ORDERS(type, constraint, "gpu.global")                                              \
        } else if constexpr (std::is_same_v<Place, block_scope>) {                                           \
            RZ_PTX_STORE_ORDERS(type, constraint, "cta.global")                                              \
        } else {                                                                                             \
            RZ_PTX_STORE_ORDERS(type, constraint, "cta.shared")                                              \
        }                                                                                                    \
    }
RZ_DEFINE_ACCESS(16, std::uint16_t, "h", "u16")
RZ_DEFINE_ACCESS(32, std::uint32_t, "r", "u32")
RZ_DEFINE_ACCESS(64, std::uint64_t, "l", "u64")

#undef RZ_DEFINE_ACCESS
#undef RZ_PTX_STORE_ORDERS
#undef RZ_PTX_LOAD_ORDERS
#undef RZ_DEFINE_CAS
#undef RZ_DEFINE_UPDATE
#undef RZ_PTX_PLACES
#undef RZ_PTX_ORDERS

/// Zero, in a way that ptxas cannot see. When all lanes load from one address, ptxas assumes that the value
/// is the same in all of them, and merges a fetch_add of this value into one, times the number of lanes.
/// Lanes that made the load in different rounds of a loop may execute the addition together, and then the sum
/// is wrong.
__device__ __forceinline__ std::uint32_t zero_that_may_vary() {
    std::uint32_t below;
    std::uint32_t own;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    asm("mov.u32 %0, %%lanemask_eq;" : "=r"(own));
    return below & own;
}

/// The unsigned word of the same size.
template <class T>
using word_of = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                   std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;

} // namespace detail

template <class T, class Place>
class cuda_atomic {
    static_assert(std::is_same_v<T, std::uint16_t> || sizeof(T) == 4 || sizeof(T) == 8);
    using word = detail::word_of<T>;
    static constexpr bool narrow = sizeof(T) == 4;
    static constexpr bool short_word = sizeof(T) == 2; ///< has load, store and compare_exchange only

public:
    __device__ explicit cuda_atomic(T& object) : pointer_(&object) {}

    template <order::for_load O>
    [[nodiscard]] __device__ T load(O) const {
        if constexpr (short_word) {
            return from_word(static_cast<word>(detail::ptx_load_16<Place, O>(word_pointer()) |
                                               detail::zero_that_may_vary()));
        } else if constexpr (narrow) {
            return from_word(detail::ptx_load_32<Place, O>(word_pointer()) | detail::zero_that_may_vary());
        } else {
            return from_word(detail::ptx_load_64<Place, O>(word_pointer()) | detail::zero_that_may_vary());
        }
    }
    template <order::for_store O>
    __device__ void store(T value, O) const {
        if constexpr (short_word) {
            detail::ptx_store_16<Place, O>(word_pointer(), to_word(value));
        } else if constexpr (narrow) {
            detail::ptx_store_32<Place, O>(word_pointer(), to_word(value));
        } else {
            detail::ptx_store_64<Place, O>(word_pointer(), to_word(value));
        }
    }
    template <order::for_update O>
    __device__ T exchange(T value, O) const {
        if constexpr (narrow) {
            return from_word(detail::ptx_exchange_32<Place, O>(word_pointer(), to_word(value)));
        } else {
            return from_word(detail::ptx_exchange_64<Place, O>(word_pointer(), to_word(value)));
        }
    }
    template <order::for_update O>
    __device__ T fetch_add(T value, O) const {
        if constexpr (std::is_same_v<O, order::relaxed_t> && std::is_same_v<Place, device_scope>) {
            __builtin_assume(__isGlobal(pointer_));
            if constexpr (std::is_floating_point_v<T>) {
                return atomicAdd(pointer_, value);
            } else if constexpr (narrow) {
                return from_word(atomicAdd(word_pointer(), to_word(value)));
            } else {
                return from_word(atomicAdd(reinterpret_cast<unsigned long long*>(pointer_),
                                           static_cast<unsigned long long>(value)));
            }
        } else if constexpr (std::is_same_v<T, float>) {
            return detail::ptx_add_f32<Place, O>(pointer_, value);
        } else if constexpr (std::is_same_v<T, double>) {
            return detail::ptx_add_f64<Place, O>(pointer_, value);
        } else if constexpr (narrow) {
            return from_word(detail::ptx_add_32<Place, O>(word_pointer(), to_word(value)));
        } else {
            return from_word(detail::ptx_add_64<Place, O>(word_pointer(), to_word(value)));
        }
    }
    template <order::for_update O>
    __device__ T fetch_sub(T value, O o) const requires std::is_integral_v<T> {
        return fetch_add(static_cast<T>(word{0} - to_word(value)), o);
    }
    template <order::for_update O>
    __device__ T fetch_and(T value, O) const requires std::is_integral_v<T> {
        if constexpr (narrow) {
            return from_word(detail::ptx_and_32<Place, O>(word_pointer(), to_word(value)));
        } else {
            return from_word(detail::ptx_and_64<Place, O>(word_pointer(), to_word(value)));
        }
    }
    template <order::for_update O>
    __device__ T fetch_or(T value, O) const requires std::is_integral_v<T> {
        if constexpr (narrow) {
            return from_word(detail::ptx_or_32<Place, O>(word_pointer(), to_word(value)));
        } else {
            return from_word(detail::ptx_or_64<Place, O>(word_pointer(), to_word(value)));
        }
    }
    template <order::for_update O>
    __device__ T fetch_min(T value, O) const requires std::is_integral_v<T> {
        if constexpr (std::is_same_v<T, std::uint32_t>) {
            return detail::ptx_min_u32<Place, O>(pointer_, value);
        } else if constexpr (std::is_same_v<T, std::int32_t>) {
            return detail::ptx_min_s32<Place, O>(pointer_, value);
        } else if constexpr (std::is_signed_v<T>) {
            return detail::ptx_min_s64<Place, O>(pointer_, value);
        } else {
            return detail::ptx_min_u64<Place, O>(pointer_, value);
        }
    }
    template <order::for_update O>
    __device__ T fetch_max(T value, O) const requires std::is_integral_v<T> {
        if constexpr (std::is_same_v<T, std::uint32_t>) {
            return detail::ptx_max_u32<Place, O>(pointer_, value);
        } else if constexpr (std::is_same_v<T, std::int32_t>) {
            return detail::ptx_max_s32<Place, O>(pointer_, value);
        } else if constexpr (std::is_signed_v<T>) {
            return detail::ptx_max_s64<Place, O>(pointer_, value);
        } else {
            return detail::ptx_max_u64<Place, O>(pointer_, value);
        }
    }
    template <order::for_update O>
    __device__ bool compare_exchange(T& expected, T desired, O) const requires std::is_integral_v<T> {
        word old;
        if constexpr (short_word) {
            old = detail::ptx_cas_16<Place, O>(word_pointer(), to_word(expected), to_word(desired));
        } else if constexpr (narrow) {
            old = detail::ptx_cas_32<Place, O>(word_pointer(), to_word(expected), to_word(desired));
        } else {
            old = detail::ptx_cas_64<Place, O>(word_pointer(), to_word(expected), to_word(desired));
        }
        bool const swapped = old == to_word(expected);
        expected = from_word(old);
        return swapped;
    }

private:
    __device__ word* word_pointer() const { return reinterpret_cast<word*>(pointer_); }
    static __device__ word to_word(T value) { return ::cuda::std::bit_cast<word>(value); }
    static __device__ T from_word(word value) { return ::cuda::std::bit_cast<T>(value); }

    T* pointer_;
};

} // namespace rhizome::exec
