// SPDX-License-Identifier: Apache-2.0
// A device whose memory is used up. CUDA tests only.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

namespace rhizome::tests {

/// Holds all memory that the current device has free, down to pieces of 4 KiB.
class used_up_memory {
public:
    used_up_memory() {
        for (std::size_t bytes = std::size_t{1} << 30; bytes >= 4096; bytes /= 2) {
            void* piece = nullptr;
            while (cudaMalloc(&piece, bytes) == cudaSuccess)
                pieces_.push_back(piece);
        }
        static_cast<void>(cudaGetLastError());
    }
    used_up_memory(used_up_memory const&) = delete;
    used_up_memory& operator=(used_up_memory const&) = delete;
    ~used_up_memory() {
        for (void* const piece : pieces_)
            cudaFree(piece);
    }

    [[nodiscard]] std::size_t pieces() const { return pieces_.size(); }

private:
    std::vector<void*> pieces_;
};

} // namespace rhizome::tests
