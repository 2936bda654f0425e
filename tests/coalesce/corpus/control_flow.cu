// options: --whole-program
// Which threads reach a call. Each allocation says behind it what is expected, and why.
__constant__ int limit;
__global__ void straight(int n) { free(malloc(n)); } // rewritten block
__global__ void constant_size() { free(malloc(64)); } // rewritten block
__global__ void some_threads() {
    if (threadIdx.x < 7) free(malloc(16)); // left: branch depends on the index of the thread
}
__global__ void other_threads() {
    if (threadIdx.x == 0) return;
    free(malloc(16)); // left: branch depends on the index of the thread
}
__global__ void some_blocks() {
    if (blockIdx.x % 2 == 0) free(malloc(16)); // rewritten block
    else free(malloc(24)); // rewritten block
}
__global__ void whole_blocks_leave(int n) {
    if (blockIdx.x >= n) return;
    free(malloc(16)); // rewritten block
}
__global__ void meets_again(int* out) {
    if (threadIdx.x < 7) out[0] = 1;
    free(malloc(16)); // rewritten block
}
__global__ void counted_loop(int n) {
    for (int i = 0; i < n; ++i) free(malloc(i + 1)); // rewritten block
}
__global__ void loop_by_thread(int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) free(malloc(8)); // left: branch depends on the index of the thread
    free(malloc(16)); // rewritten block
}
__global__ void loop_with_break(int n, int const* data) {
    for (int i = 0; i < n; ++i) {
        free(malloc(8)); // left: a load from memory
        if (data[i]) break;
    }
}
__global__ void loop_with_uniform_break(int n, int m) {
    for (int i = 0; i < n; ++i) {
        free(malloc(8)); // rewritten block
        if (i == m) break;
    }
}
__global__ void loop_with_continue(int n, int const* data) {
    for (int i = 0; i < n; ++i) {
        free(malloc(8)); // rewritten block
        if (data[i]) continue;
        free(malloc(8)); // left: a load from memory
    }
}
__global__ void break_of_an_inner_loop(int n, int const* data) {
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j)
            if (data[j]) break;
        free(malloc(8)); // rewritten block
    }
}
__global__ void return_in_a_loop(int n, int const* data) {
    for (int i = 0; i < n; ++i) {
        free(malloc(8)); // left: a load from memory
        if (data[i]) return;
    }
    free(malloc(8)); // left: a load from memory
}
__global__ void while_loop(int n) {
    while (n-- > 0) free(malloc(8)); // rewritten block
}
__global__ void do_loop(int n) {
    do free(malloc(8)); // rewritten block
    while (--n > 0);
}
__global__ void do_loop_by_thread(int n) {
    int i = threadIdx.x;
    do free(malloc(8)); // left: branch depends on the index of the thread
    while (++i < n);
}
__global__ void in_a_condition(int n) {
    for (int i = 0; i < n && malloc(8); ++i) {} // rewritten block
    for (int i = 0; i < n && malloc(threadIdx.x); ++i) {} // left: a branch depends on
}
__global__ void short_circuit(int n) {
    bool const a = n > 3 && malloc(8); // rewritten block
    bool const b = threadIdx.x > 3 && malloc(8); // left: branch depends on the index of the thread
    bool const c = threadIdx.x > 3 || malloc(8); // left: branch depends on the index of the thread
    if (a && b && c) return;
}
__global__ void conditional(int n) {
    free(n > 3
             ? malloc(8)    // rewritten block
             : malloc(16)); // rewritten block
    free(threadIdx.x > 3
             ? malloc(8) // left: branch depends on the index of the thread
             : nullptr);
}
__global__ void chosen_by_switch(int n) {
    switch (n) {
    case 0: free(malloc(8)); break; // rewritten block
    case 1: free(malloc(16)); // rewritten block
    default: free(malloc(24)); // rewritten block
    }
}
__global__ void chosen_by_thread() {
    switch (threadIdx.x) {
    case 0: free(malloc(8)); break; // left: branch depends on the index of the thread
    default: free(malloc(24)); // left: branch depends on the index of the thread
    }
    free(malloc(8)); // rewritten block
}
__global__ void leaves_a_switch(int n, int const* data) {
    switch (n) {
    case 0:
        if (data[0]) break;
        free(malloc(8)); // left: a load from memory
    }
    free(malloc(8)); // rewritten block
}
__global__ void jumps(int n) {
    free(malloc(8)); // left: goto
    if (n) goto out;
    free(malloc(8)); // left: goto
out:
    return;
}
__global__ void assembly() {
    asm volatile("exit;");
    free(malloc(8)); // left: inline assembly
}
__global__ void result_of_another(int n) {
    int* p = static_cast<int*>(malloc(n)); // rewritten block
    if (p == nullptr) return;
    free(malloc(n)); // rewritten block
    free(p);
}
__global__ void on_a_constant(int n) {
    if (limit > n) free(malloc(limit)); // rewritten block
}
__global__ void nested(int n) {
    if (n > 2)
        for (int i = 0; i < n; ++i)
            if (i % 2 == 0) free(malloc(8)); // rewritten block
            else if (threadIdx.y == 1) free(malloc(8)); // left: branch depends on the index of the thread
}
__global__ void over_a_range() {
    int const sizes[] = {1, 2, 3};
    for (int const size : sizes) free(malloc(size)); // left: a range-based for loop
}
