// SPDX-License-Identifier: Apache-2.0
// One value per vertex, and two sums, that each rank's kernels write into the memory of all ranks.
#pragma once

#include <rhizome/algorithms/detail/pagerank_kernels.hpp>
#include <rhizome/comm/communicator.hpp>
#include <rhizome/comm/shown_memory.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/partition/exchange.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace rhizome::algorithms::detail {

/// Writes what a row of this rank gives to all ranks, this one included. Passed to kernels by value.
template <class Real>
struct write_to_all {
    Real* const* places; ///< where the values of this rank begin at each rank
    std::uint32_t ranks;
    std::uint64_t rows; ///< that have a vertex; a rank may have more

    RZ_HD void operator()(std::uint64_t row, Real given) const {
        if (row >= rows) return;
        for (std::uint32_t i = 0; i < ranks; ++i)
            places[i][row] = given;
    }
};

template <class Real>
struct write_values {
    Real const* values;
    write_to_all<Real> write;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, write.rows, [&](std::uint64_t row) { write(row, values[row]); });
    }
};

/// Writes this rank's sums of an iteration to all ranks.
struct write_sums {
    pagerank_sums const* sums;
    pagerank_sums* const* places; ///< of this rank at each rank, for iterations with the place 0 in the ring
    std::uint64_t ranks;
    std::uint64_t place;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, ranks, [&](std::uint64_t rank) { places[rank][place * ranks] = *sums; });
    }
};

/// Adds up what all ranks have written.
struct add_written_sums {
    pagerank_sums const* written; ///< of each rank
    std::uint64_t ranks;
    pagerank_sums* sums;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (thread.rank() != 0) return;
        pagerank_sums all{};
        for (std::uint64_t rank = 0; rank < ranks; ++rank) {
            all.dangling.value += written[rank].dangling.value;
            all.residual.value += written[rank].residual.value;
        }
        *sums = all;
    }
};

/// What the vertices give, and the sums, of all ranks, where ranks reach each other's memory. A rank writes
/// those of an iteration while others may still read those of the iteration before, so there are two arrays
/// of values. All ranks call meet() after each iteration, so none is two ahead.
template <class Real, class Space>
class written_gather {
public:
    /// `scratch`: the source of the memory; nullptr: the communicator, or the space. Ranks do not write into
    /// memory of a resource: it may lie in a pool, to which other devices have no access.
    written_gather(comm::communicator<Space>& self, exec::memory_resource* scratch)
        : self_(&self), shows_(scratch == nullptr), may_write_(self.size() > 1 && self.may_share_memory()),
          memory_(self.space(), shows_ && may_write_ ? self.shareable_memory() : scratch),
          table_memory_(self.space(), scratch), rooms_(self, static_cast<std::size_t>(self.size())) {}

    /// Whether it can be used. The same on all ranks.
    [[nodiscard]] bool may_write() const { return may_write_; }
    /// Prepares for values of `total` rows of all ranks. Returns whether this rank has to make room. Throws
    /// out_of_memory.
    [[nodiscard]] bool lacks_room(std::uint64_t total) {
        total_ = total;
        table_.reserve(3 * ranks());
        places_ = table_memory_.template at_least_of<void*>(3 * ranks());
        return needed_bytes() > memory_.held_bytes();
    }
    /// Whether this rank has room that others do not know.
    [[nodiscard]] bool has_to_show() const { return !shown_; }
    /// Collective, if a rank lacks room: makes it on the ranks that do. Old and new room never exist
    /// together: first all ranks forget where the others have theirs. Throws out_of_memory, or
    /// graph::refused_by_rank on the ranks that have memory.
    void make_room() {
        forget();
        self_->barrier().or_throw();
        static_cast<void>(graph::all_or_none(*self_, 0, [&] {
            static_cast<void>(memory_.at_least(needed_bytes()));
            return std::vector<std::uint64_t>();
        }));
    }
    /// Collective. `anew`: whether some rank has to show its room. Returns whether all ranks reach the memory
    /// of all; if not, it is not asked for again. `first`: where the values of this rank's rows begin. Throws
    /// comm::comm_error.
    [[nodiscard]] bool show(bool anew, std::uint64_t first) {
        base_ = static_cast<std::byte*>(memory_.at_least(needed_bytes()));
        if (anew) {
            auto const shared = self_->share_memory(base_, shows_, rooms_.all());
            shared.result.or_throw();
            shown_ = may_write_ = shared.value;
        }
        if (!may_write_) {
            forget();
            memory_.give_back();
            return false;
        }
        table_.clear();
        auto const self = static_cast<std::size_t>(self_->rank());
        for (unsigned parity = 0; parity < 2; ++parity)
            for (std::size_t i = 1; i <= ranks(); ++i) // each begins with another one
                table_.push_back(values_in(rooms_.all()[(self + i) % ranks()], parity) + first);
        for (void* const room : rooms_.all())
            table_.push_back(sums_in(room) + self);
        self_->space().copy_in(places_, table_.data(), table_.size() * sizeof(void*));
        return true;
    }

    /// The values of all ranks of an iteration, in the order of gathered_places.
    [[nodiscard]] Real const* all(unsigned iteration) const { return values_in(base_, iteration % 2); }
    /// Where an iteration writes what this rank's rows give, of which `rows` have a vertex.
    [[nodiscard]] write_to_all<Real> to_all(unsigned iteration, std::uint64_t rows) const {
        return {reinterpret_cast<Real* const*>(places_) + iteration % 2 * ranks(),
                static_cast<std::uint32_t>(ranks()), rows};
    }
    /// Collective: what all ranks have written in this iteration can be read, and `sums`, those of this rank,
    /// become those of all. Throws comm::comm_error.
    void meet(unsigned iteration, pagerank_sums* sums) {
        std::uint64_t const place = iteration % pagerank_ring::size;
        auto const places = reinterpret_cast<pagerank_sums* const*>(places_ + 2 * ranks());
        Space& space = self_->space();
        launch(space, cover_threads(space, ranks()), write_sums{sums, places, ranks(), place});
        self_->follow_all().or_throw();
        launch(space, cover_threads(space, 1),
               add_written_sums{sums_in(base_) + place * ranks(), ranks(), sums});
    }
    /// After a failure: other ranks may still be writing here.
    void keep() {
        forget();
        self_->keep(std::make_shared<exec::workspace<Space>>(std::move(memory_)));
    }

private:
    [[nodiscard]] std::size_t ranks() const { return static_cast<std::size_t>(self_->size()); }
    [[nodiscard]] std::uint64_t sums_at() const {
        constexpr std::uint64_t unit = alignof(pagerank_sums);
        return (2 * total_ * sizeof(Real) + unit - 1) / unit * unit;
    }
    [[nodiscard]] std::uint64_t needed_bytes() const {
        return sums_at() + pagerank_ring::size * ranks() * sizeof(pagerank_sums);
    }
    /// Before memory_ goes: its address, too, may become another array's.
    void forget() {
        shown_ = false;
        rooms_.forget();
    }
    [[nodiscard]] Real* values_in(void* room, unsigned parity) const {
        return static_cast<Real*>(room) + parity * total_;
    }
    [[nodiscard]] pagerank_sums* sums_in(void* room) const {
        return reinterpret_cast<pagerank_sums*>(static_cast<std::byte*>(room) + sums_at());
    }

    comm::communicator<Space>* self_;
    bool shows_;     ///< whether this rank's memory may be shown
    bool may_write_; ///< whether ranks reach each other's; the same on all
    exec::workspace<Space> memory_;
    exec::workspace<Space> table_memory_;
    std::vector<void*> table_; ///< on the host; reserved, since other ranks may be writing when it is filled
    comm::shown_memory<Space> rooms_;
    bool shown_ = false; ///< whether other ranks know where memory_ is
    std::uint64_t total_ = 0;
    std::byte* base_ = nullptr;
    void** places_ = nullptr; ///< in the memory of the space
};

} // namespace rhizome::algorithms::detail
