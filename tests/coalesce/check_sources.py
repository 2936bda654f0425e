#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sources and command lines as people have them: check_sources.py TOOL. Without a CUDA Toolkit, cases that need one are left out.

A case is (name, {file: text}, arguments, expected). `expected` is a number of rewritten calls, a macro that the reason must name
(nothing is rewritten then), or a message that is printed (`!message`: and the tool fails).
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

tool = str(pathlib.Path(sys.argv[1]).resolve())
# A folder that several runs share, for the tool's --header-cache.
header_cache = os.environ.get("RHIZOME_HEADER_CACHE") or tempfile.mkdtemp()
KERNEL = "__global__ void k(int n) { void* p = malloc(n); free(p); }\n"
SIZED = "__global__ void k(int n) { void* p = malloc(SIZE); free(p); }\n"
TWO_SIZES = "#define SIZE threadIdx.x\n#else\n#define SIZE 4\n#endif\n" + SIZED


def one(text, *arguments, name="s.cu"):
    return {name: text}, [name, *arguments]


# What nvcc or its host compiler decides otherwise than the tool: nothing may be rewritten.
doubts = {
    "version of the compiler": (one("#if __GNUC__ >= 5\n" + TWO_SIZES), "__GNUC__"),
    "ifdef": (one("#ifdef __clang__\n" + TWO_SIZES), "__clang__"),
    "ifndef": (one("#ifndef __CUDACC_RDC__\n" + TWO_SIZES), "__CUDACC_RDC__"),
    "option of nvcc": (one("#ifdef __CUDACC_EXTENDED_LAMBDA__\n" + TWO_SIZES), "__CUDACC_EXTENDED_LAMBDA__"),
    "optimisation": (one("#ifdef __OPTIMIZE__\n" + TWO_SIZES), "__OPTIMIZE__"),
    "feature test": (one("#if __has_builtin(__builtin_nearly)\n" + TWO_SIZES), "__has_builtin"),
    "feature macro": (one("#if __cpp_constexpr_in_decltype\n" + TWO_SIZES), "__cpp_"),
    "defined in parentheses": (one("#if 1 && defined ( __EDG__ )\n" + TWO_SIZES), "__EDG__"),
    "over two lines": (one("#if \\\n  __GNUC__ > 4\n" + TWO_SIZES), "__GNUC__"),
    "elif": (one("#if 0\n#elif __GNUC__ > 4\n" + TWO_SIZES), "__GNUC__"),
    "second elif": (one("#if 1\n#define SIZE 4\n#elif __GNUC__ > 4\n#define SIZE threadIdx.x\n#endif\n" + SIZED), "__GNUC__"),
    "macro of a macro": (one("#define NEW (__GNUC__ > 4)\n#if NEW\n" + TWO_SIZES), "__GNUC__"),
    "macro of a group": (one("#if __GNUC__ > 4\n#define NEW\n#endif\n#ifdef NEW\n" + TWO_SIZES), "__GNUC__"),
    "undef": (one("#define SIZE threadIdx.x\n#if __GNUC__ < 5\n#undef SIZE\n#define SIZE 4\n#endif\n" + SIZED), "__GNUC__"),
    "skipped macro named as a function": (one("#if __GNUC__ > 4\n#define size(n) threadIdx.x\n#endif\n__device__ int size(int n) { return n; }\n"
                                             "__global__ void k(int n) { free(malloc(size(n))); }\n"), "__GNUC__"),
    "a value": (one("__global__ void k(int n) { free(malloc(__GNUC__ > 4 ? threadIdx.x : 4)); }\n"), "__GNUC__"),
    "size of a text": (one("__global__ void k(int n) { free(malloc(sizeof(__VERSION__) % 2 ? threadIdx.x : 4)); }\n"), "__VERSION__"),
    "template argument": (one("template <int N> struct size { static __device__ int of() { return threadIdx.x; } };\n"
                              "template <> struct size<4> { static __device__ int of() { return 4; } };\n"
                              "__global__ void k(int n) { free(malloc(size<__GNUC__>::of())); }\n"), "__GNUC__"),
    "code of a kernel": (one("__global__ void k(int n) {\n#if __GNUC__ > 4\n    if (threadIdx.x == 3) return;\n#endif\n    free(malloc(n));\n}\n"), "__GNUC__"),
    "a whole function": (one("#ifdef __clang__\n__device__ int size() { return 4; }\n#else\n__device__ int size() { return threadIdx.x; }\n#endif\n"
                             "__global__ void k(int n) { free(malloc(size())); }\n"), "__clang__"),
    "a header of the program": (({"h.cuh": "#if __GNUC__ > 4\n#define SIZE threadIdx.x\n#else\n#define SIZE 4\n#endif\n", "s.cu": '#include "h.cuh"\n' + SIZED}, ["s.cu"]), "__GNUC__"),
    "an include that is skipped": (({"h.cuh": "#define SIZE threadIdx.x\n", "s.cu": '#if __GNUC__ > 4\n#include "h.cuh"\n#endif\n#ifndef SIZE\n#define SIZE 4\n#endif\n' + SIZED}, ["s.cu"]), "__GNUC__"),
    "own value for a macro of nvcc": (one("#ifndef __CUDACC_RDC__\n#define __CUDACC_RDC__ 0\n#endif\n#if __CUDACC_RDC__\n" + TWO_SIZES), "__CUDACC_RDC__"),
    "a launch": (one("static __global__ void k(int n) { free(malloc(threadIdx.x / 32 + 1)); }\n"
                     "int main() {\n#if __GNUC__ > 4\n    k<<<1, dim3(8, 8)>>>(1);\n#endif\n    k<<<1, 64>>>(1);\n}\n"), "__GNUC__"),
    "an instance of a template": (one("template <class T> __global__ void k(int n) { free(malloc(sizeof(T))); }\n"
                                      "template <class T> void run() { k<T><<<1, 64>>>(1); }\n"
                                      "int main() {\n#if __GNUC__ > 4\n    run<char>();\n#endif\n    run<int>();\n}\n"), "__GNUC__"),
    "architecture": (one("__global__ void k(int n) {\n#if __CUDA_ARCH__ >= 800\n    n = threadIdx.x;\n#endif\n    free(malloc(n));\n}\n"), "__CUDA_ARCH__"),
    "architecture of an option": (one("__global__ void k(int n) {\n#if __CUDA_ARCH__ >= 800\n    n = threadIdx.x;\n#endif\n    free(malloc(n));\n}\n", "--",
                                      "-gencode", "arch=compute_70,code=sm_70", "-gencode=arch=compute_90,code=[sm_90,compute_90]"), "__CUDA_ARCH__"),
    "architecture by a macro": (one("#if __CUDA_ARCH__ >= 800\n#define SIZE (threadIdx.x)\n#else\n#define SIZE (4)\n#endif\n" + SIZED), "__CUDA_ARCH__"),
    "launches of host code alone": (one("static __global__ void k(int n) { free(malloc(threadIdx.x / 32 + 1)); }\n"
                                        "void run() {\n#ifndef __CUDA_ARCH__\n    k<<<1, dim3(8, 8)>>>(1);\n#endif\n    k<<<1, 64>>>(1);\n}\n"), "__CUDA_ARCH__"),
    "architecture and compiler": (one("__global__ void k(int n) {\n#if __CUDA_ARCH__ >= 200 && __GNUC__ > 4\n    n = threadIdx.x;\n#endif\n    free(malloc(n));\n}\n"), "__GNUC__"),
}

# What does not matter, or is known.
judged = {
    "an error": (one("#if __GNUC__ < 3\n#error too old\n#endif\n" + KERNEL), 1),
    "a pragma": (one("#ifdef __GNUC__\n#pragma GCC diagnostic ignored \"-Wunused\"\n#endif\n" + KERNEL), 1),
    "a header of the C library": (one("#if __GNUC__ > 2\n#include <string.h>\n#endif\n" + KERNEL), 1),
    "host code": (one("#include <stdio.h>\n" + KERNEL + "int main() {\n#if __GNUC__ > 4\n    printf(\"%s\", __VERSION__);\n#else\n    puts(\"old\");\n#endif\n    k<<<1, 2>>>(3);\n}\n"), 1),
    "a guard that looks like a macro of nvcc": (({"h.cuh": "#ifndef __CUDA_UTILITIES_H__\n#define __CUDA_UTILITIES_H__\n" + KERNEL.replace("k", "other") + "#endif\n", "s.cu": '#include "h.cuh"\n' + KERNEL}, ["s.cu", "--whole-program"]), None),
    "what all compilers of CUDA define": (one("#if defined(__CUDACC__) && defined(__NVCC__)\n#define SIZE n\n#endif\n" + SIZED), 1),
    "printf from an architecture on": (one("#include <stdio.h>\n__global__ void k(int n) {\n#if __CUDA_ARCH__ >= 200\n    printf(\"%d\", n);\n#endif\n    free(malloc(n));\n}\n"), 1),
    "both sides": (one("__host__ __device__ int size(int n) {\n#ifdef __CUDA_ARCH__\n    return n;\n#else\n    return n + 1;\n#endif\n}\n"
                       "__global__ void k(int n) { free(malloc(size(n))); }\n"), 1),
    "one architecture": (one("__global__ void k(int n) {\n#if __CUDA_ARCH__ >= 800\n    n = threadIdx.x;\n#endif\n    free(malloc(n));\n}\n", "--", "-arch=sm_70"), 1),
    "another architecture": (one("__global__ void k(int n) {\n#if __CUDA_ARCH__ >= 800\n    n = threadIdx.x;\n#endif\n    free(malloc(n));\n}\n", "--", "-arch", "sm_90"), "its arguments may differ"),
    "architectures that agree": (one("__global__ void k(int n) {\n#if __CUDA_ARCH__ >= 800\n    n = threadIdx.x;\n#endif\n    free(malloc(n));\n}\n", "--",
                                     "--generate-code", "arch=compute_60,code=sm_60", "-gencode", "arch=compute_75,code=sm_75"), 1),
    "options of a whole command": (one("#ifdef __CUDACC_RDC__\n#define SIZE n\n#else\n#define SIZE threadIdx.x\n#endif\n" + SIZED, "--", "-rdc=true", "-c"), 1),
    "the same by -dc": (one("#ifdef __CUDACC_RDC__\n#define SIZE n\n#else\n#define SIZE threadIdx.x\n#endif\n" + SIZED, "--", "-dc"), 1),
    "noinline": (one("#include <memory>\n#include <regex>\n__noinline__ __device__ int f(int n) { return n; }\n__attribute__((__noinline__)) void g() {}\n"
                     "__global__ void k(int n) { free(malloc(f(n))); }\n"), 1),
    "a byte order mark": (one("\ufeff" + KERNEL), 1),
    "CRLF": (one(KERNEL.replace("\n", "\r\n").replace("{", "{\r\n")), 1),
    "brackets with spaces": (one(KERNEL + "int main() { k << <1, 2 >> > (3); }\n"), 1),
    ".cuh": (one(KERNEL, name="s.cuh"), 1),
    ".CU": (one(KERNEL, name="s.CU"), 1),
    ".cpp": (one(KERNEL, "--", "-x", "cu", name="s.cpp"), 1),
    ".cpp with -x=cu": (one(KERNEL, "--", "-x=cu", name="s.cpp"), 1),
    "options": (one("__global__ void k(int n) { void* p = malloc(A + B + C + D + E); free(p); }\n", "--", "-DA=1", "-D", "B=2", "--define-macro", "C=3",
                    "--define-macro=D=4", "-Xcompiler", "-fPIC,-DE=5", "-Xptxas=-v", "--ptxas-options", "-O3", "-gencode", "arch=compute_70,code=sm_70",
                    "-rdc=true", "--expt-relaxed-constexpr", "--extended-lambda", "-lineinfo", "-use_fast_math", "-maxrregcount", "32", "-std", "c++14",
                    "-O3", "-lcurand", "-L/none", "-t4", "-Xcudafe", "--diag_suppress=1", "-ccbin", "g++", "-MD", "-MT", "s.o", "-MF", "s.d",
                    "-Wno-deprecated-gpu-targets", "--default-stream=per-thread", "-o", "s.o", "-c", "s.cu"), 1),
    "folders": (({"a/a.cuh": "#define A 1\n", "b/b.cuh": "#define B 2\n", "c/c.cuh": "#define C 3\n",
                  "s.cu": '#include "a.cuh"\n#include "b.cuh"\n#include <c.cuh>\n__global__ void k() { free(malloc(A + B + C)); }\n'},
                 ["s.cu", "--", "-Ia", "--include-path", "b", "-isystem=c"]), 1),
    "a file of options": (({"o.txt": "-DSIZE=n\n-arch=sm_70", "s.cu": SIZED}, ["s.cu", "--", "--options-file", "o.txt"]), 1),
    "a standard": (one("#if __cplusplus != 201402L\n#error\n#endif\n" + KERNEL, "--", "--std=c++14"), 1),
    "several files": (({"s.cu": KERNEL, "t.cu": KERNEL}, ["s.cu", "t.cu"]), 2),
    "a whole program": (({"s.cu": "__device__ void* kept;\n__global__ void k(int n) { kept = malloc(n); }\n",
                          "t.cu": "extern __device__ void* kept;\n__global__ void d() { free(kept); }\n"}, ["s.cu", "t.cu", "--whole-program"]), "+    free|coalesced::free(kept)"),
    "a whole program with a free in a macro": (({"s.cu": "__device__ void* kept;\n__global__ void k(int n) { kept = malloc(n); }\n",
                                                 "t.cu": "#define DROP(p) free(p)\nextern __device__ void* kept;\n__global__ void d() { DROP(kept); }\n"},
                                                ["s.cu", "t.cu", "--whole-program"]), "!has a free that cannot be rewritten"),
    "several files that share the registry": (({"s.cu": KERNEL, "t.cu": KERNEL}, ["s.cu", "t.cu", "--whole-program"]), "+|#include <rhizome_coalesced_program.cuh>"),
    "several files to one": (({"s.cu": KERNEL, "t.cu": KERNEL}, ["s.cu", "t.cu", "-o", "u.cu"]), "!several sources"),
    "no toolkit": (one(KERNEL, "--cuda-path", "/none"), "!no cuda_runtime_api.h there"),
    "no database": (one(KERNEL, "-p", "none"), "!cannot read none/compile_commands.json"),
    "a database": (({"s.cu": SIZED, "compile_commands.json": json.dumps([
        {"directory": ".", "file": "s.cu", "command": "/usr/local/cuda/bin/nvcc -forward-unknown-to-host-compiler -DSIZE=\\\"abc\\\"[0] --generate-code=arch=compute_90,code=[sm_90] -x cu -c s.cu -o s.o"}])},
        ["s.cu", "-p", "."]), 1),
    "a database with two commands that differ": (({"s.cu": SIZED, "compile_commands.json": json.dumps([
        {"directory": ".", "file": "s.cu", "arguments": ["nvcc", f"-DSIZE={size}", "-c", "s.cu"]} for size in ("n", "threadIdx.x")])},
        ["s.cu", "-p", "."]), "!several commands"),
    "a database without the file": (({"s.cu": KERNEL, "compile_commands.json": "[]"}, ["s.cu", "-p", "."]), "!no command for s.cu"),
}

# What CUDA's own headers declare.
toolkit_only = {
    "version": (one("#if CUDART_VERSION >= 9000 && __CUDACC_VER_MAJOR__ > 8\n#define SIZE n\n#else\n#define SIZE threadIdx.x\n#endif\n" + SIZED), 1),
    "mathematics": (one("__global__ void k(float x, double y, long z, float* out) { void* p = malloc(size_t(sqrtf(x) + __expf(x) + powf(x, 2.f) + fabsf(x) + fmaxf(x, 1.f) +"
                        " floorf(x) + abs(z) + abs(x) + sqrt(y) + sqrt(x) + pow(y, 2.0) + __float_as_int(x) + __longlong_as_double(z) + __popc(z) + __fmaf_rn(x, x, x) +"
                        " rsqrt(y) + erf(y) + min(z, 3l) + max(x, 1.f) + isnan(x) + fma(y, y, y) + __dadd_rn(y, y) + __umulhi(3u, 4u) + __funnelshift_l(1, 2, 3)));"
                        " float s, c; sincosf(x, &s, &c); out[0] = s + c; free(p); }\n"), 1),
    "vectors": (one("__global__ void k(float4* out, int n) { float4 v = make_float4(1, 2, 3, n); out[n] = v; uint3 u = make_uint3(1, 2, 3); free(malloc(u.x)); }\n"), 1),
    "the C library": (one("#include <assert.h>\n#include <string.h>\n#include <time.h>\n__global__ void k(int n, char const* s, long long* out) { char* p = (char*)malloc(n); memset(p, 0, n);"
                          " memcpy(p, s, n); out[0] = clock() + clock64() + memcmp(p, s, n) + strlen(s); assert(n > 0); printf(\"%d\", n); free(p); }\n"), 1),
    "shuffles": (one("__global__ void k(int n, int* out) { out[threadIdx.x] = __shfl_sync(~0u, n, 0) + __shfl_xor_sync(~0u, n, 1) + __ballot_sync(~0u, n);"
                     " free(malloc(n)); }\n"), 1),
    "groups": (one("#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n__global__ void k(int n, int* out) { auto b = cg::this_thread_block();"
                   " auto t = cg::tiled_partition<32>(b); void* p = malloc(n); b.sync(); t.sync(); out[b.thread_rank()] = t.shfl(n + 0, 0); free(p); }\n"), 1),
    "a barrier of a group that some reach": (one("#include <cooperative_groups.h>\n__global__ void k(int n) { auto b = cooperative_groups::this_thread_block();"
                                                 " if (threadIdx.x == 1) b.sync(); free(malloc(n)); }\n"), "a barrier that only some threads reach"),
    "a rank in a group": (one("#include <cooperative_groups.h>\n__global__ void k(int n) { auto b = cooperative_groups::this_thread_block(); free(malloc(b.thread_rank() + 1)); }\n"), "its arguments may differ"),
    "half": (one("#include <cuda_fp16.h>\n__global__ void k(int n, __half* out) { __half h = __hadd(out[0], __float2half(2.f)); out[1] = __hmul(h, h); free(malloc(n)); }\n"), 1),
    "random numbers": (one("#include <curand_kernel.h>\n__global__ void k(int n, float* out) { curandState s; curand_init(1, threadIdx.x, 0, &s); out[0] = curand_uniform(&s) + curand_normal(&s);"
                           " free(malloc(n)); }\n"), 1),
    "a random size": (one("#include <curand_kernel.h>\n__global__ void k(curandState* s) { free(malloc(curand(s))); }\n"), "its arguments may differ"),
    "atomics of the library": (one("#include <cuda/atomic>\n__global__ void k(int n, int* flag) { cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag); f.wait(0); free(malloc(n)); }\n"), "may wait for other threads"),
    "runtime and driver": (one("#include <cuda.h>\n" + KERNEL + "int main() { size_t a, b; cudaDeviceGetLimit(&a, cudaLimitMallocHeapSize); cudaMemGetInfo(&a, &b); cudaFuncAttributes f;"
                               " cudaFuncGetAttributes(&f, k); cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 1); int v; cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 0);"
                               " CUdevice d; CUcontext c; CUdeviceptr p; cuInit(0); cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); k<<<1, 2, 0, s>>>(3); }\n"), 1),
    "thrust and CUB": (one("#include <thrust/device_vector.h>\n#include <thrust/sort.h>\n#include <cub/cub.cuh>\n" + KERNEL +
                           "int main() { thrust::device_vector<int> v(3); thrust::sort(v.begin(), v.end()); k<<<1, 2>>>(3); }\n"), 1),
    "the C++ library": (one("#include <iostream>\n#include <map>\n#include <memory>\n#include <random>\n#include <regex>\n#include <thread>\n#include <stdexcept>\n"
                            "struct mine : std::runtime_error { using runtime_error::runtime_error; char const* what() const noexcept override { return \"\"; } };\n" + KERNEL +
                            "int main() { std::map<int, int> m; std::regex r(\"a\"); std::unique_ptr<int> u(new int); std::cout << m.size(); auto f = [=] __device__(int x) { return x; }; (void)f; }\n"), 1),
    "placement": (one("#include <new>\nstruct pair { int a, b; };\n__global__ void k(pair* at, int n) { new (at) pair{1, 2}; free(malloc(n)); }\n"), None),
    "leniency of nvcc": (one("__host__ __device__ void f() { __threadfence(); }\nstruct s { int v; };\n__host__ __device__ void g();\n__device__ void g() {}\n" + KERNEL), 1),
    "a parameter for a function with two declarations": (one("__host__ __device__ void* make(int n);\n__device__ void* make(int n) { return malloc(n); }\n__global__ void k(int n) { free(make(n)); }\n",
                                                             "--whole-program"), "left alone"),
}


# The lists of the tool. Names for other host compilers are no functions here.
lists = pathlib.Path(__file__).resolve().parents[2] / "coalesce"
OTHER_COMPILERS = re.compile(r"_[A-Z]\w+|__[A-Z]+_BITS|_f?dsign|_ldsign|_hypotf?|__cmath_power|__pow_helper|__is(finite|inf|nan)[df]?|__libcpp_\w+|__signbitd")
functions = [name for name in re.findall(r'"(\w+)"', (lists / "cuda_functions.inc").read_text()) if not OTHER_COMPILERS.fullmatch(name)]
toolkit_only["all functions of the list"] = (one("".join(f"#include <{header}.h>\n" for header in ("cuda_fp16", "cuda_bf16", "cuda_fp8", "cuComplex")) + "namespace listed {\n"
                                                 + "".join(f"using ::{name};\n" for name in functions) + "}\n" + KERNEL, "--", "-ferror-limit=0"), 1)
# An option that takes a value, and is taken for one that takes none, makes the value a source.
NEED_A_FILE = {"options-file", "pre-include", "x", "std", "help", "version", "dryrun", "list-gpu-code", "list-gpu-arch", "gpu-architecture", "gpu-code", "generate-code", "machine"}
options_of_nvcc = re.findall(r'\{"([\w-]+)", "([\w-]+)", (true|false)\}', (lists / "nvcc_options.inc").read_text())
judged["all options of nvcc"] = (one(KERNEL, "--", *(word for name, _, has_value in options_of_nvcc if name not in NEED_A_FILE
                                                     for word in ["--" + name] + ["A"] * (has_value == "true")), "s.cu"), 1)


def check_options_of(nvcc, errors):
    """The list has each option that nvcc lists, and no other."""
    text = subprocess.run([nvcc, "--help"], capture_output=True, text=True).stdout
    listed = re.findall(r"^--([\w-]+)( *<[^>]*>(?:,\.\.\.)?)?\s+\(-([\w-]+)\)", text, re.M)
    if len(listed) < 100:
        errors.append(f"only {len(listed)} options in nvcc --help")
    for name, value, short in listed:
        if (name, short, "true" if value else "false") not in options_of_nvcc:
            errors.append(f"nvcc lists --{name}{value} (-{short}), nvcc_options.inc does not")


def opposite(case):
    """The same with the two sides of its condition exchanged: one of them must be refused for what it depends on."""
    files, arguments = case
    swap = lambda text: text.replace("SIZE threadIdx.x", "SIZE @").replace("SIZE 4", "SIZE threadIdx.x").replace("SIZE @", "SIZE 4").replace(">= 800", "< 800")
    return {file: swap(text) for file, text in files.items()}, arguments


def check_doubt(name, case, macro, options, errors):
    said = []
    for each in (case, opposite(case)):
        check(name, each, 0, options, errors, said)
    if not any(f"it depends on {macro}" in text for text in said):
        errors.append(f"{name}: no reason names {macro}\n{said[0]}")


def check(name, case, expected, options, errors, heard=None):
    files, arguments = case
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for file, text in files.items():
            (root / file).parent.mkdir(exist_ok=True, parents=True)
            (root / file).write_bytes(text.encode())
        if "-p" in arguments and (root / "compile_commands.json").exists():
            database = json.loads((root / "compile_commands.json").read_text())
            for entry in database:
                entry["directory"] = str(root)
            (root / "compile_commands.json").write_text(json.dumps(database))
        mode = [] if "-o" in arguments[:arguments.index("--") if "--" in arguments else None] else ["--dry-run"]
        before = [] if "--cuda-path" in arguments else options
        run = subprocess.run([tool, *mode, "--header-cache", header_cache, *before, *arguments], cwd=root, capture_output=True)
    said, diff = run.stderr.decode(errors="replace"), run.stdout.decode(errors="replace")
    if heard is not None:
        heard.append(said)
    count = sum(int(line.split()[1]) for line in said.splitlines() if line.endswith("allocation calls rewritten"))
    fails = isinstance(expected, str) and expected.startswith("!")
    if (run.returncode != 0) != fails:
        errors.append(f"{name}: exit status {run.returncode}\n{said}")
    elif isinstance(expected, int) and count != expected:
        errors.append(f"{name}: {count} calls rewritten instead of {expected}\n{said}")
    elif isinstance(expected, str) and expected.startswith("+"):
        if expected.split("|")[1] not in diff:
            errors.append(f"{name}: the diff is\n{diff}")
    elif isinstance(expected, str) and (expected.lstrip("!") not in said or count != 0):
        errors.append(f"{name}: expected {expected}\n{said}")
    elif isinstance(expected, int) and expected > 0 and (diff.count("#include <rhizome_coalesced_malloc.cuh>") != len({f for f in arguments if f in files and not f.endswith('.txt')}) or "\r" in str(files) and "\r" not in diff):
        errors.append(f"{name}: the diff is\n{diff}")


errors = []
ways = [("declarations of the tool", ["--cuda-path", "none"])]
has_toolkit = subprocess.run([tool, "--cuda-path", os.environ.get("CUDA_PATH", "/usr/local/cuda"), "none.cu"], capture_output=True, text=True).stderr.count("no such file: none.cu") == 1
if has_toolkit:
    ways.append(("CUDA's headers", []))
jobs = []
for way, options in ways:
    # Text decides them. A run that does less of the work reads CUDA's headers for the other cases only.
    if not (options == [] and float(os.environ.get("RHIZOME_TEST_SCALE", "1")) < 1):
        jobs += [(check_doubt, f"doubt: {n} ({way})", *case, options, errors) for n, case in doubts.items()]
    jobs += [(check, f"{n} ({way})", *case, options, errors) for n, case in judged.items()]
if shutil.which("nvcc"):
    jobs.append((check_options_of, "nvcc", errors))
if has_toolkit:
    jobs += [(check, n, *case, [], errors) for n, case in toolkit_only.items()]
else:
    jobs.append((check_doubt, "version, of which only a stand-in is known", one("#if CUDART_VERSION >= 9000\n" + TWO_SIZES), "CUDART_VERSION", [], errors))
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for done in [pool.submit(*job) for job in jobs]:
        done.result()
number = len(jobs)
print("\n".join(errors))
print(f"{number} cases, {len(errors)} errors" + ("" if has_toolkit else "; no CUDA Toolkit: cases of its headers left out"))
sys.exit(1 if errors else 0)
