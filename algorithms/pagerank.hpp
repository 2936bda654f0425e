// PageRank by power iteration.
#pragma once

#include <rhizome/algorithms/detail/pagerank_kernels.hpp>
#include <rhizome/algorithms/detail/row_chunks.hpp>
#include <rhizome/algorithms/pagerank_options.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/view.hpp>

#include <concepts>
#include <cstdint>
#include <utility>
#include <vector>

namespace rhizome::algorithms {

/// `ranks` lies in the memory of the space, one a vertex, good until the next run of what made it.
template <class Space, class Real>
struct pagerank_result {
    Space space;
    Real const* ranks;
    std::uint64_t vertices;
    unsigned iterations;
    double residual; ///< L1 distance of the last two iterates
    bool converged;  ///< residual <= tolerance

    [[nodiscard]] std::vector<Real> ranks_on_host() const {
        std::vector<Real> values(vertices);
        Space order = space;
        if (vertices != 0) order.copy_out(values.data(), ranks, vertices * sizeof(Real));
        return values;
    }
};

/// What pagerank_options states, with ranks of type Real and sums in double. Keeps its scratch between runs:
/// about 5 Reals and 2 words a vertex.
template <class Real, class Space>
class pagerank {
    static_assert(std::same_as<Real, float> || std::same_as<Real, double>);

public:
    explicit pagerank(Space space)
        : space_(space), ranks_(space), contributions_(space), terms_(space), sums_(space), chunks_(space),
          primitives_(space), totals_(std::move(space), 1) {}

    /// Pulls where the view has in-arcs: the same input gives the same ranks, bit for bit, on one machine.
    /// Pushes with atomic additions otherwise: ranks then differ in their last digits from run to run.
    /// The view is one of this space. A graph without vertices has no ranks and converges in 0 iterations.
    /// Throws std::invalid_argument for options out of range, out_of_memory. Cost: two passes over the
    /// vertices and one over the arcs an iteration; one wait an iteration, or in all where the tolerance is
    /// 0.
    template <graph::graph_view View>
    pagerank_result<Space, Real> run(View const& view, pagerank_options const& options = {}) {
        options.check();
        if (view.vertex_count() == 0) return {space_, nullptr, 0, 0, 0.0, true};
        if (view.has_in_arcs()) return iterate(view, options, pull<View>(view));
        return iterate(view, options, push<View>(view));
    }

private:
    using arrays = detail::pagerank_arrays<Real>;

    /// run(arrays, damping): one iteration after the contributions, by pulling.
    template <class View>
    [[nodiscard]] auto pull(View const& view) {
        using rows = detail::in_rows<View>;
        detail::chunk_map const chunks = chunks_.cut(space_, primitives_, rows{view}, view.vertex_count());
        auto* const sums = sums_.template at_least_of<double>(chunks.count);
        return [this, view, chunks, sums](arrays const& a, double damping) {
            launch(space_, exec::cover_tiles<tuning::row_tile>(space_, chunks.count),
                   detail::pull_contributions<rows, Real>{rows{view}, chunks, a.contributions, sums});
            update(detail::sums_of_chunks{sums, chunks.first}, view.vertex_count(), damping, a);
        };
    }

    /// The same by pushing.
    template <class View>
    [[nodiscard]] auto push(View const& view) {
        using rows = detail::out_rows<View>;
        detail::chunk_map const chunks = chunks_.cut(space_, primitives_, rows{view}, view.vertex_count());
        auto* const sums = sums_.template at_least_of<double>(view.vertex_count());
        return [this, view, chunks, sums](arrays const& a, double damping) {
            space_.fill(sums, 0, view.vertex_count() * sizeof(double));
            launch(space_, exec::cover_tiles<tuning::row_tile>(space_, chunks.count),
                   detail::push_contributions<rows, Real>{rows{view}, chunks, a.contributions, sums});
            update(detail::sums_of_vertices{sums}, view.vertex_count(), damping, a);
        };
    }

    template <class Sums>
    void update(Sums const& sums, std::uint64_t vertices, double damping, arrays const& a) {
        launch(space_, cover_threads(space_, vertices),
               detail::update_ranks<Sums, Real>{sums, vertices, damping, a});
    }

    template <class View, class Step>
    pagerank_result<Space, Real> iterate(View const& view, pagerank_options const& options,
                                         Step const& step) {
        std::uint64_t const vertices = view.vertex_count();
        arrays const a{ranks_.template at_least_of<Real>(vertices),
                       contributions_.template at_least_of<Real>(vertices),
                       terms_.template at_least_of<Real>(vertices), totals_.data()};
        launch(space_, cover_threads(space_, vertices),
               detail::set_ranks<Real>{a.ranks, vertices,
                                       static_cast<Real>(1.0 / static_cast<double>(vertices))});

        pagerank_result<Space, Real> result{space_, a.ranks, vertices, 0, 0.0, false};
        while (result.iterations < options.max_iterations) {
            launch(space_, cover_threads(space_, vertices), detail::contribute<View, Real>{view, a});
            sum(space_, primitives_, a.terms, &a.totals->dangling, vertices);
            step(a, options.damping);
            ++result.iterations;
            // Nobody looks at the residuals in between where all iterations are wanted.
            if (options.tolerance == 0.0 && result.iterations < options.max_iterations) continue;
            sum(space_, primitives_, a.terms, &a.totals->residual, vertices);
            space_.copy_out(&result.residual, &a.totals->residual, sizeof(result.residual));
            result.converged = result.residual <= options.tolerance;
            if (result.converged) break;
        }
        return result;
    }

    Space space_;
    exec::workspace<Space> ranks_;
    exec::workspace<Space> contributions_;
    exec::workspace<Space> terms_;
    exec::workspace<Space> sums_;
    detail::row_chunks<Space> chunks_;
    exec::workspace<Space> primitives_;
    exec::buffer<Space, detail::pagerank_totals> totals_;
};

} // namespace rhizome::algorithms
