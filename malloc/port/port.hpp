// SPDX-License-Identifier: Apache-2.0
// What both forms of the program share: sizes, times and checks on the host.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

struct index_size {
    unsigned documents;
    unsigned per_document; ///< words
    unsigned words;        ///< different ones
    unsigned buckets;
};
struct index_times {
    float build, read, clear;     ///< milliseconds
    unsigned refused;             ///< requests
    unsigned long long totals[3]; ///< words, occurrences, a sum over them
};

inline void succeeds(cudaError_t result) {
    if (result == cudaSuccess) return;
    std::fprintf(stderr, "%s\n", cudaGetErrorString(result));
    std::exit(1);
}

template <class Launch>
float milliseconds(Launch&& launch) {
    cudaEvent_t begin = nullptr, end = nullptr;
    succeeds(cudaEventCreate(&begin));
    succeeds(cudaEventCreate(&end));
    succeeds(cudaEventRecord(begin));
    launch();
    succeeds(cudaEventRecord(end));
    succeeds(cudaEventSynchronize(end));
    float time = 0;
    succeeds(cudaEventElapsedTime(&time, begin, end));
    succeeds(cudaEventDestroy(begin));
    succeeds(cudaEventDestroy(end));
    return time;
}

/// With CUDA's malloc (before.cu), and with rhizome_malloc (after.cu).
index_times index_before(index_size const& size);
index_times index_after(index_size const& size);
