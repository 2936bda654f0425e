// SPDX-License-Identifier: Apache-2.0
// Runs the inverted index of word_index.cuh before and after its port to rhizome_malloc, on the same
// documents, and prints milliseconds of its kernels, medians of the repetitions.
//
//     rhizome_malloc_port [REPETITIONS]       default: 5
//
// Ends with 1 if the two differ or a request is refused, with 77 without a GPU.
#include "port.hpp"

#include <rhizome/malloc.cuh>

#include <algorithm>
#include <vector>

namespace {

struct medians {
    float build, read, clear;
    unsigned long long totals[3];
};

medians measure(index_times (*once)(index_size const&), index_size const& size, unsigned repetitions) {
    std::vector<float> build, read, clear;
    medians result{};
    for (unsigned i = 0; i <= repetitions; ++i) {
        index_times const found = once(size);
        if (found.refused != 0) {
            std::fprintf(stderr, "%u requests were refused\n", found.refused);
            std::exit(1);
        }
        std::copy(found.totals, found.totals + 3, result.totals);
        if (i == 0) continue; // not measured
        build.push_back(found.build);
        read.push_back(found.read);
        clear.push_back(found.clear);
    }
    for (std::vector<float>* each : {&build, &read, &clear})
        std::sort(each->begin(), each->end());
    std::size_t const middle = build.size() / 2;
    result.build = build[middle];
    result.read = read[middle];
    result.clear = clear[middle];
    return result;
}

} // namespace

int main(int argument_count, char** arguments) {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::fprintf(stderr, "no usable GPU\n");
        return 77;
    }
    unsigned const repetitions =
        argument_count > 1 ? static_cast<unsigned>(std::max(1, std::atoi(arguments[1]))) : 5;
    std::size_t const heap_bytes = std::size_t{1} << 30;
    succeeds(cudaDeviceSetLimit(cudaLimitMallocHeapSize, heap_bytes));
    rhizome_malloc_options options;
    options.heap_bytes = heap_bytes;
    succeeds(rhizome_malloc_init(options));

    std::printf("%10s %10s %8s %12s %12s %8s\n", "documents", "requests", "kernel", "CUDA malloc", "rhizome",
                "times");
    for (unsigned const documents : {1'000u, 10'000u, 100'000u}) {
        index_size const size{documents, 8, 50'000, 1u << 16};
        medians const before = measure(index_before, size, repetitions);
        medians const after = measure(index_after, size, repetitions);
        if (!std::equal(before.totals, before.totals + 3, after.totals) ||
            after.totals[1] != 1ull * size.documents * size.per_document) {
            std::fprintf(stderr, "the two indices differ\n");
            return 1;
        }
        unsigned long long const requests = after.totals[0] + after.totals[1]; // and nodes that came too late
        auto const line = [&](char const* kernel, float theirs, float ours) {
            std::printf("%10u %10llu %8s %12.4f %12.4f %8.1f\n", documents, requests, kernel, theirs, ours,
                        theirs / ours);
        };
        line("build", before.build, after.build);
        line("read", before.read, after.read);
        line("clear", before.clear, after.clear);
    }
    rhizome_malloc_usage usage{};
    succeeds(rhizome_malloc_statistics(&usage));
    succeeds(rhizome_malloc_destroy());
    if (usage.live_bytes == 0) return 0;
    std::fprintf(stderr, "%zu bytes are not freed\n", usage.live_bytes);
    return 1;
}
