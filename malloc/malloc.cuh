// SPDX-License-Identifier: Apache-2.0
// malloc and free for all kernels of a program, over a heap that grows between launches. C++17; no other
// header of Rhizome. Compile kernels that call it with -rdc=true and link the library rhizome_malloc
// (README.md of this component).
//
// clang-format off
//
//     rhizome_malloc_init();                // on the host, once per device
//     kernel<<<blocks, threads>>>();        // calls rhizome_malloc() and rhizome_free()
//     rhizome_malloc_grow(1 << 30);         // between launches
//     rhizome_malloc_report_leaks(stderr);
//
// clang-format on
// Define RHIZOME_MALLOC_REPLACES_NEW before this header is included, in every file of the program that
// allocates in kernels: new and delete in device code then use this heap. If the heap has no room, new prints
// a line and traps, as std::bad_alloc would end a program: the launch fails, and the process can use the
// device no more. Code that can go on without the memory calls rhizome_malloc() instead.
#pragma once

#if defined(__CUDACC_RTC__) // which has no headers of the host
namespace std {
using ::size_t;
}
#else
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#endif

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#include <new>
#endif

// ---- In kernels ----
//
// Any thread may call these at any time, in kernels of any shape, also where lanes of a warp diverge. A block
// may be freed by another thread or kernel than the one that allocated it. The arguments `file` and `line`
// are filled in by the compiler: leave them out. They name the caller in reports of checked mode.
//
// A thread may pass a block to another thread of the same launch by any atomic, also a relaxed one such as
// atomicExch(): both functions have the fences that the heap needs. The fences do not order what the program
// writes to the block. A thread that has written to it calls __threadfence() before it passes the block on,
// also where the other thread only frees it: the next owner of the memory writes there too. A thread that
// reads what another one wrote calls __threadfence() after the atomic.
//
// The functions take at most 64 registers. So kernels with __launch_bounds__(1024) can call them; a kernel
// that is limited to less, for example by __launch_bounds__(1024, 2), does not link.
#if defined(__CUDACC__)

/// A block of at least `bytes` bytes, aligned to 16; contents are undefined. nullptr if the heap has no room
/// for it, or before rhizome_malloc_init(): never traps, and never waits for memory to be freed. 0 bytes: as
/// 1 byte. What a request of up to 8 KiB costs, also a refused one, does not depend on the size of the heap.
/// Larger requests take whole chunks of 8 KiB, side by side, up to the size of the heap; the thread searches
/// for them, in a larger heap for longer.
__device__ inline void* rhizome_malloc(std::size_t bytes, char const* file = __builtin_FILE(),
                                       unsigned line = __builtin_LINE());

/// The same, aligned to `alignment`: a power of two up to 8192. nullptr for other alignments. A block of up
/// to 8 KiB that is aligned to more than 16 takes a power of two bytes.
__device__ void* rhizome_aligned_alloc(std::size_t alignment, std::size_t bytes,
                                       char const* file = __builtin_FILE(), unsigned line = __builtin_LINE());

/// A block of count * bytes bytes that are 0; the calling thread writes them. nullptr also where the product
/// overflows.
__device__ void* rhizome_calloc(std::size_t count, std::size_t bytes, char const* file = __builtin_FILE(),
                                unsigned line = __builtin_LINE());

/// A block of `bytes` bytes with the contents of `block`, which it replaces, as in C. nullptr: refused;
/// `block` is then still valid. The calling thread copies. `block` nullptr: as rhizome_malloc(bytes). 0
/// bytes: frees `block`, returns nullptr. Alignments above 16 are lost.
__device__ void* rhizome_realloc(void* block, std::size_t bytes, char const* file = __builtin_FILE(),
                                 unsigned line = __builtin_LINE());

/// Frees a block of the functions above; ignores nullptr. Blocks of CUDA's malloc do not belong here, nor do
/// blocks that are free: checked mode reports them; otherwise they damage the heap.
__device__ void rhizome_free(void* block, char const* file = __builtin_FILE(),
                             unsigned line = __builtin_LINE());

__device__ inline void* rhizome_malloc(std::size_t bytes, char const* file, unsigned line) {
    return rhizome_aligned_alloc(16, bytes, file, line);
}

/// What new does where the heap has no room for `bytes`: prints a line and traps.
__device__ void rhizome_malloc_new_failed(std::size_t bytes);

#endif

#if !defined(__CUDACC_RTC__)
// ---- On the host ----
//
// Each call acts on the current device (cudaSetDevice), whose heap is its own. Each waits for the device, and
// no kernel that uses the heap may be launched meanwhile. Any host thread may call; calls for one device take
// turns. On failure they return an error of CUDA, and rhizome_malloc_error() is a line that says what was
// wrong.
//
// cudaDeviceReset() frees the memory of a heap, of which the library learns nothing: call
// rhizome_malloc_destroy() before it. After a reset without that, and after a kernel that has failed (a trap
// or a wrong address), the heap of that device is lost for the rest of the process.

extern "C" {

struct rhizome_malloc_options {
    std::size_t heap_bytes = std::size_t{256} << 20; ///< device memory for blocks, committed at once
    std::size_t most_bytes = 0; ///< the largest size to which the heap may grow; 0: the memory of the device
    /// Detects blocks that are freed twice, pointers that are no blocks, and writes past the ends of blocks,
    /// and records which line of the program allocated each block. Needs as much memory again as the heap, up
    /// to twice as much, and 32 bytes or more per block. Kernels need not be compiled again.
    bool checked = false;
};

/// Makes the heap of the current device. cudaErrorMemoryAllocation: the device has too little memory.
/// cudaErrorInvalidValue: the device has a heap already, or heap_bytes is 0.
cudaError_t rhizome_malloc_init(rhizome_malloc_options const& options = {});

/// Makes the heap larger by at least `bytes`; blocks stay where they are. cudaErrorMemoryAllocation: the heap
/// is as it was. In checked mode the old table of blocks and the new one exist together for a moment: the
/// call then needs the memory of both beside the heap.
cudaError_t rhizome_malloc_grow(std::size_t bytes);

/// Makes memory that was freed usable for blocks of every size again. A chunk of 8 KiB serves blocks of one
/// size until this call: call it between phases of a program that allocate different sizes.
cudaError_t rhizome_malloc_trim();

struct rhizome_malloc_usage {
    std::size_t heap_bytes;       ///< size of the heap
    std::size_t live_bytes;       ///< of blocks that are not freed, with what their sizes were rounded up by
    std::size_t free_bytes;       ///< the heap also holds the queues of the allocator, up to a few percent
    std::size_t table_bytes;      ///< device memory beside the heap
    std::size_t refused_requests; ///< since rhizome_malloc_init()
    std::size_t refused_bytes;    ///< requested by them: how much larger the heap might have been
};

/// Writes the usage of the heap. cudaErrorUnknown: a kernel has damaged the heap; the line of
/// rhizome_malloc_error() says how. Cost: a pass over the tables of the heap.
cudaError_t rhizome_malloc_statistics(rhizome_malloc_usage* usage);

struct rhizome_malloc_leaks {
    std::size_t blocks; ///< not freed; always 0 without checked mode, which alone counts them
    std::size_t bytes;  ///< not freed; without checked mode with what sizes were rounded up by
    std::size_t
        mistakes; ///< blocks freed twice, foreign pointers, writes past the ends; 0 without checked mode
};

/// Writes a line per place in the program whose blocks are not freed, and per place that made a mistake.
/// Without checked mode, one line. `found`: the totals, unless nullptr. cudaErrorInvalidValue: `to` is
/// nullptr.
cudaError_t rhizome_malloc_report_leaks(std::FILE* to = stderr, rhizome_malloc_leaks* found = nullptr);

/// Frees the heap of the current device with all its blocks. The next rhizome_malloc_init() makes another.
cudaError_t rhizome_malloc_destroy();

/// What was wrong with the last call on this host thread that failed: one line without a line feed; "" if
/// none has failed.
char const* rhizome_malloc_error();

/// For kernels of another module of the process, such as one that was linked with rhizome_malloc.ltoir while
/// the program runs: writes the heap of the current device to the module's variable rhizome_malloc_heap. Call
/// it when the module is loaded, and again after each rhizome_malloc_init(), rhizome_malloc_grow() (also a
/// refused one) and rhizome_malloc_destroy(). Without a heap, it writes that there is none. In checked mode
/// the module stays loaded until the last report, which reads the names of files in it.
/// `variable`, `bytes`: from cuModuleGetGlobal() or cuLibraryGetGlobal(). cudaErrorInvalidValue: `bytes` are
/// not those of this version.
cudaError_t rhizome_malloc_lend(void* variable, std::size_t bytes);

} // extern "C"

#endif

// ---- new and delete ----

// Host code keeps its own operators. Reports name "operator new" as the place: it has no line.
#if defined(RHIZOME_MALLOC_REPLACES_NEW) && defined(__CUDA_ARCH__) && !defined(__CUDACC_RTC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 2620 // the operators are inline, since each file of a program has them

__device__ inline void* operator new(std::size_t bytes, std::align_val_t alignment) {
    void* const block = rhizome_aligned_alloc(static_cast<std::size_t>(alignment), bytes, "operator new", 0);
    if (block == nullptr) rhizome_malloc_new_failed(bytes); // nvcc emits no test of the result
    return block;
}
__device__ inline void* operator new(std::size_t bytes) { return operator new (bytes, std::align_val_t{16}); }
__device__ inline void* operator new[](std::size_t bytes) {
    return operator new (bytes, std::align_val_t{16});
}
__device__ inline void* operator new[](std::size_t bytes, std::align_val_t alignment) {
    return operator new(bytes, alignment);
}
__device__ inline void operator delete(void* block) noexcept { rhizome_free(block, "operator delete", 0); }
__device__ inline void operator delete[](void* block) noexcept { rhizome_free(block, "operator delete", 0); }
__device__ inline void operator delete(void* block, std::size_t) noexcept {
    rhizome_free(block, "operator delete", 0);
}
__device__ inline void operator delete[](void* block, std::size_t) noexcept {
    rhizome_free(block, "operator delete", 0);
}
__device__ inline void operator delete(void* block, std::align_val_t) noexcept {
    rhizome_free(block, "operator delete", 0);
}
__device__ inline void operator delete[](void* block, std::align_val_t) noexcept {
    rhizome_free(block, "operator delete", 0);
}
__device__ inline void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
    rhizome_free(block, "operator delete", 0);
}
__device__ inline void operator delete[](void* block, std::size_t, std::align_val_t) noexcept {
    rhizome_free(block, "operator delete", 0);
}

#pragma nv_diagnostic pop
#endif
