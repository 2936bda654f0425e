//// case delete_array
// options: --whole-program
// What gives memory back without `free`, or where the text of free cannot be reached. A pointer that gets there must be
// CUDA's.
__device__ char* kept[4096];
__global__ void make(int n) { kept[threadIdx.x] = (char*)malloc(n); } // left: a delete that is not rewritten
__global__ void local(int n) { free(malloc(n)); } // rewritten block
__global__ void drop() { delete[] kept[threadIdx.x]; }
//// case delete_of_a_class
// options: --whole-program
struct node { node* next; __device__ ~node() {} };
__device__ node* kept;
__global__ void make() { kept = (node*)malloc(sizeof(node)); } // left: a delete that is not rewritten
__global__ void drop() { delete kept; }
//// case operator_delete
// options: --whole-program
__device__ char* kept[4096];
__global__ void make(int n) { kept[threadIdx.x] = (char*)malloc(n); } // left: a call of operator delete
__global__ void drop() { ::operator delete(kept[threadIdx.x]); }
//// case operator_delete_array_in_a_function
// options: --whole-program
__device__ char* kept[4096];
__device__ void release(void* p) { operator delete[](p); }
__global__ void make(int n) { kept[threadIdx.x] = (char*)malloc(n); } // left: a call of operator delete
__global__ void drop() { release(kept[threadIdx.x]); }
//// case delete_in_a_header
// options: --whole-program
#include "drop.cuh"
__global__ void make(int n) { kept[threadIdx.x] = (char*)malloc(n); } // left: a delete that is not rewritten
//// file drop.cuh
__device__ char* kept[4096];
inline __device__ void drop(int i) { delete[] kept[i]; }
//// case delete_in_a_system_header
// options: --whole-program
#include "drop.cuh"
__global__ void make(int n) { kept[threadIdx.x] = (char*)malloc(n); } // left: a delete that is not rewritten
__global__ void drop_all() { drop(threadIdx.x); }
//// file drop.cuh
#pragma GCC system_header
__device__ char* kept[4096];
inline __device__ void drop(int i) { delete[] kept[i]; }
//// case free_in_a_system_header
// options: --whole-program
#include "drop.cuh"
__global__ void make(int n) { kept[threadIdx.x] = (char*)malloc(n); } // left: a call of free in a system header
__global__ void drop_all() { drop(threadIdx.x); }
//// file drop.cuh
#pragma GCC system_header
__device__ char* kept[4096];
inline __device__ void drop(int i) { free(kept[i]); }
//// case unused_system_header
// options: --whole-program
#include "drop.cuh"
__global__ void make(int n) { kept[threadIdx.x] = (char*)malloc(n); } // rewritten block
//// file drop.cuh
#pragma GCC system_header
__device__ char* kept[4096];
inline __device__ void drop(int i) { free(kept[i]); }
//// case delete_in_a_lambda
// options: --whole-program
__device__ char* kept[4096];
__global__ void make(int n) { kept[threadIdx.x] = (char*)malloc(n); } // left: a delete that is not rewritten
__global__ void drop() {
    auto const get = [](int i) { delete[] kept[i]; };
    get(threadIdx.x);
}
//// case delete_in_a_template
// options: --whole-program
__device__ char* kept[4096];
template <class T> struct deleter { __device__ void operator()(T* p) const { delete[] p; } };
__global__ void make(int n) { kept[threadIdx.x] = (char*)malloc(n); } // left: a delete that is not rewritten
__global__ void drop() { deleter<char>{}(kept[threadIdx.x]); }
//// case delete_in_a_destructor
// options: --whole-program
struct owner { char* data; __device__ ~owner() { delete[] data; } };
__device__ char* kept[4096];
__global__ void make(int n) { kept[threadIdx.x] = (char*)malloc(n); } // left: a delete that is not rewritten
__global__ void drop() { owner const last{kept[threadIdx.x]}; }
//// case delete_in_a_host_device_function
// options: --whole-program
__device__ char* kept[4096];
__host__ __device__ void release(char* p) { delete[] p; }
__global__ void make(int n) { kept[threadIdx.x] = (char*)malloc(n); } // left: a delete that is not rewritten
//// case delete_on_the_host
// options: --whole-program
__device__ char* kept[4096];
void release(char* p) { delete[] p; }
__global__ void make(int n) { kept[threadIdx.x] = (char*)malloc(n); } // rewritten block
//// case delete_of_what_new_made
// options: --whole-program
__device__ char* kept[4096];
__global__ void make(int n) {
    int* const own = new int(n);
    kept[threadIdx.x] = (char*)malloc(n); // rewritten block
    delete own;
}
//// case delete_of_what_new_and_malloc_made
// options: --whole-program
__device__ char* kept[4096];
__global__ void make(int n) { kept[threadIdx.x] = (char*)malloc(n); } // left: a delete that is not rewritten
__global__ void drop(int n) {
    char* own = new char[n];
    if (n > 3) own = kept[threadIdx.x];
    delete[] own;
}
//// case delete_of_a_variable_that_a_function_fills
// options: --whole-program
__device__ char* kept[4096];
__device__ void fetch(char*& p) { p = kept[threadIdx.x]; }
__global__ void make(int n) { kept[threadIdx.x] = (char*)malloc(n); } // left: a delete that is not rewritten
__global__ void drop(int n) {
    char* own = new char[n];
    fetch(own);
    delete[] own;
}
//// case cuda_free_of_the_device
// options: --whole-program --cuda-path none
__device__ char* kept[4096];
__global__ void make(int n) { kept[threadIdx.x] = (char*)malloc(n); } // left: a call of cudaFree
__global__ void drop() { cudaFree(kept[threadIdx.x]); }
//// case free_in_an_initialiser_of_a_member
// options: --whole-program
__device__ char* kept[4096];
struct drops { int nothing = (free(kept[0]), 0); };
__global__ void make(int n) { kept[threadIdx.x] = (char*)malloc(n); } // left: a free outside of functions
__global__ void drop() { drops const one{}; }
//// case address_of_operator_delete
// options: --whole-program
__device__ char* kept[4096];
__global__ void make(int n) { kept[threadIdx.x] = (char*)malloc(n); } // left: a call of operator delete
__global__ void drop() {
    void (*release)(void*) = operator delete;
    release(kept[threadIdx.x]);
}
//// case address_of_free
// options: --whole-program
__device__ char* kept[4096];
__global__ void make(int n) { kept[threadIdx.x] = (char*)malloc(n); } // left: the address of free is taken
__global__ void drop() {
    void (*release)(void*) = free;
    release(kept[threadIdx.x]);
}
//// case free_by_argument_dependent_lookup
// options: --whole-program
// One instance calls CUDA's free, the other one the program's: the text cannot serve both.
namespace mine {
struct node { int n; };
__device__ void free(node*) {}
} // namespace mine
template <class T> __device__ void drop(T* p) { free(p); }
__device__ char* kept[4096];
__global__ void make(int n) { kept[threadIdx.x] = (char*)malloc(n); } // left: a free that may see its pointer
__global__ void drops(mine::node* p) { drop(p); drop(kept[threadIdx.x]); }
//: no coalesced::free
//// case malloc_by_argument_dependent_lookup
// options: --whole-program
namespace mine {
struct bytes { int n; __host__ __device__ operator unsigned long() const { return n; } };
__device__ void* malloc(bytes) { return nullptr; }
} // namespace mine
template <class T> __device__ void* get(T n) { return malloc(n); } // left: instances of the template call different
__global__ void make(int n) { free(get(n)); free(get(mine::bytes{n})); }
//// case assembly_that_frees
// options: --whole-program
__device__ char* kept[4096];
__global__ void make(int n) { kept[threadIdx.x] = (char*)malloc(n); } // left: inline assembly that names free
__global__ void drop() { asm volatile("call free, (%0);" ::"l"(kept[threadIdx.x])); }
//// case stays_local
// options:
// A pointer that does not leave the kernel cannot get to any of these.
__device__ char* kept[4096];
__global__ void local(int n) { free(malloc(n)); } // rewritten block
__global__ void drop() { delete[] kept[threadIdx.x]; }
//// case deleted_itself
// options:
__global__ void local(int n) {
    char* p = (char*)malloc(n); // left: it is freed by delete
    delete[] p;
}
