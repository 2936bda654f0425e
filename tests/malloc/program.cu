// SPDX-License-Identifier: Apache-2.0
// A program of a user: C++17, plain kernels, no other header of Rhizome. Checks on a GPU what malloc.cuh
// promises; ends with 77 where there is none. Where nothing can run, tests/install compiles and links it.
#define RHIZOME_MALLOC_REPLACES_NEW
#include <rhizome/malloc.cuh>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

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

__device__ unsigned long long wrong;
__device__ unsigned long long served;

unsigned long long read_and_clear(unsigned long long const& symbol) {
    unsigned long long value = 0;
    unsigned long long const zero = 0;
    SUCCEEDS(cudaMemcpyFromSymbol(&value, symbol, sizeof value));
    SUCCEEDS(cudaMemcpyToSymbol(symbol, &zero, sizeof zero));
    return value;
}

struct alignas(64) wide {
    int values[16];
};
struct node {
    node* next;
    unsigned rank;
};

__device__ unsigned next_random(unsigned long long& state) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<unsigned>(state >> 33);
}

/// Threads of any shape of block and grid hold four blocks each, whose contents tell overlaps.
__global__ void churn(unsigned operations) {
    unsigned const block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned const rank = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z) +
                          block * blockDim.x * blockDim.y * blockDim.z;
    unsigned long long random = rank * 7919ull + 1;
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

/// Each thread hangs a node into a list by new; frees walk over nodes of other threads.
__global__ void push(node** lists) {
    node* const made = new node{nullptr, threadIdx.x};
    if (made == nullptr) {
        atomicAdd(&wrong, 1ull);
        return;
    }
    auto* const head = reinterpret_cast<unsigned long long*>(&lists[blockIdx.x]);
    made->next = reinterpret_cast<node*>(atomicExch(head, reinterpret_cast<unsigned long long>(made)));
}
__global__ void drop(node** lists) {
    if (threadIdx.x != 0) return;
    for (node* each = lists[blockIdx.x]; each != nullptr;) {
        node* const next = each->next;
        delete each;
        atomicAdd(&served, 1ull);
        each = next;
    }
    wide* const aligned = new wide;
    if (reinterpret_cast<unsigned long long>(aligned) % 64 != 0) atomicAdd(&wrong, 1ull);
    delete aligned;
    int* const many = new int[100];
    many[99] = 1;
    delete[] many;
}

constexpr unsigned leak_line = __LINE__ + 2;
__global__ void leak(void** first) {
    void* const block = rhizome_malloc(24);
    if (threadIdx.x == 0) *first = block;
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
    churn<<<dim3(8, 4, 2), dim3(8, 4, 8)>>>(200);
    SUCCEEDS(cudaDeviceSynchronize());
    expect(read_and_clear(wrong) == 0, "blocks keep their contents and alignment");
    expect(read_and_clear(served) > 16384, "the heap serves requests");

    node** lists = nullptr;
    SUCCEEDS(cudaMalloc(&lists, 64 * sizeof(node*)));
    SUCCEEDS(cudaMemset(lists, 0, 64 * sizeof(node*)));
    push<<<64, 256>>>(lists);
    drop<<<64, 32>>>(lists);
    expect(read_and_clear(wrong) == 0, "new returns blocks");
    expect(read_and_clear(served) == 64 * 256, "delete frees the nodes of other threads");
    SUCCEEDS(cudaFree(lists));

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
    std::FILE* const file = std::tmpfile();
    rhizome_malloc_leaks leaks{};
    SUCCEEDS(rhizome_malloc_report_leaks(file, &leaks));
    std::rewind(file);
    char text[4096] = {};
    static_cast<void>(std::fread(text, 1, sizeof text - 1, file));
    std::fclose(file);
    std::printf("%s", text);
    expect(leaks.blocks == 31 && leaks.bytes == 31 * 24 && leaks.mistakes == 1, "leaks are counted");
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

} // namespace

int main() {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        expect(rhizome_malloc_init() != cudaSuccess, "without a GPU, init fails");
        expect(rhizome_malloc_grow(1) != cudaSuccess, "without a GPU, growth fails");
        std::printf("%s\n", rhizome_malloc_error());
        std::fprintf(stderr, "no usable GPU\n");
        return failures == 0 ? 77 : 1;
    }
    refusal_and_growth();
    churn_with(false);
    churn_with(true);
    leaks_and_mistakes();
    std::printf(failures == 0 ? "all checks passed\n" : "%d checks failed\n", failures);
    return failures == 0 ? 0 : 1;
}
