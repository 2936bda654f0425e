// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/cuda/check.hpp>
#include <rhizome/exec/cuda/device_guard.hpp>
#include <rhizome/exec/cuda/driver.hpp>
#include <rhizome/exec/cuda/shareable_memory.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/sizes.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>

namespace rhizome::exec {

namespace {

constexpr CUmemAllocationHandleType descriptor_type = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

bool has_attribute(int device, CUdevice_attribute attribute) {
    CUdevice number = 0;
    int value = 0;
    check_driver(driver().device_get(&number, device), "cuDeviceGet");
    check_driver(driver().device_attribute(&value, attribute, number), "cuDeviceGetAttribute");
    return value != 0;
}

void free_mapping(CUdeviceptr address, std::uint64_t bytes) {
    driver().unmap(address, bytes);
    driver().address_free(address, bytes);
}

/// Maps memory at a new address for kernels of `device`. Where the driver refuses, nothing is left.
CUresult map_for(int device, CUmemGenericAllocationHandle handle, std::uint64_t bytes, CUdeviceptr& address) {
    CUresult result = driver().address_reserve(&address, bytes, 0, 0, 0);
    if (result != CUDA_SUCCESS) return result;
    result = driver().map(address, bytes, 0, handle, 0);
    if (result != CUDA_SUCCESS) {
        driver().address_free(address, bytes);
        return result;
    }
    CUmemAccessDesc access{};
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.location.id = device;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    result = driver().set_access(address, bytes, &access, 1);
    if (result != CUDA_SUCCESS) free_mapping(address, bytes);
    return result;
}

/// Errors have nowhere to go: the next call of the space reports that the device has failed. Precondition:
/// the device is current.
void wait_for_stream(void* stream) {
    cudaError_t const done = cudaStreamSynchronize(static_cast<cudaStream_t>(stream));
    if (done != cudaSuccess) forget_error(done);
}

} // namespace

cuda_shareable_memory::~cuda_shareable_memory() {
    while (!opened_.empty())
        close(const_cast<void*>(opened_.begin()->first));
}

bool cuda_shareable_memory::is_usable() noexcept {
    try {
        int const device = space_.device();
        device_guard const current(device);
        bind_context(device);
        if (!has_attribute(device, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) ||
            !has_attribute(device, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED))
            return false;
        void* const tried = allocate(1, nullptr);
        int const descriptor = show(tried).descriptor;
        if (descriptor >= 0) ::close(descriptor);
        if (auto const its = taken_from(own_, tried)) unmap(tried, *its); // no work knows it
        return descriptor >= 0;
    } catch (out_of_memory const&) {
        return true;
    } catch (std::exception const&) {
        return false;
    }
}

void* cuda_shareable_memory::allocate(std::uint64_t bytes, void*) {
    int const device = space_.device();
    device_guard const current(device);
    bind_context(device);
    CUmemAllocationProp const properties = device_memory(device, descriptor_type);
    std::size_t step = 0;
    check_driver(driver().granularity(&step, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED),
                 "cuMemGetAllocationGranularity");
    std::uint64_t const whole_bytes = whole_steps(bytes, step);
    auto const expect = [&](CUresult result, char const* call) {
        if (result != CUDA_ERROR_OUT_OF_MEMORY) return check_driver(result, call);
        std::size_t free_bytes = 0;
        std::size_t total_bytes = 0;
        check_cuda(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
        throw out_of_memory("device memory that other ranks write", whole_bytes, free_bytes);
    };
    if (whole_bytes == endless_bytes) expect(CUDA_ERROR_OUT_OF_MEMORY, "");
    CUmemGenericAllocationHandle handle{};
    expect(driver().create(&handle, whole_bytes, &properties, 0), "cuMemCreate");
    CUdeviceptr address = 0;
    CUresult const mapped = map_for(device, handle, whole_bytes, address);
    if (mapped != CUDA_SUCCESS) driver().release(handle);
    expect(mapped, "cuMemMap");
    void* const pointer = reinterpret_cast<void*>(address);
    try {
        std::lock_guard const lock(mutex_);
        own_.emplace(pointer, mapping{whole_bytes, handle});
    } catch (...) {
        free_mapping(address, whole_bytes);
        driver().release(handle);
        throw;
    }
    return pointer;
}

void cuda_shareable_memory::deallocate(void* pointer, std::uint64_t, void* stream) noexcept {
    auto const its = taken_from(own_, pointer);
    if (!its) return;
    device_guard const current(space_.device(), std::nothrow);
    wait_for_stream(stream);
    unmap(pointer, *its);
}

cuda_shareable_memory::shown cuda_shareable_memory::show(void const* pointer) noexcept {
    mapping found{};
    {
        std::lock_guard const lock(mutex_);
        auto const known = own_.find(pointer);
        if (known == own_.end()) return {};
        found = known->second;
    }
    int descriptor = -1;
    if (driver().export_handle(&descriptor, found.handle, descriptor_type, 0) != CUDA_SUCCESS) return {};
    // Programs that are started do not keep the memory.
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC); // NOLINT: POSIX
    return {descriptor, found.bytes};
}

void* cuda_shareable_memory::open(int descriptor, std::uint64_t bytes) noexcept {
    try {
        int const device = space_.device();
        device_guard const current(device);
        bind_context(device);
        CUmemGenericAllocationHandle handle{};
        // The driver takes the number of a descriptor as a pointer.
        void* const number = reinterpret_cast<void*>(static_cast<std::uintptr_t>(descriptor));
        if (driver().import_handle(&handle, number, descriptor_type) != CUDA_SUCCESS) return nullptr;
        CUdeviceptr address = 0;
        CUresult const mapped = map_for(device, handle, bytes, address);
        driver().release(handle); // the mapping keeps the memory
        if (mapped != CUDA_SUCCESS) return nullptr;
        void* const pointer = reinterpret_cast<void*>(address);
        try {
            std::lock_guard const lock(mutex_);
            opened_.emplace(pointer, mapping{bytes, 0});
        } catch (...) {
            free_mapping(address, bytes);
            throw;
        }
        return pointer;
    } catch (std::exception const&) {
        return nullptr;
    }
}

void cuda_shareable_memory::close(void* pointer) noexcept {
    auto const its = taken_from(opened_, pointer);
    if (!its) return;
    device_guard const current(space_.device(), std::nothrow);
    wait_for_stream(space_.stream());
    unmap(pointer, *its);
}

std::optional<cuda_shareable_memory::mapping>
cuda_shareable_memory::taken_from(mappings& known, void const* pointer) noexcept {
    std::lock_guard const lock(mutex_);
    auto const found = known.find(pointer);
    if (found == known.end()) return std::nullopt;
    mapping const its = found->second;
    known.erase(found);
    return its;
}

void cuda_shareable_memory::unmap(void const* pointer, mapping const& its) noexcept {
    free_mapping(reinterpret_cast<CUdeviceptr>(pointer), its.bytes);
    if (its.handle != 0) driver().release(its.handle);
}

} // namespace rhizome::exec
