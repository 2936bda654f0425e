// SPDX-License-Identifier: Apache-2.0
// Bodies of update_reducer.hpp, for the files that instantiate them.
#pragma once

#include <rhizome/exec/staging.hpp>
#include <rhizome/runtime/detail/update_reducer.hpp>

#include <array>
#include <cstddef>
#include <stdexcept>
#include <utility>

namespace rhizome::runtime::detail {

template <class Space>
struct update_reducer<Space>::state {
    explicit state(Space const& space) : staging(space), effect(space) {}

    exec::staging<Space> staging;
    std::array<bool, exec::staging<Space>::places> taken{};
    graph::net_effect<Space> effect;
};

template <class Space>
class update_reducer<Space>::staged_updates final : public any_staged_batch {
public:
    staged_updates(std::shared_ptr<state> owner, std::size_t place, std::uint64_t count)
        : owner_(std::move(owner)), place_(place), count_(count) {
        owner_->taken[place_] = true;
    }
    ~staged_updates() override { owner_->taken[place_] = false; }

    [[nodiscard]] bool belongs_to(std::shared_ptr<state> const& other) const { return owner_ == other; }
    [[nodiscard]] std::size_t place() const { return place_; }
    [[nodiscard]] std::uint64_t size() const { return count_; }

private:
    std::shared_ptr<state> owner_;
    std::size_t place_;
    std::uint64_t count_;
};

template <class Space>
update_reducer<Space>::update_reducer(Space const& space) : state_(std::make_shared<state>(space)) {}
template <class Space>
update_reducer<Space>::~update_reducer() = default;

template <class Space>
std::unique_ptr<any_staged_batch> update_reducer<Space>::stage(std::span<graph::update const> updates) {
    std::size_t place = 0;
    while (place < state_->taken.size() && state_->taken[place])
        ++place;
    if (place == state_->taken.size())
        throw std::logic_error("stage_updates: this graph holds two such batches already; destroy one first");
    state_->staging.open(place, updates.size_bytes());
    state_->staging.put(place, 0, updates.data(), updates.size_bytes());
    state_->staging.close(place);
    return std::make_unique<staged_updates>(state_, place, updates.size());
}

template <class Space>
graph::net_edges update_reducer<Space>::reduce(any_staged_batch const& staged, bool directed) {
    auto const* const own = dynamic_cast<staged_updates const*>(&staged);
    if (own == nullptr || !own->belongs_to(state_))
        throw std::invalid_argument("not a batch of updates that this graph has staged");
    if (own->size() == 0) return {};
    auto const* const updates = reinterpret_cast<graph::update const*>(state_->staging.use(own->place()));
    try {
        graph::net_edges const net = state_->effect.reduce(updates, own->size(), directed);
        state_->staging.used(own->place());
        return net;
    } catch (...) { // a kernel that was launched before may still read the place
        state_->staging.used(own->place());
        throw;
    }
}

template <class Space>
void update_reducer<Space>::release_scratch() {
    state_->effect.release_scratch();
    for (std::size_t place = 0; place < state_->taken.size(); ++place)
        if (!state_->taken[place]) static_cast<void>(state_->staging.give_back(place));
}

} // namespace rhizome::runtime::detail
