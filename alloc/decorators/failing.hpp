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

struct failing_state {
    std::uint64_t seen; ///< requests since the plan was made; a run of pages, or a group's block, is one
    std::uint64_t first_failing; ///< requests with these numbers fail, counted from 1; none if first > last
    std::uint64_t last_failing;
};

template <class Ref>
class failing_ref : public ref_decorator<Ref> {
public:
    failing_ref(Ref base, failing_state* state) : ref_decorator<Ref>(base), state_(state) {}

    /// Cost: one atomic for the lanes that arrive together. The schedule decides which thread's request has
    /// which number; how many requests there are, and how many fail, does not depend on it.
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
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD page_run allocate_run(Thread const& thread, Group const& group, std::uint64_t bytes,
                                              std::uint32_t count) const requires gives_runs<Ref> {
        if (fails(seen_before(thread, group, 1) + 1)) return {};
        return this->base_.allocate_run(thread, group, bytes, count);
    }

private:
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

/// Owner whose requests fail by plan; without a plan none fails. A request that fails by plan does not reach
/// the allocator underneath. A plan applies to refs made before and after it. Each plan restarts the count:
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

    [[nodiscard]] ref_type ref() const {
        return {this->base_.ref(), const_cast<failing_state*>(state_.data())};
    }

    /// Only request `number` from now on, counted from 1, returns nullptr.
    void fail_at(std::uint64_t number) { plan(number, number); }
    /// Request `number` from now on, and every later one, returns nullptr.
    void fail_from(std::uint64_t number) { plan(number, ~std::uint64_t{0}); }
    void fail_never() { plan(1, 0); }
    /// Requests since the last plan was made. Waits.
    [[nodiscard]] std::uint64_t requests_seen() const { return state_.to_host()[0].seen; }

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
