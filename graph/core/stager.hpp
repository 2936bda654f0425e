// SPDX-License-Identifier: Apache-2.0
// Batches from host memory: copied ahead of time into one of two places, or copied in the order of the space.
#pragma once

#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/staging.hpp>
#include <rhizome/graph/batch/integrity.hpp>
#include <rhizome/graph/batch/placed_batch.hpp>
#include <rhizome/graph/staged_batch.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

namespace rhizome::graph::batch {

/// Copies batches into places. A place holds the edges of a batch and, behind them, their values.
template <class Space, class Edge, class Value>
class stager {
public:
    explicit stager(Space space) : staging_(std::move(space)), places_(std::make_shared<staging_places>()) {}

    /// `values` may be empty. Throws out_of_memory, and std::logic_error if both places are taken.
    [[nodiscard]] staged_batch stage(std::span<Edge const> edges, std::span<Value const> values) {
        return stage_put(edges.size(), values, [&](std::size_t place) {
            staging_.put(place, 0, edges.data(), edges.size_bytes());
        });
    }
    /// The same for `count` edges that `write` writes.
    [[nodiscard]] staged_batch stage_written(std::uint64_t count, exec::part_writer const& write,
                                             std::span<Value const> values) {
        return stage_put(count, values, [&](std::size_t place) {
            staging_.put_written(place, 0, count * sizeof(Edge), write);
        });
    }

    /// Calls `work` with the batch in the space. Throws std::invalid_argument for a batch of another graph,
    /// or one without the values that are needed. A failure to mark the place as read is reported by the next
    /// change of the graph.
    template <class Work>
    auto with(staged_batch const& staged, bool needs_values, integrity& graph, Work const& work) {
        if (staged.places_ != places_) throw std::invalid_argument("not a staged batch of this graph");
        if (needs_values && !staged.empty() && !staged.has_values_)
            throw std::invalid_argument("insert_edges: a batch that was staged without values");
        if (staged.empty()) return work(placed_batch<Edge, Value>{});
        std::byte const* const place = staging_.use(staged.place_);
        placed_batch<Edge, Value> placed{reinterpret_cast<Edge const*>(place), nullptr, staged.size()};
        if (needs_values)
            placed.values = reinterpret_cast<Value const*>(place + begin_of_values(staged.size()));
        auto const end = [&] { graph.conclude([&] { staging_.used(staged.place_); }); };
        on_exception const end_failed(end);
        auto const result = work(placed);
        end();
        return result;
    }

    /// Copies in the order of the space; the source must not change until the space has done the copy.
    void lend(void* to, void const* from, std::uint64_t bytes) { staging_.lane().lend(to, from, bytes); }

    [[nodiscard]] exec::copy_lane<Space>& lane() { return staging_.lane(); }

    /// Gives back the memory of places that hold no batch; returns false if there is none.
    bool give_back() {
        std::lock_guard const taking(places_->taking);
        bool any = false;
        for (std::size_t number = 0; number < staging_.places; ++number) {
            if (!try_take(number)) continue;
            any = staging_.give_back(number) || any;
            note_held_bytes(number);
            places_->taken[number].store(false, std::memory_order_release); // as ~staged_batch
        }
        return any;
    }

    /// May be called while another thread stages.
    [[nodiscard]] std::uint64_t held_bytes() const {
        std::uint64_t sum = 0;
        for (auto const& bytes : places_->held_bytes)
            sum += bytes.load(std::memory_order_relaxed);
        return sum;
    }

private:
    /// put(place) copies the edges to the begin of the place.
    template <class Put>
    [[nodiscard]] staged_batch stage_put(std::uint64_t count, std::span<Value const> values, Put const& put) {
        try {
            return stage_once(count, values, put);
        } catch (exec::out_of_memory const&) {
            if (!give_back()) throw;
        }
        return stage_once(count, values, put);
    }
    template <class Put>
    [[nodiscard]] staged_batch stage_once(std::uint64_t count, std::span<Value const> values,
                                          Put const& put) {
        staged_batch staged(places_, !values.empty());
        if (count == 0) return staged;
        staged.place_ = take_place(); // from here on the batch gives the place back
        std::uint64_t const values_begin = begin_of_values(count);
        {
            auto const note = [&] { note_held_bytes(staged.place_); };
            on_exception const refused(note);
            staging_.open(staged.place_, values_begin + values.size_bytes());
            note();
        }
        put(staged.place_);
        if (!values.empty()) staging_.put(staged.place_, values_begin, values.data(), values.size_bytes());
        staging_.close(staged.place_);
        staged.size_ = count;
        return staged;
    }

    /// To be called by the thread that has taken the place.
    void note_held_bytes(std::size_t place) {
        places_->held_bytes[place].store(staging_.held_bytes(place), std::memory_order_relaxed);
    }
    /// Values begin at a multiple of 256 bytes.
    [[nodiscard]] static std::uint64_t begin_of_values(std::uint64_t edges) {
        return (edges * sizeof(Edge) + 255) / 256 * 256;
    }
    [[nodiscard]] bool try_take(std::size_t number) {
        // acquire: the thread that takes the place sees all that the last holder did with it
        return !places_->taken[number].exchange(true, std::memory_order_acquire);
    }
    [[nodiscard]] std::size_t take_place() {
        std::lock_guard const taking(places_->taking);
        for (std::size_t number = 0; number < staging_.places; ++number)
            if (try_take(number)) return number;
        throw std::logic_error("stage: this graph holds " + std::to_string(staging_.places) +
                               " staged batches already; destroy one first");
    }

    static_assert(std::tuple_size_v<decltype(staging_places::taken)> == exec::staging<Space>::places);

    exec::staging<Space> staging_;
    std::shared_ptr<staging_places> places_;
};

} // namespace rhizome::graph::batch
