// options: --dynamic
// SPDX-License-Identifier: Apache-2.0
// Pointers of CUDA's malloc that the tool does not see, because a macro names it: free and delete take them
// beside parts.
#include "timed.cuh"

#define RAW_MALLOC malloc

constexpr int blocks = 32, threads = 96;
constexpr int count = blocks * threads;

__device__ int* raw[count];
__device__ int* parts[count];

__global__ void make(int n) {
    int const at = blockIdx.x * blockDim.x + threadIdx.x;
    raw[at] = static_cast<int*>(RAW_MALLOC(1 + at % 40));
    parts[at] = static_cast<int*>(malloc(n * sizeof(int))); // rewritten block
    if (parts[at] != nullptr) parts[at][n - 1] = at;
    if (raw[at] != nullptr) *reinterpret_cast<unsigned char*>(raw[at]) = at % 251;
}

__global__ void drop(int n, unsigned long long* out) {
    int const at = count - 1 - (blockIdx.x * blockDim.x + threadIdx.x);
    unsigned long long sum = 0;
    if (parts[at] != nullptr) sum += parts[at][n - 1];
    if (raw[at] != nullptr) sum = sum * 31 + *reinterpret_cast<unsigned char*>(raw[at]);
    out[at] = sum;
    if (at % 3 == 0)
        delete[] raw[at];
    else
        free(raw[at]);
    free(parts[at]);
}

int main() {
    unsigned long long* out = new_values(count);
    for (int round = 0; round < 20; ++round) {
        timed("make", [] { make<<<blocks, threads>>>(7); });
        timed("drop", [&] { drop<<<blocks, threads>>>(7, out); });
    }
    print_times();
    print_values("foreign", out, count);
}
