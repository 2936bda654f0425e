// SPDX-License-Identifier: Apache-2.0
// What can be measured of coalescing, and with which values by default: the figures of the coalescing paper.
#include <rhizome/bench/harness/common_choices.hpp>
#include <rhizome/bench/papers/coalesced_allocation/comparison.hpp>
#include <rhizome/bench/papers/coalesced_allocation/workloads.hpp>
#include <rhizome/cli/parse_values.hpp>
#include <rhizome/cli/usage_error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace rhizome::bench {
namespace {

constexpr std::uint64_t paper_heap_bytes = std::uint64_t{1} << 30;
constexpr std::uint64_t paper_collective_heap_bytes = std::uint64_t{4} << 30;
constexpr std::uint64_t default_program_ranks = 512;
constexpr char const* every_25_floats = "25,50,75,100,125,150,175,200,225,250,275,300,325,350,375,400";

std::string normal_coalescing_heap(std::string const& option, std::string const& text) {
    std::uint64_t const bytes = cli::parse_bytes(option, text);
    if (bytes < (1u << 20)) throw cli::usage_error(fmt::format("--{}: expected at least 1 MiB", option));
    return std::to_string(bytes);
}

void lower_heap(fitting& fit, std::uint64_t by_default, space_description const& space) {
    std::uint64_t heap = by_default;
    while (heap > (1u << 20) && heap > space.memory_bytes / 4)
        heap /= 2;
    if (space.name == "host") heap = std::min<std::uint64_t>(heap, 256u << 20);
    if (space.name == "simt") heap = std::min<std::uint64_t>(heap, 8u << 20);
    fit.lower("heap", by_default, heap);
}
std::string coalescing_reason(space_description const& space) {
    if (space.name == "simt") return "an emulator is slow";
    if (space.name == "host") return "a CPU is slower than a GPU";
    return fmt::format("its memory is {} MiB", space.memory_bytes >> 20);
}

std::string fit_coalescing(cell& which, std::set<std::string> const& chosen, space_description const& space) {
    fitting fit(which, chosen);
    lower_heap(fit, paper_heap_bytes, space);
    if (space.name == "simt") {
        fit.lower("blocks", 12, 2);
        fit.lower("block-threads", most_block_threads, 64);
        fit.lower("warm-up", which.count("warm-up"), 0);
        fit.lower("repetitions", which.count("repetitions"), 1);
    } else if (space.name == "host") {
        fit.lower("repetitions", which.count("repetitions"), 3);
    }
    return fit.note(space, coalescing_reason(space));
}

/// All-to-all has fewer ranks than reduce and broadcast, as in the paper; gather and scatter, whose root
/// handles every message by itself, have as few.
std::string fit_collectives(cell& which, std::set<std::string> const& chosen,
                            space_description const& space) {
    std::string const& name = which.text("collective");
    bool const many_messages = name == "all-to-all" || name == "gather" || name == "scatter";
    auto const set = [&](char const* choice, char const* value) {
        if (!chosen.contains(choice)) which.set(choice, value);
    };
    if (many_messages) {
        set("blocks", "8");
        set("block-threads", "32");
        set("doubles", "4");
    }
    fitting fit(which, chosen);
    lower_heap(fit, paper_collective_heap_bytes, space);
    if (space.name == "simt") {
        fit.lower("blocks", 30, 2);
        fit.lower("block-threads", 512, 32);
        fit.lower("warm-up", which.count("warm-up"), 0);
        fit.lower("repetitions", which.count("repetitions"), 1);
    } else if (space.name == "host") {
        fit.lower("blocks", 30, 8);
        fit.lower("block-threads", 512, 32);
        fit.lower("repetitions", which.count("repetitions"), 3);
    }
    return fit.note(space, coalescing_reason(space));
}

std::unique_ptr<coalescing_subject> open_coalescing(cell const& which) {
    coalescing_options const options{.allocator = which.text("allocator"),
                                     .heap_bytes = which.bytes("heap"),
                                     .blocks = static_cast<std::uint32_t>(which.count("blocks")),
                                     .block_threads =
                                         static_cast<std::uint32_t>(which.count("block-threads"))};
    return open_subject(space_of(which), options);
}
cell_result run_coalescing_cell(cell const& which) { return run_coalescing(*open_coalescing(which), which); }
cell_result run_program_cell(cell const& which) {
    coalescing_options const options{
        .allocator = which.text("allocator"),
        .heap_bytes = which.bytes("heap"),
        .blocks = static_cast<std::uint32_t>(which.count("ranks") / program_block_threads),
        .block_threads = program_block_threads};
    return run_programs(*open_subject(space_of(which), options), which);
}
std::string fit_programs(cell& which, std::set<std::string> const& chosen, space_description const& space) {
    fitting fit(which, chosen);
    lower_heap(fit, paper_collective_heap_bytes, space);
    if (space.name != "cuda") {
        fit.lower("ranks", default_program_ranks, program_block_threads);
        fit.lower("rounds", 3, 1);
        fit.lower("repetitions", which.count("repetitions"), space.name == "simt" ? 1 : 3);
    }
    return fit.note(space, coalescing_reason(space));
}
std::string normal_ranks(std::string const& option, std::string const& text) {
    std::uint64_t const ranks = cli::parse_count(option, text, program_block_threads, most_program_ranks);
    if (ranks % program_block_threads != 0)
        throw cli::usage_error(fmt::format("--{}: expected a multiple of {}", option, program_block_threads));
    return std::to_string(ranks);
}

cell_result run_collective_cell(cell const& which) { return run_collectives(*open_coalescing(which), which); }

/// The variants over CUDA's malloc, as in the paper, and over the default allocator; those two alone.
std::string default_coalescing_allocators() {
    std::vector<std::string> names;
    for (std::string const& each : coalescing_allocators())
        if (split_allocator(each).backing != "random-walk-malloc") names.push_back(each);
    return fmt::format("{}", fmt::join(names, ","));
}

void add_launch_choices(std::vector<choice>& choices, char const* blocks, char const* block_threads,
                        std::uint64_t heap_bytes, char const* warm_up, char const* repetitions) {
    choices.push_back({"blocks", "blocks of a launch", "COUNTS", blocks, true, normal_count(1, 1u << 20)});
    choices.push_back({"block-threads", "threads per block", "COUNTS", block_threads, true,
                       normal_count(1, most_block_threads)});
    choices.push_back(
        {"heap", "bytes of the heap", "BYTES", std::to_string(heap_bytes), true, normal_coalescing_heap});
    choices.push_back(space_choice());
    add_repetition_choices(choices, warm_up, repetitions);
    add_machine_choices(choices);
}

benchmark phases_benchmark(char const* name, char const* summary, char const* patterns, char const* floats,
                           std::vector<comparison> (*compare)(std::vector<measured_cell> const&)) {
    std::vector<choice> choices{
        {"allocator", "variants of coalescing, and their backings alone", "NAMES",
         default_coalescing_allocators(), true, normal_name(coalescing_allocators())},
        {"floats", "that each thread allocates", "COUNTS", floats, true, normal_count(1, most_floats)},
        {"pattern", fmt::format("what a thread does with them: {}", fmt::join(pattern_names(), ", ")),
         "NAMES", patterns, true, normal_name(pattern_names())}};
    add_launch_choices(choices, "12", "1024", paper_heap_bytes, "2", "20");
    constexpr char const* details =
        "Each thread allocates floats, writes them, works on them and frees them, in one launch. alloc, "
        "work,\n"
        "free: the mean over threads of the time that each takes inside the kernel; writing the first "
        "values\n"
        "does not count. performance: the operations of all threads by the time of work. total: that launch, "
        "by\n"
        "events; alloc_launch, work_launch, free_launch: launches that do nothing else. lines and sectors: "
        "different\n"
        "cache lines of 128 and 32 bytes in one access by 32 neighbouring threads; footprint: lines in all "
        "of\n"
        "their work; span: from their lowest address to their highest. Results are checked.";
    return {name, summary, details, std::move(choices), fit_coalescing, run_coalescing_cell, compare};
}

} // namespace

std::vector<benchmark> coalescing_benchmarks() {
    std::vector<benchmark> all;
    all.push_back(phases_benchmark("coalescing-fig1",
                                   "Figure 1 of the coalescing paper: work on the linear workload", "linear",
                                   every_25_floats, compare_coalescing_work));
    all.push_back(phases_benchmark("coalescing-fig2",
                                   "Figure 2 of the coalescing paper: work on the quadratic workload",
                                   "quadratic", every_25_floats, compare_coalescing_work));
    all.push_back(phases_benchmark(
        "coalescing-fig3", "Figure 3 of the coalescing paper: speedup of work over CUDA's malloc",
        "linear,quadratic,update,stride,scattered", "100,200,300,400", compare_coalescing));
    all.push_back(phases_benchmark("coalescing-fig4",
                                   "Figure 4 of the coalescing paper: times of allocating and freeing",
                                   "linear", "100,200,300,400", compare_coalescing_times));
    std::vector<choice> choices{{"allocator", "variants of coalescing, and their backings alone", "NAMES",
                                 default_coalescing_allocators(), true, normal_name(coalescing_allocators())},
                                {"collective", fmt::format("{}", fmt::join(collective_names(), ", ")),
                                 "NAMES", fmt::format("{}", fmt::join(collective_names(), ",")), true,
                                 normal_name(collective_names())},
                                {"doubles", "in a message; 4 by default where each rank is one of 256",
                                 "COUNTS", "16", true, normal_count(1, 1u << 20)}};
    add_launch_choices(choices, "30", "512", paper_collective_heap_bytes, "1", "5");
    constexpr char const* details =
        "Collective operations as in MPI, with a rank per thread. As in GPU MPI, a sender allocates each "
        "message,\n"
        "and the receiver frees it. operation: all launches of the operation, with its messages; alloc, "
        "free: "
        "the\n"
        "buffers that ranks send from and receive in. By events. By default all-to-all, gather and scatter "
        "have 8\n"
        "blocks of 32 ranks and messages of 4 doubles. Results are checked.";
    all.push_back({"coalescing-fig5", "Figure 5 of the coalescing paper: collective operations of MPI",
                   details, std::move(choices), fit_collectives, run_collective_cell, compare_collectives});
    choices = {{"allocator", "variants of coalescing, and their backings alone", "NAMES",
                default_coalescing_allocators(), true, normal_name(coalescing_allocators())},
               {"program", fmt::format("{}", fmt::join(program_names(), ", ")), "NAMES",
                fmt::format("{}", fmt::join(program_names(), ",")), true, normal_name(program_names())},
               {"ranks", fmt::format("threads of the launch, a multiple of {}", program_block_threads),
                "COUNTS", std::to_string(default_program_ranks), true, normal_ranks},
               {"doubles", "in a message", "COUNTS", "4", true, normal_count(1, 1u << 16)},
               {"rounds", "that a program makes", "N", "3", false, normal_count(1, 1u << 16)},
               {"heap", "bytes of the heap", "BYTES", std::to_string(paper_collective_heap_bytes), true,
                normal_coalescing_heap},
               space_choice()};
    add_repetition_choices(choices, "1", "5");
    add_machine_choices(choices);
    all.push_back(
        {"coalescing-programs", "programs in the style of GPU MPI: several collectives in one kernel",
         "A rank is a thread, and the whole program is one launch, in which all ranks meet between steps\n"
         "(on the host a launch per step). In each round ranks make the buffers of an operation, send\n"
         "and receive messages, which senders allocate and receivers free, and free the buffers.\n"
         "sort: allreduce, all-to-all, reduce; solver: broadcast and two allreduce; transpose: two\n"
         "all-to-all and a reduce. rank: the time of a rank from its first to its last step by the clock\n"
         "inside the kernel, median over ranks; alloc, free: of its own buffers in it; launch: by events.\n"
         "What ranks receive is checked.",
         std::move(choices), fit_programs, run_program_cell, compare_programs});
    return all;
}

} // namespace rhizome::bench
