// options: --dynamic
// SPDX-License-Identifier: Apache-2.0
// malloc, new and delete in one program; each kind of pointer is also given back by the other kind's call.
#include "timed.cuh"

constexpr int blocks = 32, threads = 160;
constexpr int count = blocks * threads;

struct shape {
    int kind;
    __device__ explicit shape(int kind_) : kind(kind_) {}
    __device__ virtual ~shape() {}
    __device__ virtual int area() const { return kind; }
};
struct square : shape {
    int side;
    __device__ explicit square(int side_) : shape(4), side(side_) {}
    __device__ int area() const override { return side * side; }
};

__device__ int* plain[count];
__device__ int* arrays[count];
__device__ shape* shapes[count];

__global__ void make(int n) {
    int const at = blockIdx.x * blockDim.x + threadIdx.x;
    plain[at] = static_cast<int*>(malloc(n * sizeof(int))); // rewritten block
    if (at % 3 == 0) {
        free(plain[at]);
        plain[at] = static_cast<int*>(malloc((at % 17 + n) * sizeof(int))); // dynamic
    }
    arrays[at] = new int[n + at % 5];
    shapes[at] = at % 2 == 0 ? new shape(at) : new square(at % 11);
    for (int i = 0; i < n; ++i) {
        if (plain[at] != nullptr) plain[at][i] = at + i;
        if (arrays[at] != nullptr) arrays[at][i] = at * i;
    }
}

__global__ void drop(int n, unsigned long long* out) {
    int const at = count - 1 - (blockIdx.x * blockDim.x + threadIdx.x);
    unsigned long long sum = 0;
    for (int i = 0; i < n; ++i) {
        if (plain[at] != nullptr) sum = sum * 31 + plain[at][i];
        if (arrays[at] != nullptr) sum = sum * 31 + arrays[at][i];
    }
    if (shapes[at] != nullptr) sum += shapes[at]->area();
    out[at] = sum;
    if (at % 2 == 0) {
        delete[] plain[at];
        free(arrays[at]);
    } else {
        free(plain[at]);
        delete[] arrays[at];
    }
    delete shapes[at];
}

int main() {
    unsigned long long* out = new_values(count);
    for (int round = 0; round < 20; ++round) {
        timed("make", [] { make<<<blocks, threads>>>(13); });
        timed("drop", [&] { drop<<<blocks, threads>>>(13, out); });
    }
    print_times();
    print_values("one_allocator", out, count);
}
