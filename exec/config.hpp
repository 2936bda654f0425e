// SPDX-License-Identifier: Apache-2.0
// Macros that mark functions.
#pragma once

/// Marks functions that run on the host and on the device.
#if defined(__CUDACC__)
#define RZ_HD __host__ __device__
#else
#define RZ_HD
#endif

/// Marks long functions that are seldom called: on the host and in the emulator the compiler makes one
/// function of them instead of a copy in each kernel. They take their parameters by value: if they took
/// references, the caller could not keep those objects in registers. Device code inlines them all the same. A
/// kernel that calls any function gets a stack, and the registers of the largest function that it may call:
/// on an H200, calls for the slow parts of page requests made batches of 100,000 edges up to 29 % slower, and
/// freeing a million blocks 60 %. With RHIZOME_OUTLINED, device code calls them too: for kernels that need
/// not be fast, such as those of tests, which nvcc then compiles in a third of the time.
#if defined(__CUDACC__) && defined(RHIZOME_OUTLINED)
#define RZ_NOINLINE __noinline__
#elif defined(__CUDACC__)
#define RZ_NOINLINE
#else
#define RZ_NOINLINE [[gnu::noinline]]
#endif

/// Marks long functions that device code must inline although the compiler would call them: see RZ_NOINLINE.
#if defined(__CUDACC__) && !defined(RHIZOME_OUTLINED)
#define RZ_INLINED __forceinline__
#else
#define RZ_INLINED
#endif

/// Tells the compiler what holds here, so that it leaves out code for other cases. Undefined behaviour where
/// it does not hold.
#if defined(__CUDA_ARCH__)
#define RZ_ASSUME(condition) __builtin_assume(condition)
#else
#define RZ_ASSUME(condition) ((condition) ? static_cast<void>(0) : __builtin_unreachable())
#endif

/// Before a loop with a constant number of rounds that is to be written out round by round.
#if defined(__CUDA_ARCH__)
#define RZ_UNROLL _Pragma("unroll")
#else
#define RZ_UNROLL
#endif

/// Before a loop that the compiler must not write out round by round: so its body stands in a kernel once.
#if defined(__CUDA_ARCH__)
#define RZ_NO_UNROLL _Pragma("unroll 1")
#else
#define RZ_NO_UNROLL
#endif
