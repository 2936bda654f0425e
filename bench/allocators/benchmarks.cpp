// SPDX-License-Identifier: Apache-2.0
// What can be measured of allocators, and with which values by default.
#include <rhizome/bench/allocators/subject.hpp>
#include <rhizome/bench/allocators/workloads.hpp>
#include <rhizome/bench/harness/common_choices.hpp>
#include <rhizome/bench/papers/ouroboros/fig3_comparison.hpp>
#include <rhizome/cli/parse_values.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/runtime/catalogue.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace rhizome::bench {
namespace {

constexpr std::uint64_t most_threads = std::uint64_t{1} << 31;
constexpr std::uint64_t cuda_malloc_threads = 100'000; // more take CUDA's own heap minutes
constexpr std::uint64_t fig3_repetitions = 100;        // of the paper
constexpr std::uint64_t cuda_malloc_repetitions = 3;   // 100,000 blocks of 1 KiB take it 2 seconds
constexpr std::uint64_t fig3_host_repetitions = 20;

std::string all_allocators() {
    std::string names;
    for (runtime::named_choice const& each : runtime::block_allocators())
        names.append(names.empty() ? "" : ",").append(each.name);
    return names;
}

std::string normal_size(std::string const& option, std::string const& text) {
    auto const [lowest, highest] = parse_size_range(option, text);
    return lowest == highest ? std::to_string(lowest) : fmt::format("{}-{}", lowest, highest);
}

std::string normal_heap(std::string const& option, std::string const& text) {
    constexpr std::uint64_t least = 1u << 20;
    std::uint64_t const bytes = cli::parse_bytes(option, text);
    if (bytes < least) throw cli::usage_error(fmt::format("--{}: expected at least 1 MiB", option));
    return std::to_string(bytes);
}

struct defaults {
    std::string sizes;
    std::string threads;
    std::uint64_t heap_bytes;
    std::string warm_up = {};     ///< "": has none
    std::string repetitions = {}; ///< "": has none
};

std::vector<choice> choices_of(defaults const& by_default) {
    std::vector<choice> choices{
        {"allocator", "allocators; by default all of them, or the graph's own", "NAMES", all_allocators(),
         true, normal_allocator},
        {"size", "bytes a request, or a range from which each request draws its own: 16,1K,4-64", "SIZES",
         by_default.sizes, true, normal_size},
        {"threads", "threads of a launch (device-malloc on cuda: 100000 by default where it is more)",
         "COUNTS", by_default.threads, true, normal_count(1, most_threads)},
        {"mode", "thread: each asks for a block; warp: one thread of each warp does", "MODES", "thread", true,
         normal_name({"thread", "warp"})},
        space_choice(),
        {"heap", "bytes of the heap (also 64M, 2GiB)", "BYTES", std::to_string(by_default.heap_bytes), false,
         normal_heap}};
    add_repetition_choices(choices, by_default.warm_up, by_default.repetitions);
    add_machine_choices(choices);
    return choices;
}

/// What an emulator does in seconds, and no more.
constexpr std::uint64_t emulated_threads = 1024;
constexpr std::uint64_t emulated_repetitions = 3;
constexpr std::uint64_t emulated_heap_bytes = 32u << 20;
constexpr std::uint64_t emulated_full_heap_bytes = 4u << 20; ///< of benchmarks that fill it

/// Defaults are for a large GPU; elsewhere cells become smaller, so that they fit and end.
struct fit_to_space {
    std::uint64_t threads; ///< highest of the defaults
    std::uint64_t heap_bytes;
    std::uint64_t emulated_heap_bytes;

    std::string operator()(cell& which, std::set<std::string> const& chosen,
                           space_description const& space) const {
        // Not a matter of the machine: the public figures of CUDA's malloc stand at this count.
        if (space.name == "cuda" && which.text("allocator") == "device-malloc" && !chosen.contains("threads"))
            which.set("threads", std::to_string(std::min(which.count("threads"), cuda_malloc_threads)));
        fitting fit(which, chosen);
        std::string why;
        if (space.name == "simt") {
            fit.lower("threads", threads, emulated_threads);
            fit.lower("heap", heap_bytes, emulated_heap_bytes);
            if (which.has("warm-up")) fit.lower("warm-up", which.count("warm-up"), 1);
            if (which.has("repetitions"))
                fit.lower("repetitions", which.count("repetitions"), emulated_repetitions);
            why = "an emulator is slow";
        } else {
            // The heap is not all: there are its tables, the pointers, and on the host everything else.
            std::uint64_t const most_bytes = space.memory_bytes / (space.name == "cuda" ? 2 : 4);
            std::uint64_t shrink = 1;
            while (heap_bytes / shrink > std::max<std::uint64_t>(most_bytes, 1u << 20))
                shrink *= 2;
            if (!chosen.contains("heap")) fit.lower("threads", threads, threads / shrink);
            fit.lower("heap", heap_bytes, heap_bytes / shrink);
            why = fmt::format("its memory is {} MiB", space.memory_bytes >> 20);
        }
        return fit.note(space, why);
    }
};

/// What the figure has: the allocators of the paper that are here, its sizes and threads.
std::vector<choice> fig3_choices() {
    std::vector<choice> choices =
        choices_of({"16,32,64,128,256,512,1024,2048,4096,8192,16-8192", "1,10,100,1000,10000,100000,1000000",
                    std::uint64_t{2} << 30, "2", std::to_string(fig3_repetitions)});
    choices.front().defaults = "ouroboros-page-array,ouroboros-page-array-pow2,ouroboros-page-virtual-array,"
                               "ouroboros-page-virtual-linked,"
                               "ouroboros-chunk-array,ouroboros-chunk-virtual-array,"
                               "ouroboros-chunk-virtual-linked,device-malloc";
    return choices;
}

/// Sizes and threads are crossed, and the figure has not all pairs: a pair that is not in it becomes one that
/// is, which the plan keeps once. CUDA's malloc, and the host, get fewer repetitions than the paper has.
struct fit_to_fig3 {
    std::string operator()(cell& which, std::set<std::string> const& chosen,
                           space_description const& space) const {
        if (!chosen.contains("size") && !chosen.contains("threads")) {
            std::string const& size = which.text("size");
            std::string const threads = which.text("threads");
            bool const over_threads = size == "32" || size == "128" || size == "1024" || size == "8192";
            if (!over_threads && threads != "100000") which.set("threads", "10000");
            if (size == "8192" && threads == "1000000") which.set("threads", "100000"); // as many as fit
        }
        bool const cudas = space.name == "cuda" && which.text("allocator") == "device-malloc";
        if (!chosen.contains("repetitions") && (cudas || space.name == "host"))
            which.set("repetitions",
                      std::to_string(std::min(which.count("repetitions"),
                                              cudas ? cuda_malloc_repetitions : fig3_host_repetitions)));
        return fit_to_space{1'000'000, std::uint64_t{2} << 30, emulated_heap_bytes}(which, chosen, space);
    }
};

template <cell_result (*Workload)(subject&, cell const&)>
cell_result run_on_subject(cell const& which) {
    auto const opened =
        open_subject(space_of(which), subject_options{which.text("allocator"), which.bytes("heap")});
    return Workload(*opened, which);
}

constexpr std::uint64_t gib = std::uint64_t{1} << 30;

std::string powers_of_two(std::uint64_t last) {
    std::string list = "1";
    for (std::uint64_t power = 2; power <= last; power *= 2)
        list.append(",").append(std::to_string(power));
    return list;
}

} // namespace

std::vector<benchmark> allocator_benchmarks() {
    constexpr char const* every_size = "16,64,256,1024,4096,4-64,16-8192";
    return {
        {"cycle", "allocate all, free all, over and over: milliseconds of each",
         "One heap; every launch of allocations is followed by a launch that frees them. An allocator that\n"
         "reuses nothing gets a new heap before each cycle. Times are of the launches alone.",
         choices_of({every_size, "1000000", 8 * gib, "2", "20"}),
         fit_to_space{1'000'000, 8 * gib, emulated_heap_bytes}, run_on_subject<run_cycle>},
        {"fresh", "the first allocations on a new heap: milliseconds",
         "Every repetition has a heap of its own; making it is not measured.",
         choices_of({every_size, "1000000", 8 * gib, "1", "7"}),
         fit_to_space{1'000'000, 8 * gib, emulated_heap_bytes}, run_on_subject<run_fresh>},
        {"capacity", "how much of the heap is handed out before the first refusal",
         "Launch by launch, 256 launches or more; then everything is freed and it is done again.\n"
         "handed_out is the bytes asked for and served, the last launch's included, over the heap's bytes.",
         choices_of({"16,64,256,1024,4096", "1000000", gib}),
         fit_to_space{1'000'000, gib, emulated_full_heap_bytes}, run_on_subject<run_capacity>},
        {"address-range", "how far apart blocks lie: address range over bytes asked for",
         "From the lowest address to the highest end of 100,000 allocations on a new heap.",
         choices_of({"16,32,64,128,256,512,1024,2048,4096,8192", "100000", 2 * gib, "", "5"}),
         fit_to_space{100'000, 2 * gib, emulated_heap_bytes}, run_on_subject<run_address_range>},
        {"growth", "allocate, free every second block, until a request is refused",
         "rounds until then, live blocks at that point and the greatest address range over the heap's "
         "bytes.\n"
         "The JSON and the picture have curves over the rounds: the address range so far (range_of_rounds), "
         "and\n"
         "the times of allocating and freeing.",
         choices_of({"16", "100000", 2 * gib}), fit_to_space{100'000, 2 * gib, emulated_full_heap_bytes},
         run_on_subject<run_growth>},
        {"extents", "large blocks out of a heap in pieces: milliseconds, and the share served",
         "The heap is filled with blocks of 16 KiB, of which every second is freed again. Then each thread\n"
         "asks for a block for itself, and frees it: of that size, or of larger ones, which fit hardly "
         "anywhere.",
         choices_of({"16384,24576,65536", "100000", 64 * gib, "1", "7"}),
         fit_to_space{100'000, 64 * gib, emulated_full_heap_bytes}, run_on_subject<run_extents>},
        {"scaling", "cycle, from one thread to 2^20",
         "The sizes of Ouroboros' evaluation. The heap is twice what 2^20 of the largest take.",
         choices_of({"32,128,1024,8192", powers_of_two(1u << 20), 16 * gib, "2", "20"}),
         fit_to_space{1u << 20, 16 * gib, emulated_heap_bytes}, run_on_subject<run_cycle>},
        {"ouroboros-fig3", "Figure 3 of the Ouroboros paper: allocation over sizes and over threads",
         "2 GiB of heap; 10,000 and 100,000 threads ask for 16 bytes to 8 KiB each, or for sizes drawn from\n"
         "that range; 1 to 1,000,000 threads for 32, 128, 1024 and 8192 bytes. First on a new heap, which\n"
         "gives the address range; then cycle, 100 times as in the paper (3 times for CUDA's malloc, 20 on "
         "the\n"
         "host). The variants of Ouroboros have fine size classes, but for ouroboros-page-array-pow2, which\n"
         "has the paper's. 'growth' is the figure's last panel.",
         fig3_choices(), fit_to_fig3{}, run_on_subject<run_fig3>, compare_fig3},
    };
}

} // namespace rhizome::bench
