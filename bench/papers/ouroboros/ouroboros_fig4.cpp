// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/harness/common_choices.hpp>
#include <rhizome/bench/papers/ouroboros/ouroboros_fig4.hpp>
#include <rhizome/bench/papers/ouroboros/table1.hpp>

#include <algorithm>

namespace rhizome::bench {
namespace {

constexpr std::uint64_t paper_batch = 100'000;
constexpr std::uint64_t default_arcs = 32'000'000;
/// Of the graph, the rows that it is built from, and scratch; roads, with 2 arcs per vertex, take the most.
constexpr std::uint64_t most_bytes_per_arc = 128;
constexpr std::uint64_t default_iterations = 20;
constexpr char const* all_arcs = "all";

/// A count of arcs, or "all": no graph is made smaller, but for those that do not fit the memory of the
/// space.
std::string normal_most_arcs(std::string const& option, std::string const& text) {
    return text == all_arcs ? text : normal_edges(option, text);
}

std::vector<std::string> variant_names() {
    std::vector<std::string> names;
    for (fig4_variant const& each : fig4_variants())
        names.emplace_back(each.name);
    return names;
}

std::string joined(std::vector<std::string> const& names) {
    std::string list;
    for (std::string const& name : names)
        list.append(list.empty() ? "" : ",").append(name);
    return list;
}

std::vector<choice> fig4_choices() {
    std::vector<choice> choices{
        {"graph", "graphs of Table 1 of the Ouroboros paper", "NAMES", joined(table1_names()), true,
         normal_name(table1_names())},
        {"variant", "allocators and layouts of Figure 4 of the Ouroboros paper", "NAMES",
         joined(variant_names()), true, normal_name(variant_names())},
        {"edges", "edges a batch (10k, 1M)", "COUNTS", std::to_string(paper_batch), true, normal_edges},
        {"most-arcs",
         "larger graphs of Table 1 are replaced by stand-ins with about so many arcs (8M); all: the sizes of "
         "the "
         "paper, or what fits the memory",
         "COUNT", std::to_string(default_arcs), false, normal_most_arcs},
        {"source",
         "file: from the folder RHIZOME_DATASETS; stand-in: generated (default: the file if it is there and "
         "has at "
         "most --most-arcs arcs)",
         "NAME", "", false, normal_name({"file", "stand-in"})},
        {"iterations", "iterations of PageRank a measurement", "N", std::to_string(default_iterations), false,
         normal_count(1, 10'000)},
        space_choice()};
    add_repetition_choices(choices, "1", "5");
    add_machine_choices(choices);
    return choices;
}

std::string fit_fig4(cell& which, std::set<std::string> const& chosen, space_description const& space) {
    fitting fit(which, chosen);
    std::string note;
    if (which.text("most-arcs") == all_arcs) {
        constexpr std::uint64_t most = std::uint64_t{1} << 40;
        which.set("most-arcs", std::to_string(space.memory_bytes == 0
                                                  ? most
                                                  : std::min(most, space.memory_bytes / most_bytes_per_arc)));
    }
    if (space.name == "simt") {
        fit.lower("most-arcs", default_arcs, 2000);
        fit.lower("edges", paper_batch, 200);
        fit.lower("iterations", default_iterations, 2);
        fit.lower("warm-up", which.count("warm-up"), 0);
        fit.lower("repetitions", which.count("repetitions"), 1);
        note = fit.note(space, "an emulator is slow");
    } else if (space.name == "host") {
        fit.lower("most-arcs", default_arcs, 200'000);
        fit.lower("edges", paper_batch, 10'000);
        note = fit.note(space, "a few cores are no GPU");
    } else if (space.memory_bytes != 0) {
        fit.lower("most-arcs", default_arcs, space.memory_bytes / most_bytes_per_arc);
        note = fit.note(space, "its memory is " + std::to_string(space.memory_bytes >> 20) + " MiB");
    }
    if (which.text("source").empty())
        which.set("source", table1_source(which.text("graph"), which.count("most-arcs")));
    return note;
}

cell_result run_fig4_cell(cell const& which) {
    auto const& all = fig4_variants();
    auto const variant = std::find_if(
        all.begin(), all.end(), [&](fig4_variant const& each) { return each.name == which.text("variant"); });
    graph_input const input = table1_input(which.text("graph"), which.text("source"),
                                           which.count("most-arcs"), which.count("seed"));
    return run_fig4(
        [&](bool directed) {
            graph_subject_options const options{.layout = variant->layout,
                                                .allocator = variant->allocator,
                                                .vertices = input.vertices,
                                                .directed = directed};
            return open_subject(space_of(which), options);
        },
        which, input);
}

} // namespace

benchmark ouroboros_fig4() {
    return {
        "ouroboros-fig4",
        "Figure 4 of the Ouroboros paper: eight panels over the graphs of its Table 1",
        "Initialisation from sparse rows in the space, memory after it, batches with sources among all\n"
        "vertices (random) and among 1000 (pressure) inserted and erased, an iteration of PageRank, and\n"
        "triangles, on the live graph. The variants: six of Ouroboros with fine size classes (the paper's\n"
        "are powers of two); linked pages from the page queue, of 64 bytes as in faimGraph and of 128; and\n"
        "rows from CUDA's own heap (std::malloc on the host), as CudaAllocGraph. Graphs are files of\n"
        "RHIZOME_DATASETS, or stand-ins ('rhizome datasets --table1').",
        fig4_choices(),
        fit_fig4,
        run_fig4_cell,
        compare_fig4};
}

} // namespace rhizome::bench
