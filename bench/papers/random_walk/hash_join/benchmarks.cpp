// SPDX-License-Identifier: Apache-2.0
// What can be measured of hash joins, and with which values by default: figures 17 and 18 of the random-walk
// paper.
#include <rhizome/bench/harness/common_choices.hpp>
#include <rhizome/bench/harness/comparison.hpp>
#include <rhizome/bench/papers/random_walk/hash_join/workloads.hpp>
#include <rhizome/cli/parse_values.hpp>
#include <rhizome/cli/usage_error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace rhizome::bench {
namespace {

constexpr std::uint64_t paper_pages = std::uint64_t{1} << 27;
constexpr std::uint64_t paper_pool_bytes = std::uint64_t{8} << 30;
constexpr std::uint64_t most_tuples = 10'000'000;
constexpr std::uint64_t most_tuples_over_pages = 4'000'000; // figure 18

std::string normal_page(std::string const& option, std::string const& text) {
    std::uint64_t const bytes = cli::parse_bytes(option, text);
    if (bytes < 32 || bytes > 2048 || bytes % 16 != 0)
        throw cli::usage_error(fmt::format("--{}: expected 32 to 2048 bytes, a multiple of 16", option));
    return std::to_string(bytes);
}
std::string normal_pool(std::string const& option, std::string const& text) {
    std::uint64_t const bytes = cli::parse_bytes(option, text);
    if (bytes < (1u << 20)) throw cli::usage_error(fmt::format("--{}: expected at least 1 MiB", option));
    return std::to_string(bytes);
}

std::string fit_tables(cell& which, std::set<std::string> const& chosen, space_description const& space) {
    fitting fit(which, chosen);
    std::uint64_t const by_default = which.has("pool") ? most_tuples_over_pages : most_tuples;
    if (space.name == "simt") {
        fit.lower("tuples", by_default, 512);
        fit.lower("pages", paper_pages, 4096);
        fit.lower("pool", paper_pool_bytes, 4u << 20);
        fit.lower("warm-up", which.count("warm-up"), 0);
        fit.lower("repetitions", which.count("repetitions"), 1);
        return fit.note(space, "an emulator is slow");
    }
    if (space.name == "host") {
        fit.lower("tuples", by_default, 262'144);
        fit.lower("pages", paper_pages, 1u << 22);
        fit.lower("pool", paper_pool_bytes, 1u << 30);
        fit.lower("repetitions", which.count("repetitions"), 3);
        return fit.note(space, "a CPU is slower than a GPU");
    }
    std::uint64_t pool = paper_pool_bytes;
    while (pool > (1u << 20) && pool > space.memory_bytes / 2)
        pool /= 2;
    fit.lower("pool", paper_pool_bytes, pool);
    fit.lower("pages", paper_pages, paper_pages / (paper_pool_bytes / pool));
    fit.lower("tuples", by_default, by_default / (paper_pool_bytes / pool));
    return fit.note(space, fmt::format("its memory is {} MiB", space.memory_bytes >> 20));
}

cell_result run(cell const& which) {
    join_options const options{.allocator = which.text("allocator"),
                               .page_bytes = static_cast<std::uint32_t>(which.bytes("page")),
                               .pages = which.has("pages") ? which.count("pages")
                                                           : which.bytes("pool") / which.bytes("page"),
                               .tuples_per_thread = which.count("tuples-per-thread")};
    if (!serves_join_pages(options.allocator, options.page_bytes))
        return {cell_status::not_served, "pages of 32, 128, 512 or 2048 bytes", {}};
    auto const opened = open_subject(space_of(which), options);
    return run_join(*opened, which);
}

/// The time of one allocator over that of another, of cells that are alike otherwise.
std::vector<comparison> compare(std::vector<measured_cell> const& cells) {
    auto const over = [&](char const* slow, char const* fast, std::string const& measure) {
        std::vector<double> found;
        for (measured_cell const& above : cells)
            for (measured_cell const& below : cells) {
                if (above.cell.text("allocator") != slow) continue;
                cell wanted = above.cell;
                wanted.set("allocator", fast);
                if (below.cell != wanted) continue;
                if (auto const ratio = ratio_of(above, below, measure)) found.push_back(*ratio);
            }
        return found;
    };
    std::vector<comparison> found;
    auto const state = [&](std::string what, ratio_range paper, std::vector<double> const& ours) {
        found.push_back({std::move(what), paper, range_of(ours), ours.size(), "VI, figures 17 and 18"});
    };
    // The paper says which is faster, in words alone.
    state("total, direct over RW (paper: below 1)", {}, over("direct", "random-walk-flag", "total"));
    state("total, direct over RW-BM (paper: above 1)", {}, over("direct", "random-walk-bitmap", "total"));
    state("total, direct over CoRW (paper: above 1)", {},
          over("direct", "random-walk-collaborative", "total"));
    state("total, Ouroboros over CoRW (paper: above 1)", {},
          over("ouroboros-page-virtual-array", "random-walk-collaborative", "total"));
    return found;
}

std::vector<choice> choices_of(char const* tuples, char const* pages) {
    std::vector<choice> choices{
        {"allocator", "direct (a counter), and allocators of the tool", "NAMES",
         fmt::format("{}", fmt::join(join_allocators(), ",")), true, normal_name(join_allocators())},
        {"tuples", "tuples of each table", "COUNTS", tuples, true, normal_count(1, 1'000'000'000)},
        {"page", "bytes of a page of output", "SIZES", pages, true, normal_page}};
    return choices;
}
void add_the_rest(std::vector<choice>& choices) {
    choices.push_back(
        {"copies", "tuples of the left table with the same key, so matches of each tuple of the right one",
         "N", "4", false, normal_count(1, 1000)});
    choices.push_back({"tuples-per-thread", "tuples that a thread of the probe takes", "N", "1", false,
                       normal_count(1, 1'000'000)});
    choices.push_back(space_choice());
    add_repetition_choices(choices, "1", "10");
    add_machine_choices(choices);
}

} // namespace

std::vector<benchmark> join_benchmarks() {
    constexpr char const* details = "A radix hash join: partition both tables, build lists of the left one, "
                                    "probe with the right one. Each\n"
                                    "thread of the probe writes its matches to pages of its own. total: the "
                                    "three stages, tables and matches in\n"
                                    "the space; prepare: making the heap, by the host's clock. Each "
                                    "repetition has a heap of its own. Matches\n"
                                    "are checked. If pages run out, the message says how far the probe came.";
    std::vector<choice> over_tuples = choices_of("16384,65536,262144,1048576,4194304,10000000", "32");
    over_tuples.push_back({"pages", "pages of the pool", "COUNTS", std::to_string(paper_pages), true,
                           normal_count(32, std::uint64_t{1} << 40)});
    add_the_rest(over_tuples);
    // 2^22 tuples would take every page of 2 KiB of the pool.
    std::vector<choice> over_pages =
        choices_of(std::to_string(most_tuples_over_pages).c_str(), "32,128,512,2048");
    over_pages.push_back(
        {"pool", "bytes of the pool", "BYTES", std::to_string(paper_pool_bytes), true, normal_pool});
    add_the_rest(over_pages);
    return {
        {"random-walk-fig17", "Figure 17 of the random-walk paper: a hash join over the size of its tables",
         details, std::move(over_tuples), fit_tables, run, compare},
        {"random-walk-fig18", "Figure 18 of the random-walk paper: a hash join over the size of its pages",
         details, std::move(over_pages), fit_tables, run, compare}};
}

} // namespace rhizome::bench
