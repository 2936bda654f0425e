// options: --whole-program --one-dimensional-blocks
// SPDX-License-Identifier: Apache-2.0
// Sizes that differ between warps, blocks with a warp that is not full, threads that leave.
#include "timed.cuh"

constexpr int blocks = 40, threads = 200;

__global__ void by_warp(unsigned long long* out) {
    int const size = threadIdx.x / 32 * 8 + 8;
    auto* a = static_cast<unsigned char*>(malloc(size)); // rewritten warp
    if (a == nullptr) return;
    auto* b = static_cast<unsigned char*>(malloc(64)); // rewritten warp
    unsigned long long sum = 0;
    for (int i = 0; i < size; ++i)
        a[i] = static_cast<unsigned char>(threadIdx.x * 7 + i);
    for (int i = 0; b != nullptr && i < 64; ++i)
        b[i] = a[i % size];
    for (int i = 0; b != nullptr && i < 64; ++i)
        sum = sum * 31 + b[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    if (threadIdx.x % 3 == 0) {
        free(b);
        free(a);
        return;
    }
    free(a);
    free(b);
}

int main() {
    unsigned long long* out = new_values(blocks * threads);
    for (int round = 0; round < 20; ++round)
        timed("by_warp", [&] { by_warp<<<blocks, threads>>>(out); });
    print_times();
    print_values("by_warp", out, blocks * threads);
}
