// options: --whole-program --one-dimensional-blocks --scope block
// Blocks are rows of threads: the index over 32 is that of the warp.
__global__ void by_warp() { free(malloc(threadIdx.x / 32 + 1)); } // left: block
__global__ void by_shift() { free(malloc((threadIdx.x >> 5) + 1)); } // left: block
__global__ void by_warp_size() {
    int const warp = threadIdx.x / warpSize;
    if (warp == 2) free(malloc(8)); // left: block
    free(malloc(16)); // rewritten block
}
__global__ void by_half_warp() { free(malloc(threadIdx.x / 16 + 1)); } // left:
__global__ void shifted() { free(malloc((threadIdx.x + 1) / 32 + 1)); } // left:
__global__ void narrow() { free(malloc(static_cast<signed char>(threadIdx.x) / 32 + 9)); } // left:
__global__ void other_axis() { free(malloc(threadIdx.y + 1)); } // left:
__global__ void of_the_grid() { free(malloc((blockIdx.x * blockDim.x + threadIdx.x) / 32 + 1)); } // left:
__global__ void barrier_by_warp() {
    free(malloc(8)); // left: a barrier that only some threads reach
    if (threadIdx.x / 32 == 1) __syncthreads();
}
__global__ void warps_in_a_loop(int n) {
    for (int i = threadIdx.x / 32; i < n; i += blockDim.x / 32) free(malloc(i + 1)); // left: block
}
