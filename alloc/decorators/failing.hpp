// SPDX-License-Identifier: Apache-2.0
// An allocator whose n-th request fails, for tests of how its user handles failures.
#pragma once

#include <rhizome/alloc/abilities.hpp>
#include <rhizome/alloc/concept.hpp>
#include <rhizome/alloc/decorators/decorator.hpp>
#include <rhizome/alloc/page_run.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>
#include <utility>

namespace rhizome::alloc {

/// Which requests fail; in the memory of the space.
struct failing_state {
    /// Number of requests since the last fail_at(), fail_from() or fail_never(). A run of pages, and a block
    /// for a group, count as one request each.
    std::uint64_t seen;
    std::uint64_t first_failing; ///< requests with these numbers fail, counted from 1; none if first > last
    std::uint64_t last_failing;
};

/// The ref of failing<Owner>.
template <class Ref>
class failing_ref : public ref_decorator<Ref> {
public:
    failing_ref(Ref base, failing_state* state) : ref_decorator<Ref>(base), state_(state) {}

    /// Returns nullptr if the request is to fail. Cost: one atomic for the lanes that arrive together. Which
    /// thread's request gets which number depends on the order in which threads run. How many requests are
    /// made, and how many fail, does not.
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate(Thread const& thread, std::uint64_t bytes) const {
        auto const group = thread.coalesced();
        if (fails(seen_before(thread, group, group.size()) + group.rank() + 1)) return nullptr;
        return this->base_.allocate(thread, bytes);
    }
    /// One request for all lanes of the group.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD void*
    allocate_together(Thread const& thread, Group const& group,
                      std::uint64_t bytes) const requires allocates_together<Ref, Thread, Group> {
        if (fails(seen_before(thread, group, 1) + 1)) return nullptr;
        return this->base_.allocate_together(thread, group, bytes);
    }
    /// One request per lane. All lanes make the call; those whose request is to fail give their blocks back.
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate_in_warp(Thread const& thread,
                                               std::uint64_t bytes) const requires allocates_uniform<Ref> {
        return unless_it_fails(thread, this->base_.allocate_in_warp(thread, bytes));
    }
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate_in_block(Thread const& thread,
                                                std::uint64_t bytes) const requires allocates_uniform<Ref> {
        return unless_it_fails(thread, this->base_.allocate_in_block(thread, bytes));
    }
    /// One request for the whole run.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD page_run allocate_run(Thread const& thread, Group const& group, std::uint64_t bytes,
                                              std::uint32_t count) const requires gives_runs<Ref> {
        if (fails(seen_before(thread, group, 1) + 1)) return {};
        return this->base_.allocate_run(thread, group, bytes, count);
    }

private:
    template <class Thread>
    [[nodiscard]] RZ_HD void* unless_it_fails(Thread const& thread, void* block) const {
        auto const group = thread.coalesced();
        if (!fails(seen_before(thread, group, group.size()) + group.rank() + 1)) return block;
        this->base_.deallocate(thread, block);
        return nullptr;
    }
    /// Counts the requests of a group; returns how many there were before.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD std::uint64_t seen_before(Thread const& thread, Group const& group,
                                                  std::uint32_t requests) const {
        std::uint64_t seen = 0;
        // relaxed: a count alone
        if (group.is_leader()) seen = thread.device(state_->seen).fetch_add(requests, exec::order::relaxed);
        return group.broadcast(seen, 0);
    }
    [[nodiscard]] RZ_HD bool fails(std::uint64_t number) const {
        return number >= state_->first_failing && number <= state_->last_failing;
    }

    failing_state* state_; ///< its plan changes only while no kernel runs
};

/// Decorator that makes chosen requests of its refs return nullptr; they do not reach the allocator
/// underneath. After construction no request fails. Each of fail_at(), fail_from() and fail_never() applies
/// to refs made before and after it, and restarts the count of requests:
///
///     for (n = 1;; ++n) { owner.fail_at(n); run(); if (owner.requests_seen() < n) break; }
template <class Owner>
class failing : public decorator<Owner> {
public:
    using typename decorator<Owner>::space_type;
    using ref_type = failing_ref<typename Owner::ref_type>;

    /// Throws what Owner throws.
    explicit failing(space_type space, heap_options const& options = {})
        : decorator<Owner>(std::move(space), options), state_(this->space_, 1) {
        fail_never();
    }

    /// A ref for kernels. Valid until the next grow_to().
    [[nodiscard]] ref_type ref() const {
        return {this->base_.ref(), const_cast<failing_state*>(state_.data())};
    }

    /// Of the requests made from now on, number `number` (counted from 1) returns nullptr; all others reach
    /// the base.
    void fail_at(std::uint64_t number) { plan(number, number); }
    /// Of the requests made from now on, number `number` (counted from 1) and all later ones return nullptr.
    void fail_from(std::uint64_t number) { plan(number, ~std::uint64_t{0}); }
    /// All later requests reach the base.
    void fail_never() { plan(1, 0); }
    /// Requests since the last fail_at(), fail_from() or fail_never(). Waits.
    [[nodiscard]] std::uint64_t requests_seen() const { return state_.to_host()[0].seen; }

    /// Bytes outside the heap: those of the base and the state.
    [[nodiscard]] std::uint64_t table_bytes() const {
        return this->base_.table_bytes() + state_.size_bytes();
    }

private:
    void plan(std::uint64_t first, std::uint64_t last) {
        failing_state const state{0, first, last};
        this->space_.copy_in(state_.data(), &state, sizeof state);
    }

    exec::buffer<space_type, failing_state> state_;
};

} // namespace rhizome::alloc
