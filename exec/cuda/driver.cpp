// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/cuda/check.hpp>
#include <rhizome/exec/cuda/driver.hpp>

namespace rhizome::exec {

namespace {

template <class Function>
void take(Function& function, char const* name) {
    constexpr unsigned oldest_version = 12040; // every call here exists since then, unchanged
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found{};
    check_cuda(cudaGetDriverEntryPointByVersion(name, &entry, oldest_version, cudaEnableDefault, &found),
               name);
    if (found != cudaDriverEntryPointSuccess || entry == nullptr)
        throw cuda_error(std::string(name) + ": this driver does not have it");
    function = reinterpret_cast<Function>(entry);
}

cuda_driver take_all() {
    cuda_driver d{};
    take(d.address_reserve, "cuMemAddressReserve");
    take(d.address_free, "cuMemAddressFree");
    take(d.create, "cuMemCreate");
    take(d.release, "cuMemRelease");
    take(d.map, "cuMemMap");
    take(d.unmap, "cuMemUnmap");
    take(d.set_access, "cuMemSetAccess");
    take(d.granularity, "cuMemGetAllocationGranularity");
    take(d.export_handle, "cuMemExportToShareableHandle");
    take(d.import_handle, "cuMemImportFromShareableHandle");
    take(d.device_get, "cuDeviceGet");
    take(d.device_attribute, "cuDeviceGetAttribute");
    take(d.func_load, "cuFuncLoad");
    take(d.func_is_loaded, "cuFuncIsLoaded");
    take(d.func_module, "cuFuncGetModule");
    take(d.module_function_count, "cuModuleGetFunctionCount");
    take(d.module_functions, "cuModuleEnumerateFunctions");
    take(d.error_name, "cuGetErrorName");
    return d;
}

} // namespace

cuda_driver const& driver() {
    static cuda_driver const entries = take_all();
    return entries;
}

CUmemAllocationProp device_memory(int device, CUmemAllocationHandleType shown_as) {
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.requestedHandleTypes = shown_as;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = device;
    return properties;
}

void bind_context(int device) { check_cuda(cudaSetDevice(device), "cudaSetDevice"); }

void check_driver(CUresult result, char const* call) {
    if (result == CUDA_SUCCESS) return;
    char const* name = nullptr;
    driver().error_name(result, &name);
    throw cuda_error(std::string(call) + ": " + (name != nullptr ? name : "unknown error"));
}

} // namespace rhizome::exec
