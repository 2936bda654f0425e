//// case called_from_another_file
// options: --whole-program
// The function that other files declare stays; a second one takes the argument.
__device__ int* make(int n) { return (int*)malloc(n * 4); } // rewritten block
__global__ void k(int n) { free(make(n)); }
//: __device__ int *make(int rhizome_0) { return make(rhizome_0, rhizome::coalesced::reached::by_some); }
//: free(make(n, rhizome::coalesced::reached::by_all))
//// case static_function
// options: --whole-program
static __device__ int* make(int n) { return (int*)malloc(n * 4); } // rewritten block
__global__ void k(int n) { free(make(n)); }
//: no rhizome_0
//: int* make(int n, rhizome::coalesced::reached rhizome_reached = rhizome::coalesced::reached::by_some)
//// case unnamed_namespace
// options: --whole-program
namespace {
__device__ int* make(int n) { return (int*)malloc(n * 4); } // rewritten block
}
__global__ void k(int n) { free(make(n)); }
//: no rhizome_0
//// case inline_function
// options: --whole-program
__device__ __forceinline__ int* make(int n) { return (int*)malloc(n * 4); } // rewritten block
__global__ void k(int n) { free(make(n)); }
//: no rhizome_0
//// case declared_before
// options: --whole-program
namespace a {
struct sizes { int n; };
__device__ void* make(sizes s, int const& m, void (*f)(int), int row[4]);
__global__ void k(int n) { free(make(sizes{n}, n, nullptr, nullptr)); }
__device__ void* make(sizes s, int const& m, void (*f)(int), int row[4]) { return malloc(64); } // rewritten block
} // namespace a
//: make(a::sizes rhizome_0, const int &rhizome_1, void (*rhizome_2)(int), int *rhizome_3, rhizome::coalesced::reached rhizome_reached);
//: return make(static_cast<decltype(rhizome_0)&&>(rhizome_0), rhizome_1, rhizome_2, rhizome_3, rhizome::coalesced::reached::by_some);
//// case of_no_result
// options: --whole-program
__device__ void work(int n) noexcept { free(malloc(n)); } // rewritten block
__global__ void k(int n) { work(n); }
//: void work(int rhizome_0) noexcept { work(rhizome_0, rhizome::coalesced::reached::by_some); }
//// case defined_outside_of_its_namespace
// options: --whole-program
namespace a { __device__ void* make(int n); }
__device__ void* a::make(int n) { return malloc(n); } // left: it is defined outside of its namespace
__global__ void k(int n) { free(a::make(n)); }
//// case c_linkage
// options: --whole-program
extern "C" __device__ void* make(int n) { return malloc(n); } // left: it has C linkage
__global__ void k(int n) { free(make(n)); }
//// case c_linkage_of_a_block
// options: --whole-program
extern "C" {
__device__ void* make(int n) { return malloc(n); } // left: it has C linkage
}
__global__ void k(int n) { free(make(n)); }
//// case declared_in_a_header
// options: --whole-program
#include "make.cuh"
__device__ void* make(int n) { return malloc(n); } // left: it is declared in another file
__global__ void k(int n) { free(make(n)); }
//// file make.cuh
__device__ void* make(int n);
//// case declared_inside_a_function
// options: --whole-program
__global__ void k(int n) {
    extern __device__ void* make(int n);
    free(make(n));
}
__device__ void* make(int n) { return malloc(n); } // left: it is declared inside a function
//// case overloaded
// options: --whole-program
__device__ void* make(short n) { return malloc(n); } // left: it is overloaded
template <class A, class B> __device__ void* make(A, B) { return nullptr; }
__global__ void k(int n) { free(make(n)); }
//// case explicit_instance
// options: --whole-program
template <class T> __device__ T* make(int n) { return (T*)malloc(n * sizeof(T)); } // left: specialisation
template __device__ float* make<float>(int);
__global__ void k(int n) { free(make<int>(n)); }
//// case explicit_specialisation
// options: --whole-program
template <class T> __device__ T* make(int n) { return (T*)malloc(n * sizeof(T)); } // left: specialisation
template <> __device__ float* make<float>(int) { return nullptr; }
__global__ void k(int n) { free(make<int>(n)); free(make<float>(n)); }
//// case declared_instance
// options: --whole-program
template <class T> __device__ T* make(int n) { return (T*)malloc(n * sizeof(T)); } // left: specialisation
extern template __device__ float* make<float>(int);
__global__ void k(int n) { free(make<int>(n)); }
//// case argument_of_a_template
// options: --whole-program
__device__ void* make(int n) { return malloc(n); } // left: its address is taken
template <void* (*Make)(int)> __device__ void* apply(int n) { return Make(n); }
__global__ void k(int n) { free(apply<make>(n)); free(make(n)); }
//// case address_in_a_table
// options: --whole-program
__device__ void* make(int n) { return malloc(n); } // left: its address is taken
__device__ void* (*table[1])(int) = {make};
__global__ void k(int n) { free(make(n)); }
//// case type_of_a_function
// options: --whole-program
static __device__ void* make(int n) { return malloc(n); } // left: its address is taken
template <class F> struct arity;
template <class R, class A> struct arity<R(A)> { static constexpr int value = 1; };
static_assert(arity<decltype(make)>::value == 1, "");
__global__ void k(int n) { free(make(n)); }
//// case default_arguments
// options: --whole-program
static __device__ void* make(int n, int m = -4, bool b = true, void* p = nullptr) { return malloc(n + m); } // rewritten block
__global__ void k(int n) {
    free(make(n));
    free(make(n, 3));
}
//: make(n, -4, true, nullptr, rhizome::coalesced::reached::by_all)
//: make(n, 3, true, nullptr, rhizome::coalesced::reached::by_all)
//// case default_argument_that_is_computed
// options: --whole-program
__device__ int limit();
static __device__ int rank() { return threadIdx.x; }
static __device__ void* make(int n, int m = rank()) { return malloc(n); } // left:
__global__ void k(int n) { free(make(n)); }
//// case default_argument_of_an_exported_function
// options: --whole-program
__device__ void* make(int n, int m = 4) { return malloc(n + m); } // left: it has default arguments, and other files
__global__ void k(int n) { free(make(n)); }
//// case only_default_arguments
// options: --whole-program
static __device__ void* make(int n = 16) { return malloc(n); } // rewritten block
__global__ void k() { free(make()); }
//: make(16, rhizome::coalesced::reached::by_all)
//// case type_of_a_function_as_typedef
// options: --whole-program
typedef void* maker(int);
__device__ maker make;
__global__ void k(int n) { free(make(n)); }
__device__ void* make(int n) { return malloc(n); } // left: it is declared in another file or in a macro
//// case host_and_device
// options: --whole-program
__host__ __device__ void* make(int n) { return malloc(n); } // rewritten block
__global__ void k(int n) { free(make(n)); }
void on_the_host(int n) { free(make(n)); }
//: __host__ __device__ void *make(int rhizome_0) { return make(rhizome_0, rhizome::coalesced::reached::by_some); }
//// case member_function
// options: --whole-program
struct pool {
    int unused;
    __device__ void* get(int n) const { return malloc(n); } // rewritten block
    __device__ void* declared(int n);
};
inline __device__ void* pool::declared(int n) { return malloc(n); } // rewritten block
__global__ void k(pool p, int n) {
    free(p.get(n));
    free(p.declared(n));
    if (threadIdx.x == 3) free(p.get(n));
}
//// case member_that_other_files_may_call
// options: --whole-program
struct pool { __device__ void* get(int n); };
__device__ void* pool::get(int n) { return malloc(n); } // left: it is a member that other files may call
__global__ void k(pool p, int n) { free(p.get(n)); }
//// case virtual_member
// options: --whole-program
struct pool { __device__ virtual void* get(int n) { return malloc(n); } }; // left:
__global__ void k(pool* p, int n) { free(p->get(n)); }
