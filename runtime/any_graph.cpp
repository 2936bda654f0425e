// SPDX-License-Identifier: Apache-2.0
#include <rhizome/runtime/any_graph.hpp>

#include <limits>
#include <stdexcept>
#include <utility>

namespace rhizome::runtime {
namespace {

[[nodiscard]] std::vector<graph::vertex_id> copy_of(std::span<graph::vertex_id const> vertices) {
    return {vertices.begin(), vertices.end()};
}
/// Array number `i`; nullptr if the run has no such array.
template <class T>
[[nodiscard]] T const* array_of(algorithm_result const& found, std::size_t i) {
    return i < found.arrays.size() ? static_cast<T const*>(found.arrays[i].elements) : nullptr;
}
[[nodiscard]] algorithm_arguments arguments_of(algorithms::pagerank_options const& options, bool single) {
    algorithm_arguments given{{"damping", options.damping},
                              {"tolerance", options.tolerance},
                              {"max-iterations", std::uint64_t{options.max_iterations}},
                              {"single-precision", single}};
    given.progress = options.progress;
    return given;
}
[[nodiscard]] pagerank_run pagerank_of(algorithm_result const& found) {
    bool const single = found.arrays.at(0).type == element_type::float32;
    return {single ? rank_type::float32 : rank_type::float64, array_of<void>(found, 0),
            static_cast<unsigned>(found.get<std::uint64_t>("iterations")), found.get<double>("residual"),
            found.get<bool>("converged")};
}

} // namespace

std::size_t any_graph::checked_arguments(std::string_view algorithm, algorithm_arguments& given) const {
    std::size_t const number = algorithm_number(algorithm);
    algorithm_info const& info = algorithms()[number];
    given.complete(info.name, info.parameters);
    if (info.check != nullptr) info.check(given);
    if (info.needs_weights() && value_type() == value_type::none)
        throw std::invalid_argument(std::string(info.name) +
                                    ": the edges of this graph have no values to be their weights");
    return number;
}

algorithm_result any_graph::run(std::string_view algorithm, algorithm_arguments given,
                                any_snapshot const* snapshot) {
    std::size_t const number = checked_arguments(algorithm, given);
    return run(number, given, snapshot);
}

array_on_host any_graph::on_host(array_in_space const& array) {
    auto const as_doubles = [&]<class T>(T, T infinite) {
        std::vector<double> numbers;
        numbers.reserve(vertex_count());
        for (T const each : on_host(static_cast<T const*>(array.elements)))
            numbers.push_back(each == infinite ? std::numeric_limits<double>::infinity()
                                               : static_cast<double>(each));
        return numbers;
    };
    switch (array.type) {
    case element_type::uint32:
        return on_host(static_cast<std::uint32_t const*>(array.elements));
    case element_type::uint64:
        return on_host(static_cast<std::uint64_t const*>(array.elements));
    case element_type::float32:
        return as_doubles(float{}, std::numeric_limits<float>::infinity());
    case element_type::float64:
        return on_host(static_cast<double const*>(array.elements));
    case element_type::distance:
        return as_doubles(std::uint64_t{}, std::numeric_limits<std::uint64_t>::max());
    }
    throw std::logic_error("an array of an unknown type");
}

std::vector<array_on_host> any_graph::on_host(algorithm_result const& found) {
    std::vector<array_on_host> arrays;
    for (array_in_space const& each : found.arrays)
        arrays.push_back(on_host(each));
    return arrays;
}

pagerank_run any_graph::run_pagerank(algorithms::pagerank_options const& options, rank_type type,
                                     any_snapshot const* snapshot) {
    return pagerank_of(run("pagerank", arguments_of(options, type == rank_type::float32), snapshot));
}

pagerank_answer any_graph::pagerank(algorithms::pagerank_options const& options) {
    pagerank_run const found = run_pagerank(options, rank_type::float64);
    return {on_host(static_cast<double const*>(found.ranks_in_space)), found.iterations, found.residual,
            found.converged};
}

std::uint64_t any_graph::count_triangles(any_snapshot const* snapshot) {
    return run("triangles", {}, snapshot).get<std::uint64_t>("count");
}

bfs_run any_graph::run_bfs(std::span<graph::vertex_id const> sources, bool parents,
                           any_snapshot const* snapshot) {
    algorithm_result const found = run("bfs", {{"source", copy_of(sources)}, {"parents", parents}}, snapshot);
    return {array_of<std::uint32_t>(found, 0),
            array_of<graph::vertex_id>(found, 1),
            {.reached = found.get<std::uint64_t>("reached"),
             .levels = static_cast<std::uint32_t>(found.get<std::uint64_t>("levels")),
             .bottom_up = static_cast<std::uint32_t>(found.get<std::uint64_t>("bottom_up_levels")),
             .arcs = found.get<std::uint64_t>("arcs")}};
}

bfs_answer any_graph::bfs(std::span<graph::vertex_id const> sources) {
    bfs_run const found = run_bfs(sources, true);
    return {on_host(found.levels_in_space), on_host(found.parents_in_space), found.report};
}

components_run any_graph::run_components(any_snapshot const* snapshot) {
    algorithm_result const found = run("components", {}, snapshot);
    return {array_of<graph::vertex_id>(found, 0), found.get<std::uint64_t>("count")};
}

components_answer any_graph::components() {
    components_run const found = run_components();
    return {on_host(found.components_in_space), found.count};
}

k_core_run any_graph::run_k_core(any_snapshot const* snapshot) {
    algorithm_result const found = run("kcore", {}, snapshot);
    return {array_of<std::uint32_t>(found, 0),
            static_cast<std::uint32_t>(found.get<std::uint64_t>("largest"))};
}

k_core_answer any_graph::k_core() {
    k_core_run const found = run_k_core();
    return {on_host(found.cores_in_space), found.largest};
}

shortest_paths_run any_graph::run_shortest_paths(std::span<graph::vertex_id const> sources, bool parents,
                                                 algorithms::shortest_paths_options const& options,
                                                 any_snapshot const* snapshot) {
    algorithm_result const found =
        run("sssp", {{"source", copy_of(sources)}, {"delta", options.delta}, {"parents", parents}}, snapshot);
    return {value_type(),
            array_of<void>(found, 0),
            array_of<graph::vertex_id>(found, 1),
            {.reached = found.get<std::uint64_t>("reached"),
             .rounds = found.get<std::uint64_t>("rounds"),
             .delta = found.get<double>("delta")}};
}

std::vector<double> any_graph::distances_on_host(shortest_paths_run const& run) {
    element_type const type = run.weights == value_type::float64   ? element_type::float64
                              : run.weights == value_type::float32 ? element_type::float32
                                                                   : element_type::distance;
    return std::get<std::vector<double>>(on_host(array_in_space{type, run.distances_in_space}));
}

shortest_paths_answer any_graph::shortest_paths(std::span<graph::vertex_id const> sources,
                                                algorithms::shortest_paths_options const& options) {
    shortest_paths_run const found = run_shortest_paths(sources, true, options);
    return {distances_on_host(found), on_host(found.parents_in_space), found.report};
}

} // namespace rhizome::runtime
