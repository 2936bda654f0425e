// options: --whole-program
// nvcc compiles device code apart, with __CUDA_ARCH__: that is the code that counts.
__global__ void straight(int n) {
#if defined(__CUDA_ARCH__)
    if (threadIdx.x == 3) return;
#endif
    free(malloc(n)); // left: not all threads of the warp need reach it
}
__global__ void of_the_host_alone(int n) {
#if !defined(__CUDA_ARCH__)
    if (threadIdx.x == 3) return;
#endif
    free(malloc(n)); // rewritten block
}
