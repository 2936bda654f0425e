// SPDX-License-Identifier: Apache-2.0
// The benchmark of figure 15, and its values by default.
#include <rhizome/bench/harness/common_choices.hpp>
#include <rhizome/bench/papers/random_walk/utilisation.hpp>
#include <rhizome/cli/parse_values.hpp>
#include <rhizome/cli/usage_error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace rhizome::bench {
namespace {

constexpr std::uint64_t paper_heap_bytes = std::uint64_t{10} << 30;

cell_result run(cell const& which) {
    utilisation_options const options{.allocator = which.text("allocator"),
                                      .largest_bytes = which.count("largest"),
                                      .heap_bytes = which.bytes("heap")};
    std::uint64_t const bytes = which.bytes("size");
    if (bytes > options.largest_bytes)
        return {
            cell_status::not_served, fmt::format("at most {} bytes a request", options.largest_bytes), {}};
    auto const opened = open_subject(space_of(which), options);
    double const share = handed_out_share(*opened, options.heap_bytes, which.count("threads"), bytes);
    return {cell_status::ok,
            "",
            {{"handed_out", "share", true, {share}},
             {"handed_out_formula", "share", true, {share_after_rounding(options, bytes)}}}};
}

std::string fit_heap(cell& which, std::set<std::string> const& chosen, space_description const& space) {
    fitting fit(which, chosen);
    std::uint64_t heap = paper_heap_bytes;
    while (heap > (1u << 20) && heap > space.memory_bytes / 4)
        heap /= 2;
    if (space.name == "host") heap = std::min<std::uint64_t>(heap, 64u << 20);
    if (space.name == "simt") heap = 4u << 20;
    fit.lower("heap", paper_heap_bytes, heap);
    if (space.name != "cuda") fit.lower("threads", 100'000, 1000);
    return fit.note(space, fmt::format("its memory is {} MiB", space.memory_bytes >> 20));
}

std::string normal_size(std::string const& option, std::string const& text) {
    std::uint64_t const bytes = cli::parse_bytes(option, text);
    if (bytes < 16 || bytes > 32768)
        throw cli::usage_error(fmt::format("--{}: expected 16 to 32768 bytes", option));
    return std::to_string(bytes);
}
std::string normal_heap(std::string const& option, std::string const& text) {
    std::uint64_t const bytes = cli::parse_bytes(option, text);
    if (bytes < (1u << 20) || bytes % (1u << 20) != 0)
        throw cli::usage_error(fmt::format("--{}: expected a multiple of 1 MiB", option));
    return std::to_string(bytes);
}

} // namespace

benchmark utilisation_benchmark() {
    std::vector<choice> choices{
        {"allocator", "ouroboros, random-walk-malloc, random-walk-malloc-16 (pages of 16 bytes)", "NAMES",
         "ouroboros,random-walk-malloc,random-walk-malloc-16", true,
         normal_name({"ouroboros", "random-walk-malloc", "random-walk-malloc-16"})},
        {"largest", "the largest request: a chunk of ouroboros, 32 pages of random-walk-malloc", "BYTES",
         "4096,8192,16384,32768", true, normal_name({"4096", "8192", "16384", "32768"})},
        {"size", "bytes a request", "SIZES",
         "16,64,128,200,256,400,512,700,1024,1050,1500,2048,2500,3000,4096,5000,8192,12000,16384,24000,32768",
         true, normal_size},
        {"threads", "threads of a launch", "COUNTS", "100000", true, normal_count(1, 1u << 27)},
        space_choice(),
        {"heap", "bytes of the heap", "BYTES", std::to_string(paper_heap_bytes), false, normal_heap}};
    add_machine_choices(choices);
    return {"random-walk-fig15",
            "Figure 15 of the random-walk paper: share of the heap that is handed out",
            "Launch by launch, until a request is refused: the bytes asked for and served over those of the "
            "heap.\n"
            "Ouroboros: pages in array queues, power-of-two classes. Formula: what rounding up to whole "
            "pages, or to\n"
            "a power of two, leaves.",
            std::move(choices),
            fit_heap,
            run};
}

} // namespace rhizome::bench
