// SPDX-License-Identifier: Apache-2.0
// Which rank owns a vertex, and the number of its row there.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/divisor.hpp>
#include <rhizome/exec/random.hpp>
#include <rhizome/graph/id_scatter.hpp>
#include <rhizome/graph/row_ids.hpp>

#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace rhizome::graph {

/// A policy that divides the ids of vertices among ranks. Every id has one owner, and a **row number** there;
/// the two determine the id. The policy is passed to kernels by value. Ids can be added without moving a
/// vertex.
///
/// - owner(id), row(id): the rank, and the row number at this rank. For all ids, global(owner(id), row(id))
/// == id.
/// - ids(rank): the same as global(rank, row) for one rank, as data.
/// - rows(rank, ids): as many row numbers as rank `rank` needs for the ids less than `ids`: row(id) <
/// rows(owner(id), ids).
///   Some of these row numbers may belong to larger ids.
///
/// A policy may state keeps_order = true: the rows of rank 0, then those of rank 1, and so on, are in the
/// order of their ids. Algorithms then need not look where the value of an id lies.
template <class Policy>
concept owner_policy = std::is_trivially_copyable_v<Policy> &&
    requires(Policy const& policy, std::uint64_t id, std::uint32_t rank) {
    { policy.ranks() } -> std::same_as<std::uint32_t>;
    { policy.owner(id) } -> std::same_as<std::uint32_t>;
    { policy.row(id) } -> std::same_as<std::uint64_t>;
    { policy.global(rank, id) } -> std::same_as<std::uint64_t>;
    { policy.rows(rank, id) } -> std::same_as<std::uint64_t>;
    { policy.ids(rank) } -> std::same_as<row_ids>;
};

template <class Policy>
inline constexpr bool keeps_order = false;
template <class Policy>
requires requires { Policy::keeps_order; }
inline constexpr bool keeps_order<Policy> = Policy::keeps_order;

namespace detail {
inline std::uint32_t checked_ranks(std::uint32_t ranks) {
    if (ranks == 0) throw std::invalid_argument("the vertices of a graph are divided among at least 1 rank");
    return ranks;
}
} // namespace detail

/// Vertex v belongs to rank v modulo `ranks`. Neighbouring ids lie at different ranks, so that a range of ids
/// with much work is divided evenly.
class modulo_owners {
public:
    /// Throws std::invalid_argument for 0 ranks.
    explicit modulo_owners(std::uint32_t ranks) : ranks_(detail::checked_ranks(ranks)) {}

    [[nodiscard]] RZ_HD std::uint32_t ranks() const { return ranks_.value(); }
    [[nodiscard]] RZ_HD std::uint32_t owner(std::uint64_t id) const {
        return static_cast<std::uint32_t>(ranks_.remainder(id));
    }
    [[nodiscard]] RZ_HD std::uint64_t row(std::uint64_t id) const { return ranks_.quotient(id); }
    [[nodiscard]] RZ_HD std::uint64_t global(std::uint32_t rank, std::uint64_t row) const {
        return row * ranks() + rank;
    }
    [[nodiscard]] row_ids ids(std::uint32_t rank) const { return {rank, ranks()}; }
    [[nodiscard]] RZ_HD std::uint64_t rows(std::uint32_t rank, std::uint64_t ids) const {
        return ranks_.quotient(ids) + (rank < ranks_.remainder(ids) ? 1 : 0);
    }

private:
    exec::divisor ranks_;
};

/// Each rank owns a range of `ids_per_rank` neighbouring ids; the last one also owns all ids beyond. Keeps
/// vertices together whose ids are close, as in a graph file that is ordered by locality.
class range_owners {
public:
    static constexpr bool keeps_order = true;

    /// Throws std::invalid_argument for 0 ranks, for 0 ids per rank, and if the first id of the last rank is
    /// more than 64 bits hold.
    range_owners(std::uint32_t ranks, std::uint64_t ids_per_rank)
        : ranks_(detail::checked_ranks(ranks)), ids_per_rank_(ids_per_rank) {
        if (ids_per_rank == 0) throw std::invalid_argument("range_owners: a rank owns at least 1 id, not 0");
        if (ranks > 1 && ids_per_rank > ~std::uint64_t{0} / (ranks - 1))
            throw std::invalid_argument("range_owners: " + std::to_string(ranks) + " ranks of " +
                                        std::to_string(ids_per_rank) +
                                        " ids have more ids than 64 bits count");
    }
    /// Ranges of equal length for `ids` ids.
    [[nodiscard]] static range_owners of(std::uint32_t ranks, std::uint64_t ids) {
        std::uint64_t const divisor = detail::checked_ranks(ranks);
        return {ranks, ids == 0 ? 1 : ids / divisor + (ids % divisor != 0 ? 1 : 0)};
    }

    [[nodiscard]] RZ_HD std::uint32_t ranks() const { return ranks_; }
    [[nodiscard]] RZ_HD std::uint32_t owner(std::uint64_t id) const {
        std::uint64_t const range = id / ids_per_rank_;
        return range < ranks_ ? static_cast<std::uint32_t>(range) : ranks_ - 1;
    }
    [[nodiscard]] RZ_HD std::uint64_t row(std::uint64_t id) const { return id - owner(id) * ids_per_rank_; }
    [[nodiscard]] RZ_HD std::uint64_t global(std::uint32_t rank, std::uint64_t row) const {
        return rank * ids_per_rank_ + row;
    }
    [[nodiscard]] row_ids ids(std::uint32_t rank) const { return {rank * ids_per_rank_, 1}; }
    [[nodiscard]] RZ_HD std::uint64_t rows(std::uint32_t rank, std::uint64_t ids) const {
        std::uint64_t const begin = rank * ids_per_rank_;
        if (ids <= begin) return 0;
        std::uint64_t const beyond = ids - begin;
        return rank + 1 == ranks_ || beyond < ids_per_rank_ ? beyond : ids_per_rank_;
    }

private:
    std::uint32_t ranks_;
    std::uint64_t ids_per_rank_;
};

/// Ids are scattered within blocks of 4096 (id_scatter), and then belong to rank (scattered id) modulo
/// `ranks`. For graphs whose ids have a pattern that modulo_owners would give to few ranks, as those of
/// generated graphs do. A rank has up to ceil(4096 / ranks) row numbers that belong to larger ids than those
/// in use.
class hash_owners {
public:
    /// Another `seed` scatters in another way; all ranks take the same. Throws std::invalid_argument for 0
    /// ranks.
    explicit hash_owners(std::uint32_t ranks, std::uint64_t seed = 0) : scattered_(ranks), scatter_(seed) {}

    [[nodiscard]] RZ_HD std::uint32_t ranks() const { return scattered_.ranks(); }
    [[nodiscard]] RZ_HD std::uint32_t owner(std::uint64_t id) const {
        return scattered_.owner(scatter_.scatter(id));
    }
    [[nodiscard]] RZ_HD std::uint64_t row(std::uint64_t id) const {
        return scattered_.row(scatter_.scatter(id));
    }
    [[nodiscard]] RZ_HD std::uint64_t global(std::uint32_t rank, std::uint64_t row) const {
        return scatter_.gather(scattered_.global(rank, row));
    }
    [[nodiscard]] row_ids ids(std::uint32_t rank) const { return {rank, ranks(), true, scatter_}; }
    [[nodiscard]] RZ_HD std::uint64_t rows(std::uint32_t rank, std::uint64_t ids) const {
        constexpr std::uint64_t mask = id_scatter::block_ids - 1;
        return scattered_.rows(rank, (ids + mask) & ~mask);
    }

private:
    modulo_owners scattered_;
    id_scatter scatter_;
};

static_assert(owner_policy<modulo_owners> && owner_policy<range_owners> && owner_policy<hash_owners>);

/// A number that ranks compare to find out whether they divide ids in the same way: it depends on the ids of
/// the first rows of each rank.
template <owner_policy Policy>
[[nodiscard]] std::uint64_t digest_of(Policy const& owners) {
    std::uint64_t digest = owners.ranks();
    for (std::uint32_t rank = 0; rank < owners.ranks(); ++rank)
        for (std::uint64_t row = 0; row < 16; ++row)
            digest = exec::scramble(digest + owners.global(rank, row));
    return digest;
}

} // namespace rhizome::graph
