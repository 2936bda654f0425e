// options: --whole-program
// SPDX-License-Identifier: Apache-2.0
// Memory that one kernel allocates and another one frees, from other threads, in another order.
#include "timed.cuh"

constexpr int blocks = 32, threads = 128;

struct node {
    node* next;
    unsigned long long value;
};
__device__ node* heads[blocks * threads];

__global__ void build(int n) {
    node* head = nullptr;
    for (int i = 0; i < n; ++i) {
        auto* one = static_cast<node*>(malloc(sizeof(node))); // rewritten block
        if (one == nullptr) break;
        one->value = blockIdx.x * 1000 + threadIdx.x * 10 + i;
        one->next = head;
        head = one;
    }
    if (threadIdx.x % 4 == 0) {
        auto* extra = static_cast<node*>(malloc(sizeof(node))); // left
        if (extra != nullptr) {
            extra->value = 7;
            extra->next = head;
            head = extra;
        }
    }
    heads[blockIdx.x * blockDim.x + threadIdx.x] = head;
}

__global__ void sum_and_free(unsigned long long* out) {
    int const at = blocks * threads - 1 - (blockIdx.x * blockDim.x + threadIdx.x);
    unsigned long long sum = 0;
    for (node* one = heads[at]; one != nullptr;) {
        node* const next = one->next;
        sum = sum * 31 + one->value;
        free(one);
        one = next;
    }
    out[at] = sum;
}

int main() {
    unsigned long long* out = new_values(blocks * threads);
    for (int round = 0; round < 20; ++round) {
        timed("build", [] { build<<<blocks, threads>>>(10); });
        timed("sum_and_free", [&] { sum_and_free<<<blocks, threads>>>(out); });
    }
    print_times();
    print_values("lists", out, blocks * threads);
}
