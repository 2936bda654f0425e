// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/cuda/check.hpp>
#include <rhizome/exec/cuda/driver.hpp>
#include <rhizome/exec/cuda/kernel_list.hpp>

#include <cuda_runtime_api.h>

#include <mutex>
#include <vector>

namespace rhizome::exec::detail {

namespace {

// Initialised before any constructor runs: kernels are listed by constructors.
constinit listed_kernel* first = nullptr;
constinit std::mutex mutex;

[[noreturn]] void throw_no_room() {
    // How much code a kernel has, CUDA does not say; it takes device memory for code in pieces of this size.
    constexpr std::uint64_t piece_bytes = 2u << 20;
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    check_cuda(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
    throw out_of_memory("device memory for the code of kernels", piece_bytes, free_bytes);
}

void load_function(CUfunction function) {
    CUresult const result = driver().func_load(function);
    if (result == CUDA_ERROR_OUT_OF_MEMORY) throw_no_room();
    check_driver(result, "cuFuncLoad");
}

} // namespace

listed_kernel::listed_kernel(void const* entry, extent what) noexcept : entry_(entry), what_(what) {
    std::lock_guard const own(mutex);
    next_ = first;
    first = this;
}

listed_kernel::~listed_kernel() {
    std::lock_guard const own(mutex);
    listed_kernel** link = &first; // the newest go first, so this is short
    while (*link != this)
        link = &(*link)->next_;
    *link = next_;
}

void listed_kernel::load_all(int device) {
    constexpr int devices_remembered = 64;
    std::uint64_t const bit = device < devices_remembered ? std::uint64_t{1} << device : 0;
    std::lock_guard const own(mutex);
    for (listed_kernel* kernel = first; kernel != nullptr; kernel = kernel->next_) {
        if ((kernel->loaded_ & bit) != 0) continue;
        kernel->load();
        kernel->loaded_ |= bit;
    }
}

void listed_kernel::load() const {
    cudaFunction_t function = nullptr;
    cudaError_t const found = cudaGetFuncBySymbol(&function, entry_);
    if (found == cudaErrorMemoryAllocation) {
        forget_error(found);
        throw_no_room();
    }
    check_cuda(found, "cudaGetFuncBySymbol");
    if (what_ == extent::kernel) return load_function(function);
    CUmodule unit = nullptr;
    unsigned count = 0;
    check_driver(driver().func_module(&unit, function), "cuFuncGetModule");
    check_driver(driver().module_function_count(&count, unit), "cuModuleGetFunctionCount");
    std::vector<CUfunction> functions(count);
    check_driver(driver().module_functions(functions.data(), count, unit), "cuModuleEnumerateFunctions");
    for (CUfunction const each : functions)
        load_function(each);
}

} // namespace rhizome::exec::detail
