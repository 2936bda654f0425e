// SPDX-License-Identifier: Apache-2.0
// How lanes wait for each other in tiles, coalesced groups and blocks; and the functions that the headers
// call.
#include <rhizome/exec/simt/engine.hpp>
#include <rhizome/exec/simt/sanitizer.hpp>

#include <bit>
#include <string>

namespace rhizome::exec::emulator {

meeting& engine::open_meeting(warp_state& warp, std::uint32_t mask, collective what) {
    meeting* spare = nullptr;
    for (auto const& place : warp.meetings) {
        if (place->to_leave == 0) {
            spare = place.get();
        } else if (place->mask == mask && place->arrived != mask) {
            return *place;
        }
    }
    if (spare == nullptr) spare = warp.meetings.emplace_back(std::make_unique<meeting>()).get();
    spare->mask = mask;
    spare->arrived = 0;
    spare->to_leave = static_cast<std::uint32_t>(std::popcount(mask));
    spare->what = what;
    spare->view.clear();
    return *spare;
}

std::uint64_t const* engine::meet(lane_state& me, collective what, std::uint32_t mask, std::uint64_t value,
                                  call_site at) {
    step(me);
    if (me.unwinding || mask == me.bit()) {
        me.collected[me.lane_in_warp()] = value;
        return me.collected.data();
    }
    me.wait_site = at;
    me.wait_for = what;
    me.wait_mask = mask;
    warp_state& warp = *me.warp;
    auto const misuse = [&](std::string const& why) {
        fail(me, failure::misuse,
             "misuse: " + name_lane(me) + " calls " + describe_collective(me) + ", but " + why);
    };
    if ((mask & ~warp.members) != 0)
        misuse("some of these lanes do not exist: the block has " + std::to_string(me.block_threads) +
               " threads");
    if ((mask & warp.finished) != 0) misuse("it can never complete, since some of these lanes have ended");
    meeting& place = open_meeting(warp, mask, what);
    if (place.what != what)
        misuse("others of these lanes call different collectives: " +
               describe_lane(*warp.lanes[static_cast<std::uint32_t>(std::countr_zero(place.arrived))]));
    bool const orders = what == collective::sync;
    place.arrived |= me.bit();
    place.values[me.lane_in_warp()] = value;
    if (orders) {
        release_token(&place.token);
        place.view.join(me.view);
    }
    if (place.arrived == mask) {
        for (std::uint32_t left = mask & ~me.bit(); left != 0; left &= left - 1)
            make_ready(*warp.lanes[static_cast<std::uint32_t>(std::countr_zero(left))]);
    } else {
        wait(me, lane_status::in_collective);
    }
    if (orders) {
        acquire_token(&place.token);
        me.view.join(place.view);
    }
    me.collected = place.values;
    --place.to_leave;
    return me.collected.data();
}

void engine::report_rank(lane_state& me, collective what, std::uint32_t mask, std::uint32_t rank,
                         call_site at) {
    if (me.unwinding) return;
    me.wait_site = at;
    me.wait_for = what;
    me.wait_mask = mask;
    int const lanes = std::popcount(mask);
    fail(me, failure::misuse,
         "misuse: " + name_lane(me) + " calls " + describe_collective(me) + " for the value of rank " +
             std::to_string(rank) + ", but the group has " + std::to_string(lanes) +
             (lanes == 1 ? " lane" : " lanes"));
}

std::uint32_t engine::gather(lane_state& me, call_site at) {
    step(me);
    if (me.unwinding) return me.bit();
    me.wait_site = at;
    if (me.warp->at_coalesced == 0) gathering_.push_back(me.warp);
    me.warp->at_coalesced |= me.bit();
    wait(me, lane_status::in_coalesced);
    return me.group_mask;
}

void engine::sync_block(lane_state& me, call_site at) {
    step(me);
    if (me.unwinding) return;
    me.wait_site = at;
    block_state& block = *me.warp->block;
    if (block.finished != 0)
        fail(me, failure::misuse,
             "misuse: " + name_lane(me) +
                 " calls block().sync(), but this barrier can never complete, since " +
                 std::to_string(block.finished) + " threads of the block have ended");
    // A barrier in conditional code is one that all threads of the block reach, or none.
    if (block.at_barrier == 0) {
        block.first_at_barrier = &me;
    } else if (!(block.first_at_barrier->wait_site == at)) {
        fail(me, failure::misuse,
             "misuse: " + name_lane(me) + " calls block().sync() at " + place(at) + ", but " +
                 describe_lane(*block.first_at_barrier));
    }
    char* const token = &block.tokens[block.phase % 2];
    release_token(token);
    block.barrier_view.join(me.view);
    if (++block.at_barrier == block.threads) {
        block.at_barrier = 0;
        ++block.phase;
        block.released_view = block.barrier_view;
        block.barrier_view.clear();
        for (warp_state& warp : block.warps)
            for (lane_state* lane : warp.lanes)
                if (lane != nullptr && lane != &me) make_ready(*lane);
    } else {
        wait(me, lane_status::in_barrier);
    }
    acquire_token(token);
    me.view.join(block.released_view);
}

/// A lane has ended: lanes that wait for it would wait for ever.
void engine::check_waiting_for(lane_state& ended) {
    for (auto const& place : ended.warp->meetings)
        if (place->to_leave != 0 && place->arrived != place->mask && (place->mask & ended.bit()) != 0) {
            failure_ = failure::misuse;
            failure_text_ = "misuse: a collective can never complete, since " + describe_lane(ended);
            return;
        }
    if (ended.warp->block->at_barrier != 0) {
        failure_ = failure::misuse;
        failure_text_ = "misuse: the block's barrier can never complete, since " + describe_lane(ended);
    }
}

namespace {
lane_state& full(lane& caller) { return static_cast<lane_state&>(caller); }
} // namespace

std::uint64_t const* meet(lane& caller, collective what, std::uint32_t mask, std::uint64_t value,
                          call_site at) {
    bookkeeping const quiet;
    return full(caller).run->meet(full(caller), what, mask, value, at);
}
void report_rank(lane& caller, collective what, std::uint32_t mask, std::uint32_t rank, call_site at) {
    bookkeeping const quiet;
    full(caller).run->report_rank(full(caller), what, mask, rank, at);
}
std::uint32_t gather(lane& caller, call_site at) {
    bookkeeping const quiet;
    return full(caller).run->gather(full(caller), at);
}
void sync_block(lane& caller, call_site at) {
    bookkeeping const quiet;
    full(caller).run->sync_block(full(caller), at);
}
void relax(lane& caller, call_site at) {
    bookkeeping const quiet;
    full(caller).run->relax(full(caller), at);
}
void pause(lane& caller) {
    bookkeeping const quiet;
    full(caller).run->pause(full(caller));
}

} // namespace rhizome::exec::emulator
