// SPDX-License-Identifier: Apache-2.0
// What the two translation units of the program share.
#pragma once

#define RHIZOME_MALLOC_REPLACES_NEW
#include <rhizome/malloc.cuh>

extern __device__ unsigned long long wrong;  // program.cu
extern __device__ unsigned long long served; // program.cu

struct alignas(64) wide {
    int values[16];
};
struct node {
    node* next;
    unsigned rank;
};

/// A place in a header: each translation unit has a function and a file name of its own.
constexpr unsigned shared_leak_line = __LINE__ + 1;
static __device__ inline void leak_in_header() { static_cast<void>(rhizome_malloc(40)); }

// ---- frees.cu ----

/// Frees a block of another translation unit.
__device__ void free_elsewhere(void* block);
/// One thread of each block deletes the nodes of a list.
__global__ void drop(node** lists);
__global__ void leak_once();
