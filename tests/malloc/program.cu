// SPDX-License-Identifier: Apache-2.0
// A program of a user in two files: C++17, plain kernels, no other header of Rhizome. Checks on a GPU what
// malloc.cuh promises; ends with 77 where there is none. Where nothing can run, tests/install compiles and
// links it: the linker refuses kernels that have fewer registers than a function that they call.
//
// RHIZOME_CHURN_OPERATIONS=N: also makes N requests, reallocations and frees (a tenth in checked mode),
// checks the contents of every block, and prints how long that took.
//
// malloc_program refused_new: checks that new on a full heap ends the kernel, after which the device cannot
// be used.
#include "program.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

__device__ unsigned long long wrong;
__device__ unsigned long long served;

namespace {

int failures = 0;

void expect(bool holds, char const* what) {
    if (holds) return;
    std::printf("failed: %s\n", what);
    ++failures;
}
void expect_success(cudaError_t result, char const* call) {
    if (result == cudaSuccess) return;
    std::printf("failed: %s: %s: %s\n", call, cudaGetErrorString(result), rhizome_malloc_error());
    ++failures;
}
#define SUCCEEDS(call) expect_success(call, #call)

unsigned long long read_and_clear(unsigned long long const& symbol) {
    unsigned long long value = 0;
    unsigned long long const zero = 0;
    SUCCEEDS(cudaMemcpyFromSymbol(&value, symbol, sizeof value));
    SUCCEEDS(cudaMemcpyToSymbol(symbol, &zero, sizeof zero));
    return value;
}

__device__ unsigned next_random(unsigned long long& state) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<unsigned>(state >> 33);
}

/// Threads of any shape of block and grid hold four blocks each, whose contents tell overlaps.
__device__ void churn_blocks(unsigned operations, unsigned seed) {
    unsigned const block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned const rank = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z) +
                          block * blockDim.x * blockDim.y * blockDim.z;
    unsigned long long random = (rank + (static_cast<unsigned long long>(seed) << 32)) * 7919ull + 1;
    unsigned char* at[4] = {};
    unsigned bytes[4] = {};
    auto const mark = [&](unsigned slot) { return static_cast<unsigned char>(1 + (rank * 4 + slot) % 255); };
    auto const check = [&](unsigned slot, unsigned most) {
        for (unsigned k = 0; k < most; ++k)
            if (at[slot][k] != mark(slot)) atomicAdd(&wrong, 1ull);
    };
    for (unsigned i = 0; i < operations; ++i) {
        unsigned const slot = next_random(random) % 4;
        unsigned const kind = next_random(random) % 256;
        unsigned const size = 1 + next_random(random) % (kind == 0 ? 40000 : kind < 8 ? 8192 : 300);
        if (at[slot] != nullptr) check(slot, bytes[slot]);
        if (at[slot] == nullptr) {
            void* made = nullptr;
            unsigned const way = next_random(random) % 4;
            unsigned alignment = 16;
            if (way == 0) {
                alignment = 16u << next_random(random) % 10;
                made = rhizome_aligned_alloc(alignment, size);
            } else if (way == 1) {
                made = rhizome_calloc(size, 1);
                for (unsigned k = 0; made != nullptr && k < size; ++k)
                    if (static_cast<unsigned char*>(made)[k] != 0) atomicAdd(&wrong, 1ull);
            } else {
                made = rhizome_malloc(size);
            }
            if (made != nullptr) atomicAdd(&served, 1ull);
            if (reinterpret_cast<unsigned long long>(made) % alignment != 0) atomicAdd(&wrong, 1ull);
            at[slot] = static_cast<unsigned char*>(made);
        } else if (kind % 3 == 0) {
            void* const moved = rhizome_realloc(at[slot], size);
            if (moved == nullptr) continue;
            at[slot] = static_cast<unsigned char*>(moved);
            check(slot, bytes[slot] < size ? bytes[slot] : size);
        } else {
            rhizome_free(at[slot]);
            at[slot] = nullptr;
        }
        bytes[slot] = at[slot] == nullptr ? 0 : size;
        for (unsigned k = 0; k < bytes[slot]; ++k)
            at[slot][k] = mark(slot);
    }
    for (unsigned slot = 0; slot < 4; ++slot) {
        check(slot, bytes[slot]);
        rhizome_free(at[slot]);
    }
}

__global__ void churn(unsigned operations, unsigned seed) { churn_blocks(operations, seed); }
/// Links only if the functions of the heap take at most 64 registers.
__global__ void __launch_bounds__(1024) churn_within_bounds(unsigned operations) {
    churn_blocks(operations, 0);
}

/// Each thread hangs a node into a list by new; frees walk over nodes of other threads.
__global__ void push(node** lists) {
    node* const made = new node{nullptr, threadIdx.x};
    auto* const head = reinterpret_cast<unsigned long long*>(&lists[blockIdx.x]);
    made->next = reinterpret_cast<node*>(atomicExch(head, reinterpret_cast<unsigned long long>(made)));
}

/// Threads exchange blocks through a few slots, without a fence of their own, and free what they get: the
/// block of another thread, mostly. Without launch bounds; launched with 1024 threads.
__global__ void hand_over(unsigned long long* slots, unsigned count, unsigned rounds) {
    unsigned long long random = (blockIdx.x * blockDim.x + threadIdx.x) * 7919ull + 1;
    for (unsigned i = 0; i < rounds; ++i) {
        unsigned const kind = next_random(random) % 64;
        void* const made = rhizome_malloc(kind == 0 ? 20000 : 1 + next_random(random) % 2000);
        if (made != nullptr) atomicAdd(&served, 1ull);
        unsigned long long& slot = slots[next_random(random) % count];
        unsigned long long const got = atomicExch(&slot, reinterpret_cast<unsigned long long>(made));
        free_elsewhere(reinterpret_cast<void*>(got));
    }
}
__global__ void free_all(unsigned long long* slots, unsigned count) {
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
        free_elsewhere(reinterpret_cast<void*>(slots[i]));
}
__global__ void new_until_refused() {
    for (;;)
        new wide;
}

constexpr unsigned leak_line = __LINE__ + 2;
__global__ void leak(void** first) {
    void* const block = rhizome_malloc(24);
    if (threadIdx.x == 0) {
        *first = block;
        leak_in_header();
    }
}
constexpr unsigned free_line = __LINE__ + 3;
__global__ void free_twice(void** first) {
    rhizome_free(*first);
    rhizome_free(*first);
}

__global__ void use_up(std::size_t bytes) {
    if (rhizome_malloc(bytes) != nullptr) atomicAdd(&served, 1ull);
}

void churn_with(bool checked) {
    rhizome_malloc_options options;
    options.heap_bytes = std::size_t{1} << 30;
    options.checked = checked;
    SUCCEEDS(rhizome_malloc_init(options));
    churn<<<dim3(8, 4, 2), dim3(8, 4, 8)>>>(200, 0);
    SUCCEEDS(cudaGetLastError());
    churn_within_bounds<<<dim3(8, 2), dim3(32, 32)>>>(50);
    SUCCEEDS(cudaGetLastError());
    SUCCEEDS(cudaDeviceSynchronize());
    expect(read_and_clear(wrong) == 0, "blocks keep their contents and alignment");
    expect(read_and_clear(served) > 16384, "the heap serves requests");

    node** lists = nullptr;
    SUCCEEDS(cudaMalloc(&lists, 64 * sizeof(node*)));
    SUCCEEDS(cudaMemset(lists, 0, 64 * sizeof(node*)));
    push<<<64, 256>>>(lists);
    drop<<<64, 32>>>(lists);
    expect(read_and_clear(wrong) == 0, "new aligns objects");
    expect(read_and_clear(served) == 64 * 256, "delete frees the nodes of other threads");
    SUCCEEDS(cudaFree(lists));

    constexpr unsigned slots = 256;
    unsigned long long* handed = nullptr;
    SUCCEEDS(cudaMalloc(&handed, slots * sizeof *handed));
    SUCCEEDS(cudaMemset(handed, 0, slots * sizeof *handed));
    hand_over<<<32, 1024>>>(handed, slots, 50);
    SUCCEEDS(cudaGetLastError());
    free_all<<<1, 256>>>(handed, slots);
    SUCCEEDS(cudaDeviceSynchronize());
    expect(read_and_clear(served) == 32 * 1024 * 50, "the heap serves blocks that are handed over");
    SUCCEEDS(cudaFree(handed));

    rhizome_malloc_leaks leaks{};
    rhizome_malloc_usage usage{};
    SUCCEEDS(rhizome_malloc_report_leaks(stdout, &leaks));
    SUCCEEDS(rhizome_malloc_statistics(&usage));
    expect(leaks.blocks == 0 && leaks.bytes == 0 && leaks.mistakes == 0, "nothing leaks");
    expect(usage.live_bytes == 0 && usage.heap_bytes >= options.heap_bytes, "the heap is empty");
    SUCCEEDS(rhizome_malloc_destroy());
}

void leaks_and_mistakes() {
    rhizome_malloc_options options;
    options.heap_bytes = std::size_t{16} << 20;
    options.checked = true;
    SUCCEEDS(rhizome_malloc_init(options));
    void** first = nullptr;
    SUCCEEDS(cudaMalloc(&first, sizeof(void*)));
    leak<<<1, 32>>>(first);
    free_twice<<<1, 1>>>(first);
    leak_once<<<1, 1>>>();
    std::FILE* const file = std::tmpfile();
    rhizome_malloc_leaks leaks{};
    SUCCEEDS(rhizome_malloc_report_leaks(file, &leaks));
    std::rewind(file);
    char text[4096] = {};
    static_cast<void>(std::fread(text, 1, sizeof text - 1, file));
    std::fclose(file);
    std::printf("%s", text);
    expect(leaks.blocks == 33 && leaks.bytes == 31 * 24 + 2 * 40 && leaks.mistakes == 1, "leaks are counted");
    std::string const in_header = "2 blocks, 80 bytes not freed: allocated at malloc/program.hpp:";
    expect(std::strstr(text, (in_header + std::to_string(shared_leak_line)).c_str()) != nullptr,
           "a place in a header has one line");
    expect(rhizome_malloc_report_leaks(nullptr) == cudaErrorInvalidValue, "a report needs a file");
    expect(std::strstr(text, ("program.cu:" + std::to_string(leak_line)).c_str()) != nullptr,
           "the report names the line that leaked");
    expect(std::strstr(text, ("program.cu:" + std::to_string(free_line)).c_str()) != nullptr,
           "the report names the line that freed twice");
    SUCCEEDS(cudaFree(first));
    SUCCEEDS(rhizome_malloc_destroy());
}

void refusal_and_growth() {
    use_up<<<1, 32>>>(16);
    SUCCEEDS(cudaDeviceSynchronize());
    expect(read_and_clear(served) == 0, "before init nothing is served");
    expect(rhizome_malloc_grow(1) == cudaErrorInitializationError, "before init nothing grows");
    expect(std::strlen(rhizome_malloc_error()) != 0, "an error has a line");

    rhizome_malloc_options options;
    options.heap_bytes = std::size_t{8} << 20;
    SUCCEEDS(rhizome_malloc_init(options));
    expect(rhizome_malloc_init(options) == cudaErrorInvalidValue, "a device has one heap");
    use_up<<<128, 128>>>(1024); // 16 MiB
    SUCCEEDS(cudaDeviceSynchronize());
    unsigned long long const before = read_and_clear(served);
    rhizome_malloc_usage usage{};
    SUCCEEDS(rhizome_malloc_statistics(&usage));
    expect(before > 4000 && before <= 8192, "a full heap refuses");
    expect(usage.refused_requests == 128 * 128 - before, "refusals are counted");
    expect(usage.live_bytes == before * 1024, "live bytes are counted");
    SUCCEEDS(rhizome_malloc_grow(std::size_t{64} << 20));
    use_up<<<128, 128>>>(1024);
    SUCCEEDS(cudaDeviceSynchronize());
    expect(read_and_clear(served) == 128 * 128, "a larger heap serves all");
    use_up<<<1, 1>>>(std::size_t{1} << 20); // above the largest page: neighbouring chunks
    SUCCEEDS(cudaDeviceSynchronize());
    expect(read_and_clear(served) == 1, "a large block is served");
    expect(rhizome_malloc_grow(~std::size_t{0} / 2) == cudaErrorMemoryAllocation, "growth may be refused");
    SUCCEEDS(rhizome_malloc_trim());
    SUCCEEDS(rhizome_malloc_destroy());
}

/// Whole launches of a GPU full of threads, until there were so many operations.
void endure(unsigned long long operations, bool checked) {
    constexpr unsigned threads = 256;
    constexpr unsigned blocks = 512;
    constexpr unsigned most_turns = 1000;
    rhizome_malloc_options options;
    options.heap_bytes = std::size_t{4} << 30;
    options.checked = checked;
    SUCCEEDS(rhizome_malloc_init(options));
    unsigned long long done = 0;
    unsigned long long requests = 0;
    auto const begin = std::chrono::steady_clock::now();
    for (unsigned launch = 0; done < operations && failures == 0; ++launch) {
        unsigned long long const wanted = (operations - done + threads * blocks - 1) / (threads * blocks);
        auto const turns = static_cast<unsigned>(wanted < most_turns ? wanted : most_turns);
        churn<<<blocks, threads>>>(turns, launch + 1);
        SUCCEEDS(cudaGetLastError());
        SUCCEEDS(cudaDeviceSynchronize());
        expect(read_and_clear(wrong) == 0, "blocks keep their contents and alignment for long");
        requests += read_and_clear(served);
        done += 1ull * turns * threads * blocks;
    }
    std::chrono::duration<double> const seconds = std::chrono::steady_clock::now() - begin;
    rhizome_malloc_usage usage{};
    rhizome_malloc_leaks leaks{};
    SUCCEEDS(rhizome_malloc_statistics(&usage));
    SUCCEEDS(rhizome_malloc_report_leaks(stdout, &leaks));
    expect(usage.live_bytes == 0 && leaks.blocks == 0 && leaks.mistakes == 0, "nothing leaks for long");
    std::printf("%s%llu operations, %llu blocks allocated, %zu requests refused, %.1f s\n",
                checked ? "checked: " : "", done, requests, usage.refused_requests, seconds.count());
    SUCCEEDS(rhizome_malloc_destroy());
}

int refused_new() {
    rhizome_malloc_options options;
    options.heap_bytes = std::size_t{8} << 20;
    SUCCEEDS(rhizome_malloc_init(options));
    new_until_refused<<<1, 1>>>();
    expect(cudaDeviceSynchronize() != cudaSuccess, "new on a full heap ends the kernel");
    return failures == 0 ? 0 : 1;
}

} // namespace

int main(int argument_count, char** arguments) {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        expect(rhizome_malloc_init() != cudaSuccess, "without a GPU, init fails");
        expect(rhizome_malloc_grow(1) != cudaSuccess, "without a GPU, growth fails");
        std::printf("%s\n", rhizome_malloc_error());
        std::fprintf(stderr, "no usable GPU\n");
        return failures == 0 ? 77 : 1;
    }
    if (argument_count > 1 && std::strcmp(arguments[1], "refused_new") == 0) return refused_new();
    refusal_and_growth();
    churn_with(false);
    churn_with(true);
    leaks_and_mistakes();
    if (char const* const asked = std::getenv("RHIZOME_CHURN_OPERATIONS")) {
        unsigned long long const operations = std::strtoull(asked, nullptr, 10);
        endure(operations, false);
        endure(operations / 10, true);
    }
    std::printf(failures == 0 ? "all checks passed\n" : "%d checks failed\n", failures);
    return failures == 0 ? 0 : 1;
}
