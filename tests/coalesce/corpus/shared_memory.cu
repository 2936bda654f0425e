//// case written_before_a_barrier
// options: --whole-program
// All threads load between the same barriers, and no thread stores there between them.
__global__ void k(int n) {
    __shared__ int size;
    if (threadIdx.x == 0) size = n;
    __syncthreads();
    free(malloc(size)); // rewritten block
}
//// case no_barrier
// options: --whole-program
__global__ void k(int n) {
    __shared__ int size;
    if (threadIdx.x == 0) size = n;
    free(malloc(size)); // left: its arguments may differ
}
//// case barrier_of_a_warp
// options: --whole-program
__global__ void k(int n) {
    __shared__ int size;
    if (threadIdx.x == 0) size = n;
    __syncwarp();
    free(malloc(size)); // left: its arguments may differ
}
//// case stored_again
// options: --whole-program
__global__ void k(int n) {
    __shared__ int size;
    if (threadIdx.x == 0) size = n;
    __syncthreads();
    free(malloc(size)); // left: its arguments may differ
    if (threadIdx.x == 1) size = 2 * n;
    __syncthreads();
    free(malloc(size)); // left: its arguments may differ
}
//// case stored_again_behind_a_barrier
// options: --whole-program
__global__ void k(int n) {
    __shared__ int size;
    if (threadIdx.x == 0) size = n;
    __syncthreads();
    free(malloc(size)); // rewritten block
    __syncthreads();
    if (threadIdx.x == 1) size = 2 * n;
    __syncthreads();
    free(malloc(size)); // rewritten block
}
//// case in_a_loop
// options: --whole-program
__global__ void k(int n) {
    __shared__ int size;
    for (int i = 0; i < n; ++i) {
        if (threadIdx.x == 0) size = i;
        __syncthreads();
        free(malloc(size)); // rewritten block
        __syncthreads();
    }
}
//// case in_a_loop_with_one_barrier
// options: --whole-program
// A thread of the next round stores before others have loaded.
__global__ void k(int n) {
    __shared__ int size;
    for (int i = 0; i < n; ++i) {
        if (threadIdx.x == 0) size = i;
        __syncthreads();
        free(malloc(size)); // left: its arguments may differ
    }
}
//// case left_by_continue
// options: --whole-program
__global__ void k(int n) {
    __shared__ int size;
    for (int i = 0; i < n; ++i) {
        if (threadIdx.x == 0) size = i;
        __syncthreads();
        free(malloc(size)); // left: its arguments may differ
        if (i == 3) continue;
        __syncthreads();
    }
}
//// case barrier_in_one_branch
// options: --whole-program
__global__ void k(int n) {
    __shared__ int size;
    if (threadIdx.x == 0) size = n;
    if (n > 3) __syncthreads();
    free(malloc(size)); // left: its arguments may differ
}
//// case barrier_in_one_case
// options: --whole-program
__global__ void k(int n) {
    __shared__ int size;
    if (threadIdx.x == 0) size = n;
    switch (n) {
    case 1: __syncthreads(); break;
    default: free(malloc(size)); // left: its arguments may differ
    }
}
//// case barrier_behind_and
// options: --whole-program
__global__ void k(int n) {
    __shared__ int size;
    if (threadIdx.x == 0) size = n;
    bool const any = n > 3 && __syncthreads_or(n);
    if (any || n > 5) free(malloc(8)); // rewritten block
    free(malloc(size)); // left: its arguments may differ
}
//// case barrier_at_the_end_of_a_do_loop
// options: --whole-program
__global__ void k(int n) {
    __shared__ int size;
    if (threadIdx.x == 0) size = n;
    do {
        free(malloc(size)); // left: its arguments may differ
    } while (__syncthreads_or(--n));
}
//// case in_a_function_that_is_called_twice
// options: --whole-program
// The store of the second call meets the load of the first one.
static __device__ void work(int n) {
    __shared__ int size;
    if (threadIdx.x == 0) size = n;
    __syncthreads();
    free(malloc(size)); // left: its arguments may differ
}
__global__ void k(int n) {
    work(n);
    work(n + 1);
}
//// case in_a_function_that_ends_with_a_barrier
// options: --whole-program
static __device__ void work(int n) {
    __shared__ int size;
    if (threadIdx.x == 0) size = n;
    __syncthreads();
    free(malloc(size)); // rewritten block
    __syncthreads();
}
__global__ void k(int n) {
    work(n);
    work(n + 1);
}
//// case through_a_pointer
// options: --whole-program
__device__ void set(int* p, int n) { *p = n; }
__global__ void k(int n) {
    __shared__ int size;
    if (threadIdx.x == 0) size = n;
    __syncthreads();
    if (threadIdx.x == 5) set(&size, 3);
    free(malloc(size)); // left: a load from memory
}
//// case by_an_atomic
// options: --whole-program
__global__ void k(int n) {
    __shared__ int size;
    if (threadIdx.x == 0) size = 0;
    __syncthreads();
    atomicAdd(&size, n);
    free(malloc(size)); // left: a load from memory
}
//// case by_reference
// options: --whole-program
__global__ void k(int n) {
    __shared__ int size;
    int& alias = size;
    if (threadIdx.x == 0) size = n;
    __syncthreads();
    if (threadIdx.x == 3) alias = 5;
    free(malloc(size)); // left: a load from memory
}
//// case in_a_lambda
// options: --whole-program
__global__ void k(int n) {
    __shared__ int size;
    auto const set = [&] { size = threadIdx.x; };
    if (threadIdx.x == 0) size = n;
    __syncthreads();
    set();
    free(malloc(size)); // left: a load from memory
}
//// case volatile_variable
// options: --whole-program
__global__ void k(int n) {
    __shared__ int volatile size;
    if (threadIdx.x == 0) size = n;
    __syncthreads();
    free(malloc(size)); // left: volatile
}
//// case of_a_shared_array
// options: --whole-program
// extern arrays all begin at one place.
extern __shared__ int dynamic[];
__global__ void k(int n) {
    __shared__ int sizes[4];
    if (threadIdx.x < 4) sizes[threadIdx.x] = n + threadIdx.x;
    if (threadIdx.x == 0) dynamic[0] = n;
    __syncthreads();
    free(malloc(sizes[n & 3])); // rewritten block
    free(malloc(sizes[threadIdx.x & 3])); // left: its arguments may differ
    free(malloc(dynamic[0])); // left: a load from memory
}
//// case of_a_shared_struct
// options: --whole-program
struct plan { int bytes; int count; };
__global__ void k(int n) {
    __shared__ plan made;
    if (threadIdx.x == 0) {
        made.bytes = n;
        made.count = 3;
    }
    __syncthreads();
    for (int i = 0; i < made.count; ++i) free(malloc(made.bytes)); // rewritten block
}
//// case threads_that_left
// options: --whole-program
__global__ void k(int n) {
    __shared__ int size;
    if (threadIdx.x == 0) size = n;
    __syncthreads();
    if (threadIdx.x > 7) return;
    free(malloc(size)); // left: the index of the thread
}
//// case counted_up
// options: --whole-program
__global__ void k(int n) {
    __shared__ int size;
    if (threadIdx.x == 0) size = n;
    __syncthreads();
    size += 1;
    free(malloc(size)); // left: its arguments may differ
}
