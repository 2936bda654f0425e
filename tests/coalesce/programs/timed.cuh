// SPDX-License-Identifier: Apache-2.0
// For programs that print what they computed, and on the error output how long their kernels took.
#pragma once
#include <cstdio>
#include <cstdlib>

inline void check(cudaError_t result, char const* what) {
    if (result == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(result));
    std::exit(1);
}

/// Calls launch(), waits, and prints the time.
template <class Launch>
void timed(char const* name, Launch launch) {
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin), "cudaEventCreate");
    check(cudaEventCreate(&end), "cudaEventCreate");
    check(cudaEventRecord(begin), "cudaEventRecord");
    launch();
    check(cudaGetLastError(), name);
    check(cudaEventRecord(end), "cudaEventRecord");
    check(cudaEventSynchronize(end), name);
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
    std::fprintf(stderr, "%s %.4f ms\n", name, milliseconds);
}

/// Prints a sum over `count` values in device memory that depends on their order.
inline void print_values(char const* name, unsigned long long const* values, int count) {
    auto* const copy = static_cast<unsigned long long*>(std::malloc(sizeof(unsigned long long) * count));
    check(cudaMemcpy(copy, values, sizeof(unsigned long long) * count, cudaMemcpyDeviceToHost), "cudaMemcpy");
    unsigned long long sum = 0;
    for (int i = 0; i < count; ++i)
        sum = sum * 1099511628211ull + copy[i];
    std::printf("%s %llu\n", name, sum);
    std::free(copy);
}

inline unsigned long long* new_values(int count) {
    unsigned long long* values = nullptr;
    check(cudaDeviceSetLimit(cudaLimitMallocHeapSize, std::size_t{1} << 28), "cudaDeviceSetLimit");
    check(cudaMalloc(&values, sizeof(unsigned long long) * count), "cudaMalloc");
    check(cudaMemset(values, 0, sizeof(unsigned long long) * count), "cudaMemset");
    return values;
}
