// PageRank of a graph over ranks.
#pragma once

#include <rhizome/algorithms/detail/fixed_sum.hpp>
#include <rhizome/algorithms/pagerank_options.hpp>
#include <rhizome/algorithms/partitioned/gathered_places.hpp>
#include <rhizome/algorithms/partitioned/read_gather.hpp>
#include <rhizome/comm/communicator.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/partition/exchange.hpp>
#include <rhizome/graph/row_schedule.hpp>
#include <rhizome/graph/rows.hpp>

#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::algorithms {

/// What each process gets in each iteration of partitioned_pagerank.
enum class pagerank_exchange : std::uint8_t {
    all,  ///< what all vertices give: best if a process reads most of them, as of R-MAT graphs over few ranks
    read, ///< only what it reads: best if neighbours are mostly at the same rank, or there are many ranks
};

/// The result of partitioned_pagerank::run() on one rank.
template <class Real>
struct partitioned_ranks {
    Real const* ranks = nullptr; ///< one per row of this rank, in the memory of its space; valid until the
                                 ///< next run()
    std::uint64_t rows = 0;
    unsigned iterations = 0;
    double residual = 0;    ///< L1 distance between the last two iterates, over all ranks
    bool converged = false; ///< residual <= tolerance
};

namespace detail {

/// Sums over the vertices of all ranks, as integers: their order does not matter.
struct partitioned_sums {
    std::uint64_t dangling;
    std::uint64_t residual;
};

/// The arrays of a run on one rank, by rows.
template <class View, class Real>
struct partitioned_iteration {
    View view;
    std::uint64_t rows;
    Real* ranks;
    Real* given;  ///< what each vertex gives to each of its targets, before damping
    double* sums; ///< what each vertex is given; 0 between iterations
    double damping;
    double uniform; ///< 1 / live vertices

    [[nodiscard]] RZ_HD bool is_live(std::uint64_t row) const {
        return view.is_used(row) && view.is_live(view.id_of(row));
    }
    RZ_HD void set(std::uint64_t row, Real rank, std::uint64_t& dangling) const {
        auto const degree = view.rows().degree(static_cast<typename View::id_type>(row));
        ranks[row] = rank;
        given[row] = degree != 0 ? rank / static_cast<Real>(degree) : Real{0};
        if (degree == 0) dangling += fixed_sum::fixed(static_cast<double>(rank));
    }
};

template <class View, class Real>
struct begin_partitioned_pagerank {
    partitioned_iteration<View, Real> now;
    partitioned_sums* found;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t dangling = 0;
        exec::for_each_item(thread, now.rows, [&](std::uint64_t row) {
            now.sums[row] = 0;
            now.set(row, now.is_live(row) ? static_cast<Real>(now.uniform) : Real{0}, dangling);
        });
        exec::add_to_total(thread, found->dangling, dangling);
    }
};

/// Adds what in-neighbours give.
template <class Rows, class Real, class Places>
struct pull_gathered {
    using id_type = typename Rows::id_type;

    Rows rows;
    graph::basic_row_schedule<id_type> schedule;
    Real const* given; ///< by places
    Places places;
    double* sums;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        graph::for_each_row_piece(thread, rows, schedule,
                                  [&](auto const& group, id_type row, auto const& neighbours,
                                      std::uint64_t begin, std::uint64_t end) {
                                      double own = 0;
                                      neighbours.for_each(group, begin, end, [&](std::uint64_t, id_type id) {
                                          own += static_cast<double>(given[places(id)]);
                                      });
                                      double const sum = group.sum(own);
                                      if (group.rank() != 0) return;
                                      if (end - begin == neighbours.size())
                                          sums[row] = sum;
                                      else
                                          thread.device(sums[row]).fetch_add(sum, exec::order::relaxed);
                                  });
    }
};

/// Writes new ranks from the sums, and clears the sums.
template <class View, class Real>
struct update_partitioned_ranks {
    partitioned_iteration<View, Real> now;
    partitioned_sums const* before;
    partitioned_sums* found;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        double const dangling = fixed_sum{before->dangling}.get();
        double const to_all = ((1.0 - now.damping) + now.damping * dangling) * now.uniform;
        std::uint64_t dangles = 0;
        std::uint64_t residual = 0;
        exec::for_each_item(thread, now.rows, [&](std::uint64_t row) {
            if (!now.is_live(row)) return;
            Real const rank = static_cast<Real>(to_all + now.damping * now.sums[row]);
            Real const old = now.ranks[row];
            residual += fixed_sum::fixed(static_cast<double>(rank < old ? old - rank : rank - old));
            now.set(row, rank, dangles);
            now.sums[row] = 0;
        });
        exec::add_to_total(thread, found->dangling, dangles);
        exec::add_to_total(thread, found->residual, residual);
    }
};

} // namespace detail

/// PageRank by power iteration over the ranks of a communicator, with ranks of type Real (float or double);
/// pagerank_options states the equation. In each iteration every process gets what the vertices of all
/// processes give (all_gather), or those of them that it reads (all_to_all), and pulls for its own vertices.
/// Both give the same ranks.
///
/// The sum of each row is formed in double. A row of more than 128 in-arcs is added up in any order, so that
/// the last digits of ranks may differ from run to run, and from those of pagerank.
///
/// Scratch on each process, kept between runs: 2 Reals and a double per own vertex, and 16 bytes per piece of
/// a row of more than 128 in-arcs. Besides a Real per vertex of the whole graph, or with
/// pagerank_exchange::read what read_gather states.
template <class Real, class Space>
class partitioned_pagerank {
public:
    /// Allocates nothing. The communicator must outlive the object.
    explicit partitioned_pagerank(comm::communicator<Space>& self, exec::memory_resource* scratch = nullptr)
        : self_(&self), gather_(self, scratch), read_(self, scratch), own_(self.space(), scratch),
          all_(self.space(), scratch), sums_(self.space(), scratch), totals_(self.space(), scratch),
          scheduler_(self.space(), scratch) {}

    /// Collective: all ranks of the communicator pass their views of one graph, and the same options. Waits.
    /// Throws std::invalid_argument for options out of range and for a directed graph without in-arcs; if a
    /// process has no memory, out_of_memory there and graph::refused_by_rank on the others;
    /// comm::comm_error. The ranks of erased vertices are 0.
    ///
    /// Cost per iteration: one all_gather of a Real per vertex, or one all_to_all of a Real per vertex that a
    /// process reads; one pass over the arcs, one all_reduce of two words, and one wait. With
    /// pagerank_exchange::read, each run begins with another pass over the arcs and an exchange of ids.
    template <class View>
    [[nodiscard]] partitioned_ranks<Real> run(View const& view, pagerank_options const& options = {},
                                              pagerank_exchange exchange = pagerank_exchange::all) {
        using rows_type = graph::in_rows<typename View::rows_type>;
        using id_type = typename View::id_type;
        options.check();
        if (!view.has_in_arcs())
            throw std::invalid_argument("pagerank over ranks: a directed graph needs in_arcs");
        Space& space = self_->space();
        std::uint64_t const live = view.live_vertex_count();
        rows_type const rows{view.rows()};
        detail::partitioned_iteration<View, Real> now{view,
                                                      0,
                                                      nullptr,
                                                      nullptr,
                                                      nullptr,
                                                      options.damping,
                                                      live == 0 ? 0.0 : 1.0 / static_cast<double>(live)};
        bool const gathers_all = exchange == pagerank_exchange::all;
        Real* all = nullptr;
        detail::partitioned_sums* totals = nullptr;
        gathered_places<std::remove_cvref_t<decltype(view.owners())>> places{view.owners(), nullptr};
        graph::basic_row_schedule<id_type> schedule{};
        static_cast<void>(graph::all_or_none(*self_, 0, [&]() -> std::vector<std::uint64_t> {
            places = gather_.prepare(view.owners(), view.vertex_count());
            now.rows = gather_.own_rows();
            now.ranks = own_.template at_least_of<Real>(2 * now.rows);
            now.given = now.ranks + now.rows;
            now.sums = sums_.template at_least_of<double>(now.rows);
            if (gathers_all) all = all_.template at_least_of<Real>(gather_.total());
            totals = totals_.template at_least_of<detail::partitioned_sums>(2);
            schedule = scheduler_.plan(space, rows, graph::all_vertices<id_type>{now.rows});
            return {};
        }));
        if (gathers_all)
            return iterate(now, rows, schedule, places, totals, options, [&] {
                gather_.gather(now.given, all);
                return static_cast<Real const*>(all);
            });
        auto const read = read_.prepare(rows, schedule, now.rows, places, gather_.total(), sizeof(Real));
        return iterate(now, rows, schedule, read, totals, options,
                       [&] { return read_.template gather<id_type>(now.given); });
    }

private:
    template <class View, class Rows, class Id, class Places, class Gather>
    [[nodiscard]] partitioned_ranks<Real>
    iterate(detail::partitioned_iteration<View, Real> const& now, Rows const& rows,
            graph::basic_row_schedule<Id> const& schedule, Places const& places,
            detail::partitioned_sums* totals, pagerank_options const& options, Gather const& gather) {
        Space& space = self_->space();
        bool const has_live = now.uniform != 0;
        partitioned_ranks<Real> result{now.ranks, now.rows, 0, 0.0, !has_live};
        auto* before = totals;
        auto* found = totals + 1;
        auto const reduce = [&] {
            self_->all_reduce(&found->dangling, &found->dangling, 2, comm::reduction::sum).or_throw();
        };
        space.fill(found, 0, sizeof(*found));
        if (now.rows != 0)
            launch(space, cover_threads(space, now.rows),
                   detail::begin_partitioned_pagerank<View, Real>{now, found});
        reduce();
        while (result.iterations < options.max_iterations && has_live) {
            std::swap(before, found);
            space.fill(found, 0, sizeof(*found));
            Real const* const given = gather();
            if (now.rows != 0) {
                launch(space, cover_rows(space, schedule),
                       detail::pull_gathered<Rows, Real, Places>{rows, schedule, given, places, now.sums});
                launch(space, cover_threads(space, now.rows),
                       detail::update_partitioned_ranks<View, Real>{now, before, found});
            }
            reduce();
            ++result.iterations;
            if (options.tolerance == 0 && result.iterations != options.max_iterations) continue;
            self_->wait().or_throw();
            detail::partitioned_sums sums{};
            space.copy_out(&sums, found, sizeof(sums));
            result.residual = detail::fixed_sum{sums.residual}.get();
            result.converged = result.residual <= options.tolerance;
            if (result.converged) break;
        }
        self_->wait().or_throw();
        return result;
    }

    comm::communicator<Space>* self_;
    row_gather<Space> gather_;
    read_gather<Space> read_;
    exec::workspace<Space> own_;
    exec::workspace<Space> all_;
    exec::workspace<Space> sums_;
    exec::workspace<Space> totals_;
    graph::row_scheduler<Space> scheduler_;
};

} // namespace rhizome::algorithms
