// SPDX-License-Identifier: Apache-2.0
// What can be measured of arrays, and with which values by default: the figures of the GGArray paper.
#include <rhizome/bench/harness/common_choices.hpp>
#include <rhizome/bench/papers/ggarray/comparison.hpp>
#include <rhizome/bench/papers/ggarray/workloads.hpp>
#include <rhizome/cli/parse_values.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/io/message_text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace rhizome::bench {
namespace {

/// From 1e6 elements, doubled ten times.
constexpr char const* doublings =
    "1000000,2000000,4000000,8000000,16000000,32000000,64000000,128000000,256000000,512000000";
constexpr std::uint64_t last_doubling = 512'000'000;
constexpr std::uint64_t most_elements = 1'000'000'000;
// The highest defaults of other choices.
constexpr std::uint64_t most_vectors = 4096;
constexpr std::uint64_t most_calls = 1000;
constexpr std::uint64_t most_each = 10;

std::vector<std::string> with_vectors() {
    return {"static", "region", "gg-512", "gg-32", "buffer", "vector"};
}

std::string normal_sigma(std::string const& option, std::string const& text) {
    char* end = nullptr;
    double const value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !(value >= 0 && value <= 2))
        throw cli::usage_error(
            fmt::format("--{}: found {}, expected a number from 0 to 2", option, io::quoted(text)));
    return fmt::format("{}", value);
}

choice structure_choice(char const* defaults) {
    return {"structure",
            "arrays: static, region, gg-512 and gg-32 (with so many vectors), buffer (plain), vector "
            "(Thrust's, or "
            "std)",
            "NAMES",
            defaults,
            true,
            normal_name(with_vectors())};
}
choice insertion_choice(char const* defaults) {
    return {"insertion", "how threads get places: atomic, warp-scan, tensor-scan",
            "NAMES",     defaults,
            true,        normal_name(array_insertions())};
}
choice elements_choice(char const* defaults, char const* summary) {
    return {"elements", summary, "COUNTS", defaults, true, normal_edges};
}
choice vectors_choice(char const* defaults, bool is_axis) {
    return {"vectors", "vectors of a gg_array", "COUNTS", defaults, is_axis, normal_count(1, 1u << 20)};
}
choice first_bucket_choice() {
    return {"first-bucket",
            "elements of the first bucket; a power of two",
            "N",
            "32",
            false,
            [](std::string const& option, std::string const& text) {
                std::uint64_t const count = cli::parse_count(option, text, 1, 1u << 30);
                if ((count & (count - 1)) != 0)
                    throw cli::usage_error(
                        fmt::format("--{}: found {}, expected a power of two", option, io::quoted(text)));
                return std::to_string(count);
            }};
}

choice per_call_choice() {
    return {"per-call",
            "items whose elements a thread of static, region or gg inserts with one call; 1: as in the paper",
            "N",
            "1",
            false,
            normal_count(1, 16)};
}

void add_the_rest(std::vector<choice>& choices, char const* warm_up, char const* repetitions) {
    choices.push_back(space_choice());
    add_repetition_choices(choices, warm_up, repetitions);
    add_machine_choices(choices);
}

/// Defaults are for a large GPU.
struct fit_arrays {
    std::uint64_t by_default;

    std::string operator()(cell& which, std::set<std::string> const& chosen,
                           space_description const& space) const {
        fitting fit(which, chosen);
        if (space.name == "simt") {
            fit.lower("elements", by_default, 2000);
            if (which.has("vectors")) fit.lower("vectors", most_vectors, 32);
            if (which.has("calls")) fit.lower("calls", most_calls, 2);
            if (which.has("each")) fit.lower("each", most_each, 3); // five phases, 4^5 times the elements
            fit.lower("warm-up", which.count("warm-up"), 0);
            fit.lower("repetitions", which.count("repetitions"), 1);
            return fit.note(space, "an emulator is slow");
        }
        if (space.name == "host") {
            fit.lower("elements", by_default, 4'000'000);
            if (which.has("calls")) fit.lower("calls", most_calls, 100);
            return fit.note(space, "a CPU is slower than a GPU");
        }
        // 4 bytes per element, twice as many elements, up to 2.5 times the memory, and a copy.
        fit.lower("elements", by_default, space.memory_bytes / 32);
        return fit.note(space, fmt::format("its memory is {} MiB", space.memory_bytes >> 20));
    }
};

/// "gg-512" is gg with 512 vectors.
open_array opener(cell const& which, std::string insertion) {
    return [&which, insertion = std::move(insertion)](std::string const& structure, std::uint64_t most) {
        array_subject_options options{.structure = structure,
                                      .insertion = insertion,
                                      .most_elements = most,
                                      .first_bucket =
                                          which.has("first-bucket") ? which.count("first-bucket") : 32,
                                      .items_per_call = static_cast<std::uint32_t>(which.count("per-call"))};
        if (structure.starts_with("gg-")) {
            options.structure = "gg";
            options.vectors = static_cast<std::uint32_t>(std::stoul(structure.substr(3)));
        }
        return open_subject(space_of(which), options);
    };
}

cell_result run_insertion(cell const& which) {
    cell_result result =
        run_doubling(opener(which, which.text("insertion")), which.text("structure"), which, false);
    std::erase_if(result.measures, [](measure const& each) { return each.name != "insert"; });
    return result;
}
cell_result run_structure(cell const& which) {
    return run_doubling(opener(which, which.text("insertion")), which.text("structure"), which, false);
}
cell_result run_vectors(cell const& which) {
    return run_doubling(opener(which, which.text("insertion")), "gg-" + which.text("vectors"), which, true);
}
cell_result run_fig7(cell const& which) {
    return run_phases(opener(which, which.text("insertion")), "gg-" + which.text("vectors"), which);
}

benchmark fig3() {
    std::vector<choice> choices{
        {"sigma", "of the log-normal factor of growth", "NUMBERS", "0,0.25,0.5,0.75,1,1.25,1.5,1.75,2", true,
         normal_sigma},
        elements_choice("1000000", "elements at the start"),
        {"phases", "phases of growth, one after the other", "N", "1", false, normal_count(1, 10)},
        vectors_choice("512", false),
        first_bucket_choice()};
    add_machine_choices(choices);
    return {
        "ggarray-fig3",
        "Figure 3 of the GGArray paper: memory of static and growing arrays (computed)",
        "The number of elements is multiplied by 1 + X in each phase, X log-normal with mu = 0. In "
        "multiples\n"
        "of the elements at the start: the expected number of elements; a static or semi-static array that "
        "is\n"
        "large enough in 99 % of the cases; the buckets of a gg_array on average. gg_worst is the most room\n"
        "of buckets over elements. From 200,000 draws; nothing is measured.",
        std::move(choices),
        {},
        compute_memory};
}
benchmark fig4() {
    std::vector<choice> choices{insertion_choice("atomic,warp-scan,tensor-scan"), structure_choice("static"),
                                elements_choice(doublings, "elements that are there, and are inserted"),
                                per_call_choice(), first_bucket_choice()};
    add_the_rest(choices, "1", "10");
    return {"ggarray-fig4",
            "Figure 4 of the GGArray paper: insertion policies over the size",
            "An array with so many elements gets as many again. With each call a thread inserts one\n"
            "element, as in the paper, or as many as --per-call says.",
            std::move(choices),
            fit_arrays{last_doubling},
            run_insertion};
}
benchmark fig5() {
    std::vector<choice> choices{vectors_choice("1,2,4,8,16,32,64,128,256,512,1024,2048,4096", true),
                                insertion_choice("warp-scan"),
                                elements_choice("512000000", "elements that are there, and are inserted"),
                                per_call_choice(), first_bucket_choice()};
    add_the_rest(choices, "1", "5");
    return {"ggarray-fig5",
            "Figure 5 of the GGArray paper: a gg_array over the number of its vectors",
            "Its elements are doubled: growth, insertion, and reading and writing by runs (read_write, the "
            "paper's\n"
            "rw_b) and by global index (read_write_by_index, the paper's rw_g).",
            std::move(choices),
            fit_arrays{last_doubling},
            run_vectors};
}
benchmark fig6(char const* name, char const* summary, char const* sizes) {
    std::vector<choice> choices{structure_choice("static,region,gg-512,gg-32,buffer,vector"),
                                insertion_choice("warp-scan"),
                                elements_choice(sizes, "elements that are there, and are inserted"),
                                per_call_choice(), first_bucket_choice()};
    add_the_rest(choices, "1", "5");
    return {name,
            summary,
            "The capacity is doubled (grow), elements are inserted (insert), and 1 is added to each element\n"
            "thirty times (read_write). With each call a thread inserts one element, as in the paper, or\n"
            "as many as --per-call says. buffer is a plain array: growing copies it, and threads know\n"
            "their places. vector is Thrust's device_vector, on host and simt std::vector with one thread.",
            std::move(choices),
            fit_arrays{last_doubling},
            run_structure,
            compare_ggarray_table2};
}
benchmark fig7() {
    std::vector<choice> choices{
        {"calls", "kernels of work after each phase of insertion", "COUNTS", "1,10,100,1000", true,
         normal_count(1, 10'000)},
        {"each", "elements inserted for each element", "COUNTS", "1,3,10", true, normal_count(1, 100)},
        elements_choice("1000000000", "elements at the end, about"),
        insertion_choice("warp-scan"),
        vectors_choice("512", false),
        per_call_choice(),
        first_bucket_choice()};
    add_the_rest(choices, "1", "5");
    return {
        "ggarray-fig7",
        "Figure 7 of the GGArray paper: insertion and work in phases",
        "Five phases, in each of which elements are inserted and kernels add 1 to each element. "
        "semi_static:\n"
        "all in a region_array. two_phases: insertion into a gg_array, which grows in the kernel; then its\n"
        "elements are copied to a region_array, on which the kernels work.",
        std::move(choices),
        fit_arrays{most_elements},
        run_fig7};
}

} // namespace

std::vector<benchmark> array_benchmarks() {
    return {fig3(),
            fig4(),
            fig5(),
            fig6("ggarray-fig6", "Figure 6 of the GGArray paper: growth, insertion and access over the size",
                 doublings),
            fig7(),
            fig6("ggarray-table2", "Table 2 of the GGArray paper: the last doubling, to 1.024e9 elements",
                 "512000000")};
}

std::vector<std::string> array_insertions() { return {"atomic", "warp-scan", "tensor-scan"}; }

} // namespace rhizome::bench
