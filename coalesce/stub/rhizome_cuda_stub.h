// Declarations of CUDA for rhizome-coalesce, which parses host code alone: enough for sources to parse whatever version of
// the toolkit they are written for. Nothing here is ever compiled into a program.
#pragma once
#pragma GCC system_header
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ // libstdc++ writes it as an attribute
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define CUDART_VERSION 13000
#define CUDA_VERSION 13000

#define RHIZOME_STUB_VECTORS(T, name) \
    struct name##1 { T x; }; struct name##2 { T x, y; }; struct name##3 { T x, y, z; }; struct name##4 { T x, y, z, w; }; \
    __host__ __device__ name##2 make_##name##2(T, T); __host__ __device__ name##3 make_##name##3(T, T, T); \
    __host__ __device__ name##4 make_##name##4(T, T, T, T);
RHIZOME_STUB_VECTORS(char, char)
RHIZOME_STUB_VECTORS(unsigned char, uchar)
RHIZOME_STUB_VECTORS(short, short)
RHIZOME_STUB_VECTORS(unsigned short, ushort)
RHIZOME_STUB_VECTORS(int, int)
RHIZOME_STUB_VECTORS(unsigned, uint)
RHIZOME_STUB_VECTORS(long long, longlong)
RHIZOME_STUB_VECTORS(unsigned long long, ulonglong)
RHIZOME_STUB_VECTORS(float, float)
RHIZOME_STUB_VECTORS(double, double)

struct dim3 {
    unsigned x, y, z;
    __host__ __device__ constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
};
extern const __device__ uint3 threadIdx;
extern const __device__ uint3 blockIdx;
extern const __device__ dim3 blockDim;
extern const __device__ dim3 gridDim;
extern const __device__ int warpSize;

typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
enum cudaError { cudaSuccess = 0, cudaErrorMemoryAllocation = 2 };
typedef cudaError cudaError_t;
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
enum cudaLimit { cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize };
struct cudaDeviceProp { char name[256]; size_t totalGlobalMem; int major, minor, multiProcessorCount, warpSize, maxThreadsPerBlock; };

extern "C" int cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void* = 0);
extern "C" cudaError_t cudaLaunchKernel(void const*, dim3, dim3, void**, size_t, cudaStream_t);

cudaError_t cudaMalloc(void**, size_t);
template <class T> cudaError_t cudaMalloc(T** p, size_t n) { return cudaMalloc((void**)p, n); }
cudaError_t cudaMallocManaged(void**, size_t, unsigned = 1);
template <class T> cudaError_t cudaMallocManaged(T** p, size_t n, unsigned f = 1) { return cudaMallocManaged((void**)p, n, f); }
cudaError_t cudaMallocHost(void**, size_t);
template <class T> cudaError_t cudaMallocHost(T** p, size_t n) { return cudaMallocHost((void**)p, n); }
__host__ __device__ cudaError_t cudaFree(void*);
cudaError_t cudaFreeHost(void*);
cudaError_t cudaMemcpy(void*, void const*, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void*, void const*, size_t, cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaMemset(void*, int, size_t);
cudaError_t cudaMemsetAsync(void*, int, size_t, cudaStream_t = 0);
template <class T> cudaError_t cudaMemcpyToSymbol(T const&, void const*, size_t, size_t = 0, cudaMemcpyKind = cudaMemcpyHostToDevice);
template <class T> cudaError_t cudaMemcpyFromSymbol(void*, T const&, size_t, size_t = 0, cudaMemcpyKind = cudaMemcpyDeviceToHost);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t);
cudaError_t cudaSetDevice(int);
cudaError_t cudaGetDevice(int*);
cudaError_t cudaGetDeviceCount(int*);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp*, int);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
char const* cudaGetErrorString(cudaError_t);
char const* cudaGetErrorName(cudaError_t);
cudaError_t cudaStreamCreate(cudaStream_t*);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaEventCreate(cudaEvent_t*);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float*, cudaEvent_t, cudaEvent_t);

__device__ void* malloc(size_t);
__device__ void free(void*);
template <class... T> __device__ int printf(char const*, T...);
__device__ void* memcpy(void*, void const*, size_t);
__device__ void* memset(void*, int, size_t);
__device__ void __assert_fail(char const*, char const*, unsigned, char const*);
__device__ void __trap();
__device__ void __syncthreads();
__device__ int __syncthreads_count(int);
__device__ int __syncthreads_and(int);
__device__ int __syncthreads_or(int);
__device__ void __syncwarp(unsigned = 0xffffffffu);
__device__ void __threadfence();
__device__ void __threadfence_block();
__device__ void __threadfence_system();
__device__ void __nanosleep(unsigned);
__device__ long long clock64();
__device__ unsigned __activemask();
__device__ int __any_sync(unsigned, int);
__device__ int __all_sync(unsigned, int);
__device__ unsigned __ballot_sync(unsigned, int);
template <class T> __device__ T __shfl_sync(unsigned, T, int, int = 32);
template <class T> __device__ T __shfl_up_sync(unsigned, T, unsigned, int = 32);
template <class T> __device__ T __shfl_down_sync(unsigned, T, unsigned, int = 32);
template <class T> __device__ T __shfl_xor_sync(unsigned, T, int, int = 32);
template <class T> __device__ unsigned __match_any_sync(unsigned, T);
template <class T> __device__ unsigned __match_all_sync(unsigned, T, int*);
template <class T> __device__ T __reduce_add_sync(unsigned, T);
template <class T> __device__ T __reduce_min_sync(unsigned, T);
template <class T> __device__ T __reduce_max_sync(unsigned, T);
template <class T> __device__ T __reduce_and_sync(unsigned, T);
template <class T> __device__ T __reduce_or_sync(unsigned, T);
template <class T> __device__ T __ldg(T const*);
template <class T> struct rhizome_stub_value { typedef T type; };
#define RHIZOME_STUB_ATOMIC(name) \
    template <class T> __device__ T name(T*, typename rhizome_stub_value<T>::type); \
    template <class T> __device__ T name##_block(T*, typename rhizome_stub_value<T>::type); \
    template <class T> __device__ T name##_system(T*, typename rhizome_stub_value<T>::type);
RHIZOME_STUB_ATOMIC(atomicAdd)
RHIZOME_STUB_ATOMIC(atomicSub)
RHIZOME_STUB_ATOMIC(atomicExch)
RHIZOME_STUB_ATOMIC(atomicMin)
RHIZOME_STUB_ATOMIC(atomicMax)
RHIZOME_STUB_ATOMIC(atomicInc)
RHIZOME_STUB_ATOMIC(atomicDec)
RHIZOME_STUB_ATOMIC(atomicAnd)
RHIZOME_STUB_ATOMIC(atomicOr)
RHIZOME_STUB_ATOMIC(atomicXor)
template <class T> __device__ T atomicCAS(T*, typename rhizome_stub_value<T>::type, typename rhizome_stub_value<T>::type);
__device__ int __popc(unsigned);
__device__ int __popcll(unsigned long long);
__device__ int __clz(int);
__device__ int __clzll(long long);
__device__ int __ffs(int);
__device__ int __ffsll(long long);
__device__ unsigned __brev(unsigned);
__device__ int __mul24(int, int);
__device__ unsigned __umul24(unsigned, unsigned);
__device__ unsigned __umulhi(unsigned, unsigned);
__device__ int __mulhi(int, int);
__device__ float __fdividef(float, float);
__device__ float rsqrtf(float);
#define RHIZOME_STUB_ORDER(T) __host__ __device__ T min(T, T); __host__ __device__ T max(T, T);
RHIZOME_STUB_ORDER(int)
RHIZOME_STUB_ORDER(unsigned)
RHIZOME_STUB_ORDER(long)
RHIZOME_STUB_ORDER(unsigned long)
RHIZOME_STUB_ORDER(long long)
RHIZOME_STUB_ORDER(unsigned long long)
RHIZOME_STUB_ORDER(float)
RHIZOME_STUB_ORDER(double)
