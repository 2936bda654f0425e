// Every kernel that the program can launch, so that all can be loaded before memory runs out.
#pragma once

#include <cstdint>

namespace rhizome::exec::detail {

/// A place in the list of kernels. CUDA loads a kernel with its first launch unless told otherwise, which
/// takes device memory; cuda::load_kernels() loads those that are listed. Objects of static storage duration:
/// launch() has one for each kernel it is compiled for, so the list is complete before main() begins, and
/// that of a shared library while the library is there.
class listed_kernel {
public:
    enum class extent : std::uint8_t {
        kernel,          ///< the kernel alone
        translation_unit ///< all kernels compiled with it: for CUB, which chooses among several
    };

    /// `entry`: the kernel's address on the host.
    explicit listed_kernel(void const* entry, extent what = extent::kernel) noexcept;
    listed_kernel(listed_kernel const&) = delete;
    listed_kernel& operator=(listed_kernel const&) = delete;
    ~listed_kernel();

    /// Loads those that have not been loaded on `device` yet. Precondition: the device is current. Throws
    /// out_of_memory where the device has no room for them, cuda_error. Cost: a call of the driver for each
    /// kernel, and its code in device memory; from the second call on a look at each.
    static void load_all(int device);

private:
    void load() const;

    void const* entry_;
    extent what_;
    std::uint64_t loaded_ = 0; ///< bit d: on device d
    listed_kernel* next_ = nullptr;
};

} // namespace rhizome::exec::detail
