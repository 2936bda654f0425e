// SPDX-License-Identifier: Apache-2.0
// For programs that print what they computed, and on the error output how long their kernels took.
#pragma once
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

inline void check(cudaError_t result, char const* what) {
    if (result == cudaSuccess) return;
    std::size_t free_bytes = 0, bytes = 0;
    cudaMemGetInfo(&free_bytes, &bytes);
    std::fprintf(stderr, "%s: %s (%zu of %zu MiB of the device are free)\n", what, cudaGetErrorString(result),
                 free_bytes >> 20, bytes >> 20);
    std::exit(1);
}

// Kernels in the order of their first launch, with the times of all launches.
inline std::vector<std::pair<std::string, std::vector<float>>> measured_times;

/// Calls launch(), waits, and notes the time.
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
    check(cudaEventDestroy(begin), "cudaEventDestroy");
    check(cudaEventDestroy(end), "cudaEventDestroy");
    auto const known = std::find_if(measured_times.begin(), measured_times.end(),
                                    [&](auto const& one) { return one.first == name; });
    if (known != measured_times.end())
        known->second.push_back(milliseconds);
    else
        measured_times.push_back({name, {milliseconds}});
}

/// Prints the median time of each kernel without its first launch, which also loads it and makes the heap.
inline void print_times() {
    for (auto& [name, times] : measured_times) {
        if (times.size() > 1) times.erase(times.begin());
        std::sort(times.begin(), times.end());
        std::fprintf(stderr, "%s %.4f ms\n", name.c_str(), times[times.size() / 2]);
    }
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

/// Calls launch() ten times, and prints the values that it leaves.
template <class Launch>
void repeat(char const* name, unsigned long long const* values, int count, Launch launch) {
    for (int round = 0; round < 10; ++round)
        timed(name, launch);
    print_values(name, values, count);
}

/// Sets CUDA's heap to 256 MiB. @return an array of zeros in device memory
inline unsigned long long* new_values(int count) {
    unsigned long long* values = nullptr;
    check(cudaDeviceSetLimit(cudaLimitMallocHeapSize, std::size_t{1} << 28), "cudaDeviceSetLimit");
    check(cudaMalloc(&values, sizeof(unsigned long long) * count), "cudaMalloc");
    check(cudaMemset(values, 0, sizeof(unsigned long long) * count), "cudaMemset");
    return values;
}
