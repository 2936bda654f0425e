// SPDX-License-Identifier: Apache-2.0
// A batch cut into pieces that are applied one after the other. Used if its scratch, or the pages that it
// takes before it gives others back, do not fit into memory at once.
#pragma once

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/core/stager.hpp>
#include <rhizome/graph/queries.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <type_traits>

namespace rhizome::graph::batch {

/// The edges whose hashes are in [begin, end).
struct hash_range {
    std::uint64_t begin;
    std::uint64_t end;

    [[nodiscard]] RZ_HD bool has(std::uint32_t hash) const { return begin <= hash && hash < end; }
};

/// Piece `number` of `of` pieces, a power of two. An edge, its mirror and its repeats are in one piece, so
/// that the reports of the pieces add up to that of the batch. The hashes of a piece are consecutive.
struct piece {
    std::uint32_t of;
    std::uint32_t number;

    template <class Id>
    [[nodiscard]] static RZ_HD std::uint32_t hash_of(basic_edge<Id> const& e) {
        std::uint64_t const low = e.source < e.target ? e.source : e.target;
        std::uint64_t const high = e.source < e.target ? e.target : e.source;
        return static_cast<std::uint32_t>(mixed(mixed(low) + high) >> 32);
    }
    [[nodiscard]] hash_range hashes() const {
        return {(std::uint64_t{number} << 32) / of, (std::uint64_t{number + 1} << 32) / of};
    }
    /// One of `parts` pieces, a power of two, of this one.
    [[nodiscard]] piece part(std::uint32_t which, std::uint32_t parts) const {
        return {of * parts, number * parts + which};
    }

private:
    /// The finaliser of MurmurHash3 (Appleby): each bit of the result depends on all bits.
    [[nodiscard]] static RZ_HD constexpr std::uint64_t mixed(std::uint64_t word) {
        word = (word ^ word >> 33) * 0xff51'afd7'ed55'8ccd;
        word = (word ^ word >> 33) * 0xc4ce'b9fe'1a85'ec53;
        return word ^ word >> 33;
    }
};

/// Part of what pieces have applied, which is undone at once: of the edges number [first, first + count), in
/// an order of the list of pieces, those whose hashes were applied. A share has repeats of an edge in any
/// number, and can be as small as one edge, unlike a piece.
struct undone_share {
    hash_range applied;
    std::uint64_t first;
    std::uint64_t count;
};

/// Which edges of a piece are taken, by whether the graph had them before the batch.
enum class piece_part : std::uint32_t { absent = 1, present = 2, all = 3 };

/// Which edges are taken. They keep their order, so that the last of several equal edges still counts.
template <class Id>
struct piece_filter {
    /// Consecutive edges that one thread reads.
    static constexpr std::uint64_t run = 64;

    basic_edge<Id> const* edges;
    std::uint64_t count;
    std::uint8_t const* present;
    hash_range hashes;
    piece_part part;

    [[nodiscard]] RZ_HD std::uint64_t runs() const { return (count + run - 1) / run; }
    /// Calls function(i) for each edge number i of a run that is taken.
    template <class Function>
    RZ_HD void for_each_taken(std::uint64_t run_number, Function&& function) const {
        std::uint64_t const begin = run_number * run;
        std::uint64_t const end = begin + run < count ? begin + run : count;
        for (std::uint64_t i = begin; i < end; ++i) {
            auto const bit =
                static_cast<std::uint32_t>(present[i] != 0 ? piece_part::present : piece_part::absent);
            if ((static_cast<std::uint32_t>(part) & bit) != 0 && hashes.has(piece::hash_of(edges[i])))
                function(i);
        }
    }
};

/// places[r] becomes the number of edges of run r that are taken; the place behind the last run becomes 0.
template <class Id>
struct count_piece {
    piece_filter<Id> filter;
    std::uint32_t* places; ///< runs + 1

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (thread.rank() == 0) places[filter.runs()] = 0;
        exec::for_each_item(thread, filter.runs(), [&](std::uint64_t r) {
            std::uint32_t taken = 0;
            filter.for_each_taken(r, [&](std::uint64_t) { ++taken; });
            places[r] = taken;
        });
    }
};

/// Copies the edges that are taken, each run to its place.
template <class Id, class Value>
struct copy_piece {
    piece_filter<Id> filter;
    std::uint32_t const* places;
    basic_edge<Id>* edges;
    Value const* from_values; ///< nullptr: no values
    Value* values;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, filter.runs(), [&](std::uint64_t r) {
            std::uint64_t to = places[r];
            filter.for_each_taken(r, [&](std::uint64_t i) {
                edges[to] = filter.edges[i];
                if (from_values != nullptr) values[to] = from_values[i];
                ++to;
            });
        });
    }
};

/// A batch in the space, and which of its edges the graph had before, with their values. Takes one byte per
/// edge, one value per edge where edges have values, and room for the largest piece. Throws out_of_memory.
template <class Space, class Id, class Value, bool HasValues>
class pieces {
    using edge_type = basic_edge<Id>;

public:
    using placed_type = placed_batch<edge_type, Value>;

    template <class View>
    pieces(Space space, exec::memory_resource* resource, View const& view, placed_type const& whole)
        : space_(std::move(space)), whole_(whole), present_(space_, whole.count),
          values_before_(space_, HasValues ? whole.count : 0),
          places_(space_, (whole.count + piece_filter<Id>::run - 1) / piece_filter<Id>::run + 1),
          edges_(space_, resource), values_(space_, resource), primitives_(space_, resource) {
        if constexpr (HasValues)
            graph::edge_values(space_, view, whole.edges, whole.count, values_before_.data(),
                               present_.data());
        else
            graph::has_edges(space_, view, whole.edges, whole.count, present_.data());
    }

    [[nodiscard]] std::uint64_t edge_count() const { return whole_.count; }

    /// The edges of a piece, with their values in the batch. Valid until the next call. Waits. The view: of
    /// the graph before the piece is applied.
    template <class View>
    [[nodiscard]] placed_type of(piece const& which, View const&) {
        return taken({whole_.edges, whole_.count, present_.data(), which.hashes(), piece_part::all},
                     whole_.values);
    }
    /// How many edges undone_share numbers, if the edges of `applied` are to be undone.
    [[nodiscard]] std::uint64_t undone_edges(hash_range const&) const { return whole_.count; }
    /// The edges that the graph did not have before the batch, without values; and those that it had, with
    /// their values at that time.
    [[nodiscard]] placed_type absent(undone_share const& share) {
        return taken(filter_of(share, piece_part::absent), nullptr);
    }
    [[nodiscard]] placed_type present(undone_share const& share) {
        return taken(filter_of(share, piece_part::present),
                     HasValues ? values_before_.data() + share.first : nullptr);
    }
    /// Gives back the memory of the piece that was cut last.
    void give_back() {
        for (auto* const each : {&edges_, &values_, &primitives_})
            each->give_back();
    }

private:
    [[nodiscard]] piece_filter<Id> filter_of(undone_share const& share, piece_part part) const {
        return {whole_.edges + share.first, share.count, present_.data() + share.first, share.applied, part};
    }
    [[nodiscard]] placed_type taken(piece_filter<Id> const& filter, Value const* from_values) {
        auto const each_run = cover_threads(space_, filter.runs());
        launch(space_, each_run, count_piece<Id>{filter, places_.data()});
        exclusive_scan(space_, primitives_, places_.data(), places_.data(), filter.runs() + 1);
        std::uint32_t count = 0;
        space_.copy_out(&count, places_.data() + filter.runs(), sizeof(count));
        if (count == 0) return {};
        auto* const edges = edges_.template at_least_of<edge_type>(count);
        auto* const values = from_values == nullptr ? nullptr : values_.template at_least_of<Value>(count);
        launch(space_, each_run, copy_piece<Id, Value>{filter, places_.data(), edges, from_values, values});
        return {edges, values, count};
    }

    Space space_;
    placed_type whole_;
    exec::buffer<Space, std::uint8_t> present_;
    exec::buffer<Space, Value> values_before_;
    exec::buffer<Space, std::uint32_t> places_;
    exec::workspace<Space> edges_;
    exec::workspace<Space> values_;
    exec::workspace<Space> primitives_;
};

} // namespace rhizome::graph::batch
