// options: --whole-program
// Calls inside of functions: the caller says whether all threads make the call.
__device__ int* numbers(int n) { return static_cast<int*>(malloc(n * sizeof(int))); } // rewritten block
__global__ void two_callers(int n) {
    free(numbers(n));
    if (threadIdx.x == 3) free(numbers(n));
    free(numbers(threadIdx.x));
}
__device__ int* deeper(int n) { return numbers(n + 1); }
__global__ void through_two(int n) { free(deeper(n)); }
__device__ void* never(int n) { return malloc(n); } // left: no kernel
__device__ void* only_by_some(int n) { return malloc(n); } // left: the index of the thread
__global__ void asks_for_some(int n) {
    if (threadIdx.x == 3) free(only_by_some(n));
}
__device__ void* by_index() { return malloc(threadIdx.x + 1); } // left: the index of the thread
__global__ void asks_by_index() { free(by_index()); }
__device__ void* early(int n, int i) {
    if (i == 0) return nullptr;
    return malloc(n); // left: the index of the thread
}
__global__ void asks_early(int n) { free(early(n, threadIdx.x)); }
__device__ int twice(int n) { return 2 * n; }
__device__ int rank_of() { return threadIdx.x; }
__global__ void sizes_of_functions(int n) {
    free(malloc(twice(n))); // rewritten block
    free(malloc(twice(threadIdx.x))); // left: arguments may differ
    free(malloc(rank_of())); // left: arguments may differ
}
__device__ void* declared(int n);
__global__ void before_the_body(int n) { free(declared(n)); }
__device__ void* declared(int n) { return malloc(n); } // rewritten block
__device__ int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1); }
__global__ void recursion(int n) { free(malloc(depth(n))); } // left: a recursive function
__device__ void* again(int n) {
    if (n > 3) return again(n - 1);
    return malloc(n); // left: a recursive function
}
__global__ void recursive_allocation(int n) { free(again(n)); }
__device__ void* numbers_like(int n) { return malloc(n); } // left: its address is taken
__device__ void* pointed(int n) { return malloc(n); } // left:
__global__ void function_pointer(int n) {
    void* (*f)(int) = n > 2 ? pointed : numbers_like;
    free(f(n));
    free(malloc(8)); // left: a call through a pointer
}
__device__ void elsewhere(int n);
__global__ void no_body(int n) {
    elsewhere(n);
    free(malloc(8)); // left: whose body is not visible
}
struct base {
    __device__ virtual int size() const { return 4; }
};
__global__ void virtual_call(base* b) { free(malloc(b->size())); } // left: a call of a virtual function
struct bytes {
    int n;
    __device__ void* get() const { return malloc(n); } // left: a load from memory
};
__global__ void member(bytes b) { free(b.get()); }
template <class T>
__device__ T* array_of(int n) {
    return static_cast<T*>(malloc(n * sizeof(T))); // rewritten block
}
template <class T>
__device__ T* never_used(int n) {
    return static_cast<T*>(malloc(n * sizeof(T))); // left: in a template of which this file has no instance
}
template <class T>
__global__ void instances(int n) {
    free(array_of<T>(n));
    free(malloc(n + sizeof(T))); // rewritten block
}
template <int N>
__global__ void disagree() {
    if (N == 0 || threadIdx.x < 3) free(malloc(8)); // left: the index of the thread
}
template <class T>
__device__ void* with_default(int n, int m = 4) { return malloc(n + m); } // rewritten block
__global__ void defaults(int n) { free(with_default<int>(n)); }
__device__ void* no_arguments() { return malloc(8); } // rewritten block
__device__ void* void_arguments(void) { return malloc(8); } // left: its parameters are not written plainly
__global__ void without_arguments() {
    free(no_arguments());
    free(void_arguments());
}
__host__ __device__ void* both(int n) { return malloc(n); } // rewritten block
__global__ void of_both(int n) { free(both(n)); }
__global__ void in_a_lambda(int n) {
    auto const get = [=] { return malloc(n); }; // left: it is inside a lambda
    free(get());
}
#define GET(n) malloc(n)
#define BYTES 48
__global__ void in_a_macro(int n) {
    free(GET(n)); // left: inside a macro
    free(malloc(BYTES)); // rewritten block
}
void* on_the_host(int n) { return malloc(n); }
int main() {
    instances<int><<<1, 32>>>(3);
    instances<double><<<1, 32>>>(3);
    disagree<0><<<1, 32>>>();
    disagree<1><<<1, 32>>>();
    free(on_the_host(3));
}
