// SPDX-License-Identifier: Apache-2.0
// Driver calls that the runtime does not offer, looked up at run time.
#pragma once

#include <cuda.h>

namespace rhizome::exec {

/// Entry points of the CUDA driver. driver() throws cuda_error where there is no driver.
struct cuda_driver {
    decltype(&cuMemAddressReserve) address_reserve;
    decltype(&cuMemAddressFree) address_free;
    decltype(&cuMemCreate) create;
    decltype(&cuMemRelease) release;
    decltype(&cuMemMap) map;
    decltype(&cuMemUnmap) unmap;
    decltype(&cuMemSetAccess) set_access;
    decltype(&cuMemGetAllocationGranularity) granularity;
    decltype(&cuMemExportToShareableHandle) export_handle;
    decltype(&cuMemImportFromShareableHandle) import_handle;
    decltype(&cuDeviceGet) device_get;
    decltype(&cuDeviceGetAttribute) device_attribute;
    decltype(&cuFuncLoad) func_load;
    decltype(&cuFuncIsLoaded) func_is_loaded;
    decltype(&cuFuncGetModule) func_module;
    decltype(&cuModuleGetFunctionCount) module_function_count;
    decltype(&cuModuleEnumerateFunctions) module_functions;
    decltype(&cuGetErrorName) error_name;
};

[[nodiscard]] cuda_driver const& driver();

/// What `create` takes for memory of a device, which `export_handle` can show as such a handle.
[[nodiscard]] CUmemAllocationProp device_memory(int device,
                                                CUmemAllocationHandleType shown_as = CU_MEM_HANDLE_TYPE_NONE);

/// Makes the runtime's context current for the thread: driver calls create none. Precondition: the device is
/// current (device_guard). Throws cuda_error.
void bind_context(int device);

/// Throws cuda_error unless `result` is CUDA_SUCCESS. `call` is the call's text.
void check_driver(CUresult result, char const* call);

} // namespace rhizome::exec
