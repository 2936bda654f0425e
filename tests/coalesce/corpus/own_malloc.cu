// options: --whole-program
// A program's own functions of these names are not CUDA's: nothing is found to rewrite but by their bodies.
namespace mine {
__device__ void* malloc(unsigned long bytes, int) { return reinterpret_cast<void*>(bytes); }
__device__ void use() {}
} // namespace mine
__global__ void calls_its_own(int n) {
    void* p = mine::malloc(n, 3);
    free(malloc(n)); // rewritten block
    if (p == nullptr) mine::use();
}
