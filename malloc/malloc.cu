// SPDX-License-Identifier: Apache-2.0
// The library rhizome_malloc: one heap per device of the process. Compiled with relocatable device code, so
// that kernels of all files of a program call the same functions and find the same heap.
#include <rhizome/exec/cuda.hpp>
#include <rhizome/malloc.cuh>
#include <rhizome/malloc/heap.hpp>
#include <rhizome/malloc/report.hpp>

#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>

namespace {

using namespace rhizome;
using heap = program_heap::heap<exec::cuda_space>;

/// What kernels read of the heap. Constant memory: a warp reads it with one load, from a cache of its own.
struct published_heap {
    alignas(16) unsigned char ref[sizeof(heap::ref_type)];
    std::uint64_t exists;
};
__constant__ published_heap published;

[[nodiscard]] __device__ __forceinline__ heap::ref_type const& the_heap() {
    return reinterpret_cast<heap::ref_type const&>(published.ref);
}

/// The warp of plain_thread: neighbouring warps have neighbouring numbers.
class plain_warp : public exec::cuda_tile<32> {
public:
    [[nodiscard]] __device__ explicit plain_warp(std::uint64_t rank) : rank_(rank) {}
    [[nodiscard]] __device__ std::uint64_t index() const { return rank_ / 32; }

private:
    std::uint64_t rank_;
};

/// The calling thread of a kernel whose blocks and grid may have three dimensions. The allocator spreads
/// threads over its queues by their ranks.
class plain_thread : public exec::cuda_thread<exec::no_shared> {
public:
    __device__ plain_thread() : cuda_thread(nullptr) {}
    [[nodiscard]] __device__ std::uint64_t rank() const {
        std::uint64_t const block =
            blockIdx.x + std::uint64_t{gridDim.x} * (blockIdx.y + std::uint64_t{gridDim.y} * blockIdx.z);
        return block * (blockDim.x * blockDim.y * blockDim.z) + threadIdx.x +
               blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    }
    [[nodiscard]] __device__ std::uint64_t size() const {
        return std::uint64_t{gridDim.x} * gridDim.y * gridDim.z * (blockDim.x * blockDim.y * blockDim.z);
    }
    [[nodiscard]] __device__ plain_thread without_storage() const { return *this; }
    [[nodiscard]] __device__ plain_warp warp() const { return plain_warp(rank()); }
};

// ---- Host ----

/// The heap of a device, if it has one.
struct device_heap {
    std::mutex calls; ///< held by a call for this device
    std::optional<heap> made;
};
/// Never destroyed: when a program ends, the CUDA driver may be gone already.
[[nodiscard]] device_heap& heap_of(int device) {
    static std::mutex& search = *new std::mutex;
    static std::map<int, device_heap>& all = *new std::map<int, device_heap>;
    std::lock_guard const alone(search);
    return all[device];
}
thread_local std::string error_line;

/// A mistake of the caller, or damage that it has done.
struct refused_call : std::runtime_error {
    refused_call(cudaError_t result, std::string const& line) : std::runtime_error(line), code(result) {}
    cudaError_t code;
};

cudaError_t refused(cudaError_t code, std::string const& line) {
    error_line = line.rfind("rhizome_malloc", 0) == 0 ? line : "rhizome_malloc: " + line;
    return code;
}

void check(cudaError_t result) {
    if (result == cudaSuccess) return;
    exec::forget_error(result);
    throw refused_call(result, cudaGetErrorString(result));
}

/// Runs function(device, std::optional<heap>&) for the current device, while none of its kernels runs and no
/// other host thread is in a call for it.
template <class Function>
cudaError_t answer(Function&& function) {
    try {
        int device = 0;
        check(cudaGetDevice(&device));
        device_heap& of = heap_of(device);
        std::lock_guard const alone(of.calls);
        check(cudaDeviceSynchronize());
        function(device, of.made);
        check(cudaDeviceSynchronize());
        return cudaSuccess;
    } catch (refused_call const& error) {
        return refused(error.code, error.what());
    } catch (exec::out_of_memory const& error) {
        return refused(cudaErrorMemoryAllocation, error.what());
    } catch (std::bad_alloc const&) {
        return refused(cudaErrorMemoryAllocation, "the host is out of memory");
    } catch (std::exception const& error) {
        return refused(cudaErrorUnknown, error.what());
    }
}

/// Runs function(heap) for the heap of the current device.
template <class Function>
cudaError_t with_heap(Function&& function) {
    return answer([&](int, std::optional<heap>& made) {
        if (!made)
            throw refused_call(cudaErrorInitializationError,
                               "the device has no heap: call rhizome_malloc_init() first");
        function(*made);
    });
}

void publish(heap const* of) {
    published_heap now{};
    if (of != nullptr) {
        heap::ref_type const ref = of->ref();
        std::memcpy(now.ref, &ref, sizeof ref);
        now.exists = 1;
    }
    check(cudaMemcpyToSymbol(published, &now, sizeof now));
}

} // namespace

// The code of the allocator stands in the library twice: to allocate and to free. The others call these two.
__device__ __noinline__ void* rhizome_aligned_alloc(std::size_t alignment, std::size_t bytes,
                                                    char const* file, unsigned line) {
    if (published.exists == 0) return nullptr;
    return the_heap().allocate(plain_thread(), alignment, bytes, {file, line});
}
__device__ __noinline__ void rhizome_free(void* block, char const* file, unsigned line) {
    if (published.exists != 0) the_heap().deallocate(plain_thread(), block, {file, line});
}
__device__ void* rhizome_calloc(std::size_t count, std::size_t bytes, char const* file, unsigned line) {
    return program_heap::zeroed_block(count, bytes,
                                      [&](std::size_t all) { return rhizome_malloc(all, file, line); });
}
__device__ void* rhizome_realloc(void* block, std::size_t bytes, char const* file, unsigned line) {
    if (block == nullptr) return rhizome_malloc(bytes, file, line);
    if (published.exists == 0) return nullptr;
    if (bytes == 0) {
        rhizome_free(block, file, line);
        return nullptr;
    }
    return the_heap().reallocate(
        plain_thread(), block, bytes, [&](std::size_t all) { return rhizome_malloc(all, file, line); },
        [&](void* old) { rhizome_free(old, file, line); });
}
__device__ __noinline__ void rhizome_malloc_new_failed(std::size_t bytes) {
    printf("rhizome_malloc: new: no room for %llu bytes\n", static_cast<unsigned long long>(bytes));
    __trap();
}

cudaError_t rhizome_malloc_init(rhizome_malloc_options const& options) {
    return answer([&](int device, std::optional<heap>& made) {
        if (made)
            throw refused_call(cudaErrorInvalidValue,
                               "the device has a heap already: rhizome_malloc_grow() makes it larger");
        if (options.heap_bytes == 0) throw refused_call(cudaErrorInvalidValue, "heap_bytes is 0");
        exec::cuda_space space({.device = device, .preload_kernels = false});
        made.emplace(space,
                     program_heap::heap_options{options.heap_bytes, options.most_bytes, options.checked});
        try {
            publish(&*made);
        } catch (...) {
            made.reset();
            throw;
        }
    });
}
cudaError_t rhizome_malloc_grow(std::size_t bytes) {
    return with_heap([&](heap& of) {
        try {
            of.grow(bytes);
        } catch (...) {
            publish(&of); // its tables may have moved
            throw;
        }
        publish(&of);
    });
}
cudaError_t rhizome_malloc_trim() {
    return with_heap([](heap& of) { of.tidy(); });
}
cudaError_t rhizome_malloc_statistics(rhizome_malloc_usage* usage) {
    return with_heap([&](heap& of) {
        program_heap::heap_statistics const found = of.statistics();
        if (usage != nullptr)
            *usage = {found.heap_bytes,  found.live_bytes,       found.free_bytes,
                      found.table_bytes, found.refused.requests, found.refused.bytes};
        if (!found.violations.empty())
            throw refused_call(cudaErrorUnknown, "the heap is damaged: " + found.violations[0]);
    });
}
cudaError_t rhizome_malloc_report_leaks(std::FILE* to, rhizome_malloc_leaks* found) {
    return with_heap([&](heap& of) {
        if (to == nullptr) throw refused_call(cudaErrorInvalidValue, "the file of the report is nullptr");
        program_heap::leak_report const report = program_heap::report_leaks(of);
        for (std::string const& line : report.lines)
            std::fprintf(to, "%s\n", line.c_str());
        if (found != nullptr) *found = {report.blocks, report.bytes, report.mistakes};
    });
}
cudaError_t rhizome_malloc_destroy() {
    return answer([](int, std::optional<heap>& made) {
        publish(nullptr);
        made.reset();
    });
}
char const* rhizome_malloc_error() { return error_line.c_str(); }
