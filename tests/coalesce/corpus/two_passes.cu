// options: --whole-program
// nvcc sees other code for the device than the tool does.
__global__ void straight(int n) {
#if defined(__CUDA_ARCH__)
    if (threadIdx.x == 3) return;
#endif
    free(malloc(n)); // left: it depends on __CUDA_ARCH
}
