// SPDX-License-Identifier: Apache-2.0
// Rows for spaces where one thread walks each row: strips of consecutive rows, in each strip the shorter ones
// first.
#pragma once

#include <rhizome/algorithms/detail/hot_values.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/row_schedule.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <utility>

namespace rhizome::algorithms::detail {

inline constexpr std::uint32_t strip_short_lengths = tuning::strip_short_degree + 1; ///< 0 is one

[[nodiscard]] inline RZ_HD std::uint64_t strips_for(std::uint64_t vertices) {
    return (vertices + tuning::strip_rows - 1) / tuning::strip_rows;
}

/// A core that walks rows of different lengths mispredicts where each of them ends, and loses the time of
/// about thirty neighbours. The short rows of a strip are therefore taken by length, so that the core
/// mispredicts once per length. Copies of the rows are contiguous in that order, so that nothing is looked up
/// between two of them. The copies hold places of values instead of vertex ids. In the memory of the space.
template <class Id>
struct row_strips {
    static constexpr std::uint32_t rows = tuning::strip_rows;
    static_assert(rows <= 1u << 16);

    std::uint64_t vertices;
    std::uint16_t* order;  ///< the rows of each strip by length; rows that are not light last
    std::uint32_t* counts; ///< how many rows of each short length each strip has
    std::uint64_t* begins; ///< where the copies of each strip begin, then those of each piece
    Id* ids;               ///< copies of rows

    [[nodiscard]] RZ_HD std::uint64_t first(std::uint64_t strip) const { return strip * rows; }
    [[nodiscard]] RZ_HD std::uint32_t size(std::uint64_t strip) const {
        std::uint64_t const left = vertices - first(strip);
        return left < rows ? static_cast<std::uint32_t>(left) : rows;
    }
    [[nodiscard]] RZ_HD Id* copies_of(std::uint64_t strip) const { return ids + begins[strip]; }
    [[nodiscard]] RZ_HD Id* copies_of_piece(std::uint64_t piece) const {
        return ids + begins[strips_for(vertices) + piece];
    }
    [[nodiscard]] RZ_HD std::uint32_t* counts_of(std::uint64_t strip) const {
        return counts + strip * strip_short_lengths;
    }
};

/// Sorts the rows of each strip by length, and counts how many ids its copies have.
template <class Rows>
struct order_strips {
    static constexpr std::uint32_t lengths = tuning::light_degree + 2; ///< the last: any row that is not
                                                                       ///< light
    struct shared {
        std::uint32_t places[lengths];
    };
    Rows rows;
    row_strips<typename Rows::id_type> strips;
    std::uint64_t* sizes;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        static_assert(Thread::prefers_runs);
        auto& places = thread.block().storage().places;
        std::uint64_t const count = strips_for(strips.vertices);
        exec::for_each_item(thread, count, [&](std::uint64_t strip) { sizes[strip] = order(strip, places); });
    }

private:
    [[nodiscard]] RZ_HD std::uint64_t order(std::uint64_t strip, std::uint32_t (&places)[lengths]) const {
        std::uint64_t const first = strips.first(strip);
        std::uint32_t const size = strips.size(strip);
        for (std::uint32_t& place : places)
            place = 0;
        for (std::uint32_t k = 0; k < size; ++k)
            ++places[length_of(first + k)];
        std::uint64_t ids = 0;
        for (std::uint32_t length = 0; length + 1 < lengths; ++length)
            ids += std::uint64_t{length} * places[length];
        for (std::uint32_t length = 0; length < strip_short_lengths; ++length)
            strips.counts_of(strip)[length] = places[length];
        std::uint32_t before = 0;
        for (std::uint32_t& place : places) {
            std::uint32_t const many = place;
            place = before;
            before += many;
        }
        for (std::uint32_t k = 0; k < size; ++k)
            strips.order[first + places[length_of(first + k)]++] = static_cast<std::uint16_t>(k);
        return ids;
    }
    [[nodiscard]] RZ_HD std::uint32_t length_of(std::uint64_t v) const {
        std::uint64_t const size = rows(static_cast<typename Rows::id_type>(v)).size();
        return graph::is_light_row(size) ? static_cast<std::uint32_t>(size) : lengths - 1;
    }
};

/// Counts the ids of the pieces of rows that are not light.
template <class Rows>
struct size_pieces {
    Rows rows;
    graph::basic_row_schedule<typename Rows::id_type> schedule;
    std::uint64_t* sizes;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, schedule.piece_count, [&](std::uint64_t i) {
            auto const piece = schedule.pieces[i];
            sizes[i] = piece.end(rows(piece.row).size()) - piece.begin();
        });
    }
};

/// Copies the light rows.
template <class Rows>
struct fill_strips {
    Rows rows;
    row_strips<typename Rows::id_type> strips;
    hot_values hot;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, strips_for(strips.vertices), [&](std::uint64_t strip) {
            std::uint64_t const first = strips.first(strip);
            std::uint16_t const* const order = strips.order + first;
            typename Rows::id_type* to = strips.copies_of(strip);
            for (std::uint32_t i = 0; i < strips.size(strip); ++i) {
                auto const row = rows(static_cast<typename Rows::id_type>(first + order[i]));
                if (!graph::is_light_row(row.size())) break;
                for (std::uint64_t k = 0; k < row.size(); ++k)
                    *to++ = hot.place(row[k]);
            }
        });
    }
};

/// Copies the other rows.
template <class Rows>
struct fill_pieces {
    Rows rows;
    graph::basic_row_schedule<typename Rows::id_type> schedule;
    row_strips<typename Rows::id_type> strips;
    hot_values hot;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, schedule.piece_count, [&](std::uint64_t i) {
            auto const piece = schedule.pieces[i];
            auto const row = rows(piece.row);
            typename Rows::id_type* to = strips.copies_of_piece(i);
            std::uint64_t const end = piece.end(row.size());
            for (std::uint64_t k = piece.begin(); k < end; ++k)
                *to++ = hot.place(row[k]);
        });
    }
};

/// Keeps the memory of strips between calls.
template <class Space>
class strip_cutter {
public:
    /// `scratch`: source of the memory; nullptr: the space. The resource must outlive the cutter.
    strip_cutter(Space space, exec::memory_resource* scratch)
        : order_(space, scratch), counts_(space, scratch), sizes_(space, scratch), begins_(space, scratch),
          ids_(space, scratch), primitives_(std::move(space), scratch) {}

    /// Valid until the next call. Precondition: rows are contiguous in memory, and have `arcs` arcs in all.
    /// Throws out_of_memory. Cost: one pass over the rows and one over the arcs.
    template <class Rows>
    [[nodiscard]] row_strips<typename Rows::id_type>
    cut(Space& space, Rows const& rows, graph::basic_row_schedule<typename Rows::id_type> const& schedule,
        hot_values const& hot, std::uint64_t arcs) {
        using id_type = typename Rows::id_type;
        std::uint64_t const count = strips_for(schedule.chosen.count);
        std::uint64_t const parts = count + schedule.piece_count;
        row_strips<id_type> const strips{
            schedule.chosen.count, order_.template at_least_of<std::uint16_t>(schedule.chosen.count),
            counts_.template at_least_of<std::uint32_t>(count * strip_short_lengths),
            begins_.template at_least_of<std::uint64_t>(parts), ids_.template at_least_of<id_type>(arcs)};
        auto* const sizes = sizes_.template at_least_of<std::uint64_t>(parts);
        launch(space, cover_threads(space, count), order_strips<Rows>{rows, strips, sizes});
        launch(space, cover_threads(space, schedule.piece_count),
               size_pieces<Rows>{rows, schedule, sizes + count});
        exclusive_scan(space, primitives_, sizes, strips.begins, parts);
        launch(space, cover_threads(space, count), fill_strips<Rows>{rows, strips, hot});
        launch(space, cover_threads(space, schedule.piece_count),
               fill_pieces<Rows>{rows, schedule, strips, hot});
        return strips;
    }

private:
    exec::workspace<Space> order_;
    exec::workspace<Space> counts_;
    exec::workspace<Space> sizes_;
    exec::workspace<Space> begins_;
    exec::workspace<Space> ids_;
    exec::workspace<Space> primitives_;
};

} // namespace rhizome::algorithms::detail
