// SPDX-License-Identifier: Apache-2.0
// Copies beside the work of a device: a stream of their own, through pinned memory.
#pragma once

#include <rhizome/exec/copy_lane.hpp>
#include <rhizome/exec/cuda/space.hpp>

#include <driver_types.h>

#include <cstdint>
#include <memory>
#include <utility>

namespace rhizome::exec {

/// Copies pass through a ring of 4 MiB of pinned memory, taken with the first copy. So the host waits for the
/// copy engine of the device where that is slower than the host, and for kernels only where copies_await()
/// says so. Points are events.
template <>
class copy_lane<cuda_space> {
public:
    class point {
    public:
        point() = default;
        point(point&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
        point& operator=(point&&) = delete;
        ~point();

    private:
        friend class copy_lane<cuda_space>;
        void record(int device, cudaStream_t stream);
        void await(cudaStream_t stream) const;

        cudaEvent_t event_ = nullptr;
    };

    explicit copy_lane(cuda_space space);
    copy_lane(copy_lane&&) noexcept = default;
    copy_lane& operator=(copy_lane&&) = delete;

    void copy(void* to, void const* from, std::uint64_t bytes);
    /// Parts have 512 KiB, in the ring.
    void copy_written(void* to, std::uint64_t bytes, part_writer const& write);
    /// The device reads pinned memory directly.
    void lend(void* to, void const* from, std::uint64_t bytes);

    void record_copies(point& reached);
    void record_work(point& reached);
    void work_awaits(point const& reached);
    void copies_await(point const& reached);
    void synchronize();

private:
    struct state;
    cuda_space space_;
    std::shared_ptr<state> state_;
};

} // namespace rhizome::exec
