// SPDX-License-Identifier: Apache-2.0
// Kernels that a program compiles while it runs call rhizome_malloc: NVRTC compiles them, nvJitLink links
// them with rhizome_malloc.ltoir. Neither needs a GPU. Where there is one, the kernels run.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <nvJitLink.h>
#include <nvrtc.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#if defined(RHIZOME_RUNS_MODULE)
#include <rhizome/malloc.cuh>
#endif

namespace {

using bytes = std::vector<char>;

constexpr std::string_view kernels = R"(
#include <rhizome/malloc.cuh>
struct list { unsigned* items; unsigned count; };
extern "C" __global__ void fill(list* lists, unsigned count) {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    lists[i].count = i % 100 + 1;
    lists[i].items = static_cast<unsigned*>(rhizome_malloc(4 * lists[i].count));
    if (lists[i].items == nullptr) return;
    for (unsigned k = 0; k < lists[i].count; ++k) lists[i].items[k] = i + k;
    lists[i].items = static_cast<unsigned*>(rhizome_realloc(lists[i].items, 8 * lists[i].count));
}
extern "C" __device__ void rhizome_c_free(void*);
extern "C" __global__ void sum(list const* lists, unsigned count, unsigned long long* of) {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count || lists[i].items == nullptr) return;
    unsigned long long mine = 0;
    for (unsigned k = 0; k < lists[i].count; ++k) mine += lists[i].items[k];
    atomicAdd(of, mine);
    if (i % 2 == 0)
        rhizome_free(lists[i].items);
    else
        rhizome_c_free(lists[i].items);
}
)";

[[nodiscard]] bytes content_of(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    return bytes(std::istreambuf_iterator<char>(file), {});
}

/// LTO-IR of a source. Throws with NVRTC's messages.
[[nodiscard]] bytes compiled(std::string_view source) {
    nvrtcProgram program{};
    if (nvrtcCreateProgram(&program, std::string(source).c_str(), "kernels.cu", 0, nullptr, nullptr) !=
        NVRTC_SUCCESS)
        throw std::runtime_error("NVRTC makes no program");
    std::vector<char const*> const options{"-std=c++17", "-rdc=true", "-dlto",
                                           "-arch=compute_" RHIZOME_MODULE_ARCHITECTURE,
                                           "-I" RHIZOME_MODULE_HEADERS};
    nvrtcResult const result = nvrtcCompileProgram(program, static_cast<int>(options.size()), options.data());
    std::size_t size = 0;
    nvrtcGetProgramLogSize(program, &size);
    std::string messages(size, ' ');
    nvrtcGetProgramLog(program, messages.data());
    if (result != NVRTC_SUCCESS) throw std::runtime_error(messages);
    nvrtcGetLTOIRSize(program, &size);
    bytes code(size);
    nvrtcGetLTOIR(program, code.data());
    nvrtcDestroyProgram(&program);
    return code;
}

/// Machine code of all parts together. Throws with the linker's messages.
[[nodiscard]] bytes linked(std::vector<bytes> const& parts, std::string const& architecture) {
    nvJitLinkHandle linker{};
    std::string const arch = "-arch=" + architecture;
    std::vector<char const*> options{"-lto", arch.c_str()};
    if (nvJitLinkCreate(&linker, static_cast<std::uint32_t>(options.size()), options.data()) !=
        NVJITLINK_SUCCESS)
        throw std::runtime_error("nvJitLink does not begin");
    nvJitLinkResult result = NVJITLINK_SUCCESS;
    for (bytes const& part : parts)
        if (result == NVJITLINK_SUCCESS)
            result = nvJitLinkAddData(linker, NVJITLINK_INPUT_ANY, part.data(), part.size(), "part");
    if (result == NVJITLINK_SUCCESS) result = nvJitLinkComplete(linker);
    std::size_t size = 0;
    nvJitLinkGetErrorLogSize(linker, &size);
    std::string messages(size, ' ');
    nvJitLinkGetErrorLog(linker, messages.data());
    if (result != NVJITLINK_SUCCESS) throw std::runtime_error(messages);
    nvJitLinkGetLinkedCubinSize(linker, &size);
    bytes code(size);
    nvJitLinkGetLinkedCubin(linker, code.data());
    nvJitLinkDestroy(&linker);
    return code;
}

[[nodiscard]] bool names(bytes const& code, std::string_view name) {
    return std::search(code.begin(), code.end(), name.begin(), name.end()) != code.end();
}

TEST(malloc_module, links_with_kernels_that_are_compiled_at_run_time) {
    bytes const library = content_of(RHIZOME_MODULE);
    ASSERT_FALSE(library.empty()) << RHIZOME_MODULE;
    bytes const own = compiled(kernels);
    bytes const code = linked({own, library}, "sm_" RHIZOME_MODULE_ARCHITECTURE);
    EXPECT_TRUE(names(code, "rhizome_malloc_heap")) << "the variable that the host fills";
    EXPECT_TRUE(names(code, "fill"));
    EXPECT_THROW(static_cast<void>(linked({own}, "sm_" RHIZOME_MODULE_ARCHITECTURE)), std::runtime_error)
        << "the functions come from the module";
}

#if defined(RHIZOME_RUNS_MODULE)

void check(cudaError_t result) {
    if (result != cudaSuccess)
        throw std::runtime_error(std::string(cudaGetErrorString(result)) + ": " + rhizome_malloc_error());
}

TEST(malloc_module, serves_a_module_that_is_loaded_at_run_time) {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) GTEST_SKIP() << "no GPU";
    cudaDeviceProp about{};
    check(cudaGetDeviceProperties(&about, 0));
    bytes const code = linked({compiled(kernels), content_of(RHIZOME_MODULE)},
                              "sm_" + std::to_string(about.major * 10 + about.minor));
    cudaLibrary_t module{};
    check(cudaLibraryLoadData(&module, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    void* variable = nullptr;
    std::size_t variable_bytes = 0;
    check(cudaLibraryGetGlobal(&variable, &variable_bytes, module, "rhizome_malloc_heap"));
    check(rhizome_malloc_lend(variable, variable_bytes)); // there is no heap yet
    rhizome_malloc_options options;
    options.heap_bytes = 32u << 20;
    options.checked = true;
    check(rhizome_malloc_init(options));
    EXPECT_EQ(rhizome_malloc_lend(variable, variable_bytes - 8), cudaErrorInvalidValue);
    EXPECT_EQ(rhizome_malloc_lend(nullptr, variable_bytes), cudaErrorInvalidValue);
    check(rhizome_malloc_lend(variable, variable_bytes));
    check(rhizome_malloc_grow(32u << 20));
    check(rhizome_malloc_lend(variable, variable_bytes));

    unsigned count = 10'000;
    void* lists = nullptr;
    std::uint64_t* found = nullptr;
    check(cudaMalloc(&lists, 16 * count));
    check(cudaMallocManaged(reinterpret_cast<void**>(&found), sizeof *found));
    *found = 0;
    std::uint64_t expected = 0;
    for (std::uint64_t i = 0; i < count; ++i)
        for (std::uint64_t k = 0; k <= i % 100; ++k)
            expected += i + k;
    auto const launch = [&](char const* name, void** arguments) {
        cudaKernel_t kernel{};
        check(cudaLibraryGetKernel(&kernel, module, name));
        check(cudaLaunchKernel(reinterpret_cast<void const*>(kernel), dim3((count + 255) / 256), dim3(256),
                               arguments, 0, nullptr));
        check(cudaDeviceSynchronize());
    };
    void* to_fill[] = {&lists, &count};
    launch("fill", to_fill);
    rhizome_malloc_leaks leaks{};
    check(rhizome_malloc_report_leaks(stderr, &leaks));
    EXPECT_EQ(leaks.blocks, count);
    void* to_sum[] = {&lists, &count, &found};
    launch("sum", to_sum);
    EXPECT_EQ(*found, expected);
    check(rhizome_malloc_report_leaks(stderr, &leaks));
    EXPECT_EQ(leaks.blocks, 0u);
    EXPECT_EQ(leaks.mistakes, 0u);
    check(rhizome_malloc_destroy());
    check(rhizome_malloc_lend(variable, variable_bytes));
    launch("fill", to_fill);
    *found = 0;
    launch("sum", to_sum);
    EXPECT_EQ(*found, 0u) << "without a heap, each request is refused";
    check(cudaFree(lists));
    check(cudaFree(found));
    check(cudaLibraryUnload(module));
}

#endif

} // namespace
