// SPDX-License-Identifier: Apache-2.0
// malloc in plain kernels of a program that uses nothing else of Rhizome. Each thread keeps a list of numbers
// that grows by realloc; the heap grows between launches; one list of 100 is forgotten, and the report names
// the line that allocated it. Needs the component malloc.
#include <rhizome/malloc.cuh>

#include <cstdio>

namespace {

struct number_list {
    unsigned* items;
    unsigned size, room;
};

__device__ bool append(number_list& to, unsigned item) {
    if (to.size == to.room) {
        unsigned const room = to.room == 0 ? 4 : 2 * to.room;
        void* const larger = rhizome_realloc(to.items, room * sizeof(unsigned));
        if (larger == nullptr) return false; // the heap is full, and the list is as it was
        to.items = static_cast<unsigned*>(larger);
        to.room = room;
    }
    to.items[to.size++] = item;
    return true;
}

__global__ void find_divisors(number_list* lists, unsigned count, unsigned* refused) {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    for (unsigned d = 1; d <= i + 1; ++d)
        if ((i + 1) % d == 0 && !append(lists[i], d)) atomicAdd(refused, 1);
}

__global__ void add_and_free(number_list* lists, unsigned count, unsigned long long* sum) {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    for (unsigned k = 0; k < lists[i].size; ++k)
        atomicAdd(sum, lists[i].items[k]);
    if (i != 99) rhizome_free(lists[i].items); // a mistake: the list of 100
}

bool succeeds(cudaError_t result) {
    if (result == cudaSuccess) return true;
    std::fprintf(stderr, "%s: %s\n", cudaGetErrorString(result), rhizome_malloc_error());
    return false;
}

} // namespace

int main() {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::fprintf(stderr, "SKIPPED: no usable GPU\n");
        return 77;
    }
    rhizome_malloc_options options;
    options.heap_bytes = 4u << 20;
    options.checked = true; // slower; for programs that are being developed
    if (!succeeds(rhizome_malloc_init(options))) return 1;

    constexpr unsigned count = 5000;
    number_list* lists = nullptr;
    struct {
        unsigned long long sum;
        unsigned refused;
    } totals{}, *in_kernel = nullptr;
    if (!succeeds(cudaMalloc(&lists, count * sizeof(number_list))) ||
        !succeeds(cudaMemset(lists, 0, count * sizeof(number_list))) ||
        !succeeds(cudaMalloc(&in_kernel, sizeof totals)) ||
        !succeeds(cudaMemset(in_kernel, 0, sizeof totals)))
        return 1;
    find_divisors<<<(count + 255) / 256, 256>>>(lists, count, &in_kernel->refused);
    if (!succeeds(rhizome_malloc_grow(16u << 20))) return 1; // between launches
    add_and_free<<<(count + 255) / 256, 256>>>(lists, count, &in_kernel->sum);
    if (!succeeds(cudaMemcpy(&totals, in_kernel, sizeof totals, cudaMemcpyDeviceToHost))) return 1;
    std::printf("%u divisors refused, sum of the others %llu\n", totals.refused, totals.sum);
    return succeeds(rhizome_malloc_report_leaks(stdout)) && succeeds(rhizome_malloc_destroy()) ? 0 : 1;
}
