// SPDX-License-Identifier: Apache-2.0
// One value per vertex, gathered from all ranks.
#pragma once

#include <rhizome/comm/communicator.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/partition/owners.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace rhizome::algorithms {

/// Where the value of a vertex lies in an array gathered from all ranks: each rank's values in the order of
/// its rows, one rank after the other. Passed to kernels by value.
template <graph::owner_policy Owners>
struct gathered_places {
    Owners owners;
    std::uint64_t const* begins; ///< of each rank, and the length of the array

    [[nodiscard]] RZ_HD std::uint64_t operator()(std::uint64_t v) const {
        return begins[owners.owner(v)] + owners.row(v);
    }
};

/// Gathers an array of one value per row from each rank.
template <class Space>
class row_gather {
public:
    explicit row_gather(comm::communicator<Space>& self, exec::memory_resource* scratch = nullptr)
        : self_(&self), begins_(self.space(), scratch) {}

    /// Prepares to gather from the rows of vertices 0 to `vertices` - 1. Throws out_of_memory.
    template <graph::owner_policy Owners>
    [[nodiscard]] gathered_places<Owners> prepare(Owners const& owners, std::uint64_t vertices) {
        counts_.clear();
        std::vector<std::uint64_t> begins;
        total_ = 0;
        for (std::uint32_t rank = 0; rank < owners.ranks(); ++rank) {
            begins.push_back(total_);
            counts_.push_back(owners.rows(rank, vertices));
            total_ += counts_.back();
        }
        begins.push_back(total_);
        auto* const placed = begins_.template at_least_of<std::uint64_t>(begins.size());
        self_->space().copy_in(placed, begins.data(), begins.size() * sizeof(std::uint64_t));
        return {owners, placed};
    }
    /// The number of rows of this rank.
    [[nodiscard]] std::uint64_t own_rows() const { return counts_[static_cast<std::size_t>(self_->rank())]; }
    /// Where the values of this rank begin.
    [[nodiscard]] std::uint64_t own_begin() const {
        auto const self = static_cast<std::ptrdiff_t>(self_->rank());
        return std::accumulate(counts_.begin(), counts_.begin() + self, std::uint64_t{0});
    }
    /// The number of rows of a rank.
    [[nodiscard]] std::uint64_t rows_of(int rank) const { return counts_[static_cast<std::size_t>(rank)]; }
    /// The length of a gathered array.
    [[nodiscard]] std::uint64_t total() const { return total_; }

    /// Collective. all: total() values; mine: own_rows() values. Throws comm::comm_error.
    template <class T>
    void gather(T const* mine, T* all) {
        self_->all_gather(mine, all, std::span<std::uint64_t const>(counts_)).or_throw();
    }

private:
    comm::communicator<Space>* self_;
    exec::workspace<Space> begins_;
    std::vector<std::uint64_t> counts_;
    std::uint64_t total_ = 0;
};

} // namespace rhizome::algorithms
