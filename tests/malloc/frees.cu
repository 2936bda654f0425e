// SPDX-License-Identifier: Apache-2.0
// The second translation unit of the program: frees what kernels of program.cu allocate.
#include "program.hpp"

__device__ void free_elsewhere(void* block) { rhizome_free(block); }

__global__ void drop(node** lists) {
    if (threadIdx.x != 0) return;
    for (node* each = lists[blockIdx.x]; each != nullptr;) {
        node* const next = each->next;
        delete each;
        atomicAdd(&served, 1ull);
        each = next;
    }
    wide* const aligned = new wide;
    if (reinterpret_cast<unsigned long long>(aligned) % 64 != 0) atomicAdd(&wrong, 1ull);
    delete aligned;
    int* const many = new int[100];
    many[99] = 1;
    delete[] many;
}

__global__ void leak_once() { leak_in_header(); }
