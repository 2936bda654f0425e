// options: --whole-program
// A kernel that other files cannot launch, all of whose launches are rows.
static __global__ void row() { free(malloc(threadIdx.x / 32 + 1)); } // rewritten warp
static __global__ void plane() { free(malloc(threadIdx.x / 32 + 1)); } // left: arguments may differ
static __global__ void mixed() { free(malloc(threadIdx.x / 32 + 1)); } // left: arguments may differ
__global__ void of_any_file() { free(malloc(threadIdx.x / 32 + 1)); } // left: arguments may differ
int main() {
    row<<<2, 64>>>();
    row<<<2, dim3(96)>>>();
    plane<<<2, dim3(8, 8)>>>();
    mixed<<<2, 64>>>();
    mixed<<<2, dim3(8, 8)>>>();
    of_any_file<<<2, 64>>>();
}
