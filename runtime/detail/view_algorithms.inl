// Bodies of view_algorithms.hpp, for the files that instantiate them.
#pragma once

#include <rhizome/algorithms/pagerank.hpp>
#include <rhizome/algorithms/triangles.hpp>
#include <rhizome/runtime/detail/view_algorithms.hpp>

namespace rhizome::runtime::detail {

template <class Space>
struct algorithm_scratch {
    explicit algorithm_scratch(Space const& space) : in_float(space), in_double(space), triangles(space) {}

    algorithms::pagerank<float, Space> in_float;
    algorithms::pagerank<double, Space> in_double;
    algorithms::triangle_counter<Space> triangles;
};

template <class Space>
std::shared_ptr<algorithm_scratch<Space>> make_scratch<Space>::on(Space const& space) {
    return std::make_shared<algorithm_scratch<Space>>(space);
}

template <class Space, class View>
pagerank_run view_algorithms<Space, View>::rank(algorithm_scratch<Space>& scratch, View const& view,
                                                algorithms::pagerank_options const& options, rank_type type) {
    auto const run_on = [&](auto& pagerank) -> pagerank_run {
        auto const result = pagerank.run(view, options);
        return {type, result.ranks, result.iterations, result.residual, result.converged};
    };
    return type == rank_type::float32 ? run_on(scratch.in_float) : run_on(scratch.in_double);
}

template <class Space, class View>
std::uint64_t view_algorithms<Space, View>::count_triangles(algorithm_scratch<Space>& scratch,
                                                            View const& view) {
    return scratch.triangles.count(view, {.symmetrize = !view.symmetric()});
}

} // namespace rhizome::runtime::detail
