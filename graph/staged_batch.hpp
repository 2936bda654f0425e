// SPDX-License-Identifier: Apache-2.0
// A batch that was copied, or is being copied, into the space of a graph.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

namespace rhizome::graph {

namespace batch {

template <class Space, class Edge, class Value>
class stager;

/// Which places of a graph hold a staged batch. Outlives the graph if a batch does.
struct staging_places {
    std::array<std::atomic<bool>, 2> taken{};
    std::array<std::atomic<std::uint64_t>, 2> held_bytes{}; ///< read while another thread stages
    std::mutex taking; ///< held while memory is given back, so that this does not look like taking a place
};

} // namespace batch

/// The result of a graph's stage(), for insert_edges() and erase_edges() of the same graph, any number of
/// times. It holds one of the graph's two staging buffers (places) until it is destroyed or assigned to,
/// whether it was applied or not. It may be destroyed after the graph. Move-only; a batch that was moved from
/// belongs to no graph.
class staged_batch {
public:
    staged_batch(staged_batch&& other) noexcept
        : places_(std::move(other.places_)), place_(std::exchange(other.place_, none)),
          size_(std::exchange(other.size_, 0)), has_values_(other.has_values_) {}
    staged_batch& operator=(staged_batch&& other) noexcept {
        staged_batch old(std::move(*this));
        places_ = std::move(other.places_);
        place_ = std::exchange(other.place_, none);
        size_ = std::exchange(other.size_, 0);
        has_values_ = other.has_values_;
        return *this;
    }
    ~staged_batch() {
        // release: the next thread that takes the place sees all that was done with it
        if (place_ != none) places_->taken[place_].store(false, std::memory_order_release);
    }

    [[nodiscard]] std::uint64_t size() const { return size_; } ///< edges
    [[nodiscard]] bool empty() const { return size_ == 0; }

private:
    template <class Space, class Edge, class Value>
    friend class batch::stager;
    staged_batch(std::shared_ptr<batch::staging_places> places, bool has_values)
        : places_(std::move(places)), has_values_(has_values) {}

    static constexpr std::size_t none = ~std::size_t{0}; ///< an empty batch takes no place

    std::shared_ptr<batch::staging_places> places_;
    std::size_t place_ = none;
    std::uint64_t size_ = 0;
    bool has_values_;
};

} // namespace rhizome::graph
