// SPDX-License-Identifier: Apache-2.0
// The machinery of a launch: lanes, warps, blocks, and the scheduler. Internal to the compiled part.
#pragma once

#include <rhizome/exec/simt/access.hpp>
#include <rhizome/exec/simt/fiber.hpp>
#include <rhizome/exec/simt/grid.hpp>
#include <rhizome/exec/simt/lane.hpp>
#include <rhizome/exec/simt/memory_model.hpp>
#include <rhizome/exec/simt/options.hpp>
#include <rhizome/exec/simt/random.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace rhizome::exec::emulator {

class engine;
struct warp_state;
struct block_state;

/// Thrown through the body of a lane to unwind it when the launch has failed. Not a std::exception, so that
/// handlers in the body do not catch it.
struct lane_abandoned {};

enum class lane_status : std::uint8_t { ready, in_collective, in_coalesced, in_barrier, relaxing, finished };

/// One lane of the launch. Invariant: status == ready exactly when engine::ready_[ready_index] is this lane.
struct lane_state : lane {
    explicit lane_state(std::size_t stack_bytes) : stack(stack_bytes) {}

    fiber stack;
    engine* run = nullptr;
    warp_state* warp = nullptr;
    lane_status status = lane_status::finished;
    bool unwinding = false;
    bool caught_up = false; ///< has seen every write up to relax_mark, and looked again
    std::uint32_t ready_index = 0;
    std::uint32_t group_mask = 0; ///< the result of coalesced()
    std::uint32_t wait_mask = 0;  ///< lanes that the collective waits for
    collective wait_for = collective::sync;
    call_site wait_site;
    void const* last_access = nullptr; ///< the word of its last atomic operation
    std::uint64_t relax_mark = 0;      ///< count of memory changes at the last relax()
    std::uint64_t favour = 0;          ///< lanes with higher values are chosen more often
    lane_view view;
    std::array<std::uint64_t, warp_lanes> collected; ///< values of the last collective

    [[nodiscard]] std::uint32_t bit() const { return 1u << lane_in_warp(); }
};

/// A collective in progress: lanes of one group that have arrived or not.
struct meeting {
    std::uint32_t mask = 0;
    std::uint32_t arrived = 0;
    std::uint32_t to_leave = 0; ///< members that have not yet taken the values; the meeting is free at zero
    collective what = collective::sync;
    std::array<std::uint64_t, warp_lanes> values;
    lane_view view; ///< the joined views of the members of a sync
    char token = 0; ///< for ThreadSanitizer
};

struct warp_state {
    block_state* block = nullptr;
    std::array<lane_state*, warp_lanes> lanes{};
    std::uint32_t members = 0;      ///< lanes that exist
    std::uint32_t finished = 0;     ///< lanes that have ended
    std::uint32_t ready = 0;        ///< lanes that can run
    std::uint32_t at_coalesced = 0; ///< lanes that wait in coalesced()
    std::vector<std::unique_ptr<meeting>> meetings;
};

struct block_state {
    std::uint32_t index = 0;
    std::uint32_t threads = 0;
    std::uint32_t finished = 0;
    std::uint32_t at_barrier = 0;
    lane_state const* first_at_barrier = nullptr; ///< where at_barrier > 0
    std::uint32_t phase = 0;                      ///< barriers passed
    std::vector<warp_state> warps;
    std::vector<std::byte> storage;
    lane_view barrier_view;
    lane_view released_view;      ///< of the barrier that has just completed
    std::array<char, 2> tokens{}; ///< for ThreadSanitizer; two, since a fast lane may be one barrier ahead
};

/// Runs one grid at a time. All functions of a lane run on that lane's stack.
class engine {
public:
    explicit engine(simt_options const& options);
    ~engine();

    void run(grid const& work, std::uint64_t launch_number, simt_launch_report& report);

    std::uint64_t const* meet(lane_state& me, collective what, std::uint32_t mask, std::uint64_t value,
                              call_site at);
    void report_rank(lane_state& me, collective what, std::uint32_t mask, std::uint32_t rank, call_site at);
    std::uint32_t gather(lane_state& me, call_site at);
    void sync_block(lane_state& me, call_site at);
    void relax(lane_state& me, call_site at);
    void pause(lane_state& me);

    /// Counts an operation and may run other lanes first.
    void step(lane_state& me) {
        if (me.unwinding) return; // destructors may still touch words while the lane is unwound
        if (++steps_ > options_.step_limit) fail(me, failure::step_limit, "");
        if (--steps_to_switch_ == 0) switch_lane(me);
    }
    void trace(std::uint64_t value) { trace_ = (trace_ ^ value) * 0x100000001b3ull; }
    memory_model& memory() { return memory_; }

    // For reports: which words belong to which allocation.
    void note_allocation(void const* pointer, std::uint64_t bytes) {
        allocations_[reinterpret_cast<std::uintptr_t>(pointer)] = {++allocations_made_, bytes};
    }
    void forget_allocation(void const* pointer) {
        allocations_.erase(reinterpret_cast<std::uintptr_t>(pointer));
    }

private:
    enum class failure : std::uint8_t { none, body_threw, deadlock, misuse, step_limit };

    // engine.cpp: a launch from begin to end
    void run_lanes();
    void draw_tuning();
    void start_blocks();
    void start_block(std::uint32_t index);
    void retire_block(block_state& block);
    void abandon_lanes();
    void complete_failure_text();
    void throw_failure();
    static fiber& run_lane(void* argument);
    fiber& end_lane(lane_state& me);

    // schedule.cpp: which lane runs next
    void draw_steps_to_switch();
    void make_ready(lane_state& lane);
    void make_waiting(lane_state& lane, lane_status why);
    void switch_lane(lane_state& me);
    void wait(lane_state& me, lane_status why);
    fiber& next_fiber(lane_state* current);
    lane_state& choose(lane_state* current);
    void wake_relaxing();
    void release_coalesced();
    [[noreturn]] void fail(lane_state& me, failure why, std::string what);

    // rendezvous.cpp: which lane waits for which
    [[nodiscard]] meeting& open_meeting(warp_state& warp, std::uint32_t mask, collective what);

    void check_waiting_for(lane_state& ended);

    // report.cpp
    [[nodiscard]] static std::string place(call_site const& at);
    [[nodiscard]] static std::string name_lane(lane_state const& lane);
    [[nodiscard]] static std::string describe_collective(lane_state const& lane);
    [[nodiscard]] std::string describe_run() const;
    [[nodiscard]] std::string describe_waiting() const;
    [[nodiscard]] std::string describe_word(void const* word) const;
    [[nodiscard]] std::string describe_lane(lane_state const& lane) const;

    struct allocation {
        std::uint64_t number; ///< number of the launch in this space, from 1
        std::uint64_t bytes;
    };

    simt_options options_;
    std::map<std::uintptr_t, allocation> allocations_;
    std::uint64_t allocations_made_ = 0;
    memory_model memory_;
    grid const* work_ = nullptr;
    random_source random_{0};
    simt_policy policy_ = simt_policy::any_lane;
    std::uint32_t switch_every_ = 1;
    std::uint32_t resident_blocks_ = 1;
    std::uint32_t patience_ = 1; ///< switches that a gathering lane waits for others, on average
    std::uint64_t steps_to_switch_ = 1;

    std::uint32_t blocks_started_ = 0;
    std::uint32_t first_block_ = 0;
    std::uint32_t block_stride_ = 1; ///< blocks start in the order first, first + stride, ...
    std::vector<std::unique_ptr<block_state>> blocks_; ///< resident ones
    std::vector<lane_state*> ready_;
    std::vector<lane_state*> relaxing_;
    std::vector<warp_state*> gathering_; ///< warps with lanes in coalesced()
    std::uint64_t relaxing_since_ = 0;   ///< memory changes when relaxing lanes were last looked at
    block_state* ended_block_ = nullptr; ///< to be freed
    /// Of blocks of this launch that have ended. Another block does not get the same addresses: memory_ would
    /// take the writes of the block before for its own, since it sees a plain write only where that changes
    /// the value.
    std::vector<std::vector<std::byte>> retired_storage_;

    fiber* main_ = nullptr;
    failure failure_ = failure::none;
    bool abandoning_ = false;
    std::string failure_text_;
    std::exception_ptr thrown_;

    std::uint64_t steps_ = 0;
    std::uint64_t switches_ = 0;
    std::uint64_t trace_ = 0;
    std::uint64_t launch_ = 0;
    std::uint64_t launch_seed_ = 0;
    char begin_token_ = 0;
    char end_token_ = 0;
};

} // namespace rhizome::exec::emulator
