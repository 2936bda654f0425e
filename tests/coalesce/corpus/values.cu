// options: --whole-program
// What sizes depend on.
#include <cstdint>
struct options { int bytes; int other; };
__constant__ options tuned;
__device__ int shared_by_all;
__global__ void of_the_thread() { free(malloc(threadIdx.x + 1)); } // left: arguments may differ
__global__ void of_the_block() { free(malloc(blockIdx.x * 8 + blockDim.y)); } // rewritten block
__global__ void of_memory(int const* n) { free(malloc(n[0])); } // left: a load from memory
__global__ void of_read_only_memory(int const* n) { free(malloc(__ldg(&n[1]))); } // rewritten block
__global__ void of_own_read_only_memory(int const* n) { free(malloc(__ldg(&n[threadIdx.x]))); } // left: arguments may differ
__global__ void of_a_global() { free(malloc(shared_by_all)); } // left: a load from memory
__global__ void of_a_constant() { free(malloc(tuned.bytes)); } // rewritten block
__global__ void of_a_struct(options o) { free(malloc(o.bytes)); } // rewritten block
__global__ void of_a_changed_struct(options o) {
    o.other = threadIdx.x;
    free(malloc(o.bytes)); // rewritten block
    free(malloc(o.other)); // left: arguments may differ
}
__global__ void of_shared_memory(int n) {
    __shared__ int size;
    if (threadIdx.x == 0) size = n;
    __syncthreads();
    free(malloc(size)); // rewritten block
}
__global__ void of_an_atomic(unsigned* word) { free(malloc(atomicAdd(word, 1u))); } // left: the result of 'atomicAdd'
__global__ void of_a_shuffle(int n) { free(malloc(__shfl_sync(0xffffffffu, n, 0))); } // left: the result of '__shfl_sync'
__global__ void of_a_vote(int n) { free(malloc(__any_sync(0xffffffffu, threadIdx.x == n) + 1)); } // rewritten warp
__global__ void of_some_lanes(int n) { free(malloc(__any_sync(0xffu, threadIdx.x == n) + 1)); } // left: over some lanes
__global__ void of_a_count() { free(malloc(__syncthreads_count(threadIdx.x > 3))); } // rewritten block
__global__ void of_a_clock() { free(malloc(clock64() & 7)); } // left: the result of 'clock64'
__global__ void of_arithmetic(int n) { free(malloc(min(n, 64) * sizeof(double) + __popc(n))); } // rewritten block
__global__ void of_a_branch(int n) {
    int size = 8;
    if (threadIdx.x == 3) size = n;
    free(malloc(size)); // left: arguments may differ
}
__global__ void of_a_uniform_branch(int n) {
    int size = 8;
    if (n > 3) size = n;
    free(malloc(size)); // rewritten block
}
__global__ void of_a_divergent_loop(int n) {
    int rounds = 0;
    for (int i = threadIdx.x; i < n; ++i) ++rounds;
    free(malloc(rounds + 1)); // left: arguments may differ
}
__global__ void of_a_pointer(int n) {
    int size = n;
    int* p = &size;
    *p = threadIdx.x;
    free(malloc(size)); // left: whose address is taken
}
__global__ void of_a_reference(int n) {
    int size = n;
    int& alias = size;
    alias = threadIdx.x;
    free(malloc(size)); // left: whose address is taken
}
__global__ void of_a_lambda(int n) {
    int size = n;
    auto const change = [&] { size = threadIdx.x; };
    change();
    free(malloc(size)); // left: which a lambda may change
}
__global__ void of_no_value(int n) {
    int size;
    if (n > 3) size = n;
    free(malloc(size)); // left: declared without a value
}
__global__ void of_an_array(int n) {
    int sizes[2] = {n, 8};
    free(malloc(sizes[n & 1])); // rewritten block
    free(malloc(sizes[threadIdx.x & 1])); // left: arguments may differ
}
__global__ void of_a_volatile(int n) {
    int volatile size = n;
    free(malloc(size)); // left: volatile
}
__global__ void of_a_side_effect(int n) {
    free(malloc(n++)); // rewritten block
    free(malloc(n)); // rewritten block
}
__global__ void of_a_comma(int n, int* out) { free(malloc((out[0] = 1, n))); } // rewritten block
__global__ void of_an_index_over_32() { free(malloc(threadIdx.x / 32 + 1)); } // left: arguments may differ
__global__ void of_a_named_capture(int n) {
    int size = n;
    auto const change = [&alias = size] { alias = threadIdx.x; };
    change();
    free(malloc(size)); // left: whose address is taken
}
__global__ void of_a_binding(options o) {
    auto& [bytes, other] = o;
    bytes = threadIdx.x;
    free(malloc(o.bytes)); // left: whose address is taken
    other = 1;
}
__global__ void of_a_chosen_place(int n, int m) {
    (n > 3 ? n : m) = threadIdx.x;
    free(malloc(n)); // left: whose address is taken
}
__global__ void of_a_bool(int const* data) {
    free(malloc(data[0] ? 8 : 16)); // left: a load from memory
}
