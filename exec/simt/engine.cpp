// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/simt/engine.hpp>
#include <rhizome/exec/simt/sanitizer.hpp>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace rhizome::exec::emulator {

namespace {

// Sanitizers make frames several times as large.
constexpr std::size_t stack_bytes =
    under_address_sanitizer || under_thread_sanitizer ? std::size_t{256} << 10 : std::size_t{64} << 10;

constexpr std::uint32_t largest_block_threads = 1024;

/// Lanes with their stacks, kept from launch to launch and from space to space.
thread_local std::vector<std::unique_ptr<lane_state>> spare_lanes;

std::uint32_t power_of_two_up_to(random_source& random, std::uint32_t largest_exponent) {
    return 1u << random.below(largest_exponent + 1);
}

} // namespace

engine::engine(simt_options const& options) : options_(options) {}

engine::~engine() = default;

void engine::run(grid const& work, std::uint64_t launch_number, simt_launch_report& report) {
    if (work.shape.blocks == 0 || work.shape.block_threads == 0) return;
    if (work.shape.block_threads > largest_block_threads)
        throw std::invalid_argument("a block has at most 1024 threads, not " +
                                    std::to_string(work.shape.block_threads));
    work_ = &work;
    launch_ = launch_number;
    launch_seed_ = scramble(options_.seed * 0x9e3779b97f4a7c15ull + launch_number);
    random_ = random_source(launch_seed_);
    steps_ = switches_ = trace_ = 0;
    failure_ = failure::none;
    abandoning_ = false;
    failure_text_.clear();
    thrown_ = nullptr;
    retired_storage_.clear();
    draw_tuning();

    fiber here;
    main_ = &here;
    release_token(&begin_token_);
    {
        bookkeeping const quiet;
        try {
            run_lanes();
        } catch (...) { // an error of the emulator itself, such as no memory for a stack
            abandon_lanes();
            main_ = nullptr;
            throw;
        }
        if (failure_ != failure::none) {
            complete_failure_text();
            abandon_lanes();
        }
    }
    acquire_token(&end_token_);
    main_ = nullptr;
    report = {launch_seed_, launch_, steps_, switches_, trace_};
    if (failure_ != failure::none) throw_failure();
}

/// Runs on the stack of the OS thread. Starts blocks and frees ended ones, since a lane cannot free the stack
/// that it runs on. Between those the lanes switch among themselves.
void engine::run_lanes() {
    while (failure_ == failure::none) {
        if (ended_block_ != nullptr) retire_block(*std::exchange(ended_block_, nullptr));
        start_blocks();
        if (blocks_.empty()) return;
        fiber& next = next_fiber(nullptr);
        if (&next != main_) main_->switch_to(next);
    }
}

void engine::draw_tuning() {
    simt_tuning const& tuning = options_.tuning;
    std::uint32_t const threads = work_->shape.block_threads;
    std::uint32_t const blocks = work_->shape.blocks;
    // Every draw is made, used or not, so that setting one option does not change the others.
    auto const policy = static_cast<simt_policy>(random_.below(simt_policies));
    std::uint32_t const switch_every = power_of_two_up_to(random_, 6);
    std::uint32_t const room = std::max(1u, options_.max_resident_threads / threads);
    std::uint32_t const some_blocks = 1 + random_.below(std::min(blocks, room));
    bool const all_blocks = random_.one_in(2);
    bool const weak = !random_.one_in(4);
    std::uint32_t const window = 4u << random_.below(9);
    std::uint32_t const stale_one_in = 2u << random_.below(4);
    patience_ = power_of_two_up_to(random_, 6);
    bool const shuffled = random_.one_in(2);

    policy_ = tuning.policy.value_or(policy);
    switch_every_ = std::max(1u, tuning.switch_every.value_or(switch_every));
    resident_blocks_ =
        std::max(1u, tuning.resident_blocks.value_or(all_blocks ? std::min(blocks, room) : some_blocks));
    if (work_->all_resident) resident_blocks_ = blocks;
    memory_.begin(tuning.stale_writes.value_or(weak ? window : 0),
                  std::max(1u, tuning.stale_one_in.value_or(stale_one_in)), random_.next());

    first_block_ = 0;
    block_stride_ = 1;
    if (shuffled) { // any order of blocks is allowed: a stride that is coprime to their number visits all
        first_block_ = random_.below(blocks);
        block_stride_ = 1 + random_.below(blocks);
        while (std::gcd(block_stride_, blocks) != 1)
            ++block_stride_;
    }
    blocks_started_ = 0;
    draw_steps_to_switch();
}

void engine::start_blocks() {
    while (blocks_.size() < resident_blocks_ && blocks_started_ < work_->shape.blocks) {
        std::uint64_t const step = std::uint64_t{blocks_started_} * block_stride_;
        start_block(static_cast<std::uint32_t>((first_block_ + step) % work_->shape.blocks));
        ++blocks_started_;
    }
}

void engine::start_block(std::uint32_t index) {
    std::uint32_t const threads = work_->shape.block_threads;
    auto made = std::make_unique<block_state>();
    block_state& block = *made;
    block.index = index;
    block.threads = threads;
    // Fresh memory each time, so that ThreadSanitizer does not connect it with the last block. Never zero,
    // since shared storage starts uninitialised.
    block.storage.resize(work_->storage_bytes + work_->storage_alignment);
    std::fill(block.storage.begin(), block.storage.end(), static_cast<std::byte>(0x81 + random_.below(126)));
    void* storage = block.storage.data();
    std::size_t space = block.storage.size();
    std::align(work_->storage_alignment, work_->storage_bytes, storage, space);

    block.warps.resize((threads + warp_lanes - 1) / warp_lanes);
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
        if (spare_lanes.empty()) spare_lanes.push_back(std::make_unique<lane_state>(stack_bytes));
        lane_state& lane = *spare_lanes.back().release();
        spare_lanes.pop_back();
        lane.block = index;
        lane.blocks = work_->shape.blocks;
        lane.thread = thread;
        lane.block_threads = threads;
        lane.storage = storage;
        lane.run = this;
        lane.warp = &block.warps[thread / warp_lanes];
        lane.unwinding = false;
        lane.caught_up = false;
        lane.last_access = nullptr;
        lane.wait_site = {};
        lane.relax_mark = memory_.changes();
        lane.favour = random_.next();
        lane.view.clear();
        lane.stack.start(&run_lane, &lane);
        lane.warp->block = &block;
        lane.warp->lanes[lane.lane_in_warp()] = &lane;
        lane.warp->members |= lane.bit();
        make_ready(lane);
    }
    blocks_.push_back(std::move(made));
}

void engine::retire_block(block_state& block) {
    for (warp_state& warp : block.warps)
        for (lane_state* lane : warp.lanes)
            if (lane != nullptr) spare_lanes.emplace_back(lane);
    auto const at =
        std::find_if(blocks_.begin(), blocks_.end(), [&](auto const& b) { return b.get() == &block; });
    retired_storage_.push_back(std::move(block.storage));
    std::swap(*at, blocks_.back());
    blocks_.pop_back();
}

fiber& engine::run_lane(void* argument) {
    lane_state& me = *static_cast<lane_state*>(argument);
    engine& run = *me.run;
    acquire_token(&run.begin_token_);
    std::exception_ptr thrown;
    try {
        if (!run.abandoning_) run.work_->body(run.work_->kernel, me);
    } catch (lane_abandoned const&) {
    } catch (...) {
        thrown = std::current_exception();
    }
    release_token(&run.end_token_);
    bookkeeping const quiet;
    if (thrown && run.failure_ == failure::none) {
        run.failure_ = failure::body_threw;
        run.thrown_ = std::move(thrown);
    }
    return run.end_lane(me);
}

fiber& engine::end_lane(lane_state& me) {
    if (me.status == lane_status::ready) make_waiting(me, lane_status::finished);
    me.status = lane_status::finished; // an abandoned lane ends while it waits
    me.warp->finished |= me.bit();
    block_state& block = *me.warp->block;
    ++block.finished;
    if (failure_ != failure::none) return *main_;
    check_waiting_for(me);
    if (failure_ != failure::none) return *main_;
    if (block.finished == block.threads) ended_block_ = &block;
    return next_fiber(nullptr);
}

/// Unwinds every lane that has not ended, so that the objects on its stack are destroyed.
void engine::abandon_lanes() {
    abandoning_ = true;
    for (auto const& block : blocks_)
        for (warp_state& warp : block->warps)
            for (lane_state* lane : warp.lanes)
                if (lane != nullptr && lane->status != lane_status::finished) main_->switch_to(lane->stack);
    while (!blocks_.empty())
        retire_block(*blocks_.back());
    ended_block_ = nullptr;
    ready_.clear();
    relaxing_.clear();
    gathering_.clear();
}

/// Called while the lanes are still where they failed.
void engine::complete_failure_text() {
    if (failure_ == failure::body_threw) return;
    if (failure_ == failure::step_limit)
        failure_text_ = "no end within " + std::to_string(options_.step_limit) + " steps";
    failure_text_ += "\n  in " + describe_run() + describe_waiting();
}

void engine::throw_failure() {
    switch (failure_) {
    case failure::none:
        return;
    case failure::body_threw:
        std::rethrow_exception(std::exchange(thrown_, nullptr));
    case failure::deadlock:
    case failure::misuse:
        throw deadlock(failure_text_);
    case failure::step_limit:
        throw step_limit_exceeded(failure_text_);
    }
}

} // namespace rhizome::exec::emulator
