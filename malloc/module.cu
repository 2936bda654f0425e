// SPDX-License-Identifier: Apache-2.0
// The functions of kernels alone, as LTO-IR: for kernels that a program compiles while it runs. Languages
// other than C++ call them by names with C linkage.
#include <rhizome/malloc/kernels.cuh>

#include <cstddef>

namespace {
constexpr char const* caller = "a kernel in another language";
}

extern "C" __device__ void* rhizome_c_malloc(std::size_t bytes) { return rhizome_malloc(bytes, caller, 0); }
extern "C" __device__ void* rhizome_c_aligned_alloc(std::size_t alignment, std::size_t bytes) {
    return rhizome_aligned_alloc(alignment, bytes, caller, 0);
}
extern "C" __device__ void* rhizome_c_calloc(std::size_t count, std::size_t bytes) {
    return rhizome_calloc(count, bytes, caller, 0);
}
extern "C" __device__ void* rhizome_c_realloc(void* block, std::size_t bytes) {
    return rhizome_realloc(block, bytes, caller, 0);
}
extern "C" __device__ void rhizome_c_free(void* block) { rhizome_free(block, caller, 0); }
