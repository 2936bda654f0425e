// SPDX-License-Identifier: Apache-2.0
// PageRank of a graph that is divided among processes. A rank is a PageRank value here, and a process what
// the communicator calls a rank, also where it is a thread.
#pragma once

#include <rhizome/algorithms/detail/pagerank_kernels.hpp>
#include <rhizome/algorithms/detail/pull_ranks.hpp>
#include <rhizome/algorithms/pagerank_options.hpp>
#include <rhizome/algorithms/partitioned/gathered_places.hpp>
#include <rhizome/algorithms/partitioned/read_gather.hpp>
#include <rhizome/algorithms/partitioned/written_gather.hpp>
#include <rhizome/comm/communicator.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/partition/exchange.hpp>
#include <rhizome/graph/partition/partition_view.hpp>
#include <rhizome/graph/row_schedule.hpp>
#include <rhizome/graph/rows.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::algorithms {

/// What each process gets in each iteration of partitioned_pagerank.
enum class pagerank_exchange : std::uint8_t {
    all,  ///< what all vertices give: best if a process reads most of them, as of R-MAT graphs over few
          ///< processes
    read, ///< only what it reads: best if most neighbours are at the same process, or there are many
          ///< processes
};

/// The result of partitioned_pagerank::run() on one process.
template <class Real>
struct partitioned_pagerank_result {
    Real const* ranks = nullptr; ///< one per row of this process, in the memory of its space; valid until the
                                 ///< next run()
    std::uint64_t rows = 0;      ///< number of ranks
    unsigned iterations = 0;     ///< number of iterations that were run
    double residual = 0;         ///< L1 distance between the last two iterates, over all processes
    bool converged = false;      ///< residual <= tolerance
};

namespace detail {

/// Brings what the vertices give from the order of processes into the order of ids.
template <class Real, class Places>
struct order_by_id {
    Real const* by_place;
    Places places;
    std::uint64_t vertices;
    Real* by_id;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, vertices, [&](std::uint64_t v) { by_id[v] = by_place[places(v)]; });
    }
};

/// What the vertices give that a process reads, by id.
template <class Real, class Places>
struct read_by_id {
    Real const* values;
    Places places;

    [[nodiscard]] RZ_HD Real operator[](std::uint64_t v) const { return values[places(v)]; }
};

} // namespace detail

/// PageRank by power iteration over the processes of a communicator, with ranks of type Real (float or
/// double); pagerank_options states the equation. In each iteration every process gets what the vertices of
/// all processes give, or those of them that it reads (all_to_all), and pulls for its own vertices as
/// pagerank does on one device. Both give the same ranks. If processes reach each other's memory
/// (communicator::share_memory()), the kernel that pulls writes what its vertices give to all of them;
/// otherwise an all_gather brings it.
///
/// The same graph, divided in the same way, gives the same ranks bit for bit in every run. The last digits
/// may differ from those of pagerank, or of another number of processes: sums over all vertices are formed in
/// other groups.
///
/// Scratch on each process, kept between runs: 2 Reals per own vertex, and about 32 bytes per piece of the
/// rows of more than 128 in-arcs. Besides 2 Reals per vertex of the whole graph, or 1 if its owners keep the
/// order of ids, and 1 more if processes write into each other's memory; with pagerank_exchange::read instead
/// what read_gather states.
template <class Real, class Space>
class partitioned_pagerank {
public:
    /// Allocates nothing. The communicator must outlive the object.
    explicit partitioned_pagerank(comm::communicator<Space>& self, exec::memory_resource* scratch = nullptr)
        : self_(&self), gather_(self, scratch), read_(self, scratch), written_(self, scratch),
          own_(self.space(), scratch), all_(self.space(), scratch), by_id_(self.space(), scratch),
          pieces_(self.space(), scratch), state_(self.space(), scratch), scheduler_(self.space(), scratch) {}

    /// Collective: all processes of the communicator pass their views of one graph, and the same options.
    /// Waits.
    /// Throws std::invalid_argument for options out of range and for a directed graph without in-arcs; if a
    /// process has no memory, out_of_memory there and graph::refused_by_rank on the others;
    /// comm::comm_error. The ranks of erased vertices are 0.
    ///
    /// Cost per iteration: a pass over the arcs, and one of these:
    /// - where processes reach each other's memory, a Real per vertex that each writes to all others, and
    ///   communicator::follow_all(), for which the host waits with `nccl`;
    /// - an all_gather of a Real per vertex, and an all_reduce of two words;
    /// - with pagerank_exchange::read, an all_to_all of a Real per vertex that a process reads, and that
    ///   all_reduce. Each run then begins with another pass over the arcs and an exchange of ids.
    ///
    /// In the first two, a pass that orders values by id, unless owners keep the order. The host waits after
    /// every eight iterations, or, if the tolerance is 0, after the last, so up to seven exchanges follow the
    /// iteration that converges. The first run that writes, and each of a graph that has grown, also tells
    /// all processes where the memory is.
    ///
    /// Where processes are threads, an exception of options.progress leaves that memory with the communicator
    /// until it goes: other processes may still be writing.
    template <class View>
    [[nodiscard]] partitioned_pagerank_result<Real> run(View const& view,
                                                        pagerank_options const& options = {},
                                                        pagerank_exchange exchange = pagerank_exchange::all) {
        using rows_type = graph::in_rows<graph::rows_of_rank<View>>;
        using owners_type = std::remove_cvref_t<decltype(view.owners())>;
        constexpr bool ordered = graph::keeps_order<owners_type>;
        options.check();
        if (!view.has_in_arcs())
            throw std::invalid_argument("pagerank over ranks: a directed graph needs in_arcs");
        Space& space = self_->space();
        rows_type const rows{graph::rows_of_rank<View>(view)};
        bool const gathers_all = exchange == pagerank_exchange::all;
        std::uint64_t const vertices = view.vertex_count();
        bool const writes = gathers_all && written_.may_write();
        Real* all = nullptr;
        Real* by_id = nullptr;
        gathered_places<owners_type> places{view.owners(), nullptr};
        plan<typename View::id_type> planned{};
        auto const make_room_to_gather = [&]() -> std::vector<std::uint64_t> {
            all = all_.template at_least_of<Real>(gather_.total());
            return {};
        };
        auto const told = graph::all_or_none(*self_, 3, [&] {
            places = gather_.prepare(view.owners(), vertices);
            std::uint64_t const lacks_room = writes && written_.lacks_room(gather_.total()) ? 1 : 0;
            std::uint64_t const shows = writes && written_.has_to_show() ? 1 : 0;
            if (gathers_all && !writes) static_cast<void>(make_room_to_gather());
            if (gathers_all && !ordered) by_id = by_id_.template at_least_of<Real>(vertices);
            return std::vector<std::uint64_t>{
                begin(rows, options, view.live_vertex_count(), vertices, planned), lacks_room, shows};
        });
        auto const some_rank = [&](std::size_t which) {
            bool some = false;
            for (std::size_t word = which; word < told.size(); word += 3)
                some = some || told[word] != 0;
            return some;
        };
        planned.zeroth.dangles = some_rank(0);
        bool const makes_room = some_rank(1);
        if (makes_room) written_.make_room();
        auto const in_order_of_ids = [&](Real const* gathered) -> Real const* {
            if constexpr (ordered) return gathered;
            if (vertices != 0)
                launch(space, cover_threads(space, vertices),
                       detail::order_by_id<Real, gathered_places<owners_type>>{gathered, places, vertices,
                                                                               by_id});
            return by_id;
        };
        if (writes) {
            try {
                if (written_.show(makes_room || some_rank(2), gather_.own_begin()))
                    return iterate_writing(rows, planned, options, in_order_of_ids);
            } catch (...) {
                written_.keep();
                throw;
            }
            static_cast<void>(graph::all_or_none(*self_, 0, make_room_to_gather));
        }
        if (gathers_all)
            return iterate(rows, planned, options, [&] {
                gather_.gather(planned.zeroth.next_given, all);
                return in_order_of_ids(all);
            });
        auto const read =
            read_.prepare(rows, planned.schedule, gather_.own_rows(), places, gather_.total(), sizeof(Real));
        return iterate(rows, planned, options, [&] {
            return detail::read_by_id<Real, read_places<owners_type>>{
                read_.template gather<typename View::id_type>(planned.zeroth.next_given), read};
        });
    }

private:
    using iteration = detail::pagerank_iteration<Real>;
    struct state {
        detail::pagerank_ring ring;
        graph::row_totals totals;
    };
    /// What a process has before the first iteration.
    template <class Id>
    struct plan {
        iteration zeroth;
        bool has_live = false; ///< vertices of any process
        graph::basic_row_schedule<Id> schedule;
        std::uint64_t arcs = 0;
        detail::piece_sums pieces;
    };

    /// Writes the first ranks of the own vertices, and plans which threads walk which rows. Returns whether
    /// any of them has no out-arcs. Waits. Throws out_of_memory.
    template <class Rows>
    [[nodiscard]] std::uint64_t begin(Rows const& rows, pagerank_options const& options, std::uint64_t live,
                                      std::uint64_t vertices, plan<typename Rows::id_type>& planned) {
        Space& space = self_->space();
        std::uint64_t const own = rows.view.vertex_count();
        auto* const kept = state_.template at_least_of<state>(1);
        auto* const ranks = own_.template at_least_of<Real>(2 * own);
        double const uniform = 1.0 / static_cast<double>(std::max<std::uint64_t>(live, 1));
        // Or a row without a vertex: also one that was made for vertices that another process then refused.
        bool const some_dead = live != vertices || gather_.total() != vertices || own != gather_.own_rows();
        planned.has_live = live != 0;
        // Not assigned from a list with names: nvcc 13.0 passes such a list to g++ without the names.
        planned.zeroth.ranks = ranks;
        planned.zeroth.next_given = ranks + own;
        planned.zeroth.ring = &kept->ring;
        planned.zeroth.damping = options.damping;
        planned.zeroth.tolerance = options.tolerance;
        planned.zeroth.uniform = uniform;
        planned.zeroth.share = uniform;
        planned.zeroth.some_dead = some_dead;
        space.fill(kept, 0, sizeof(state));
        launch(space, cover_threads(space, own),
               detail::begin_pagerank<Rows, Real>{rows, &kept->totals, planned.zeroth});
        state found;
        space.copy_out(&found, kept, sizeof(found));
        planned.arcs = found.totals.arcs;
        planned.schedule = scheduler_.plan_counted(
            space, rows, graph::all_vertices<typename Rows::id_type>{own}, found.totals, &kept->totals);
        planned.pieces = pieces_.of(space, planned.schedule);
        return found.ring.sums[0].dangling.value != 0 ? 1 : 0;
    }

    /// `gather`: brings what all vertices give, and returns where a vertex's is by its id.
    template <class Rows, class Gather>
    [[nodiscard]] partitioned_pagerank_result<Real>
    iterate(Rows const& rows, plan<typename Rows::id_type> const& planned, pagerank_options const& options,
            Gather const& gather) {
        auto const sum_of_all = [&](iteration const& done) {
            auto* const sums = reinterpret_cast<std::uint64_t*>(sums_of(done));
            static_assert(sizeof(detail::pagerank_sums) == 2 * sizeof(std::uint64_t));
            self_->all_reduce(static_cast<std::uint64_t const*>(sums), sums, 2, comm::reduction::sum)
                .or_throw();
        };
        if (planned.has_live) sum_of_all(planned.zeroth);
        return iterate_with(
            rows, planned, options, [](iteration const&) { return detail::give_here{}; },
            [&](iteration const&) { return gather(); }, sum_of_all);
    }

    /// The same if all processes write what their vertices give to all. `in_order_of_ids`: of what all have
    /// written.
    template <class Rows, class InOrder>
    [[nodiscard]] partitioned_pagerank_result<Real>
    iterate_writing(Rows const& rows, plan<typename Rows::id_type> const& planned,
                    pagerank_options const& options, InOrder const& in_order_of_ids) {
        auto const others = [&](iteration const& now) {
            return written_.to_all(now.number, gather_.own_rows());
        };
        auto const meet = [&](iteration const& done) { written_.meet(done.number, sums_of(done)); };
        if (planned.has_live) {
            Space& space = self_->space();
            launch(space, cover_threads(space, gather_.own_rows()),
                   detail::write_values<Real>{planned.zeroth.next_given, others(planned.zeroth)});
            meet(planned.zeroth);
        }
        return iterate_with(
            rows, planned, options, others,
            [&](iteration const& now) { return in_order_of_ids(written_.all(now.number - 1)); }, meet);
    }

    /// As pagerank does, but that the sums of an iteration are those of all processes. `others(now)` says
    /// where else an iteration writes what vertices give; `given(now)` returns what they have given before,
    /// by id; `finish(now)` makes the sums those of all.
    template <class Rows, class Others, class Given, class Finish>
    [[nodiscard]] partitioned_pagerank_result<Real>
    iterate_with(Rows const& rows, plan<typename Rows::id_type> const& planned,
                 pagerank_options const& options, Others const& others, Given const& given,
                 Finish const& finish) {
        using given_type = std::invoke_result_t<Given const&, iteration const&>;
        using others_type = std::invoke_result_t<Others const&, iteration const&>;
        Space& space = self_->space();
        partitioned_pagerank_result<Real> result{planned.zeroth.ranks, gather_.own_rows(), 0, 0.0,
                                                 !planned.has_live};
        if (planned.has_live)
            detail::with_pull_shape<Space>(
                planned.schedule, planned.arcs,
                [&]<std::uint32_t Lanes, bool Pieces>(exec::width_t<Lanes>, std::bool_constant<Pieces>) {
                    detail::run_iterations(
                        options, planned.zeroth, result,
                        [&](iteration const& now) {
                            launch(space, cover_rows(space, planned.schedule),
                                   detail::pull_ranks<Rows, Real, Lanes, Pieces, given_type, others_type>{
                                       rows, planned.schedule, now, planned.pieces, given(now), others(now)});
                            finish(now);
                        },
                        [&] {
                            self_->wait().or_throw();
                            detail::pagerank_ring ring;
                            space.copy_out(&ring, planned.zeroth.ring, sizeof(ring));
                            return ring;
                        });
                });
        self_->wait().or_throw();
        return result;
    }

    [[nodiscard]] static detail::pagerank_sums* sums_of(iteration const& now) {
        return now.ring->sums + now.number % detail::pagerank_ring::size;
    }

    comm::communicator<Space>* self_;
    row_gather<Space> gather_;
    read_gather<Space> read_;
    detail::written_gather<Real, Space> written_;
    exec::workspace<Space> own_;
    exec::workspace<Space> all_;
    exec::workspace<Space> by_id_;
    detail::piece_workspace<Space> pieces_;
    exec::workspace<Space> state_;
    graph::row_scheduler<Space> scheduler_;
};

} // namespace rhizome::algorithms
