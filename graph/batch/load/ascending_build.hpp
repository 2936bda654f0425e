// SPDX-License-Identifier: Apache-2.0
// Builds a graph without arcs from edges that ascend, without sorting them: the steps, one after the
// other.
#pragma once

#include <rhizome/alloc/page_run.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/graph/batch/grow.hpp>
#include <rhizome/graph/batch/heap.hpp>
#include <rhizome/graph/batch/load/ascending_edges.hpp>
#include <rhizome/graph/batch/load/ascending_rows.hpp>
#include <rhizome/graph/batch_report.hpp>
#include <rhizome/graph/tuning.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace rhizome::graph::batch {

/// Whether batches of a space try this first: those of spaces where each thread has a range of edges to
/// itself. Where lanes read adjacent edges together, the device-wide sort takes no longer than what this
/// would save.
template <class Space>
inline constexpr bool builds_ascending = exec::threads_take_runs<Space>;

struct ascending_result {
    std::uint64_t arcs;
    bool crowded; ///< a row has more arcs than a block sorts
    bulk_requests bulk;
};

template <class Space, class Format, class Allocator>
class ascending_build {
    using id_type = typename Format::id_type;
    using value_type = typename Format::value_type;
    using ref_type = typename Allocator::ref_type;
    using rows_type = ascending_rows<Format>;

public:
    /// `rows`: of all vertices, without neighbours. `bulk`: pages are requested in bulk.
    ascending_build(Space& space, Allocator& allocator, arc_rules<id_type> const& rules,
                    typename Format::record_type* rows, bool bulk)
        : space_(space), allocator_(allocator), r_{rules, nullptr, nullptr, rows}, bulk_(bulk) {}

    /// Builds the rows of a list of edges in the memory of the space: listed_edges, or edges_in_rows of all
    /// vertices. At most 2^32 - 2 edges. Returns nothing if the edges do not ascend, one of them is not to be
    /// taken, or memory is short. The rows then have no neighbours, as before, and an ordinary batch does the
    /// work or reports the reason. Scratch: 4 bytes per vertex (8 if edges have two arcs), and 8 per stretch.
    /// Cost: some passes over the edges, and one write per arc.
    template <class List>
    [[nodiscard]] std::optional<ascending_result> run(heap<Allocator>& pages, List const& list,
                                                      value_type const* values) {
        try {
            return run_in_scratch(pages, list, values);
        } catch (exec::out_of_memory const&) {
            return std::nullopt; // no scratch, which is allocated before anything is changed
        }
    }

private:
    static constexpr std::uint64_t least_part = 4096; ///< items per thread: with fewer, starting another
                                                      ///< thread takes longer than the work
    static constexpr unsigned attempts = 4;           ///< to obtain all pages

    void look(listed_edges<id_type> const& list, std::uint32_t* first, target_span<id_type>* span,
              ascending_find* find) {
        even_parts const parts{list.stretches(), parts_of(list.count)};
        launch(space_, cover_blocks(space_, parts.count),
               look_at_list<id_type>{r_.rules, list, parts, first, span, find});
    }
    void look(edges_in_rows<id_type> const& list, std::uint32_t* first, target_span<id_type>* span,
              ascending_find* find) {
        even_parts const parts{list.stretches(), parts_of(std::max(list.count, list.vertices))};
        launch(space_, cover_blocks(space_, parts.count),
               look_at_rows<id_type>{r_.rules, list, parts, first, span, find});
    }

    template <class List>
    std::optional<ascending_result> run_in_scratch(heap<Allocator>& pages, List const& list,
                                                   value_type const* values) {
        bool const mirrors = r_.rules.arcs_per_edge() == 2;
        std::uint64_t const vertices = r_.rules.vertices;
        exec::buffer<Space, ascending_find> find(space_, 1);
        exec::buffer<Space, std::uint32_t> first(space_, vertices + 1);
        exec::buffer<Space, target_span<id_type>> span(space_, list.stretches());
        find.fill_bytes(0);
        look(list, first.data(), span.data(), find.data());
        if (found(find).departs != 0) return std::nullopt;

        exec::buffer<Space, std::uint32_t> mirrored(space_, mirrors ? vertices : 0);
        r_.first = first.data();
        r_.mirrored = mirrored.data();
        mirrored.fill_bytes(0);
        std::uint64_t const loops = r_.rules.directed ? 0 : found(find).loops;
        even_parts const ranges{vertices, space_.workers()};
        auto const each_range = cover_blocks(space_, ranges.count);
        if (mirrors)
            launch(space_, each_range,
                   count_mirrored<List, id_type>{list, span.data(), ranges, loops != 0, r_.mirrored});
        std::uint64_t const arcs = mirrors ? 2 * list.count - loops : list.count;
        if (!begin_rows(pages, arcs, find)) return std::nullopt;
        even_parts const parts{vertices, parts_of(vertices)};
        launch(space_, cover_blocks(space_, parts.count),
               place_forward<Format, List>{r_, parts, list, values});
        if (mirrors)
            launch(space_, each_range, place_mirrored<Format, List>{r_, list, span.data(), ranges, values});
        ascending_find const at_end = found(find);
        bulk_tally const& bulk = at_end.bulk;
        return ascending_result{
            arcs, at_end.crowded != 0, {bulk.served, bulk.pages, bulk.refused, bulk.refused_pages}};
    }

    [[nodiscard]] std::uint64_t parts_of(std::uint64_t items) const {
        return std::clamp<std::uint64_t>(items / least_part, 1, space_.concurrency());
    }
    [[nodiscard]] ascending_find found(exec::buffer<Space, ascending_find> const& find) {
        ascending_find all{};
        space_.copy_out(&all, find.data(), sizeof(all));
        return all;
    }

    /// Gives all rows records and pages. Returns false if there are not enough pages; then no row has any.
    [[nodiscard]] bool begin_rows(heap<Allocator>& pages, std::uint64_t arcs,
                                  exec::buffer<Space, ascending_find>& find) {
        even_parts const parts{r_.rules.vertices, parts_of(r_.rules.vertices)};
        auto const each_part = cover_blocks(space_, parts.count);
        exec::buffer<Space, std::uint32_t> place_words(space_, size_buckets::exact * parts.count + 1);
        exec::buffer<Space, alloc::page_run> run_words(space_, size_buckets::exact);
        std::uint32_t* const places = place_words.data();
        alloc::page_run* const runs = run_words.data();
        launch(space_, each_part,
               size_ascending<Format, ref_type>{allocator_.ref(), r_, parts, places, find.data()});
        launch(space_, one_warp(space_), sum_places{size_buckets::exact * parts.count, places});
        ascending_find const all = found(find);
        if (all.refused != 0) return false; // a row is too long
        pages.expect(all.page_bytes, arcs);
        for (unsigned attempt = 1;; ++attempt) {
            ref_type const ref = allocator_.ref();
            if (all.large != 0)
                launch(
                    space_, each_part,
                    begin_ascending_rows<Format, ref_type, true>{ref, r_, parts, places, runs, find.data()});
            launch(space_, one_warp(space_),
                   take_ascending_runs<ref_type>{ref, parts.count, places, runs, bulk_, find.data()});
            launch(space_, each_part,
                   begin_ascending_rows<Format, ref_type, false>{ref, r_, parts, places, runs, find.data()});
            ascending_find const tried = found(find);
            if (tried.refused == 0) return true;
            launch(space_, each_part, undo_ascending_rows<Format, ref_type>{ref, r_, parts});
            if (attempt == attempts || !make_room(attempt == 1, all.page_bytes)) return false;
            ascending_find again = all;
            again.bulk.refused = tried.bulk.refused + tried.bulk.served; // these pages went back
            again.bulk.refused_pages = tried.bulk.refused_pages + tried.bulk.pages;
            space_.copy_in(find.data(), &again, sizeof(again));
        }
    }
    /// Free pages of other sizes often suffice; otherwise the heap grows by a share of what is needed.
    [[nodiscard]] bool make_room(bool trims, std::uint64_t needed_bytes) {
        if (trims) {
            allocator_.trim();
            return true;
        }
        try {
            grow_sparing_scratch(space_, allocator_,
                                 allocator_.heap_bytes() +
                                     std::max<std::uint64_t>(needed_bytes / tuning::growth_share, 64u << 10));
        } catch (exec::out_of_memory const&) {
            return false;
        }
        return true;
    }

    Space& space_;
    Allocator& allocator_;
    rows_type r_;
    bool bulk_;
};

} // namespace rhizome::graph::batch
