// SPDX-License-Identifier: Apache-2.0
// Triangle counting of a graph over ranks.
#pragma once

#include <rhizome/algorithms/detail/triangle_dealing.hpp>
#include <rhizome/algorithms/detail/triangle_exchange.hpp>
#include <rhizome/algorithms/detail/triangle_orientation.hpp>
#include <rhizome/algorithms/detail/triangle_sets.hpp>
#include <rhizome/algorithms/partitioned/gathered_places.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/comm/communicator.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/partition/exchange.hpp>
#include <rhizome/graph/row_schedule.hpp>
#include <rhizome/graph/rows.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace rhizome::algorithms {

/// Options of partitioned_triangles::count(). All ranks pass the same.
struct partitioned_triangle_options {
    /// The rows that a rank gathers in one round take at most so many bytes, or are those of one rank. Also
    /// at most a quarter of the memory that scratch may take on the rank that has least.
    std::uint64_t round_bytes = std::numeric_limits<std::uint64_t>::max();
};

/// Counts the triangles of an undirected graph over the ranks of a communicator, with the kernels of
/// triangle_counter.
///
/// Vertices are numbered by degree. Each rank splits its rows into higher and lower neighbours and deals them
/// to all ranks in turn, in the order of degree. A rank counts around the vertices that were dealt to it. For
/// that it gathers the higher neighbours of all vertices, in one round if memory allows, else of some ranks
/// in each round.
///
/// The balance does not depend on the owners: each rank gets equally many rows, and of each length equally
/// many, but for one of each owner. The work around one vertex is not divided, so
/// that the vertex with most work bounds it. What owners do by themselves is to orient their rows and to send
/// them: a rank that owns most arcs takes longer for that.
///
/// Scratch on each rank, kept between counts: 32 bytes per vertex of the whole graph; 56 per own vertex and 4
/// per own arc; 40 per vertex dealt and 4 per arc dealt; 4 bytes per edge whose lower end was dealt to a rank
/// of the round, and up to as many for those dealt to this one. With one rank, 72 bytes per vertex and 4 per
/// arc.
///
/// SetWords: as for triangle_counter. Leave the default.
template <class Space, class Id = graph::vertex_id, std::uint32_t SetWords = tuning::triangle_block_words>
class partitioned_triangles {
public:
    /// Allocates nothing. The communicator must outlive the object, and so must `scratch`, the source of its
    /// memory (nullptr: the space).
    explicit partitioned_triangles(comm::communicator<Space>& self, exec::memory_resource* scratch = nullptr)
        : self_(&self), gather_(self, scratch), scheduler_(self.space(), scratch),
          state_(self.space(), scratch), primitives_(self.space(), scratch), words_(self.space(), scratch),
          of_all_(self.space(), scratch), of_own_(self.space(), scratch), keys_(self.space(), scratch),
          rows_(self.space(), scratch), neighbours_(self.space(), scratch),
          dealt_rows_(self.space(), scratch), dealt_words_(self.space(), scratch),
          dealt_begins_(self.space(), scratch), dealt_neighbours_(self.space(), scratch),
          packed_(self.space(), scratch), by_number_(self.space(), scratch),
          round_begins_(self.space(), scratch), gathered_(self.space(), scratch),
          items_(self.space(), scratch) {}

    /// Collective: all ranks pass their views of one graph. Returns the number of triangles of the whole
    /// graph; self-loops do not matter. Waits. Throws std::invalid_argument for a directed graph,
    /// std::length_error for 2^32 - 1 rows or more, out_of_memory or graph::refused_by_rank, and
    /// comm::comm_error.
    ///
    /// Cost: a sort of the own vertices by degree, and (ranks * log vertices) steps to number each; one pass
    /// over the own arcs. Each arc goes to one rank, 4 bytes, with 20 bytes per vertex; and each edge to all
    /// ranks, 4 bytes, with 16 bytes per vertex. Counting takes O(edges^1.5) in the worst case, divided
    /// evenly. Three rounds of words.
    template <class View>
    [[nodiscard]] std::uint64_t count(View const& view, partitioned_triangle_options const& options = {}) {
        static_assert(std::is_same_v<Id, typename View::id_type>);
        if (!view.symmetric())
            throw std::invalid_argument("triangles over ranks are counted in undirected graphs");
        using places_type = gathered_places<std::remove_cvref_t<decltype(view.owners())>>;
        using rows_type = graph::out_rows<typename View::rows_type>;
        rows_type const rows{view.rows()};
        places_type places{view.owners(), nullptr};
        detail::own_part own{};
        graph::basic_row_schedule<Id> schedule{};
        static_cast<void>(graph::all_or_none(*self_, 0, [&]() -> std::vector<std::uint64_t> {
            places = gather_.prepare(view.owners(), view.vertex_count());
            own = prepare();
            schedule = survey(rows, own);
            return {};
        }));
        number(own, places, view.vertex_count());
        if (self_->size() == 1)
            count_alone(own, [&] { orient(rows, schedule, own); });
        else
            count_dealt(own, options, [&] { orient(rows, schedule, own); });
        auto* const triangles = &kept()->total.triangles;
        self_->all_reduce(triangles, triangles, 1, comm::reduction::sum).or_throw();
        self_->wait().or_throw();
        std::uint64_t total = 0;
        self_->space().copy_out(&total, triangles, sizeof(total));
        return total;
    }

private:
    struct state {
        detail::triangle_total total;
        graph::row_totals rows;
        detail::around_lists::counts around;
    };

    /// In the memory of the space.
    [[nodiscard]] state* kept() { return state_.template at_least_of<state>(1); }
    [[nodiscard]] std::size_t count_of_ranks() const { return static_cast<std::size_t>(self_->size()); }
    [[nodiscard]] std::size_t me() const { return static_cast<std::size_t>(self_->rank()); }
    [[nodiscard]] detail::row_dealing dealing_of(std::size_t owner) const {
        return {gather_.rows_of(static_cast<int>(owner)), static_cast<std::uint32_t>(owner),
                static_cast<std::uint32_t>(self_->size())};
    }

    [[nodiscard]] detail::own_part prepare() {
        std::uint64_t const total = gather_.total();
        if (total >= detail::nobody)
            throw std::length_error(
                "triangles over ranks are counted in graphs of up to 2^32 - 2 rows, not " +
                std::to_string(total));
        detail::own_part own{};
        std::uint64_t const rows = own.rows = gather_.own_rows();
        own.packing = detail::degree_packing::of(rows, total);
        own.all_numbers = of_all_.template at_least_of<detail::degree_rank>(2 * total + 1);
        own.sizes = of_own_.template at_least_of<std::uint32_t>(6 * (rows + 1));
        own.degrees = own.sizes + rows + 1;
        own.numbers = own.degrees + rows + 1;
        own.slots = own.numbers + rows + 1;
        own.slot_numbers = own.slots + rows + 1;
        own.higher = own.slot_numbers + rows + 1;
        own.begins = keys_.template at_least_of<std::uint64_t>(2 * (rows + 1));
        own.higher_begins = own.begins + rows + 1;
        own.oriented = rows_.template at_least_of<detail::oriented_row>(rows + 1);
        static_cast<void>(words_.template at_least_of<std::uint64_t>(3 * (count_of_ranks() + 1)));
        self_->space().fill(kept(), 0, sizeof(state));
        return own;
    }

    /// Sorts the own vertices by degree. Waits for the number of arcs, and makes room for them.
    template <class Rows>
    [[nodiscard]] graph::basic_row_schedule<Id> survey(Rows const& rows, detail::own_part& own) {
        Space& space = self_->space();
        graph::row_totals totals{};
        auto* const counted = &kept()->rows;
        launch(space, cover_threads(space, own.rows + 1),
               detail::write_degrees<Rows>{rows, own.packing, own.sizes, own.begins, counted});
        space.copy_out(&totals, counted, sizeof(totals));
        own.arcs = totals.arcs;
        own.neighbours = neighbours_.template at_least_of<detail::degree_rank>(own.arcs);
        own.sorted_keys =
            sort_keys(space, primitives_, own.begins, own.higher_begins, own.rows, own.packing.bits());
        launch(space, cover_threads(space, own.rows),
               detail::write_sorted_degrees{own.packing, own.sorted_keys, own.degrees});
        return scheduler_.plan_counted(space, rows, graph::all_vertices<Id>{own.rows}, totals, counted);
    }

    /// Numbers all vertices, and says where the own rows are written. Takes no memory.
    template <class Places>
    void number(detail::own_part& own, Places const& places, std::uint64_t vertices) {
        Space& space = self_->space();
        detail::degree_rank* const by_place = own.all_numbers;
        detail::degree_rank* const by_id = by_place + gather_.total(); // before that: the degrees of all
        std::uint64_t const* const firsts = copy_words(first_slots(), 0);
        gather_.gather(own.degrees, by_id);
        launch(space, cover_threads(space, own.rows),
               detail::number_rows{own.packing, own.sorted_keys, dealing_of(me()), by_id, places.begins,
                                   firsts, own.numbers, own.slots, own.sizes, own.slot_numbers});
        gather_.gather(own.numbers, by_place);
        launch(space, cover_threads(space, vertices),
               detail::number_ids<Places>{vertices, places, by_place, by_id});
        own.all_numbers = by_id;
    }

    /// Writes the own rows, sorted by receiver and number.
    template <class Rows>
    void orient(Rows const& rows, graph::basic_row_schedule<Id> const& schedule,
                detail::own_part const& own) {
        Space& space = self_->space();
        exclusive_scan(space, primitives_, own.sizes, own.begins, own.rows + 1);
        launch(space, cover_threads(space, own.rows + 1),
               detail::begin_rows{own.rows, own.begins, own.oriented});
        launch(space, cover_rows(space, schedule),
               detail::orient_rows<Rows, detail::numbers_of_part<Id>>{
                   rows,
                   schedule,
                   {own.all_numbers, own.numbers, own.slots},
                   {own.oriented, own.begins + 1, own.neighbours}});
    }

    /// With one rank, rows lie in the order of their numbers, and the own ones are all.
    template <class Orient>
    void count_alone(detail::own_part const& own, Orient const& orient) {
        detail::dealt_rows const rows{own.oriented, own.slot_numbers, own.neighbours, own.oriented,
                                      own.neighbours};
        detail::around_lists lists{};
        static_cast<void>(graph::all_or_none(*self_, 0, [&]() -> std::vector<std::uint64_t> {
            orient();
            lists = lists_for(own.rows, own.arcs);
            return {};
        }));
        list(rows, own.rows, lists);
        count_around(rows, lists);
    }

    /// What this rank tells for dealt_counts. Waits.
    [[nodiscard]] std::vector<std::uint64_t> dealt_words(detail::own_part const& own,
                                                         std::uint64_t round_bytes);
    template <class Orient>
    void count_dealt(detail::own_part const& own, partitioned_triangle_options const& options,
                     Orient const& orient);

    [[nodiscard]] detail::around_lists lists_for(std::uint64_t rows, std::uint64_t arcs) {
        std::uint64_t const capacity = detail::around_lists::capacity_for(rows, arcs);
        return {items_.template at_least_of<detail::around_vertex>(capacity), capacity, &kept()->around};
    }
    void list(detail::dealt_rows const& rows, std::uint64_t count, detail::around_lists const& lists) {
        Space& space = self_->space();
        launch(space, cover_threads(space, count),
               detail::list_around<detail::dealt_rows>{count, rows, lists});
    }
    void count_around(detail::dealt_rows const& rows, detail::around_lists const& lists) {
        Space& space = self_->space();
        auto* const total = &kept()->total;
        launch(space, exec::cover_blocks(space, lists.capacity),
               detail::count_around_by_blocks<SetWords, detail::dealt_rows>{{rows}, lists, total});
        launch(space, exec::cover_tiles<32>(space, lists.capacity),
               detail::count_around_by_warps<detail::dealt_rows>{{rows}, lists, total});
    }

    /// The first slot of each receiver of own rows, and the number of these.
    [[nodiscard]] std::vector<std::uint64_t> first_slots() const {
        std::vector<std::uint64_t> firsts{0};
        for (std::uint32_t receiver = 0; receiver < count_of_ranks(); ++receiver)
            firsts.push_back(firsts.back() + dealing_of(me()).count(receiver));
        return firsts;
    }
    /// Copies a word for each rank, and one more, to the space: to part 0 to 2 of the memory for such words.
    [[nodiscard]] std::uint64_t* copy_words(std::vector<std::uint64_t> const& words, std::size_t part) {
        auto* const to = words_.template at_least_of<std::uint64_t>(1) + part * (count_of_ranks() + 1);
        self_->space().copy_in(to, words.data(), words.size() * sizeof(std::uint64_t));
        return to;
    }

    /// What scratch of this object may take of the memory of this rank.
    [[nodiscard]] std::uint64_t room() {
        std::uint64_t own = 0;
        for (auto const* each :
             {&state_, &primitives_, &words_, &of_all_, &of_own_, &keys_, &rows_, &neighbours_, &dealt_rows_,
              &dealt_words_, &dealt_begins_, &dealt_neighbours_, &packed_, &by_number_, &round_begins_,
              &gathered_, &items_})
            own += each->held_bytes();
        std::uint64_t const held = self_->space().budget().held_bytes() - own;
        return self_->space().memory_bytes() - std::min(held, self_->space().memory_bytes());
    }

    comm::communicator<Space>* self_;
    row_gather<Space> gather_;
    graph::row_scheduler<Space> scheduler_;
    exec::workspace<Space> state_; ///< kept()
    exec::workspace<Space> primitives_;
    exec::workspace<Space> words_;      ///< per rank
    exec::workspace<Space> of_all_;     ///< numbers of all vertices; then numbers and counts of gathered rows
    exec::workspace<Space> of_own_;     ///< words of own rows
    exec::workspace<Space> keys_;       ///< of own rows; then where they begin
    exec::workspace<Space> rows_;       ///< own, oriented
    exec::workspace<Space> neighbours_; ///< of these
    exec::workspace<Space> dealt_rows_;
    exec::workspace<Space> dealt_words_;
    exec::workspace<Space> dealt_begins_; ///< of higher neighbours, packed
    exec::workspace<Space> dealt_neighbours_;
    exec::workspace<Space> packed_;
    exec::workspace<Space> by_number_;
    exec::workspace<Space> round_begins_;
    exec::workspace<Space> gathered_;
    exec::workspace<Space> items_;
};

template <class Space, class Id, std::uint32_t SetWords>
std::vector<std::uint64_t>
partitioned_triangles<Space, Id, SetWords>::dealt_words(detail::own_part const& own,
                                                        std::uint64_t round_bytes) {
    Space& space = self_->space();
    std::size_t const picks = count_of_ranks() + 1;
    launch(space, cover_threads(space, own.rows + 1),
           detail::settle_rows{own.rows, own.arcs, 0, nullptr, nullptr, own.oriented, own.higher});
    exclusive_scan(space, primitives_, own.higher, own.higher_begins, own.rows + 1);
    auto* const firsts = words_.template at_least_of<std::uint64_t>(1);
    auto* const found = firsts + picks;
    launch(space, cover_threads(space, picks),
           detail::pick_words{picks, firsts, own.begins, own.higher_begins, found});
    std::vector<std::uint64_t> picked(2 * picks);
    space.copy_out(picked.data(), found, picked.size() * sizeof(std::uint64_t));
    std::vector<std::uint64_t> words;
    for (std::size_t i = 1; i < picked.size(); ++i)
        if (i != picks) words.push_back(picked[i] - picked[i - 1]);
    words.push_back(round_bytes);
    return words;
}

template <class Space, class Id, std::uint32_t SetWords>
template <class Orient>
void partitioned_triangles<Space, Id, SetWords>::count_dealt(detail::own_part const& own,
                                                             partitioned_triangle_options const& options,
                                                             Orient const& orient) {
    using word = std::uint64_t;
    using detail::degree_rank;
    Space& space = self_->space();
    std::size_t const ranks = count_of_ranks();
    detail::dealt_counts const counts(
        graph::all_or_none(*self_, detail::dealt_counts::words_of_each(ranks),
                           [&] {
                               orient();
                               return dealt_words(
                                   own, std::min(options.round_bytes, room() / tuning::triangle_round_share));
                           }),
        ranks);
    std::vector<detail::row_dealing> dealings;
    for (std::size_t owner = 0; owner < ranks; ++owner)
        dealings.push_back(dealing_of(owner));
    detail::deal_plan const plan(dealings, counts, me());
    detail::gather_rounds const rounds(plan, counts.least_round_bytes());
    word const rows = plan.dealt[me()];

    auto* const round_numbers = of_all_.template at_least_of<degree_rank>(1);
    std::uint32_t* const round_counts = round_numbers + gather_.total();
    detail::oriented_row* oriented = nullptr;
    detail::oriented_row* by_number = nullptr;
    degree_rank* numbers = nullptr;
    degree_rank* neighbours = nullptr;
    degree_rank* packed = nullptr;
    degree_rank* gathered = nullptr;
    word* begins = nullptr;
    word* round_begins = nullptr;
    detail::around_lists lists{};
    static_cast<void>(graph::all_or_none(*self_, 0, [&]() -> std::vector<word> {
        oriented = dealt_rows_.template at_least_of<detail::oriented_row>(rows + 1);
        numbers = dealt_words_.template at_least_of<degree_rank>(2 * rows + 1);
        begins = dealt_begins_.template at_least_of<word>(rows + 1);
        neighbours = dealt_neighbours_.template at_least_of<degree_rank>(plan.ids);
        // Own rows are no longer needed once they are sent.
        word const higher = plan.higher[me()];
        packed = higher <= own.arcs ? own.neighbours : packed_.template at_least_of<degree_rank>(higher);
        by_number = by_number_.template at_least_of<detail::oriented_row>(gather_.total());
        round_begins = round_begins_.template at_least_of<word>(rounds.most_rows + 1);
        // Takes the scratch of the sums below, where it may no longer be refused.
        exclusive_scan(space, primitives_, round_counts, round_begins, rounds.most_rows + 1);
        gathered = gathered_.template at_least_of<degree_rank>(rounds.most_higher);
        lists = lists_for(rows, plan.ids);
        return {};
    }));
    self_->all_to_all(own.oriented, plan.sent_rows, oriented, plan.got_rows).or_throw();
    self_->all_to_all(own.slot_numbers, plan.sent_rows, numbers, plan.got_rows).or_throw();
    self_->all_to_all(own.neighbours, plan.sent_ids, neighbours, plan.got_ids).or_throw();
    std::uint32_t* const higher_counts = numbers + rows;
    launch(space, cover_threads(space, rows + 1),
           detail::settle_rows{rows, plan.ids, static_cast<std::uint32_t>(ranks),
                               copy_words(plan.first_rows, 1), copy_words(plan.shifts, 2), oriented,
                               higher_counts});
    exclusive_scan(space, primitives_, higher_counts, begins, rows + 1);
    launch(space, exec::cover_tiles<graph::tuning::row_tile>(space, rows),
           detail::pack_higher{rows, oriented, neighbours, begins, packed});

    detail::dealt_rows const dealt{oriented, numbers, neighbours, by_number, gathered};
    list(dealt, rows, lists);
    for (std::size_t round = 0; round < rounds.count(); ++round) {
        std::vector<word> const rows_of = rounds.in_round(round, plan.dealt);
        word const in_round = std::accumulate(rows_of.begin(), rows_of.end(), word{0});
        self_->all_gather(numbers, round_numbers, rows_of).or_throw();
        self_->all_gather(higher_counts, round_counts, rows_of).or_throw();
        self_->all_gather(packed, gathered, rounds.in_round(round, plan.higher)).or_throw();
        exclusive_scan(space, primitives_, round_counts, round_begins, in_round);
        if (rounds.count() > 1) space.fill(by_number, 0, gather_.total() * sizeof(*by_number));
        launch(space, cover_threads(space, in_round),
               detail::place_rows{in_round, round_numbers, round_counts, round_begins, by_number});
        count_around(dealt, lists);
    }
}

} // namespace rhizome::algorithms
