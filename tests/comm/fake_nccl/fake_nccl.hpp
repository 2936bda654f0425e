// SPDX-License-Identifier: Apache-2.0
// What a test tells the stand-in for NCCL, and asks it.
#pragma once

#include <nccl.h>

#include <cstdint>

/// Failures on request. -1: no rank.
struct fake_nccl_plan {
    int refused_rank = -1; ///< its calls return `refusal`
    ncclResult_t refusal = ncclSystemError;
    int failed_rank = -1; ///< the state of its communicator becomes `failure`
    ncclResult_t failure = ncclRemoteError;
    int refused_split_rank = -1; ///< its ncclCommSplit returns `refusal`
    bool refuse_id = false;      ///< ncclGetUniqueId fails
};

/// How often functions were called since the plan was set.
struct fake_nccl_counts {
    std::uint64_t calls = 0;
    std::uint64_t made = 0;
    std::uint64_t split = 0; ///< communicators made by ncclCommSplit
    std::uint64_t finalized = 0;
    std::uint64_t destroyed = 0;
    std::uint64_t aborted = 0;
};

extern "C" {
void fake_nccl_set(fake_nccl_plan const* wanted);
void fake_nccl_read(fake_nccl_counts* counts);
}

[[nodiscard]] inline fake_nccl_counts fake_nccl_get() {
    fake_nccl_counts counts;
    fake_nccl_read(&counts);
    return counts;
}
