// options: --whole-program
// SPDX-License-Identifier: Apache-2.0
// Objects that allocate in their constructors and free in their destructors: alone, in other objects, and of
// templates.
#include "timed.cuh"

constexpr int blocks = 64, threads = 256;

__device__ int own_rank() { return blockIdx.x * blockDim.x + threadIdx.x; }

template <class T>
class buffer {
public:
    __device__ explicit buffer(int count)
        : count_(count), items_((T*)malloc(count_ * sizeof(T))) { // rewritten block
        for (int i = 0; items_ != nullptr && i < count_; ++i)
            items_[i] = static_cast<T>(own_rank() + i);
    }
    __device__ ~buffer() { free(items_); }
    buffer(buffer const&) = delete;
    buffer& operator=(buffer const&) = delete;

    __device__ unsigned long long sum() const {
        unsigned long long all = count_;
        for (int i = 0; items_ != nullptr && i < count_; ++i)
            all = all * 31 + static_cast<unsigned long long>(items_[i]);
        return all;
    }

private:
    int count_;
    T* items_;
};

struct matrix {
    buffer<int> first;
    buffer<double> second;
    __device__ matrix(int rows, int columns) : first(rows * columns), second{columns} {}
};

__global__ void local_objects(int n, unsigned long long* out) {
    buffer<int> const all(n);
    unsigned long long sum = all.sum();
    if (threadIdx.x % 3 == 0) {
        buffer<short> const some(threadIdx.x % 5 + 1);
        sum += some.sum();
    }
    out[own_rank()] = sum;
}

__global__ void objects_of_objects(int n, unsigned long long* out) {
    unsigned long long sum = 0;
    for (int i = 1; i <= n; ++i) {
        matrix const both(i, 4);
        sum = sum * 31 + both.first.sum() + both.second.sum();
    }
    out[own_rank()] = sum;
}

int main() {
    unsigned long long* out = new_values(blocks * threads);
    auto const run = [&](char const* name, auto launch) { repeat(name, out, blocks * threads, launch); };
    run("local_objects", [&] { local_objects<<<blocks, threads>>>(24, out); });
    run("objects_of_objects", [&] { objects_of_objects<<<blocks, threads>>>(5, out); });
    print_times();
}
