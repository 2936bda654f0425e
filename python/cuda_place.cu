// SPDX-License-Identifier: Apache-2.0
#include "place_on.hpp"

#include <rhizome/exec/cuda.hpp>
#include <rhizome/exec/cuda/check.hpp>
#include <rhizome/exec/cuda/device_guard.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/runtime/catalogue.hpp>

#include <cuda_runtime_api.h>

#include <mutex>
#include <new>
#include <stdexcept>

namespace rhizome::python {
namespace {

using exec::check_cuda;

/// A stream as Python's array interfaces number it: 0 and 1 are the legacy default stream, 2 is the
/// per-thread one.
cudaStream_t stream_numbered(std::uintptr_t number) {
    if (number <= 1) return cudaStreamLegacy;
    if (number == 2) return cudaStreamPerThread;
    return reinterpret_cast<cudaStream_t>(number);
}

class on_cuda final : public place_on<exec::cuda_space> {
public:
    explicit on_cuda(exec::cuda_space space) : place_on(std::move(space)), reached_(space_) {
        exec::device_guard const current(space_.device());
        cudaMemPoolProps wanted{};
        wanted.allocType = cudaMemAllocationTypePinned;
        wanted.location = {cudaMemLocationTypeDevice, space_.device()};
        check_cuda(cudaMemPoolCreate(&pool_, &wanted), "cudaMemPoolCreate");
        // Without it, every wait would give the memory of freed results back, and the next call ask for it
        // anew.
        std::uint64_t kept_bytes = 64u << 20;
        check_cuda(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &kept_bytes),
                   "cudaMemPoolSetAttribute");
    }
    ~on_cuda() override {
        exec::device_guard const current(space_.device(), std::nothrow);
        (void)cudaMemPoolDestroy(pool_); // once all of its memory is free
    }

    [[nodiscard]] bool is_device() const override { return true; }
    [[nodiscard]] int device() const override { return space_.device(); }
    [[nodiscard]] std::string name() const override { return "cuda:" + std::to_string(space_.device()); }
    [[nodiscard]] std::uintptr_t stream() const override {
        return reinterpret_cast<std::uintptr_t>(space_.stream());
    }

    void wait_for_stream(std::uintptr_t number) override {
        if (number == stream()) return;
        exec::device_guard const current(space_.device());
        std::lock_guard const lock(mutex_);
        check_cuda(cudaEventRecord(reached_, stream_numbered(number)), "cudaEventRecord");
        space_.wait_for(reached_);
    }
    void let_stream_wait(std::uintptr_t number) override {
        if (number == stream()) return;
        exec::device_guard const current(space_.device());
        std::lock_guard const lock(mutex_);
        space_.record(reached_);
        check_cuda(cudaStreamWaitEvent(stream_numbered(number), reached_, 0), "cudaStreamWaitEvent");
    }

    void synchronize_device() override {
        exec::device_guard const current(space_.device());
        check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    }

    [[nodiscard]] void* allocate(std::uint64_t bytes) override {
        exec::device_guard const current(space_.device());
        void* memory = nullptr;
        cudaError_t const result =
            cudaMallocFromPoolAsync(&memory, std::max<std::uint64_t>(bytes, 1), pool_, space_.stream());
        if (result == cudaErrorMemoryAllocation) {
            (void)cudaGetLastError();
            std::size_t free_bytes = 0;
            std::size_t all_bytes = 0;
            (void)cudaMemGetInfo(&free_bytes, &all_bytes);
            throw exec::out_of_memory("a result", bytes, free_bytes);
        }
        check_cuda(result, "cudaMallocFromPoolAsync");
        return memory;
    }
    void free(void* memory, std::vector<std::uintptr_t> const& streams, bool streams_unknown) override {
        exec::device_guard const current(space_.device());
        if (streams_unknown) (void)cudaDeviceSynchronize();
        std::lock_guard const lock(mutex_);
        for (std::uintptr_t const number : streams) {
            if (cudaEventRecord(reached_, stream_numbered(number)) != cudaSuccess ||
                cudaStreamWaitEvent(space_.stream(), reached_, 0) != cudaSuccess) { // the stream is gone
                (void)cudaGetLastError();
                (void)cudaDeviceSynchronize();
            }
        }
        (void)cudaFreeAsync(memory, space_.stream());
        (void)cudaGetLastError();
    }

    void gather(void* to, void const* from, std::uint64_t count, std::uint64_t element_bytes,
                std::int64_t stride_bytes) override {
        if (count == 0) return;
        exec::device_guard const current(space_.device());
        check_cuda(cudaMemcpy2DAsync(to, element_bytes, from, static_cast<std::size_t>(stride_bytes),
                                     element_bytes, count, cudaMemcpyDeviceToDevice, space_.stream()),
                   "cudaMemcpy2DAsync");
    }

    [[nodiscard]] int device_of(void const* memory) const override {
        cudaPointerAttributes attributes{};
        if (cudaPointerGetAttributes(&attributes, memory) != cudaSuccess) {
            (void)cudaGetLastError();
            return -1;
        }
        bool const on_device =
            attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
        return on_device ? attributes.device : -1;
    }

private:
    exec::event<exec::cuda_space> reached_;
    std::mutex mutex_; ///< for it: arrays are freed by any thread
    cudaMemPool_t pool_ = nullptr;
};

} // namespace

std::shared_ptr<place> cuda_place(int device, std::uint64_t memory_limit_bytes) {
    if (std::string const reason = cuda_unusable_because(); !reason.empty()) throw std::runtime_error(reason);
    int const count = cuda_device_count();
    if (device < 0 || device >= count)
        throw std::invalid_argument("there is no device cuda:" + std::to_string(device) +
                                    "; this machine has " + std::to_string(count));
    return std::make_shared<on_cuda>(
        exec::cuda_space({.device = device, .memory_limit_bytes = memory_limit_bytes}));
}

std::string cuda_unusable_because() { return runtime::cuda_unusable_because(); }

int cuda_device_count() {
    int count = 0;
    if (!cuda_unusable_because().empty() || cudaGetDeviceCount(&count) != cudaSuccess) return 0;
    return count;
}

} // namespace rhizome::python
