//// case one_allocator
// options: --dynamic
// malloc, new and delete in one program: static calls where all threads ask, else the lanes that happen to ask together.
__device__ char* kept[4096];
struct node { node* next; __device__ virtual ~node() {} };
__global__ void make(int n) {
    kept[threadIdx.x] = (char*)malloc(n); // rewritten block
    if (threadIdx.x < 7) kept[threadIdx.x] = (char*)malloc(n); // dynamic
    kept[threadIdx.x + 1024] = (char*)malloc(threadIdx.x); // dynamic
    kept[threadIdx.x + 2048] = new char[n];
}
__global__ void drop(node* list) {
    delete[] kept[threadIdx.x];
    free(kept[threadIdx.x + 1024]);
    ::operator delete(kept[threadIdx.x + 2048]);
    delete list;
}
//: #include <rhizome_coalesced_dynamic.cuh>
//: (char*)rhizome::coalesced::malloc(threadIdx.x)
//: rhizome::coalesced::free(kept[threadIdx.x + 1024])
//// case waiting_kernels
// options: --dynamic
// A dynamic call waits for no thread that does not ask.
__device__ void* kept;
__global__ void lock(unsigned* word) {
    while (atomicCAS(word, 0u, 1u) != 0) {}
    kept = malloc(8); // dynamic
    atomicExch(word, 0u);
}
//// case a_free_in_a_macro
// options: --dynamic
// It would not know the pointers.
#define RELEASE(p) free(p)
__device__ void* kept;
__global__ void make() { if (threadIdx.x == 3) kept = malloc(8); } // left: not all threads
__global__ void drop() { RELEASE(kept); }
//: no rhizome
//// case own_operators
// options: --dynamic
__device__ char* kept;
__device__ void operator delete[](void* p) noexcept { asm volatile(""); }
__global__ void make() { if (threadIdx.x == 3) kept = (char*)malloc(8); } // left: not all threads
__global__ void drop() { delete[] kept; }
//: no rhizome
//// case over_aligned
// options: --dynamic
struct alignas(64) wide { int n; };
__device__ wide* kept;
__global__ void make() { if (threadIdx.x == 3) kept = (wide*)malloc(128); } // left: not all threads
__global__ void drop() { delete kept; }
//: no rhizome
//// case a_malloc_in_a_macro
// options: --dynamic
// CUDA's malloc: free knows its pointers too.
#define GET(n) malloc(n)
__device__ void* kept;
__global__ void make() { kept = GET(8); } // left: it is inside a macro
__global__ void drop() { if (kept != nullptr) free(kept); }
//: rhizome::coalesced::free(kept)
//// case only_new
// options: --dynamic
__device__ int* kept;
__global__ void make(int n) {
    kept = new int(n);
    free(malloc(n)); // rewritten block
}
__global__ void drop() { delete kept; }
//: #include <rhizome_coalesced_dynamic.cuh>
//// case of_a_told_function
// options: --dynamic
static __device__ void* make(int n) { return malloc(n); } // rewritten block
__device__ void* sometimes(int n) { return malloc(n); } // dynamic
__global__ void k(int n) {
    free(make(n));
    if (threadIdx.x < 3) free(make(n));
    if (threadIdx.x < 3) free(sometimes(n));
}
//// case template_of_no_kernel
// options: --dynamic
template <class T> __device__ T* make(int n) { return (T*)malloc(n); } // left: in a template of which
__global__ void k(int n) { free(malloc(threadIdx.x)); } // dynamic
