// SPDX-License-Identifier: Apache-2.0
// Compares rhizome_malloc with CUDA's malloc: each thread allocates a block, writes to it, and frees it in a
// second kernel. Prints a row per size and number of threads: milliseconds of the kernels that allocate and
// that free, median of the repetitions, and how many times faster rhizome_malloc is. The last rows are of
// requests that are refused.
//
//     rhizome_malloc_compare [--checked] [--public FILE]... [REPETITIONS]       default: 10
//
// --checked: also rhizome_malloc in checked mode, which is measured first, on a heap of its own. --public:
// also the best time of a public allocator of those that FILE records (bench/public/allocators*.csv), for as
// many threads and blocks of the same size; CUDA's malloc, which is measured, and counters that never free
// are left out.
//
// Ends with 1 if blocks overlap or a request fails that must not, with 77 without a GPU.
#include <rhizome/malloc.cuh>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

struct cudas {
    static __device__ void* allocate(std::size_t bytes) { return malloc(bytes); }
    static __device__ void release(void* block) { free(block); }
};
struct rhizomes {
    static __device__ void* allocate(std::size_t bytes) { return rhizome_malloc(bytes); }
    static __device__ void release(void* block) { rhizome_free(block); }
};

template <class Allocator>
__global__ void allocate(unsigned** blocks, unsigned threads, std::size_t bytes) {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= threads) return;
    auto* const block = static_cast<unsigned*>(Allocator::allocate(bytes));
    if (block != nullptr) *block = i;
    blocks[i] = block;
}
template <class Allocator>
__global__ void release(unsigned** blocks, unsigned threads) {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < threads) Allocator::release(blocks[i]);
}
/// Each thread takes blocks until the heap of rhizome_malloc refuses one. They are not freed.
__global__ void use_up(std::size_t bytes) {
    while (rhizome_malloc(bytes) != nullptr) {
    }
}
/// Counts blocks that are missing, and those whose first word another thread has overwritten.
__global__ void check(unsigned* const* blocks, unsigned threads, unsigned* missing, unsigned* overwritten) {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= threads) return;
    if (blocks[i] == nullptr)
        atomicAdd(missing, 1);
    else if (*blocks[i] != i)
        atomicAdd(overwritten, 1);
}

void succeeds(cudaError_t result) {
    if (result == cudaSuccess) return;
    std::fprintf(stderr, "%s %s\n", cudaGetErrorString(result), rhizome_malloc_error());
    std::exit(1);
}

template <class Launch>
float milliseconds(Launch&& launch) {
    static cudaEvent_t begin = nullptr, end = nullptr;
    if (begin == nullptr) {
        succeeds(cudaEventCreate(&begin));
        succeeds(cudaEventCreate(&end));
    }
    succeeds(cudaEventRecord(begin));
    launch();
    succeeds(cudaEventRecord(end));
    succeeds(cudaEventSynchronize(end));
    float time = 0;
    succeeds(cudaEventElapsedTime(&time, begin, end));
    return time;
}
float median(std::vector<float> times) {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

constexpr unsigned most_threads = 1'000'000;        // as recorded of public allocators
constexpr unsigned most_threads_of_cudas = 100'000; // more take minutes
unsigned** blocks = nullptr;
unsigned* counts = nullptr;

struct times {
    float allocate, release;
    unsigned missing;
};

/// One launch that is not measured, and then the repetitions.
template <class Allocator>
times measure(std::size_t bytes, unsigned threads, unsigned repetitions) {
    std::vector<float> allocates, releases;
    unsigned found[2] = {};
    unsigned const grid = (threads + 255) / 256;
    for (unsigned i = 0; i <= repetitions; ++i) {
        succeeds(cudaMemset(counts, 0, sizeof found));
        float const first = milliseconds([&] { allocate<Allocator><<<grid, 256>>>(blocks, threads, bytes); });
        check<<<grid, 256>>>(blocks, threads, counts, counts + 1);
        succeeds(cudaMemcpy(found, counts, sizeof found, cudaMemcpyDeviceToHost));
        float const second = milliseconds([&] { release<Allocator><<<grid, 256>>>(blocks, threads); });
        if (found[1] != 0) {
            std::fprintf(stderr, "%u blocks of %zu bytes overlap\n", found[1], bytes);
            std::exit(1);
        }
        if (i == 0) continue;
        allocates.push_back(first);
        releases.push_back(second);
    }
    return {median(allocates), median(releases), found[0]};
}

/// What is recorded of public allocators: the best time of each size and number of threads, and whose it is.
class recorded {
public:
    void read(std::string const& path) {
        std::ifstream file(path);
        if (!file) {
            std::fprintf(stderr, "%s cannot be read\n", path.c_str());
            std::exit(1);
        }
        std::map<std::string, std::size_t> columns;
        for (std::string line; std::getline(file, line);) {
            if (line.empty() || line[0] == '#') continue;
            std::vector<std::string> fields;
            std::istringstream text(line);
            for (std::string field; std::getline(text, field, ',');)
                fields.push_back(field);
            if (columns.empty()) {
                for (std::size_t i = 0; i < fields.size(); ++i)
                    columns[fields[i]] = i;
                continue;
            }
            auto const field = [&](char const* name) {
                auto const found = columns.find(name);
                return found == columns.end() || found->second >= fields.size() ? "" : fields[found->second];
            };
            std::string const system = field("system");
            if (field("benchmark") != "cycle" || field("value").empty() || field("allocator") == "bump" ||
                system == "CUDA malloc")
                continue;
            double const value = std::atof(field("value").c_str());
            auto& best = best_[{field("size") + "/" + field("threads"), field("measure")}];
            if (best.second.empty() || value < best.first) best = {value, system};
        }
    }
    /// "0.0840 Gallatin", or "-".
    [[nodiscard]] std::string best(std::size_t bytes, unsigned threads, char const* what) const {
        auto const found = best_.find({std::to_string(bytes) + "/" + std::to_string(threads), what});
        if (found == best_.end()) return "-";
        char text[32];
        std::snprintf(text, sizeof text, "%.3f ", found->second.first);
        return text + found->second.second;
    }

private:
    std::map<std::pair<std::string, std::string>, std::pair<double, std::string>> best_;
};

struct row {
    std::size_t bytes;
    unsigned threads;
    bool refused; ///< rhizome_malloc must refuse, or serve, all requests
    bool alone;   ///< CUDA's malloc is not measured: its heap is another one
    times in_checked_mode;
};

/// In checked mode blocks are larger: what does not fit has no times then (allocate is below 0).
times measure_ours(row const& of, unsigned repetitions, bool checked) {
    times ours = measure<rhizomes>(of.bytes, of.threads, repetitions);
    if (checked && !of.refused && ours.missing != 0) return {-1, -1, ours.missing};
    if (of.refused != (ours.missing != 0)) {
        std::fprintf(stderr, "%u of %u requests for %zu bytes were refused\n", ours.missing, of.threads,
                     of.bytes);
        std::exit(1);
    }
    return ours;
}

void print_row(row const& of, unsigned repetitions, bool checked, recorded const* others) {
    times const ours = measure_ours(of, repetitions, false);
    std::printf("%10zu %8u", of.bytes, of.threads);
    bool const has_theirs = !of.alone && of.threads <= most_threads_of_cudas;
    times const theirs = has_theirs ? measure<cudas>(of.bytes, of.threads, repetitions) : times{};
    if (has_theirs)
        std::printf(" %12.4f %12.4f", theirs.allocate, theirs.release);
    else
        std::printf(" %12s %12s", "-", "-");
    std::printf(" %12.4f %12.4f", ours.allocate, ours.release);
    if (checked && of.in_checked_mode.allocate < 0)
        std::printf(" %12s %12s", "-", "-");
    else if (checked)
        std::printf(" %12.4f %12.4f", of.in_checked_mode.allocate, of.in_checked_mode.release);
    if (has_theirs)
        std::printf(" %8.1f %8.1f", theirs.allocate / ours.allocate, theirs.release / ours.release);
    else
        std::printf(" %8s %8s", "-", "-");
    if (others != nullptr)
        std::printf("  %-32s %-32s", others->best(of.bytes, of.threads, "alloc").c_str(),
                    others->best(of.bytes, of.threads, "free").c_str());
    std::printf("%s\n", has_theirs && !of.refused && theirs.missing != 0 ? "  CUDA's heap refused some" : "");
    std::fflush(stdout);
}

/// The rows, in groups; between them freed chunks become usable for other sizes.
struct group {
    char const* title; ///< "" for none
    bool full;         ///< the heap is used up before
    std::vector<row> rows;
};
std::vector<group> groups() {
    std::vector<group> all;
    for (std::size_t const bytes : {4, 16, 64, 256, 1024, 4096, 8192}) {
        all.push_back({"", false, {}});
        for (unsigned const threads : {1u, 32u, 1'000u, 10'000u, 100'000u, most_threads})
            all.back().rows.push_back({bytes, threads, false, false, {}});
    }
    all.push_back({"", false, {}});
    for (std::size_t const bytes : {16'384, 65'536, 1'048'576})
        for (unsigned const threads : {1u, 32u, 1'000u})
            all.back().rows.push_back({bytes, threads, false, false, {}});
    all.push_back({"refused: larger than the heap", false, {}});
    for (unsigned const threads : {1u, 1'000u, 100'000u, most_threads})
        all.back().rows.push_back({std::size_t{20} << 30, threads, true, false, {}});
    all.push_back({"refused: the heap is full", true, {}});
    for (std::size_t const bytes : {16, 1024, 1'048'576})
        for (unsigned const threads : {1u, 1'000u, 100'000u, most_threads})
            all.back().rows.push_back({bytes, threads, true, true, {}});
    return all;
}

/// Makes a heap, calls body(group) for each group, and frees the heap.
template <class Body>
void with_heap(bool checked, std::vector<group>& all, Body&& body) {
    rhizome_malloc_options options;
    options.heap_bytes = std::size_t{12} << 30; // a million blocks of 8 KiB
    options.checked = checked;
    succeeds(rhizome_malloc_init(options));
    for (group& each : all) {
        succeeds(rhizome_malloc_trim()); // else chunks keep the size before
        if (each.full)
            for (std::size_t const bytes :
                 {std::size_t{8192}, std::size_t{16}}) // whole chunks, then what is left
                use_up<<<256, 256>>>(bytes);
        body(each);
    }
    succeeds(rhizome_malloc_destroy());
}

} // namespace

int main(int argument_count, char** arguments) {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::fprintf(stderr, "no usable GPU\n");
        return 77;
    }
    bool checked = false, has_public = false;
    recorded others;
    unsigned repetitions = 10;
    for (int i = 1; i < argument_count; ++i) {
        if (std::strcmp(arguments[i], "--checked") == 0) {
            checked = true;
        } else if (std::strcmp(arguments[i], "--public") == 0 && i + 1 < argument_count) {
            others.read(arguments[++i]);
            has_public = true;
        } else {
            repetitions = static_cast<unsigned>(std::max(1, std::atoi(arguments[i])));
        }
    }
    succeeds(cudaDeviceSetLimit(cudaLimitMallocHeapSize, std::size_t{4} << 30));
    succeeds(cudaMalloc(&blocks, most_threads * sizeof *blocks));
    succeeds(cudaMalloc(&counts, 2 * sizeof *counts));

    std::vector<group> all = groups();
    if (checked)
        with_heap(true, all, [&](group& each) {
            for (row& measured : each.rows)
                measured.in_checked_mode = measure_ours(measured, repetitions, true);
        });
    std::printf("%10s %8s %12s %12s %12s %12s", "bytes", "threads", "CUDA malloc", "CUDA free", "malloc",
                "free");
    if (checked) std::printf(" %12s %12s", "checked", "checked free");
    std::printf(" %8s %8s", "times", "times");
    if (has_public) std::printf("  %-32s %-32s", "best public malloc", "best public free");
    std::printf("\n");
    with_heap(false, all, [&](group& each) {
        if (each.title[0] != 0) std::printf("%s\n", each.title);
        for (row const& measured : each.rows)
            print_row(measured, repetitions, checked, has_public ? &others : nullptr);
    });
    return 0;
}
