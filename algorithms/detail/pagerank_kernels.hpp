// The steps of a PageRank iteration. Ranks are kept as Real; what is summed over many terms is summed in
// double.
#pragma once

#include <rhizome/algorithms/detail/row_chunks.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// Sums over all vertices, of the iteration that runs.
struct pagerank_totals {
    double dangling; ///< rank of the vertices without out-arcs
    double residual; ///< L1 distance to the last iterate
};

/// Arrays in the memory of the space, one element a vertex.
template <class Real>
struct pagerank_arrays {
    Real* ranks;
    Real* contributions; ///< what a vertex gives to each of its targets, before damping
    Real* terms;         ///< what is to be summed into a total
    pagerank_totals* totals;
};

template <class Real>
struct set_ranks {
    Real* ranks;
    std::uint64_t vertices;
    Real rank;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, vertices, [&](std::uint64_t v) { ranks[v] = rank; });
    }
};

/// Contributions from ranks; terms of the dangling rank.
template <class View, class Real>
struct contribute {
    View view;
    pagerank_arrays<Real> a;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, view.vertex_count(), [&](std::uint64_t v) {
            std::uint64_t const degree = view.degree(static_cast<graph::vertex_id>(v));
            Real const rank = a.ranks[v];
            a.contributions[v] = degree != 0 ? rank / static_cast<Real>(degree) : Real{0};
            a.terms[v] = degree != 0 ? Real{0} : rank;
        });
    }
};

/// sums[i] = contributions that come in through chunk i of the in-adjacency.
template <class Rows, class Real>
struct pull_contributions {
    Rows rows;
    chunk_map chunks;
    Real const* contributions;
    double* sums;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const tile = thread.tile(exec::width<tuning::row_tile>);
        exec::for_each_group_item(tile, chunks.count, [&](std::uint64_t i) {
            chunk const piece = chunks[i];
            graph::neighbour_range const row = rows(piece.row);
            std::uint64_t const end = end_of(piece, row);
            double mine = 0;
            for (std::uint64_t at = piece.begin + tile.rank(); at < end; at += tile.size())
                mine += static_cast<double>(contributions[row[at]]);
            double const sum = tile.sum(mine);
            if (tile.rank() == 0) sums[i] = sum;
        });
    }
};

/// Adds the contribution of each vertex to the sums of its targets, which start at 0.
template <class Rows, class Real>
struct push_contributions {
    Rows rows;
    chunk_map chunks;
    Real const* contributions;
    double* sums;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const tile = thread.tile(exec::width<tuning::row_tile>);
        exec::for_each_group_item(tile, chunks.count, [&](std::uint64_t i) {
            chunk const piece = chunks[i];
            graph::neighbour_range const row = rows(piece.row);
            std::uint64_t const end = end_of(piece, row);
            auto const given = static_cast<double>(contributions[piece.row]);
            for (std::uint64_t at = piece.begin + tile.rank(); at < end; at += tile.size())
                thread.device(sums[row[at]]).fetch_add(given, exec::order::relaxed);
        });
    }
};

/// Pulled sums of a vertex stand with its chunks.
struct sums_of_chunks {
    double const* sums;
    std::uint64_t const* first;

    [[nodiscard]] RZ_HD double operator()(std::uint64_t v) const {
        double sum = 0;
        for (std::uint64_t i = first[v]; i < first[v + 1]; ++i)
            sum += sums[i];
        return sum;
    }
};

/// Pushed ones with the vertex.
struct sums_of_vertices {
    double const* sums;

    [[nodiscard]] RZ_HD double operator()(std::uint64_t v) const { return sums[v]; }
};

/// Ranks from sums; terms of the residual.
template <class Sums, class Real>
struct update_ranks {
    Sums sums;
    std::uint64_t vertices;
    double damping;
    pagerank_arrays<Real> a;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        double const share = 1.0 / static_cast<double>(vertices);
        double const given_to_all = (1.0 - damping) * share + damping * a.totals->dangling * share;
        exec::for_each_item(thread, vertices, [&](std::uint64_t v) {
            Real const before = a.ranks[v];
            Real const after = static_cast<Real>(given_to_all + damping * sums(v));
            a.ranks[v] = after;
            a.terms[v] = after < before ? before - after : after - before;
        });
    }
};

} // namespace rhizome::algorithms::detail
