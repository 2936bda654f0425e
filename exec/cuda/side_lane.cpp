// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/cuda/check.hpp>
#include <rhizome/exec/cuda/device_guard.hpp>
#include <rhizome/exec/cuda/side_lane.hpp>

#include <cuda_runtime_api.h>

#include <optional>
#include <utility>

namespace rhizome::exec {

struct side_lane<cuda_space>::state {
    explicit state(int device) {
        device_guard const current(device); // streams and events belong to the current device
        try {
            check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                       "cudaStreamCreateWithFlags");
            check_cuda(cudaEventCreateWithFlags(&reached, cudaEventDisableTiming),
                       "cudaEventCreateWithFlags");
            space.emplace(cuda_options{.device = device, .stream = stream});
        } catch (...) {
            release();
            throw;
        }
    }
    state(state const&) = delete;
    state& operator=(state const&) = delete;
    ~state() { release(); }

    /// Orders later work of one stream after all work given to the other so far.
    void order(cudaStream_t first, cudaStream_t then) {
        device_guard const current(space->device());
        check_cuda(cudaEventRecord(reached, first), "cudaEventRecord");
        check_cuda(cudaStreamWaitEvent(then, reached, 0), "cudaStreamWaitEvent");
    }

    cudaStream_t stream = nullptr;
    cudaEvent_t reached = nullptr;
    std::optional<cuda_space> space;

private:
    void release() {
        if (stream != nullptr) cudaStreamSynchronize(stream);
        space.reset();
        if (reached != nullptr) cudaEventDestroy(reached);
        if (stream != nullptr) cudaStreamDestroy(stream);
    }
};

side_lane<cuda_space>::side_lane(cuda_space space) : space_(std::move(space)) {}
side_lane<cuda_space>::side_lane(side_lane&&) noexcept = default;
side_lane<cuda_space>::~side_lane() = default;

side_lane<cuda_space>::state& side_lane<cuda_space>::prepared() {
    if (state_ == nullptr) state_ = std::make_unique<state>(space_.device());
    return *state_;
}

cuda_space& side_lane<cuda_space>::space() { return *prepared().space; }
void side_lane<cuda_space>::awaits_work() {
    state& own = prepared();
    own.order(space_.stream(), own.stream);
}
void side_lane<cuda_space>::work_awaits() {
    if (state_ != nullptr) state_->order(state_->stream, space_.stream());
}

} // namespace rhizome::exec
