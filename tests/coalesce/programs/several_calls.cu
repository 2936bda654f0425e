// options: --whole-program
// SPDX-License-Identifier: Apache-2.0
// Calls behind checks of null pointers, rows of a matrix, sizes in shared memory, calls in functions.
#include "timed.cuh"

constexpr int blocks = 64, threads = 256;

__device__ int own_rank() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void checked(int n, unsigned long long* out) {
    auto* a = static_cast<int*>(malloc(n * sizeof(int))); // rewritten block
    if (a == nullptr) return;
    auto* b = static_cast<int*>(malloc(n * sizeof(int))); // rewritten block
    if (!b) {
        free(a);
        return;
    }
    for (int i = 0; i < n; ++i) {
        a[i] = own_rank() + i;
        b[i] = a[i] * 3;
    }
    unsigned long long sum = 0;
    for (int i = 0; i < n; ++i)
        sum += a[i] ^ b[i];
    out[own_rank()] = sum;
    free(b);
    free(a);
}

__global__ void rows(int n, unsigned long long* out) {
    auto** matrix = static_cast<int**>(malloc(n * sizeof(int*))); // rewritten block
    if (matrix == nullptr) return;
    for (int i = 0; i < n; ++i)
        matrix[i] = static_cast<int*>(malloc((i + 1) * sizeof(int))); // rewritten block
    unsigned long long sum = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; matrix[i] != nullptr && j <= i; ++j) {
            matrix[i][j] = own_rank() * i + j;
            sum = sum * 31 + matrix[i][j];
        }
    out[own_rank()] = sum;
    for (int i = 0; i < n; ++i)
        free(matrix[i]);
    free(matrix);
}

__global__ void shared_size(int n, unsigned long long* out) {
    __shared__ int size;
    if (threadIdx.x == 0) size = n + blockIdx.x % 7;
    __syncthreads();
    auto* a = static_cast<unsigned char*>(malloc(size)); // rewritten block
    if (a == nullptr) return;
    unsigned long long sum = size;
    for (int i = 0; i < size; ++i)
        a[i] = static_cast<unsigned char>(own_rank() + i);
    for (int i = 0; i < size; ++i)
        sum = sum * 31 + a[i];
    out[own_rank()] = sum;
    free(a);
}

__device__ int* numbers(int n) {
    auto* a = static_cast<int*>(malloc(n * sizeof(int))); // rewritten block
    for (int i = 0; a != nullptr && i < n; ++i)
        a[i] = own_rank() - i;
    return a;
}

__global__ void in_functions(int n, unsigned long long* out) {
    int* a = numbers(n);
    int* b = threadIdx.x % 3 == 0 ? numbers(threadIdx.x % 5 + 1) : nullptr;
    unsigned long long sum = 0;
    for (int i = 0; a != nullptr && i < n; ++i)
        sum = sum * 31 + a[i];
    if (b != nullptr) sum += b[0];
    out[own_rank()] = sum;
    free(b);
    free(a);
}

int main() {
    unsigned long long* out = new_values(blocks * threads);
    auto const run = [&](char const* name, auto launch) { repeat(name, out, blocks * threads, launch); };
    run("checked", [&] { checked<<<blocks, threads>>>(24, out); });
    run("rows", [&] { rows<<<blocks, threads>>>(9, out); });
    run("shared_size", [&] { shared_size<<<blocks, threads>>>(40, out); });
    run("in_functions", [&] { in_functions<<<blocks, threads>>>(12, out); });
    print_times();
}
