// options: --whole-program
// One free that cannot be rewritten is enough: it may see any pointer.
#define RELEASE(p) free(p)
__global__ void straight(int n) { free(malloc(n)); } // left: a free that may see its pointer cannot be rewritten
__global__ void releases(void** list) { RELEASE(list[threadIdx.x]); }
