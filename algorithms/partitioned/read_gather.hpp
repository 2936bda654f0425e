// SPDX-License-Identifier: Apache-2.0
// One value for each vertex that a rank reads, from the ranks that own these vertices.
#pragma once

#include <rhizome/algorithms/partitioned/gathered_places.hpp>
#include <rhizome/comm/communicator.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/partition/exchange.hpp>
#include <rhizome/graph/partition/owners.hpp>
#include <rhizome/graph/row_schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rhizome::algorithms {

/// Where the value of a vertex lies among those that a rank reads, which lie in the order of
/// gathered_places. Passed to kernels by value.
template <graph::owner_policy Owners>
struct read_places {
    gathered_places<Owners> all;
    std::uint32_t* marks;  ///< a bit for each place in an array of all: whether it is read; one word more
    std::uint64_t* before; ///< for each word, how many bits of the words before it are set

    [[nodiscard]] RZ_HD std::uint64_t operator()(std::uint64_t v) const { return place_of(all(v)); }
    /// How many places that are read come before this one.
    [[nodiscard]] RZ_HD std::uint64_t place_of(std::uint64_t place) const {
        std::uint32_t const lower = (1u << place % 32) - 1;
        return before[place / 32] + exec::popcount(marks[place / 32] & lower);
    }
};

namespace detail {

template <class Rows, class Places>
struct mark_read {
    using id_type = typename Rows::id_type;

    Rows rows;
    graph::basic_row_schedule<id_type> schedule;
    Places places;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        graph::for_each_row_piece(
            thread, rows, schedule,
            [&](auto const& group, id_type, auto const& neighbours, std::uint64_t begin, std::uint64_t end) {
                neighbours.for_each(group, begin, end, [&](std::uint64_t, id_type id) {
                    std::uint64_t const place = places.all(id);
                    std::uint32_t const bit = 1u << place % 32;
                    auto const word = thread.device(places.marks[place / 32]);
                    // relaxed: the next launch reads the bits
                    if ((word.load(exec::order::relaxed) & bit) == 0)
                        static_cast<void>(word.fetch_or(bit, exec::order::relaxed));
                });
            });
    }
};

template <class Places>
struct count_read {
    Places places;
    std::uint64_t words;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, words, [&](std::uint64_t word) {
            places.before[word] = exec::popcount(places.marks[word]);
        });
    }
};

/// begins[r]: how many values of the ranks before r are read; for r = ranks, of all.
template <class Places>
struct find_read_begins {
    Places places;
    std::uint64_t ranks;
    std::uint64_t* begins;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, ranks + 1, [&](std::uint64_t rank) {
            begins[rank] = places.place_of(places.all.begins[rank]);
        });
    }
};

/// Lists the rows that are read, at their owners.
template <class Places, class Id>
struct list_read {
    Places places;
    std::uint64_t words;
    std::uint64_t ranks;
    Id* rows;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, words, [&](std::uint64_t word) {
            std::uint64_t to = places.before[word];
            for (std::uint32_t bits = places.marks[word]; bits != 0; bits &= bits - 1) {
                std::uint64_t const place = word * 32 + exec::countr_zero(bits);
                std::uint64_t owner = 0; // the last one that begins at the place, or before it
                for (std::uint64_t high = ranks; high - owner > 1;) {
                    std::uint64_t const middle = owner + (high - owner) / 2;
                    if (places.all.begins[middle] <= place)
                        owner = middle;
                    else
                        high = middle;
                }
                rows[to++] = static_cast<Id>(place - places.all.begins[owner]);
            }
        });
    }
};

template <class Id, class T>
struct pack_read {
    T const* values;
    Id const* rows;
    std::uint64_t count;
    T* packed;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) { packed[i] = values[rows[i]]; });
    }
};

} // namespace detail

/// Gathers from all ranks the values of those vertices that the rows of this rank name, and no others.
/// Scratch on each rank, kept: 12 bytes per 32 vertices of the whole graph; an id for each vertex that this
/// rank reads, and for each that another rank reads here; and a value for each of both.
template <class Space>
class read_gather {
public:
    explicit read_gather(comm::communicator<Space>& self, exec::memory_resource* scratch = nullptr)
        : self_(&self), marks_(self.space(), scratch), before_(self.space(), scratch),
          primitives_(self.space(), scratch), begins_(self.space(), scratch), rows_(self.space(), scratch),
          asked_(self.space(), scratch), values_(self.space(), scratch) {}

    /// Collective. Finds the vertices that `rows` name, and tells their owners. `all`, `total`: of a prepared
    /// row_gather. Values have up to `value_bytes` bytes. Throws out_of_memory, or graph::refused_by_rank on
    /// the ranks that have memory; comm::comm_error. Waits. Cost: a pass over the arcs and two over the bits;
    /// two exchanges of words and one of ids.
    template <class Rows, class Id, graph::owner_policy Owners>
    [[nodiscard]] read_places<Owners> prepare(Rows const& rows, graph::basic_row_schedule<Id> const& schedule,
                                              std::uint64_t own_rows, gathered_places<Owners> const& all,
                                              std::uint64_t total, std::size_t value_bytes) {
        using places_type = read_places<Owners>;
        Space& space = self_->space();
        auto const ranks = static_cast<std::size_t>(self_->size());
        std::uint64_t const words = total / 32 + 1;
        places_type places{all, nullptr, nullptr};
        Id* mine = nullptr;
        auto const matrix = graph::all_or_none(*self_, ranks, [&] {
            places.marks = marks_.template at_least_of<std::uint32_t>(words);
            places.before = before_.template at_least_of<std::uint64_t>(words);
            auto* const begins = begins_.template at_least_of<std::uint64_t>(ranks + 1);
            space.fill(places.marks, 0, words * sizeof(std::uint32_t));
            if (own_rows != 0)
                launch(space, cover_rows(space, schedule),
                       detail::mark_read<Rows, places_type>{rows, schedule, places});
            exec::launch_shape const shape = cover_threads(space, words);
            launch(space, shape, detail::count_read<places_type>{places, words});
            exclusive_scan(space, primitives_, places.before, places.before, words);
            launch(space, cover_threads(space, ranks + 1),
                   detail::find_read_begins<places_type>{places, ranks, begins});
            std::vector<std::uint64_t> found(ranks + 1);
            space.copy_out(found.data(), begins, found.size() * sizeof(std::uint64_t));
            mine = rows_.template at_least_of<Id>(found[ranks]);
            launch(space, shape, detail::list_read<places_type, Id>{places, words, ranks, mine});
            read_.clear();
            for (std::size_t rank = 0; rank < ranks; ++rank)
                read_.push_back(found[rank + 1] - found[rank]);
            return read_;
        });
        asked_counts_.clear();
        for (std::size_t rank = 0; rank < ranks; ++rank)
            asked_counts_.push_back(matrix[rank * ranks + static_cast<std::size_t>(self_->rank())]);
        asked_total_ = sum(asked_counts_);
        Id* asked = nullptr;
        static_cast<void>(graph::all_or_none(*self_, 0, [&]() -> std::vector<std::uint64_t> {
            asked = asked_.template at_least_of<Id>(asked_total_);
            static_cast<void>(values_.at_least((asked_total_ + sum(read_)) * value_bytes));
            return {};
        }));
        self_
            ->all_to_all(mine, std::span<std::uint64_t const>(read_), asked,
                         std::span<std::uint64_t const>(asked_counts_))
            .or_throw();
        return places;
    }

    /// Collective, after prepare(). `mine`: a value per row of this rank. Returns the values that this rank
    /// reads, by read_places: valid until the next call. Id: as in prepare(). Throws comm::comm_error. Cost:
    /// a pass over the values that others read here, and an exchange of them.
    template <class Id, class T>
    [[nodiscard]] T const* gather(T const* mine) {
        auto* const packed = values_.template at_least_of<T>(asked_total_ + sum(read_));
        T* const received = packed + asked_total_;
        if (asked_total_ != 0)
            launch(self_->space(), cover_threads(self_->space(), asked_total_),
                   detail::pack_read<Id, T>{mine, asked_.template at_least_of<Id>(asked_total_), asked_total_,
                                            packed});
        self_
            ->all_to_all(packed, std::span<std::uint64_t const>(asked_counts_), received,
                         std::span<std::uint64_t const>(read_))
            .or_throw();
        return received;
    }

private:
    [[nodiscard]] static std::uint64_t sum(std::vector<std::uint64_t> const& counts) {
        std::uint64_t total = 0;
        for (std::uint64_t const count : counts)
            total += count;
        return total;
    }

    comm::communicator<Space>* self_;
    exec::workspace<Space> marks_;
    exec::workspace<Space> before_;
    exec::workspace<Space> primitives_;
    exec::workspace<Space> begins_;
    exec::workspace<Space> rows_;     ///< that this rank reads, at their owners
    exec::workspace<Space> asked_;    ///< that others read here, and this rank itself
    exec::workspace<Space> values_;   ///< packed, and then received
    std::vector<std::uint64_t> read_; ///< from each rank
    std::vector<std::uint64_t> asked_counts_;
    std::uint64_t asked_total_ = 0;
};

} // namespace rhizome::algorithms
