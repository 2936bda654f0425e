// SPDX-License-Identifier: Apache-2.0
// The library rhizome_malloc: one heap per device of the process. Compiled with relocatable device code, so
// that kernels of all files of a program call the same functions and find the same heap.
#include <rhizome/exec/cuda.hpp>
#include <rhizome/malloc.cuh>
#include <rhizome/malloc/heap.hpp>
#include <rhizome/malloc/kernels.cuh>
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
using heap = program_heap::cuda_heap;

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

/// What kernels find in rhizome_malloc_heap. nullptr: there is no heap.
[[nodiscard]] program_heap::published_heap described(heap const* of) {
    program_heap::published_heap now{};
    if (of != nullptr) {
        heap::ref_type const ref = of->ref();
        std::memcpy(now.ref, &ref, sizeof ref);
        now.exists = 1;
    }
    return now;
}
void publish(heap const* of) {
    program_heap::published_heap const now = described(of);
    check(cudaMemcpyToSymbol(rhizome_malloc_heap, &now, sizeof now));
}

} // namespace

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
cudaError_t rhizome_malloc_lend(void* variable, std::size_t bytes) {
    return answer([&](int, std::optional<heap> const& made) {
        program_heap::published_heap const now = described(made ? &*made : nullptr);
        if (variable == nullptr || bytes != sizeof now)
            throw refused_call(cudaErrorInvalidValue,
                               "not the variable rhizome_malloc_heap of a module of this version: it has " +
                                   std::to_string(bytes) + " bytes, not " + std::to_string(sizeof now));
        check(cudaMemcpy(variable, &now, sizeof now, cudaMemcpyHostToDevice));
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
