//// case second_call
// options: --whole-program
// All threads of a static call get memory, or none does: those that leave on a null pointer leave together.
__global__ void k(int n) {
    int* a = (int*)malloc(n); // rewritten block
    if (!a) return;
    int* b = (int*)malloc(n); // rewritten block
    if (b == NULL) {
        free(a);
        return;
    }
    int* c = (int*)malloc(n); // rewritten block
    if (c != nullptr && a && nullptr != b) free(malloc(8)); // rewritten block
    free(c);
    free(b);
    free(a);
}
//// case after_a_plain_call
// options: --whole-program
__global__ void k(int n) {
    int* a = (int*)malloc(threadIdx.x); // left: its arguments may differ
    if (!a) return;
    free(malloc(n)); // left: a pointer to new memory
}
//// case after_a_call_in_a_macro
// options: --whole-program
#define GET(n) malloc(n)
__global__ void k(int n) {
    int* a = (int*)GET(n); // left: it is inside a macro
    if (!a) return;
    free(malloc(n)); // left: a pointer to new memory
}
//// case after_a_call_that_escapes
// options:
__device__ int* kept;
__global__ void k(int n) {
    int* a = (int*)malloc(n); // left: it is stored in memory
    kept = a;
    if (!a) return;
    int* b = (int*)malloc(n); // left: a pointer to new memory
    if (!b) return;
    free(malloc(n)); // left: a pointer to new memory
}
//// case after_a_call_in_a_system_header
// options: --whole-program
#include "get.cuh"
__global__ void k(int n) {
    if (!get(n)) return;
    free(malloc(n)); // left: a pointer to new memory
}
//// file get.cuh
#pragma GCC system_header
inline __device__ void* get(int n) { return malloc(n); }
//// case after_a_warp
// options: --whole-program --one-dimensional-blocks
// The lanes of a warp leave together, not the threads of a block.
__global__ void k(int n) {
    int* a = (int*)malloc(threadIdx.x / 32 + 1); // rewritten warp
    if (!a) return;
    free(malloc(n)); // rewritten warp
}
//// case only_blocks_after_a_warp
// options: --whole-program --one-dimensional-blocks --scope block
__global__ void k(int n) {
    int* a = (int*)malloc(threadIdx.x / 32 + 1); // left: its arguments may differ in a block
    if (!a) return;
    free(malloc(n)); // left: a pointer to new memory
}
//// case only_warps
// options: --whole-program --scope warp
__global__ void k(int n) {
    int* a = (int*)malloc(n); // rewritten warp
    if (!a) return;
    free(malloc(n)); // rewritten warp
}
//// case of_a_told_function
// options: --whole-program
static __device__ int* make(int n) { return (int*)malloc(n); } // rewritten block
__global__ void k(int n) {
    int* a = make(n);
    if (!a) return;
    free(malloc(n)); // rewritten block
}
//// case of_a_function_that_is_told_elsewhere
// options: --whole-program
#define MAKE(n) make(n)
static __device__ int* make(int n) { return (int*)malloc(n); } // rewritten block
__global__ void tells(int n) { free(make(n)); }
__global__ void k(int n) {
    int* a = MAKE(n);
    if (!a) return;
    free(malloc(n)); // left: a pointer to new memory
}
//// case of_a_function_that_some_threads_call
// options: --whole-program
static __device__ int* make(int n) { return (int*)malloc(n); } // rewritten block
__global__ void k(int n) {
    int* a = nullptr;
    if (threadIdx.x < 3) a = make(n);
    free(make(n));
    if (!a) free(malloc(n)); // left: a branch depends on
}
//// case inside_of_a_told_function
// options: --whole-program
static __device__ int* make(int n) {
    int* a = (int*)malloc(n); // rewritten block
    if (a == nullptr) return nullptr;
    int* b = (int*)malloc(n); // rewritten block
    free(b);
    return a;
}
__global__ void k(int n) {
    int* a = make(n);
    if (threadIdx.x < 3) free(make(n));
    free(a);
}
//// case changed_afterwards
// options: --whole-program
__global__ void k(int n, int** other) {
    int* a = (int*)malloc(n); // rewritten block
    if (n > 3) a = other[threadIdx.x];
    if (!a) return;
    free(malloc(n)); // left: a branch depends on
}
//// case moved_on
// options: --whole-program
// Arithmetic does not keep what is known of null pointers.
__global__ void k(int n) {
    char* a = (char*)malloc(n); // rewritten block
    a += threadIdx.x;
    if (!a) return;
    free(malloc(n)); // left: a branch depends on
}
//// case converted
// options: --whole-program
__global__ void k(int n) {
    unsigned short bits = (unsigned short)(unsigned long long)malloc(n); // rewritten block
    if (bits == 0) return;
    free(malloc(n)); // left: a pointer to new memory
}
//// case compared
// options: --whole-program
__global__ void k(int n, int* other) {
    int* a = (int*)malloc(n); // rewritten block
    if (a == other) return;
    free(malloc(n)); // left: a pointer to new memory
}
//// case in_some_threads
// options: --whole-program
__global__ void k(int n) {
    int* a = (int*)malloc(n); // rewritten block
    int* b = threadIdx.x < 3 ? a : nullptr;
    if (!b) return;
    free(malloc(n)); // left: a branch depends on the index of the thread
}
//// case in_a_lambda
// options: --whole-program
__global__ void k(int n) {
    auto const get = [=] { return malloc(n); }; // left: it is inside a lambda
    if (!get()) return;
    free(malloc(n)); // left: a branch depends on
}
//// case of_an_instance
// options: --whole-program
// One instance's call is not that of all threads, so the text stays, for both.
template <int N> __global__ void k(int n) {
    void* a = N == 0 || threadIdx.x < 3 ? malloc(8) : nullptr; // left: the index of the thread
    if (N == 0 && !a) return;
    free(malloc(n)); // left:
}
int main() { k<0><<<1, 32>>>(3); k<1><<<1, 32>>>(3); }
