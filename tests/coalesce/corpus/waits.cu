// options: --whole-program
// Threads that wait for one another would wait for ever at the barrier of a static call.
__global__ void spin(int volatile* flag) {
    if (threadIdx.x == 0)
        while (*flag == 0) {}
    free(malloc(8)); // left: a loop that may wait
    if (threadIdx.x == 1) *flag = 1;
}
__global__ void lock(unsigned* word) {
    while (atomicCAS(word, 0u, 1u) != 0) {}
    free(malloc(8)); // left: a loop that may wait
    atomicExch(word, 0u);
}
__global__ void try_lock(unsigned* word) {
    bool done = false;
    while (!done) {
        if (atomicCAS(word, 0u, 1u) == 0) {
            done = true;
            atomicExch(word, 0u);
        }
    }
    free(malloc(8)); // left: a loop that may wait
}
__device__ bool is_set(unsigned* word) { return atomicAdd(word, 0u) != 0; }
__global__ void waits_in_a_function(unsigned* word) {
    for (;;)
        if (is_set(word)) break;
    free(malloc(8)); // left: a loop that may wait
}
__global__ void plain_spin(int* flag) {
    while (*flag == 0) {}
    free(malloc(8)); // left: a loop that may wait
}
__global__ void sleeps(int* flag) {
    while (*flag == 0) __nanosleep(100);
    free(malloc(8)); // left: a loop that may wait
}
__global__ void counts(unsigned* words, int n) {
    for (int i = 0; i < n; ++i) atomicAdd(&words[i], 1u);
    free(malloc(8)); // rewritten block
}
__global__ void barrier_in_a_branch() {
    free(malloc(8)); // left: a barrier that only some threads reach
    if (threadIdx.x < 32) __syncthreads();
}
__global__ void shuffle_in_a_branch(int n) {
    if (threadIdx.x < 16) n = __shfl_sync(0xffffu, n, 0);
    free(malloc(8)); // left: a barrier that only some threads reach
}
__global__ void barriers_of_all() {
    __syncthreads();
    free(malloc(8)); // rewritten block
    __syncthreads();
}
struct waits_at_its_end {
    unsigned* word;
    __device__ ~waits_at_its_end() {
        while (atomicAdd(word, 0u) == 0) {}
    }
};
__global__ void destructor(unsigned* word) {
    waits_at_its_end const guard{word};
    free(malloc(8)); // left: a loop that may wait
}
__global__ void spin_over_nothing(int* flag) {
    while (*flag == 0) { ; }
    free(malloc(8)); // left: a loop that may wait
}
__global__ void builtin_atomic(int* flag) {
    int looks = 0;
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) ++looks;
    free(malloc(8)); // left: a loop that may wait
}
__global__ void warp_waits(int* flag) {
    int looks = 0;
    while (__any_sync(0xffffffffu, *flag == 0)) ++looks;
    free(malloc(8)); // left: a loop that may wait
}
__global__ void list(int const* next, int at) {
    int length = 0;
    while (at >= 0) {
        at = next[at];
        ++length;
    }
    free(malloc(8)); // rewritten block
    free(malloc(length + 1)); // left: arguments may differ
}
