// SPDX-License-Identifier: Apache-2.0
// The largest graph that fits on several devices, and with which values by default.
#include <rhizome/bench/device_scaling/generated_graph.hpp>
#include <rhizome/bench/device_scaling/host_cell.hpp>
#include <rhizome/bench/harness/common_choices.hpp>
#include <rhizome/bench/harness/ranks.hpp>
#include <rhizome/comm/bootstrap/process_rank.hpp>
#include <rhizome/io/generate/kronecker.hpp>
#include <rhizome/runtime/catalogue.hpp>
#include <rhizome/runtime/ranks/open_ranks.hpp>

#include <fmt/format.h>

#include <string>
#include <vector>

namespace rhizome::bench {
namespace {

constexpr std::uint64_t generated_scale = 20;
constexpr std::uint64_t generated_batch = 10'000'000;
constexpr std::uint64_t generated_load_batch = 64'000'000;

std::vector<choice> generated_choices() {
    std::vector<choice> all{
        {"devices", "GPUs, a process for each; on host ranks, which are threads", "COUNTS", "1", true,
         normal_count(1, 1024)},
        {"scale", "graphs of 2^SCALE vertices, over all devices; 4 to 31", "SCALES",
         std::to_string(generated_scale), true, normal_count(4, 31)},
        {"edge-factor", "edges drawn per vertex", "N", std::to_string(io::graph500_edge_factor), true,
         normal_count(1, io::largest_kronecker_edge_factor)},
        {"load-batch", "edges a batch while loading, of all devices (10k, 64M)", "N", "64M", false,
         normal_edges},
        {"edges", "edges a batch of insertions, of each device (10k, 10M)", "COUNTS", "10M", true,
         normal_edges},
        {"iterations", "iterations of PageRank a measurement", "N", "20", false, normal_count(1, 10'000)},
        space_choice()};
    add_repetition_choices(all, "1", "3");
    add_machine_choices(all);
    return all;
}

std::string fit_generated(cell& which, std::set<std::string> const& chosen, space_description const& space) {
    fitting fit(which, chosen);
    if (space.name == "host") {
        fit.lower("scale", generated_scale, 12);
        fit.lower("edges", generated_batch, 10'000);
        fit.lower("load-batch", generated_load_batch, 20'000);
    }
    if (!chosen.contains("host-threads")) which.set("host-threads", "1"); // of each rank
    return fit.note(space, "a few cores are no GPU");
}

/// `device`: of this rank.
cell_result measure_generated(cell const& which, runtime::any_rank& self, int device) {
    chosen_space where = space_of(which);
    where.host_threads = host_threads_of(which);
    return measure_generated_graph(self, generated_graph_options(which), [&](edge_source_options options) {
        options.device = device;
        return open_subject(where, options);
    });
}

cell_result run_generated(cell const& which) {
    std::string const& space = which.text("space");
    std::uint64_t const devices = which.count("devices");
    if (space == "simt") return {cell_status::not_served, "times of the emulator say nothing", {}};
    if (space == "host")
        return measured_by_host_ranks(which, static_cast<unsigned>(devices), [&](runtime::any_rank& self) {
            return measure_generated(which, self, 0);
        });
    if (std::string const reason = runtime::cuda_ranks_unusable_because(); !reason.empty())
        return {cell_status::not_served, reason, {}};
    if (int const present = runtime::cuda_device_count(); devices > static_cast<std::uint64_t>(present))
        return {cell_status::not_served, fmt::format("this machine has {} GPUs", present), {}};
    return run_as_ranks(which, static_cast<int>(devices));
}

cell_result run_generated_rank(cell const& which) {
    auto const self = runtime::cuda_rank({});
    return measure_generated(which, *self, comm::rank_from_environment().local_rank);
}

} // namespace

benchmark generated_graph_benchmark() {
    return {
        "generated-graph",
        "the largest graph that fits: loading R-MAT edges that the devices draw",
        "An undirected R-MAT graph (a = 0.57, b = c = 0.19, as Graph500) over the devices. Each rank draws "
        "its\n"
        "share of each batch on its device and inserts it, so no device or host ever has the whole graph.\n"
        "load: all of it, drawing and growing included; draw: the part of rank 0. edges and arcs: what is "
        "stored.\n"
        "bytes_per_arc: without scratch. device_memory: with it, average. insert and erase: a batch of "
        "--edges\n"
        "random edges on each device. iteration: of PageRank (32 bits). Reports, edges and arcs are "
        "checked. A\n"
        "graph that does not fit is not served: the message says how many edges were in.",
        generated_choices(),
        fit_generated,
        run_generated,
        {},
        run_generated_rank};
}

} // namespace rhizome::bench
