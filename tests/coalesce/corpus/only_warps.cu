// options: --whole-program --scope warp
__global__ void straight(int n) { free(malloc(n)); } // rewritten warp
__device__ void* told(int n) { return malloc(n); } // rewritten warp
__global__ void tells(int n) { free(told(n)); }
