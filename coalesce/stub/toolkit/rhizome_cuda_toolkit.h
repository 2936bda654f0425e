// SPDX-License-Identifier: Apache-2.0
// Includes CUDA's own headers for rhizome-coalesce, as nvcc does before each source. Nothing here is ever compiled into a
// program. coalesce/toolkit.hpp says what makes Clang read them.
#pragma once
#pragma GCC system_header

#define __noinline__
#include <crt/host_defines.h>
#undef __noinline__
#define __noinline__

#include <new>
__device__ inline void* operator new(__SIZE_TYPE__, void* place) noexcept { return place; }
__device__ inline void* operator new[](__SIZE_TYPE__, void* place) noexcept { return place; }
__device__ inline void operator delete(void*, void*) noexcept {}
__device__ inline void operator delete[](void*, void*) noexcept {}
__device__ void operator delete(void*, __SIZE_TYPE__) noexcept;
__device__ void operator delete[](void*, __SIZE_TYPE__) noexcept;
__device__ void* operator new(__SIZE_TYPE__, std::nothrow_t const&) noexcept;
__device__ void* operator new[](__SIZE_TYPE__, std::nothrow_t const&) noexcept;
__device__ void operator delete(void*, std::nothrow_t const&) noexcept;
__device__ void operator delete[](void*, std::nothrow_t const&) noexcept;

#include <limits>
#include <type_traits>
#include <utility>
#include <bits/stl_algobase.h>
// glibc declares its own functions of these names, which are intrinsics of CUDA's.
#define __sinf __rhizome_glibc_sinf
#define __cosf __rhizome_glibc_cosf
#define __tanf __rhizome_glibc_tanf
#define __tanhf __rhizome_glibc_tanhf
#define __sincosf __rhizome_glibc_sincosf
#define __expf __rhizome_glibc_expf
#define __exp10f __rhizome_glibc_exp10f
#define __logf __rhizome_glibc_logf
#define __log2f __rhizome_glibc_log2f
#define __log10f __rhizome_glibc_log10f
#define __powf __rhizome_glibc_powf
#pragma push_macro("_GLIBCXX_CONSTEXPR")
#undef _GLIBCXX_CONSTEXPR
#define _GLIBCXX_CONSTEXPR
#include <cmath>
#include <cstdlib>
#pragma pop_macro("_GLIBCXX_CONSTEXPR")
#undef __sinf
#undef __cosf
#undef __tanf
#undef __tanhf
#undef __sincosf
#undef __expf
#undef __exp10f
#undef __logf
#undef __log2f
#undef __log10f
#undef __powf
#include <cassert>
#include <cstdio>
#include <cstring>
#include <ctime>

#include <cuda_runtime.h>

// Device code has these too, which the headers declare where __CUDA_ARCH__ is defined.
extern "C" __device__ char const* cudaGetErrorString(cudaError_t);
extern "C" __device__ char const* cudaGetErrorName(cudaError_t);
