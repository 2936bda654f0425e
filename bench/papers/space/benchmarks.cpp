// SPDX-License-Identifier: Apache-2.0
// What can be measured of compactions, and with which values by default.
#include <rhizome/bench/harness/common_choices.hpp>
#include <rhizome/bench/papers/space/space_comparison.hpp>
#include <rhizome/bench/papers/space/subject.hpp>
#include <rhizome/cli/parse_values.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/compaction/tuning.hpp>
#include <rhizome/io/message_text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace rhizome::bench {

std::vector<std::string> const& compaction_methods() {
    static std::vector<std::string> const names{"default", "space-1", "space-2",   "space-3",
                                                "space-4", "space-5", "space-6",   "space-7",
                                                "space-8", "cub",     "cub-bytes", "in-place"};
    return names;
}

namespace {

constexpr std::uint64_t gib = std::uint64_t{1} << 30;
constexpr std::uint64_t most_data_bytes = std::uint64_t{1} << 40;
constexpr std::uint64_t emulated_data_bytes = 256u << 10;
constexpr char const* clusters_prefix = "clusters-";

std::uint64_t clusters_of(std::string const& distribution) {
    if (distribution == "uniform") return 0;
    return std::stoull(distribution.substr(std::string(clusters_prefix).size()));
}

std::string normal_distribution(std::string const& option, std::string const& text) {
    if (text == "uniform") return text;
    std::string const prefix = clusters_prefix;
    if (text.starts_with(prefix))
        return prefix + std::to_string(cli::parse_count(option, text.substr(prefix.size()), 1, 1u << 20));
    throw cli::usage_error(fmt::format("--{}: found {}, expected uniform, or clusters-N such as clusters-1",
                                       option, io::quoted(text)));
}

std::string normal_percent(std::string const& option, std::string const& text) {
    double percent = -1;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
    if (error != std::errc{} || end != text.data() + text.size() || !(percent >= 0 && percent <= 100))
        throw cli::usage_error(
            fmt::format("--{}: found {}, expected a percentage from 0 to 100", option, io::quoted(text)));
    return fmt::format("{}", percent);
}

std::string normal_data(std::string const& option, std::string const& text) {
    std::uint64_t const bytes = cli::parse_bytes(option, text);
    if (bytes < 64 || bytes > most_data_bytes)
        throw cli::usage_error(fmt::format("--{}: expected 64 bytes to 1 TiB", option));
    return std::to_string(bytes);
}

std::string normal_multiple_of_32(std::string const& option, std::string const& text, std::uint64_t lowest,
                                  std::uint64_t highest) {
    std::uint64_t const count = cli::parse_count(option, text, lowest, highest);
    if (count % 32 != 0) throw cli::usage_error(fmt::format("--{}: expected a multiple of 32", option));
    return std::to_string(count);
}

std::uint32_t bytes_of(std::string const& element) {
    if (element == "u8") return 1;
    if (element == "u16") return 2;
    if (element == "u64" || element == "double") return 8;
    return 4;
}

std::string joined(std::vector<std::string> const& names) { return fmt::format("{}", fmt::join(names, ",")); }

struct defaults {
    std::string methods;
    std::string elements;
    std::string distributions;
    std::string selected;
};

std::vector<choice> choices_of(defaults const& by_default) {
    std::vector<choice> choices{
        {"method", "ways to compact: " + joined(compaction_methods()), "NAMES", by_default.methods, true,
         normal_name(compaction_methods())},
        {"element", "types of elements: u8, u16, u32, u64, int, float, double", "TYPES", by_default.elements,
         true, normal_name({"u8", "u16", "u32", "u64", "int", "float", "double"})},
        {"distribution",
         "where selected items lie: uniform (drawn at random), clusters-N (N runs at equal distances)",
         "NAMES", by_default.distributions, true, normal_distribution},
        {"selected", "percentages of selected items", "PERCENTS", by_default.selected, true, normal_percent},
        space_choice(),
        {"data", "bytes of the input (also 64M, 1GiB)", "BYTES", std::to_string(gib), true, normal_data},
        {"chunk", "items per chunk of the variants of SPACE", "COUNTS", "512", true,
         [](std::string const& option, std::string const& text) {
             return normal_multiple_of_32(option, text, 32, 65'536);
         }},
        {"block-threads",
         "threads per block, up to 256, of the variants of SPACE up to 1024; 0: chosen by the method",
         "COUNTS", "0", true,
         [](std::string const& option, std::string const& text) {
             return normal_multiple_of_32(option, text, 0, compaction::most_space_threads);
         }},
        {"write-blocks", "blocks of the second pass of the default method; 0: chosen by it", "COUNTS", "0",
         true, normal_count(0, 1u << 20)}};
    add_repetition_choices(choices, "3", "11");
    add_machine_choices(choices);
    return choices;
}

std::string fit_to_space(cell& which, std::set<std::string> const& chosen, space_description const& space) {
    fitting fit(which, chosen);
    if (space.name == "simt") {
        fit.lower("data", gib, emulated_data_bytes);
        fit.lower("warm-up", which.count("warm-up"), 1);
        fit.lower("repetitions", which.count("repetitions"), 3);
        return fit.note(space, "an emulator is slow");
    }
    std::uint64_t data = gib;
    while (data > (1u << 20) && data * 8 > space.memory_bytes) // input, output, mask, and the check
        data /= 2;
    if (space.name == "host") data = std::min<std::uint64_t>(data, 128u << 20);
    fit.lower("data", gib, data);
    return fit.note(space, fmt::format("its memory is {} MiB", space.memory_bytes >> 20));
}

cell_result run_compaction(cell const& which) {
    std::uint32_t const element_bytes = bytes_of(which.text("element"));
    compaction_options const options{.method = which.text("method"),
                                     .element_bytes = element_bytes,
                                     .items = which.bytes("data") / element_bytes,
                                     .chunk_items = static_cast<std::uint32_t>(which.count("chunk")),
                                     .block_threads =
                                         static_cast<std::uint32_t>(which.count("block-threads")),
                                     .write_blocks = static_cast<std::uint32_t>(which.count("write-blocks"))};
    auto const subject = open_subject(space_of(which), options);
    if (!subject)
        return {cell_status::not_served,
                options.method + " is for cuda only; cub-bytes takes 4-byte elements",
                {}};
    double const bytes_per_ms = subject->copy_bytes_per_ms();
    compaction_traffic const traffic = subject->set_mask({.clusters = clusters_of(which.text("distribution")),
                                                          .share = std::stod(which.text("selected")) / 100,
                                                          .seed = which.count("seed")});
    double const floor_ms =
        static_cast<double>(traffic.mask_bytes + traffic.read_bytes + traffic.written_bytes) / bytes_per_ms;
    double const paper_gib =
        static_cast<double>(traffic.mask_bytes + options.items * element_bytes) / static_cast<double>(gib);
    measure select{"select", "ms", false, {}};
    measure share{"of_floor", "share", true, {}};
    measure throughput{"throughput", "GiB/s", true, {}};
    std::uint64_t const warm_up = which.count("warm-up");
    std::uint64_t const rounds = warm_up + which.count("repetitions");
    for (std::uint64_t round = 0; round < rounds; ++round) {
        double const ms = subject->select_ms();
        if (round == 0 || round + 1 == rounds) subject->verify();
        if (round < warm_up) continue;
        select.samples.push_back(ms);
        share.samples.push_back(floor_ms / ms);
        throughput.samples.push_back(paper_gib / (ms / 1000));
    }
    return {cell_status::ok, "", {select, {"floor", "ms", false, {floor_ms}}, share, throughput}};
}

// ---- The sweep: chunk sizes, launch shapes, streams and types, each by itself, over all percentages ----

constexpr char const* sweep_chunk = "512"; // where another axis is swept
constexpr char const* sweep_element = "u32";
constexpr std::uint64_t sweep_data_bytes = 256u << 20;

std::vector<choice> sweep_choices(std::string const& methods) {
    std::vector<choice> choices = choices_of({methods, "u8,u16,u32,u64,int,float,double", "clusters-1", ""});
    std::erase_if(choices,
                  [](choice const& each) { return each.name == "selected" || each.name == "write-blocks"; });
    auto const named = [&](char const* name) {
        return std::find_if(choices.begin(), choices.end(),
                            [&](choice const& each) { return each.name == name; });
    };
    named("chunk")->defaults = "512,1024,2048,4096";
    named("block-threads")->defaults = "0,64,128,256,512,1024";
    named("data")->defaults = std::to_string(sweep_data_bytes);
    named("warm-up")->defaults = "1";
    named("repetitions")->defaults = "3";
    choices.insert(
        named("warm-up"),
        {choice{"write-threads",
                "threads per block of the kernel of variants of SPACE that writes; 0: as the others",
                "COUNTS", "0,64,128,256,512,1024", true,
                [](std::string const& option, std::string const& text) {
                    return normal_multiple_of_32(option, text, 0, compaction::most_space_threads);
                }},
         choice{"streams", "streams of the variants of SPACE; 0: the variant's own (variant 3: 4)", "COUNTS",
                "0,1,2,4,8,16", true, normal_count(0, compaction::most_space_streams)},
         choice{"percent-step", "percentages from 1 to 97, so far apart", "N", "4", false,
                normal_count(1, 96)}});
    return choices;
}

/// Axes are crossed, and the sweep varies one at a time: a cell that differs from the usual one in several
/// becomes one that is in the sweep, which the plan keeps once. Axes that the user names are crossed, and the
/// others then have their usual values.
std::string fit_sweep(cell& which, std::set<std::string> const& chosen, space_description const& space) {
    std::string const method = which.text("method");
    bool const is_space = method.starts_with("space-");
    bool const has_streams = method == "space-3" || method == "space-8";
    bool const own_shape = is_space || method == "default";
    struct axis {
        char const* name;
        char const* usual;
        bool has; ///< whether the method has it
    };
    bool others = false; // an axis is at another value than the usual one
    for (char const* const name : {"element", "chunk", "block-threads", "write-threads", "streams"})
        others = others || chosen.contains(name);
    for (axis const each : {axis{"element", sweep_element, true}, axis{"chunk", sweep_chunk, is_space},
                            axis{"block-threads", "0", own_shape}, axis{"write-threads", "0", is_space},
                            axis{"streams", "0", is_space && (has_streams || chosen.contains("streams"))}}) {
        bool const too_many = std::string(each.name) == "block-threads" && !is_space &&
                              which.count("block-threads") > compaction::most_block_threads;
        if (which.text(each.name) == each.usual) continue;
        if (!each.has || too_many || (!chosen.contains(each.name) && others))
            which.set(each.name, each.usual);
        if (which.text(each.name) != each.usual && !chosen.contains(each.name)) others = true;
    }
    fitting fit(which, chosen);
    if (space.name == "simt") {
        fit.lower("data", sweep_data_bytes, emulated_data_bytes / 4);
        fit.lower("warm-up", 1, 0);
        fit.lower("repetitions", 3, 1);
        return fit.note(space, "an emulator is slow");
    }
    std::uint64_t data = sweep_data_bytes;
    while (data > (1u << 20) && data * 8 > space.memory_bytes)
        data /= 2;
    if (space.name == "host") data = std::min<std::uint64_t>(data, 16u << 20);
    fit.lower("data", sweep_data_bytes, data);
    return fit.note(space, fmt::format("its memory is {} MiB", space.memory_bytes >> 20));
}

cell_result run_sweep(cell const& which) {
    std::uint32_t const element_bytes = bytes_of(which.text("element"));
    compaction_options const options{
        .method = which.text("method"),
        .element_bytes = element_bytes,
        .items = which.bytes("data") / element_bytes,
        .chunk_items = static_cast<std::uint32_t>(which.count("chunk")),
        .block_threads = static_cast<std::uint32_t>(which.count("block-threads")),
        .write_threads = static_cast<std::uint32_t>(which.count("write-threads")),
        .streams = static_cast<std::uint32_t>(which.count("streams"))};
    auto const subject = open_subject(space_of(which), options);
    if (!subject)
        return {cell_status::not_served,
                options.method + " is for cuda only; cub-bytes takes 4-byte elements",
                {}};
    double const paper_gib =
        (static_cast<double>(options.items) / 8 + static_cast<double>(which.bytes("data"))) /
        static_cast<double>(gib);
    measure select{"select", "ms", false, {}, true};
    measure throughput{"throughput", "GiB/s", true, {}, true};
    std::uint64_t const warm_up = which.count("warm-up");
    for (double const percent : swept_percents(which.count("percent-step"))) {
        (void)subject->set_mask({.clusters = clusters_of(which.text("distribution")),
                                 .share = percent / 100,
                                 .seed = which.count("seed")});
        std::vector<double> times;
        for (std::uint64_t round = 0; round < warm_up + which.count("repetitions"); ++round) {
            double const ms = subject->select_ms();
            if (round >= warm_up) times.push_back(ms);
        }
        subject->verify();
        std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                         times.end());
        select.samples.push_back(times[times.size() / 2]);
        throughput.samples.push_back(paper_gib / (select.samples.back() / 1000));
    }
    return {cell_status::ok, "", {select, throughput}};
}

/// 1, 5, 9, ..., 97.
std::string percents_by_four() {
    std::string list = "1";
    for (int percent = 5; percent <= 97; percent += 4)
        list.append(",").append(std::to_string(percent));
    return list;
}

} // namespace

std::vector<benchmark> compaction_benchmarks() {
    constexpr char const* details = "Input, mask and output lie in the space; the count stays there. floor "
                                    "is the time that mask, sectors with a\n"
                                    "selected element and output take at the rate of a copy of the input, "
                                    "of_floor its share of the time. The\n"
                                    "throughput is the paper's: bytes of mask and input per time, skipped or "
                                    "not. Count and contents are checked.";
    constexpr char const* every_space = "space-1,space-2,space-3,space-4,space-5,space-6,space-7,space-8";
    std::string const all = joined(compaction_methods());
    return {
        {"compaction", "stream compaction by bit mask: milliseconds", details,
         choices_of({all, "u32", "uniform,clusters-1", "0.1,1,10,50,97"}), fit_to_space, run_compaction},
        {"space-fig1", "Figure 1 of the SPACE paper: variant 8 and CUB over selected percentages", details,
         choices_of({"default,space-8,cub", "u32", "uniform,clusters-1,clusters-32", percents_by_four()}),
         fit_to_space, run_compaction, compare_space_fig1},
        {"space-fig5", "Figure 5 of the SPACE paper: all variants over percentages of selected items",
         details,
         choices_of({fmt::format("default,{},cub", every_space), "u32", "uniform,clusters-1,clusters-32",
                     percents_by_four()}),
         fit_to_space, run_compaction, compare_space_fig1},
        {"space-fig6", "Figure 6 of the SPACE paper: very low percentages", details,
         choices_of({"default,space-7,space-8,cub", "u32", "uniform,clusters-1,clusters-32",
                     "1,0.1,0.01,0.001,0.0001,1e-05,1e-06,1e-07"}),
         fit_to_space, run_compaction, compare_space_fig6},
        {"space-fig7", "Figure 7 of the SPACE paper: data types", details,
         choices_of(
             {"default,space-8,cub", "u8,u16,u32,u64,int,float,double", "clusters-1", percents_by_four()}),
         fit_to_space, run_compaction},
        {"space-sweep", "Section 4.4 of the SPACE paper: chunk sizes, launch shapes, streams and types",
         "A cell measures 25 percentages of selected items, from 1 to 97, one after the other: select and\n"
         "throughput are medians over them, and the JSON and the picture have curves. Chunks of 512 to 4096\n"
         "items, 64 to 1024 threads per block (of all kernels, and of the one that writes), streams and "
         "types\n"
         "are swept one at a time, with chunks of 512 items of type u32 and the method's own launch shape "
         "and\n"
         "streams elsewhere. Axes that you name are crossed instead. Count and contents are checked.",
         sweep_choices(fmt::format("default,{},cub", every_space)), fit_sweep, run_sweep,
         compare_space_sweep},
    };
}

} // namespace rhizome::bench
