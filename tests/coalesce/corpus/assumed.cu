// options: --whole-program --assume-nothing-waits
// What the user states is believed.
__device__ int elsewhere(int n);
__global__ void no_body(int n) {
    int const m = elsewhere(n);
    free(malloc(8)); // rewritten block
    free(malloc(m)); // left: arguments may differ
}
__global__ void compare_and_swap(unsigned* word) {
    unsigned old = *word, seen;
    do {
        seen = old;
        old = atomicCAS(word, seen, seen + 1);
    } while (old != seen);
    free(malloc(8)); // rewritten block
}
__global__ void still_no_barrier_in_a_branch() {
    if (threadIdx.x < 3) __syncthreads();
    free(malloc(8)); // left: a barrier that only some threads reach
}
