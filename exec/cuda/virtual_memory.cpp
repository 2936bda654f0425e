// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/cuda/check.hpp>
#include <rhizome/exec/cuda/device_guard.hpp>
#include <rhizome/exec/cuda/driver.hpp>
#include <rhizome/exec/cuda/space.hpp>
#include <rhizome/exec/cuda/virtual_memory.hpp>
#include <rhizome/exec/sizes.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace rhizome::exec {

cuda_virtual_memory::cuda_virtual_memory(cuda_space const& space, std::uint64_t reserve_bytes,
                                         std::string const& name)
    : device_(space.device()) {
    device_guard const current(device_);
    bind_context(device_);
    CUmemAllocationProp const properties = device_memory(device_);
    std::size_t step = 0;
    check_driver(driver().granularity(&step, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED),
                 "cuMemGetAllocationGranularity");
    step_bytes_ = step;
    std::uint64_t const bytes = whole_steps(std::max<std::uint64_t>(reserve_bytes, 1), step);
    CUdeviceptr address = 0;
    CUresult const reserved = bytes == endless_bytes ? CUDA_ERROR_OUT_OF_MEMORY
                                                     : driver().address_reserve(&address, bytes, 0, 0, 0);
    if (reserved == CUDA_ERROR_OUT_OF_MEMORY) throw out_of_memory(name + " (address space)", bytes, 0);
    check_driver(reserved, "cuMemAddressReserve");
    address_ = address;
    reserved_bytes_ = bytes;
}

cuda_virtual_memory::cuda_virtual_memory(cuda_virtual_memory&& other) noexcept
    : device_(other.device_), address_(std::exchange(other.address_, 0)),
      reserved_bytes_(std::exchange(other.reserved_bytes_, 0)),
      committed_bytes_(std::exchange(other.committed_bytes_, 0)), step_bytes_(other.step_bytes_),
      pieces_(std::move(other.pieces_)) {}

cuda_virtual_memory::~cuda_virtual_memory() {
    if (address_ == 0) return;
    // A stream may still touch what lies here. Errors have nowhere to go: the process is going down with
    // them.
    device_guard const current(device_, std::nothrow);
    cudaDeviceSynchronize();
    remove_pieces(0);
    driver().address_free(address_, reserved_bytes_);
}

void cuda_virtual_memory::commit_to(std::uint64_t bytes) {
    device_guard const current(device_);
    bind_context(device_);
    std::uint64_t const held = committed_bytes_;
    expect_free(bytes - held);
    try {
        while (committed_bytes_ < bytes)
            add_piece(held == 0 ? bytes : next_piece(bytes));
    } catch (...) {
        remove_pieces(held); // fresh memory, which no work of the device knows
        throw;
    }
}

/// The size of the next piece of a region that grows to `bytes`.
std::uint64_t cuda_virtual_memory::next_piece(std::uint64_t bytes) const {
    std::uint64_t const missing = bytes - committed_bytes_;
    std::uint64_t const largest = whole_steps(bytes / piece_share, step_bytes_);
    std::uint64_t const half = std::max(missing / 2 / step_bytes_ * step_bytes_, step_bytes_);
    return std::min({largest, half, missing});
}

/// Throws out_of_memory if the device has fewer bytes free: before pieces are taken that would have to go
/// back. Precondition: the device is current.
void cuda_virtual_memory::expect_free(std::uint64_t bytes) {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    check_cuda(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
    if (free_bytes < bytes) throw out_of_memory("device memory", bytes, free_bytes);
}

void cuda_virtual_memory::add_piece(std::uint64_t bytes) {
    pieces_.reserve(pieces_.size() + 1); // so that recording the mapping below cannot fail
    CUmemAllocationProp const properties = device_memory(device_);
    CUmemGenericAllocationHandle handle{};
    CUresult const created = driver().create(&handle, bytes, &properties, 0);
    if (created == CUDA_ERROR_OUT_OF_MEMORY) {
        std::size_t free_bytes = 0;
        std::size_t total_bytes = 0;
        check_cuda(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
        throw out_of_memory("device memory", bytes, free_bytes);
    }
    check_driver(created, "cuMemCreate");
    CUresult const mapped = driver().map(address_ + committed_bytes_, bytes, 0, handle, 0);
    // A mapping keeps its memory: without the handle, unmapping it gives the memory back.
    driver().release(handle);
    check_driver(mapped, "cuMemMap");
    CUmemAccessDesc access{};
    access.location = properties.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    CUresult const opened = driver().set_access(address_ + committed_bytes_, bytes, &access, 1);
    if (opened != CUDA_SUCCESS) {
        driver().unmap(address_ + committed_bytes_, bytes);
        check_driver(opened, "cuMemSetAccess");
    }
    pieces_.push_back(committed_bytes_);
    committed_bytes_ += bytes;
}

void cuda_virtual_memory::remove_pieces(std::uint64_t bytes) noexcept {
    std::uint64_t const left = shrunk_bytes(bytes);
    if (left == committed_bytes_) return;
    // One call unmaps all pieces, as in vectorAddMMAP of the CUDA samples. What the driver does not unmap
    // stays committed.
    if (driver().unmap(address_ + left, committed_bytes_ - left) != CUDA_SUCCESS) return;
    committed_bytes_ = left;
    while (!pieces_.empty() && pieces_.back() >= left)
        pieces_.pop_back();
}

std::uint64_t cuda_virtual_memory::shrunk_bytes(std::uint64_t bytes) const {
    auto const first = std::lower_bound(pieces_.begin(), pieces_.end(), bytes);
    return first == pieces_.end() ? committed_bytes_ : *first;
}

void cuda_virtual_memory::decommit_to(std::uint64_t bytes) {
    device_guard const current(device_);
    bind_context(device_);
    check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); // a stream may still touch what lies there
    remove_pieces(bytes);
}

} // namespace rhizome::exec
