// SPDX-License-Identifier: Apache-2.0
// What several devices give over one, and with which values by default.
#include <rhizome/bench/device_scaling/generated_graph.hpp>
#include <rhizome/bench/device_scaling/host_cell.hpp>
#include <rhizome/bench/device_scaling/workload.hpp>
#include <rhizome/bench/harness/common_choices.hpp>
#include <rhizome/bench/harness/kept_results.hpp>
#include <rhizome/bench/harness/ranks.hpp>
#include <rhizome/runtime/catalogue.hpp>
#include <rhizome/runtime/ranks/open_ranks.hpp>

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

namespace rhizome::bench {
namespace {

constexpr std::uint64_t default_scale = 20;
constexpr std::uint64_t default_edges = 1'000'000;
constexpr std::uint64_t default_iterations = 20;
/// The value of `devices` with which a process measures one device without ranks.
constexpr std::uint64_t without_ranks = 0;

std::vector<choice> choices() {
    std::vector<std::string> const workloads{"updates", "pagerank", "triangles"};
    std::vector<choice> all{
        {"workload", "updates, pagerank, triangles", "NAMES", "updates,pagerank,triangles", true,
         normal_name(workloads)},
        {"devices", "GPUs, a process for each; on host ranks, which are threads", "COUNTS", "1,2", true,
         normal_count(1, 1024)},
        {"mode", "weak: the graph and the batch grow with the devices; strong: they stay", "NAMES",
         "weak,strong", true, normal_name({"weak", "strong"})},
        {"graph", "graphs: rgg, mesh, road, rmat", "NAMES", "rmat", true, normal_name(graph_kinds())},
        {"scale", "graphs of about 2^SCALE vertices on one device; 4 to 26", "SCALES",
         std::to_string(default_scale), true, normal_count(4, 26)},
        {"edges", "updates: edges a batch on one device (10k, 1M)", "COUNTS", "1M", true, normal_edges},
        {"iterations", "iterations of PageRank a measurement", "N", std::to_string(default_iterations), false,
         normal_count(1, 10'000)},
        space_choice()};
    add_repetition_choices(all, "2", "7");
    add_machine_choices(all);
    return all;
}

std::string fit(cell& which, std::set<std::string> const& chosen, space_description const& space) {
    fitting fit(which, chosen);
    if (space.name == "host") {
        fit.lower("scale", default_scale, 12);
        if (which.text("workload") == "updates") fit.lower("edges", default_edges, 100'000);
    }
    if (!chosen.contains("host-threads")) which.set("host-threads", "1"); // of each rank
    std::string const note = fit.note(space, "a few cores are no GPU");
    if (which.text("workload") != "updates") which.set("edges", "0"); // one cell, not one per size of batches
    return note;
}

graph_input input_of(cell const& which) {
    return make_graph_input(which.text("graph"), static_cast<unsigned>(which.count("scale")),
                            which.count("seed"));
}

cell_result alone_on(cell const& which) {
    graph_input const input = input_of(which);
    scaling_options options(which);
    options.devices = 1;
    runtime::graph_type const type = runtime::graph_types().front(); // that of graphs over ranks
    graph_subject_options const subject{.layout = type.layout,
                                        .allocator = type.allocator,
                                        .vertices = input.vertices,
                                        .directed = options.is_directed()};
    chosen_space where = space_of(which);
    where.host_threads = host_threads_of(which);
    auto const opened = open_subject(where, subject);
    return measure_alone(*opened, options, input);
}

/// What alone_on() gives for the cell, measured by `measure` once in a run: neither the number of devices nor
/// the mode changes it.
template <class Measure>
cell_result alone_once(cell which, Measure const& measure) {
    which.set("devices", std::to_string(without_ranks));
    which.set("mode", "strong");
    return measured_once(which, [&] { return measure(which); });
}

cell_result on_host_ranks(cell const& which) {
    scaling_options const options(which);
    graph_input const input = input_of(which);
    return measured_by_host_ranks(
        which, static_cast<unsigned>(options.devices),
        [&](runtime::any_rank& self) { return measure_rank(self, options, input); });
}

cell_result run_scaling(cell const& which) {
    scaling_options const options(which);
    std::string const& space = which.text("space");
    if (space == "simt") return {cell_status::not_served, "times of the emulator say nothing", {}};
    if (space == "host") return compared(options, alone_once(which, alone_on), on_host_ranks(which));
    if (std::string const reason = runtime::cuda_ranks_unusable_because(); !reason.empty())
        return {cell_status::not_served, reason, {}};
    if (int const present = runtime::cuda_device_count();
        options.devices > static_cast<std::uint64_t>(present))
        return {cell_status::not_served, fmt::format("this machine has {} GPUs", present), {}};
    cell_result const alone = alone_once(which, [](cell const& one) { return run_as_ranks(one, 1); });
    if (alone.status != cell_status::ok) return alone;
    cell_result const together = run_as_ranks(which, static_cast<int>(options.devices));
    return together.status == cell_status::ok ? compared(options, alone, together) : together;
}

cell_result run_rank(cell const& which) {
    if (which.count("devices") == without_ranks) return alone_on(which);
    auto const self = runtime::cuda_rank({});
    return measure_rank(*self, scaling_options(which), input_of(which));
}

} // namespace

std::vector<benchmark> device_scaling_benchmarks() {
    return {
        {"device-scaling",
         "several devices beside one: milliseconds, and efficiency",
         "Weak scaling: as many copies of the graph side by side as devices, their vertices divided among "
         "all\n"
         "devices, and a batch of as many times the edges. Strong scaling: the graph and the batch of one\n"
         "device. one_device is a graph without ranks, measured once in a run. The efficiency is its "
         "time\n"
         "over that of all devices, in strong scaling divided by their number. Batches (directed) lie in "
         "the\n"
         "space in equal shares; PageRank (32 bits) and triangles are of undirected graphs. What they find "
         "is\n"
         "compared. memory: bytes without scratch, over those of one device per copy of the graph.",
         choices(),
         fit,
         run_scaling,
         {},
         run_rank},
        generated_graph_benchmark()};
}

} // namespace rhizome::bench
