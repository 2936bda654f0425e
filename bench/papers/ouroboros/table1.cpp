// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/papers/ouroboros/table1.hpp>
#include <rhizome/cli/datasets.hpp>
#include <rhizome/cli/stand_in.hpp>
#include <rhizome/io/graph_format.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

namespace rhizome::bench {
namespace {

constexpr std::uint64_t fewest_vertices = 64; ///< of a stand-in

graph_input read_table1(cli::dataset const& graph) {
    std::string const path = dataset_file(graph.name);
    if (path.empty())
        throw std::runtime_error(
            fmt::format("{}: there is no file of it in the folder RHIZOME_DATASETS ('{}')", graph.name, [] {
                char const* const folder = std::getenv("RHIZOME_DATASETS");
                return folder == nullptr ? "" : folder;
            }()));
    graph_input input = simple_graph_of(io::read_graph(path));
    if (input.vertices != graph.vertices)
        throw std::runtime_error(fmt::format("{}: found {} vertices, expected the {} of {}", path,
                                             input.vertices, graph.vertices, graph.name));
    // A stand-in may have as many vertices.
    if (input.edges.size() != graph.edges)
        throw std::runtime_error(fmt::format("{}: found {} edges, each counted once, expected the {} of {}",
                                             path, input.edges.size(), graph.edges, graph.name));
    return input;
}

} // namespace

std::vector<std::string> const& table1_names() {
    static std::vector<std::string> const names = [] {
        std::vector<std::string> found;
        for (cli::dataset const& each : cli::datasets())
            if (each.ouroboros_table1) found.push_back(each.name);
        return found;
    }();
    return names;
}

std::string table1_source(std::string const& name, std::uint64_t most_arcs) {
    bool const fits = 2 * cli::find_dataset(name).edges <= most_arcs;
    return fits && !dataset_file(name).empty() ? "file" : "stand-in";
}

graph_input table1_input(std::string const& name, std::string const& source, std::uint64_t most_arcs,
                         std::uint64_t seed) {
    cli::dataset const& graph = cli::find_dataset(name);
    if (source == "file") return read_table1(graph);
    double const share =
        std::min(1.0, static_cast<double>(most_arcs) / (2 * static_cast<double>(graph.edges)));
    auto const wanted = static_cast<std::uint64_t>(std::llround(share * static_cast<double>(graph.vertices)));
    return simple_graph_of(cli::stand_in_for(graph, std::max(fewest_vertices, wanted)).generate(seed));
}

} // namespace rhizome::bench
