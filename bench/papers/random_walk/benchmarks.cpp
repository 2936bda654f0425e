// SPDX-License-Identifier: Apache-2.0
// What can be measured of random walks, and with which values by default: the figures of the random-walk
// paper about requests. Those of the hash join: hash_join/benchmarks.cpp.
#include <rhizome/bench/allocators/subject.hpp>
#include <rhizome/bench/harness/common_choices.hpp>
#include <rhizome/bench/papers/random_walk/comparison.hpp>
#include <rhizome/bench/papers/random_walk/correlation.hpp>
#include <rhizome/bench/papers/random_walk/partly_free.hpp>
#include <rhizome/bench/papers/random_walk/utilisation.hpp>
#include <rhizome/bench/papers/random_walk/workloads.hpp>
#include <rhizome/cli/parse_values.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/io/message_text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace rhizome::bench {
namespace {

constexpr std::uint64_t paper_pages = std::uint64_t{1} << 20;
constexpr std::uint64_t paper_heap_bytes = std::uint64_t{10} << 30;
constexpr std::uint64_t page_bytes = 256;
constexpr std::uint64_t most_threads = std::uint64_t{1} << 27;
constexpr std::uint64_t default_threads = 1'000'000;
constexpr std::uint64_t most_of_fig1 = 262'144;

std::string normal_percent(std::string const& option, std::string const& text) {
    double percent = -1;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
    if (error != std::errc{} || end != text.data() + text.size() || !(percent > 0 && percent <= 100))
        throw cli::usage_error(fmt::format("--{}: found {}, expected a percentage above 0, at most 100",
                                           option, io::quoted(text)));
    return fmt::format("{}", percent);
}
std::string normal_share(std::string const& option, std::string const& text) {
    double share = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), share);
    if (error != std::errc{} || end != text.data() + text.size() || !(share > 0 && share <= 1))
        throw cli::usage_error(
            fmt::format("--{}: found {}, expected a number above 0, at most 1", option, io::quoted(text)));
    return fmt::format("{}", share);
}
std::string normal_pages(std::string const& option, std::string const& text) {
    std::uint64_t const pages = cli::parse_count(option, text, 1024, std::uint64_t{1} << 32);
    if (pages % 32 != 0) throw cli::usage_error(fmt::format("--{}: expected a multiple of 32", option));
    return std::to_string(pages);
}
std::string normal_scenario(std::string const& option, std::string const& text) {
    (void)parse_scenario(option, text);
    return text;
}
std::string normal_heap(std::string const& option, std::string const& text) {
    std::uint64_t const bytes = cli::parse_bytes(option, text);
    if (bytes < (1u << 20) || bytes % (64u << 10) != 0)
        throw cli::usage_error(fmt::format("--{}: expected at least 1 MiB, a multiple of 64 KiB", option));
    return std::to_string(bytes);
}

choice free_choice(char const* defaults) {
    return {"free",        "percentages of the pages that are free before", "PERCENTS", defaults, true,
            normal_percent};
}
choice threads_choice(char const* defaults, char const* summary = "threads of a launch") {
    return {"threads", summary, "COUNTS", defaults, true, normal_count(1, most_threads)};
}
choice pages_choice() {
    return {"pages", "pages of the store", "COUNTS", std::to_string(paper_pages), true, normal_pages};
}

/// Cells with more threads than free pages get as many as there are: the plan keeps one of them.
void limit_to_free_pages(cell& which, std::set<std::string> const& chosen) {
    if (chosen.contains("threads")) return;
    double const free = walk_numbers_of(which).free;
    which.set("threads", std::to_string(std::min(which.count("threads"), static_cast<std::uint64_t>(free))));
}

/// Defaults are for a large GPU.
std::string fit_pages(cell& which, std::set<std::string> const& chosen, space_description const& space) {
    fitting fit(which, chosen);
    std::string why;
    if (space.name == "simt") {
        fit.lower("pages", paper_pages, 8192);
        fit.lower("threads", default_threads, 512);
        fit.lower("repetitions", which.count("repetitions"), 2);
        why = "an emulator is slow";
    } else if (space.name == "host") {
        fit.lower("pages", paper_pages, 1u << 18);
        fit.lower("repetitions", which.count("repetitions"), 3);
        why = "a CPU is slower than a GPU";
    }
    limit_to_free_pages(which, chosen);
    return fit.note(space, why);
}
std::string fit_heap(cell& which, std::set<std::string> const& chosen, space_description const& space) {
    fitting fit(which, chosen);
    if (space.name == "simt") {
        fit.lower("heap", paper_heap_bytes, 4u << 20);
        fit.lower("threads", default_threads, 256);
        fit.lower("repetitions", which.count("repetitions"), 2);
        return fit.note(space, "an emulator is slow");
    }
    std::uint64_t const most_bytes = space.memory_bytes / (space.name == "cuda" ? 2 : 8);
    std::uint64_t const heap =
        std::min(paper_heap_bytes, std::max<std::uint64_t>(most_bytes >> 20 << 20, 1u << 20));
    fit.lower("heap", paper_heap_bytes,
              space.name == "host" ? std::min<std::uint64_t>(heap, 256u << 20) : heap);
    if (space.name == "host") {
        fit.lower("threads", default_threads, 30'000);
        fit.lower("repetitions", which.count("repetitions"), 3);
    }
    return fit.note(space, fmt::format("its memory is {} MiB", space.memory_bytes >> 20));
}
std::string fit_threads(cell& which, std::set<std::string> const& chosen, space_description const& space) {
    fitting fit(which, chosen);
    if (space.name == "cuda") return "";
    fit.lower("threads", most_of_fig1, space.name == "simt" ? 128 : 1024);
    fit.lower("operations", which.count("operations"), space.name == "simt" ? 4 : 100);
    return fit.note(space, "fewer threads run side by side");
}
std::string fit_free_pages(cell& which, std::set<std::string> const& chosen, space_description const&) {
    limit_to_free_pages(which, chosen);
    return "";
}

open_walk opener(cell const& which) {
    return [&which](std::string const& search, std::uint64_t pages) {
        walk_options const options{.search = search, .pages = pages, .seed = which.count("seed")};
        return open_subject(space_of(which), options);
    };
}
std::function<std::unique_ptr<subject>()> allocator_opener(cell const& which, std::uint64_t heap_bytes) {
    return [&which, heap_bytes] {
        return open_subject(space_of(which), subject_options{which.text("allocator"), heap_bytes});
    };
}

/// Of fig 4, 13 and 14.
cell_result run_scenario(cell const& which) {
    std::uint64_t const heap_bytes = which.bytes("heap");
    double const percent = which.has("free") ? std::stod(which.text("free")) : 100;
    return measure_partly_free(allocator_opener(which, heap_bytes),
                               {.heap_bytes = heap_bytes,
                                .block_bytes = 8192,
                                .free_share = percent / 100,
                                .freed_at_random = which.has("before") && which.text("before") == "freed",
                                .threads = which.count("threads"),
                                .what = parse_scenario("scenario", which.text("scenario")),
                                .warm_up = which.count("warm-up"),
                                .repetitions = which.count("repetitions"),
                                .seed = which.count("seed"),
                                .always_served = false});
}

cell_result run_fig1(cell const& which) {
    return run_latency(*open_subject(space_of(which), latency_options{}), which);
}
cell_result run_clusters(cell const& which) { return run_fig10(opener(which), which); }
cell_result run_correlations(cell const& which) { return run_correlation(opener(which), which); }
cell_result run_ratios(cell const& which) { return run_fig12(opener(which), which); }

/// Kernel time by the allocator of the tool, steps by a launch that counts them.
cell_result run_fig11(cell const& which) {
    walk_numbers const n = walk_numbers_of(which);
    if (std::string const why = too_many_threads(n); !why.empty()) return {cell_status::not_served, why, {}};
    std::string const& allocator = which.text("allocator");
    std::string const prefix = "random-walk-";
    bool const walks = allocator.starts_with(prefix);
    std::string const search = walks ? allocator.substr(prefix.size()) : allocator;
    cell_result result;
    if (allocator != "queue") {
        std::uint64_t const heap_bytes = which.count("pages") * page_bytes;
        result = measure_partly_free(allocator_opener(which, heap_bytes),
                                     {.heap_bytes = heap_bytes,
                                      .block_bytes = page_bytes,
                                      .free_share = n.free / n.pages,
                                      .freed_at_random = true,
                                      .threads = which.count("threads"),
                                      .what = {page_bytes, page_bytes, false},
                                      .warm_up = which.count("warm-up"),
                                      .repetitions = which.count("repetitions"),
                                      .seed = which.count("seed"),
                                      .always_served = walks});
        if (result.status != cell_status::ok) return result;
    }
    auto const& counted = walk_searches();
    if (std::find(counted.begin(), counted.end(), search) == counted.end()) return result;
    for (measure& each : measure_steps(opener(which), search, which))
        result.measures.push_back(std::move(each));
    return result;
}

choice allocator_choice(std::string defaults, bool with_queue = false) {
    return {"allocator",
            with_queue ? "allocators of the tool; queue: steps of a simple queue" : "allocators of the tool",
            "NAMES",
            std::move(defaults),
            true,
            [with_queue](std::string const& option, std::string const& text) {
                return with_queue && text == "queue" ? text : normal_allocator(option, text);
            }};
}
choice scenario_choice(char const* defaults) {
    return {"scenario",
            "bytes a request, a range (4-64), mixed (4 bytes to 8 KiB); with -freed it is freed at once",
            "NAMES",
            defaults,
            true,
            normal_scenario};
}

constexpr char const* threads_to_a_million = "1000,3000,10000,30000,100000,300000,1000000";
constexpr char const* threads_to_free_pages = "500,1000,2000,5000,10000,20000,50000,100000,200000,500000";
constexpr char const* paper_percents = "50,10,1,0.5";
constexpr char const* paper_repetitions = "100";

benchmark fig1() {
    std::vector<choice> choices{
        {"operation", "add: fetch and add; exchange", "NAMES", "add,exchange", true,
         normal_name({"add", "exchange"})},
        threads_choice("1,2,4,8,16,32,64,128,256,512,1024,2048,4096,8192,16384,32768,65536,131072,262144",
                       "threads that make operations at the same time"),
        {"operations", "operations of each thread, one after the other", "N", "100", false,
         normal_count(1, 100'000)},
        space_choice()};
    add_repetition_choices(choices, "2", "20");
    add_machine_choices(choices);
    return {
        "random-walk-fig1",
        "Figure 1 of the random-walk paper: latency of atomics on a word over threads",
        "latency: nanoseconds of the launch over the operations of one thread, so the start of the launch is "
        "in it,\n"
        "divided by --operations. Add: the operand depends on the last result, so that neither compiler nor\n"
        "hardware takes the operations of a warp together. The sum of all results is checked.",
        std::move(choices),
        fit_threads,
        run_fig1};
}
benchmark fig4() {
    std::vector<choice> choices{
        allocator_choice(
            "ouroboros-page-array-pow2,ouroboros-page-virtual-array,ouroboros-page-virtual-linked,"
            "ouroboros-chunk-virtual-array,random-walk-malloc"),
        scenario_choice("4096-freed,4096,4100,8192,mixed"),
        threads_choice(threads_to_a_million),
        space_choice(),
        {"heap", "bytes of the heap", "BYTES", std::to_string(paper_heap_bytes), false, normal_heap}};
    add_repetition_choices(choices, "1", paper_repetitions);
    add_machine_choices(choices);
    return {"random-walk-fig4",
            "Figure 4 of the random-walk paper: five scenarios",
            "Each repetition has a heap of its own, but for scenarios that free: these go on with one heap, "
            "as in the\n"
            "paper, and the first of their repetitions is the slow one. The paper shows means, which the "
            "JSON has.",
            std::move(choices),
            fit_heap,
            run_scenario,
            compare_walk_fig4};
}
benchmark fig6() {
    std::vector<choice> choices{pages_choice(), free_choice("50,10,1,0.7,0.5"),
                                threads_choice("100,200,500,1000,1500,2000,2500,3000,3500,4000,4500,5000")};
    return {"random-walk-fig6",
            "Figure 6 of the random-walk paper: steps by the equations (computed)",
            "tas: average steps of a thread (Eq. 3), was: bound of the average over warps of the most steps "
            "of a lane\n"
            "(Eq. 4); queue_tas and queue_was: Eq. 1 and 2. Nothing is measured.",
            std::move(choices),
            fit_free_pages,
            compute_fig6};
}
benchmark fig10() {
    std::vector<choice> choices{pages_choice(),
                                free_choice(paper_percents),
                                {"clusters", "clusters of free pages, in multiples of the free pages (M / A)",
                                 "NUMBERS", "0.01,0.5,1", true, normal_share},
                                threads_choice("100,200,500,1000,2000,5000"),
                                space_choice()};
    add_repetition_choices(choices, "", "5");
    add_machine_choices(choices);
    return {"random-walk-fig10",
            "Figure 10 of the random-walk paper: steps beside the last page first",
            "crw: average steps of threads of which each tries the page after its last one first; free "
            "pages lie in\n"
            "clusters, and the last pages before random places of them. rw: without; free pages at random "
            "places.\n"
            "Both walk from page to page. Formulas: Eq. 9 and 3.",
            std::move(choices),
            fit_pages,
            run_clusters,
            compare_walk_fig10};
}
benchmark fig11() {
    std::vector<choice> choices{
        allocator_choice("ouroboros-page-virtual-array,random-walk-flag,random-walk-bitmap,"
                         "random-walk-collaborative,random-walk-claim,queue",
                         true),
        pages_choice(), free_choice(paper_percents), threads_choice(threads_to_free_pages), space_choice()};
    add_repetition_choices(choices, "1", paper_repetitions);
    add_machine_choices(choices);
    return {
        "random-walk-fig11",
        "Figure 11 of the random-walk paper: kernel time and steps of page requests",
        "A heap of pages of 256 bytes is filled, and a share of them freed, at random places; then each "
        "thread\n"
        "requests one (alloc). Each repetition has such a heap of its own. Steps are counted in launches of\n"
        "their own: tas, the average of all threads, and was, over warps of the most steps of a lane. "
        "tas_formula:\n"
        "Eq. 1, 3 or 5; was_formula: Eq. 2, or the upper bounds of Eq. 4 and 6. At most as many threads as "
        "pages\n"
        "are free. tas_by_words and was_by_words count what Eq. 5 and 6 leave out: words with few free pages "
        "are\n"
        "used up first.",
        std::move(choices),
        fit_pages,
        run_fig11,
        compare_walk_fig11};
}
benchmark fig12() {
    std::vector<choice> choices{pages_choice(), free_choice(paper_percents),
                                threads_choice(threads_to_free_pages), space_choice()};
    add_repetition_choices(choices, "", "5");
    add_machine_choices(choices);
    return {"random-walk-fig12",
            "Figure 12 of the random-walk paper: steps of RW over those of RW-BM",
            "Formulas: Eq. 3 over Eq. 5, and Eq. 4 over Eq. 6.",
            std::move(choices),
            fit_pages,
            run_ratios,
            compare_walk_fig12};
}
benchmark correlations() {
    std::vector<choice> choices{
        {"search", "searches of which the steps are counted", "NAMES", "flag,bitmap,collaborative", true,
         normal_name({"flag", "bitmap", "collaborative", "claim", "clustered", "queue"})},
        pages_choice(),
        free_choice(paper_percents),
        threads_choice(threads_to_free_pages),
        space_choice()};
    add_repetition_choices(choices, "1", "20");
    add_machine_choices(choices);
    return {"random-walk-correlation",
            "Section III-B of the random-walk paper: steps, time, collisions",
            "Each launch is timed (kernel), and counts its own steps: tas, the average of all threads, and "
            "was, over "
            "warps\n"
            "of the most steps of a lane. The coefficients of correlation with the time are over all "
            "launches of a "
            "search.\n"
            "collisions: pairs of threads that draw the same page (bitmap: word) in their first step; "
            "collisions_formula:\n"
            "N (N - 1) / 2T. free_collisions: those at a free page. lost: how often another thread was first "
            "to take "
            "what\n"
            "a thread had seen free, in all steps of a launch.",
            std::move(choices),
            fit_pages,
            run_correlations,
            compare_walk_correlation};
}
benchmark scenarios(char const* name, char const* summary, char const* by_default, char const* percents) {
    std::vector<choice> choices{
        allocator_choice("random-walk-malloc,random-walk-segments,ouroboros-page-virtual-array,"
                         "ouroboros-page-array-pow2"),
        scenario_choice(by_default),
        free_choice(percents),
        {"before", "filled: up to that share; freed: filled, and then freed at random places", "NAMES",
         "filled", true, normal_name({"filled", "freed"})},
        threads_choice(threads_to_a_million),
        space_choice(),
        {"heap", "bytes of the heap", "BYTES", std::to_string(paper_heap_bytes), false, normal_heap}};
    add_repetition_choices(choices, "1", paper_repetitions);
    add_machine_choices(choices);
    return {name,
            summary,
            "Each thread requests a block from a heap with blocks of 8 KiB. Not served: more bytes than are "
            "free, and\n"
            "requests that find no room. Each repetition has a heap in that state of its own, but for "
            "scenarios that\n"
            "free: these go on with one. --before freed: pages of 8 KiB that page-based Ouroboros has got "
            "back serve\n"
            "no other size.",
            std::move(choices),
            fit_heap,
            run_scenario,
            compare_walk_fig13};
}

} // namespace

std::vector<benchmark> walk_benchmarks() {
    return {fig1(),
            fig4(),
            fig6(),
            fig10(),
            fig11(),
            fig12(),
            correlations(),
            scenarios("random-walk-fig13", "Figure 13 of the random-walk paper: RW_malloc in seven scenarios",
                      "16,256,1024,4096,8192,mixed,4096-freed", paper_percents),
            scenarios("random-walk-fig14", "Figure 14 of the random-walk paper: RW_malloc, mixed sizes",
                      "4-64,4-256,4-1024,4-4096,4-8192", "50"),
            utilisation_benchmark()};
}

} // namespace rhizome::bench
