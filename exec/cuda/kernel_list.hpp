// SPDX-License-Identifier: Apache-2.0
// Every kernel that the program can launch, so that all can be loaded before memory runs out.
#pragma once

#include <cstdint>

namespace rhizome::exec::detail {

/// An entry in the list of kernels. CUDA by default loads a kernel with its first launch, which takes device
/// memory; cuda_space::load_kernels() loads the listed kernels before. Entries have static storage duration:
/// launch() has one for each kernel that it is compiled for. So the list is complete before main() begins,
/// and includes the kernels of a shared library while that is loaded.
class listed_kernel {
public:
    enum class extent : std::uint8_t {
        kernel,          ///< only the kernel
        translation_unit ///< all kernels compiled with it: for CUB, which chooses among several
    };

    /// `entry`: the kernel's address on the host.
    explicit listed_kernel(void const* entry, extent what = extent::kernel) noexcept;
    listed_kernel(listed_kernel const&) = delete;
    listed_kernel& operator=(listed_kernel const&) = delete;
    ~listed_kernel();

    /// Loads the kernels that are not loaded on `device` yet. Precondition: the device is current. Throws
    /// out_of_memory where the device has no memory for their code, and cuda_error. Cost: a driver call per
    /// kernel, and its code in device memory; later calls check one bit per kernel.
    static void load_all(int device);

private:
    void load() const;

    void const* entry_;
    extent what_;
    std::uint64_t loaded_ = 0; ///< bit d: on device d
    listed_kernel* next_ = nullptr;
};

} // namespace rhizome::exec::detail
