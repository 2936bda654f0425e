// SPDX-License-Identifier: Apache-2.0
// Which lane runs next.
#include <rhizome/exec/simt/engine.hpp>

#include <bit>
#include <utility>

namespace rhizome::exec::emulator {

void engine::draw_steps_to_switch() { steps_to_switch_ = 1 + random_.below(2 * switch_every_ - 1); }

void engine::make_ready(lane_state& lane) {
    lane.status = lane_status::ready;
    lane.ready_index = static_cast<std::uint32_t>(ready_.size());
    lane.warp->ready |= lane.bit();
    ready_.push_back(&lane);
}

void engine::make_waiting(lane_state& lane, lane_status why) {
    lane.status = why;
    lane.warp->ready &= ~lane.bit();
    ready_.back()->ready_index = lane.ready_index;
    ready_[lane.ready_index] = ready_.back();
    ready_.pop_back();
}

/// Lets another lane run first, if the scheduler chooses one.
void engine::switch_lane(lane_state& me) {
    fiber& next = next_fiber(&me);
    if (&next != &me.stack) {
        ++switches_;
        me.stack.switch_to(next);
    }
    if (abandoning_) {
        me.unwinding = true;
        throw lane_abandoned{};
    }
}

void engine::wait(lane_state& me, lane_status why) {
    make_waiting(me, why);
    switch_lane(me);
}

void engine::fail(lane_state& me, failure why, std::string what) {
    failure_ = why;
    failure_text_ = std::move(what);
    me.stack.switch_to(*main_);
    me.unwinding = true;
    throw lane_abandoned{};
}

/// The fiber to continue with. `current` is the lane that calls this and could continue, or may wait, or
/// null.
fiber& engine::next_fiber(lane_state* current) {
    if (failure_ != failure::none || ended_block_ != nullptr) return *main_;
    draw_steps_to_switch();
    if (!gathering_.empty() && (ready_.empty() || random_.one_in(patience_))) release_coalesced();
    if (!relaxing_.empty() && relaxing_since_ != memory_.changes() && (ready_.empty() || random_.one_in(4)))
        wake_relaxing();
    if (ready_.empty()) {
        failure_ = failure::deadlock;
        failure_text_ = "deadlock: every lane waits";
        return *main_;
    }
    lane_state& chosen = choose(current);
    trace((std::uint64_t{chosen.block} << 10) + chosen.thread + 1);
    return chosen.stack;
}

lane_state& engine::choose(lane_state* current) {
    auto const any = [&]() -> lane_state& {
        return *ready_[random_.below(static_cast<std::uint32_t>(ready_.size()))];
    };
    if (current == nullptr || ready_.size() == 1) return any();
    std::uint32_t const of_warp = current->warp->ready;
    switch (policy_) {
    case simt_policy::any_lane:
        break;
    case simt_policy::in_step: {
        std::uint32_t const after = of_warp & ~(current->bit() | (current->bit() - 1));
        if (after != 0) return *current->warp->lanes[static_cast<std::uint32_t>(std::countr_zero(after))];
        lane_state& first = any();
        return *first.warp->lanes[static_cast<std::uint32_t>(std::countr_zero(first.warp->ready))];
    }
    case simt_policy::same_warp:
        if (of_warp != 0 && !random_.one_in(8)) {
            std::uint32_t left = of_warp;
            for (std::uint32_t skip = random_.below(static_cast<std::uint32_t>(std::popcount(of_warp)));
                 skip != 0; --skip)
                left &= left - 1;
            return *current->warp->lanes[static_cast<std::uint32_t>(std::countr_zero(left))];
        }
        break;
    case simt_policy::favourites: {
        lane_state& one = any();
        lane_state& other = any();
        if (random_.one_in(16)) return one; // no lane starves
        return one.favour > other.favour ? one : other;
    }
    }
    return any();
}

void engine::relax(lane_state& me, call_site at) {
    if (me.unwinding) return;
    if (++steps_ > options_.step_limit) fail(me, failure::step_limit, "");
    me.wait_site = at;
    if (me.relax_mark != memory_.changes()) {
        me.relax_mark = memory_.changes();
        me.caught_up = false;
        switch_lane(me);
    } else if (!me.caught_up) {
        // Memory has not changed since the last look, but that look may have been stale: look once more, with
        // everything visible.
        me.view.see_all(memory_.now());
        me.caught_up = true;
        switch_lane(me);
    } else {
        relaxing_since_ = relaxing_.empty() ? memory_.changes() : relaxing_since_;
        relaxing_.push_back(&me);
        wait(me, lane_status::relaxing);
    }
}

void engine::pause(lane_state& me) {
    if (me.unwinding) return;
    if (++steps_ > options_.step_limit) fail(me, failure::step_limit, "");
    switch_lane(me);
}

void engine::wake_relaxing() {
    for (lane_state* lane : relaxing_)
        make_ready(*lane);
    relaxing_.clear();
}

/// Releases a seeded choice of the lanes of one warp that wait in coalesced() at one call site.
void engine::release_coalesced() {
    std::uint32_t const pick = random_.below(static_cast<std::uint32_t>(gathering_.size()));
    warp_state& warp = *gathering_[pick];
    std::uint32_t waiting = warp.at_coalesced;
    for (std::uint32_t skip = random_.below(static_cast<std::uint32_t>(std::popcount(waiting))); skip != 0;
         --skip)
        waiting &= waiting - 1;
    lane_state& first = *warp.lanes[static_cast<std::uint32_t>(std::countr_zero(waiting))];

    std::uint32_t together = 0;
    for (std::uint32_t left = warp.at_coalesced; left != 0; left &= left - 1) {
        lane_state& other = *warp.lanes[static_cast<std::uint32_t>(std::countr_zero(left))];
        if (other.wait_site == first.wait_site) together |= other.bit();
    }
    switch (random_.below(8)) {
    case 0:
        together = first.bit();
        break;
    case 1:
    case 2:
        together = (together & static_cast<std::uint32_t>(random_.next())) | first.bit();
        break;
    default:
        break; // mostly all, as hardware does
    }
    warp.at_coalesced &= ~together;
    if (warp.at_coalesced == 0) {
        gathering_[pick] = gathering_.back();
        gathering_.pop_back();
    }
    for (std::uint32_t left = together; left != 0; left &= left - 1) {
        lane_state& member = *warp.lanes[static_cast<std::uint32_t>(std::countr_zero(left))];
        member.group_mask = together;
        make_ready(member);
    }
}

} // namespace rhizome::exec::emulator
