// SPDX-License-Identifier: Apache-2.0
// A program of several collective operations; a rank is a thread, and all ranks meet between steps.
#pragma once

#include <rhizome/alloc/block_storage.hpp>
#include <rhizome/bench/papers/coalesced_allocation/collective_kernels.hpp>
#include <rhizome/bench/papers/coalesced_allocation/programs.hpp>
#include <rhizome/exec/clock.hpp>
#include <rhizome/exec/grid_barrier.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::bench {

/// What ranks share beside their buffers.
struct program_state {
    exec::grid_barrier barrier;
    std::uint64_t refused; ///< requests
    std::uint64_t failed;  ///< ranks that lacked a buffer
    std::uint64_t stopped; ///< not 0: set at the end of a part in which ranks lacked buffers; no more then
    clock_readings clocks;
};

/// Where a program is: the same for all ranks.
struct program_place {
    std::uint32_t round = 0;
    std::uint32_t part = 0;
    std::uint32_t step = 0;
};

/// The steps of a program. Each part has one step in which ranks allocate and fill their buffers, those of
/// the operation, and one in which they add up what they received, and free the buffers.
template <class Ref>
struct program_steps {
    Ref ref;
    mpi_program program;
    std::uint32_t rounds;
    std::uint32_t tree; ///< rounds of a tree over the ranks
    std::uint64_t ranks;
    std::uint64_t doubles; ///< of a message
    void** buffers;        ///< first those from which ranks send, then those in which they receive
    void** messages;
    double* sums;      ///< one of each rank
    rank_ticks* ticks; ///< one of each rank
    program_state* state;

    [[nodiscard]] RZ_HD std::uint32_t steps_of(std::uint32_t part) const {
        return collective_steps(program.parts[part], ranks) + 2;
    }
    /// Moves on; false: the program is done.
    [[nodiscard]] RZ_HD bool next(program_place& place) const {
        if (++place.step < steps_of(place.part)) return true;
        place.step = 0;
        if (++place.part < program.part_count) return true;
        place.part = 0;
        return ++place.round < rounds;
    }

    template <class Allocator, class Thread>
    RZ_HD void step(Allocator const& allocator, Thread const& thread, program_place const& place) const {
        using operation_step = collective_step<Ref>;
        std::uint64_t const self = thread.rank();
        collective const which = program.parts[place.part];
        bool const first = place.step == 0;
        bool const last = place.step + 1 == steps_of(place.part);
        operation_step const operation{ref,     which,   place.step - 1,  tree,     ranks,
                                       doubles, buffers, buffers + ranks, messages, &state->refused};
        // relaxed: written in the step of the part's buffers, before which or after which all ranks meet
        bool const lacks = !first && thread.device(state->failed).load(exec::order::relaxed) != 0;
        typename operation_step::exchange mine;
        if (!first && !last) {
            if (lacks) return;
            mine = operation.exchange_of(self);
        } else {
            auto& both = first ? mine.sends : mine.receives;
            both.count = first && state->stopped != 0 ? 0 : 2;
            both.slot = self;
            both.slot_step = ranks;
            mine.slots = buffers;
            mine.uniform = true;
            mine.first_doubles = sent_doubles(which, ranks, doubles);
            mine.other_doubles = received_doubles(which, ranks, doubles);
        }
        if (first && place.round == 0 && place.part == 0) begin(self);
        if (last && !lacks) add_received(self, which);
        std::uint64_t const start = exec::clock_ticks();
        operation.perform(allocator, thread, mine); // the one place in the code that allocates and frees
        std::uint64_t const spent = exec::clock_ticks() - start;
        if (first) {
            ticks[self].allocate += spent;
            fill_sent_buffer(thread, self, which);
        } else if (last) {
            ticks[self].free += spent;
            end_part(self, lacks);
        }
    }

private:
    RZ_HD void begin(std::uint64_t self) const {
        std::uint64_t const now = exec::clock_ticks();
        sums[self] = 0;
        ticks[self] = {now, 0, 0, 0};
        if (self == 0) state->clocks = {now, exec::clock_nanoseconds(), 0, 0};
    }
    template <class Thread>
    RZ_HD void fill_sent_buffer(Thread const& thread, std::uint64_t self, collective which) const {
        auto* const buffer = static_cast<double*>(buffers[self]);
        if (buffer == nullptr || buffers[self + ranks] == nullptr)
            thread.device(state->failed).fetch_add(std::uint64_t{1}, exec::order::relaxed); // a count alone
        if (buffer == nullptr) return;
        for (std::uint64_t i = 0; i < sent_doubles(which, ranks, doubles); ++i)
            buffer[i] = sent_value(self, i);
    }
    /// Of reduce the root alone has a result.
    RZ_HD void add_received(std::uint64_t self, collective which) const {
        auto const* const buffer = static_cast<double const*>(buffers[self + ranks]);
        if (which == collective::reduce && self != 0) return;
        double sum = 0;
        for (std::uint64_t i = 0; i < received_doubles(which, ranks, doubles); ++i)
            sum += buffer[i];
        sums[self] += sum;
    }
    RZ_HD void end_part(std::uint64_t self, bool lacks) const {
        buffers[self] = buffers[self + ranks] = nullptr;
        std::uint64_t const now = exec::clock_ticks();
        ticks[self].last = now;
        if (self != 0) return;
        if (lacks) state->stopped = 1; // read in the steps after this one
        state->clocks.last_ticks = now;
        state->clocks.last_nanoseconds = exec::clock_nanoseconds();
    }
};

/// The whole program in one launch, whose blocks all run at once.
template <class Ref>
struct run_program {
    using shared = alloc::block_storage_of<Ref>;
    static constexpr std::uint32_t block_threads = program_block_threads;
    static constexpr std::uint32_t blocks_side_by_side = 8; // 64 registers, as the other kernels have

    program_steps<Ref> steps;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const& allocator = alloc::in_block(steps.ref, thread, thread.block().storage());
        program_place place;
        do {
            steps.step(allocator, thread, place);
            steps.state->barrier.sync(thread);
        } while (steps.next(place));
    }
};

/// One step, for spaces whose threads run to completion one after another.
template <class Ref>
struct run_program_step {
    using shared = alloc::block_storage_of<Ref>;
    static constexpr std::uint32_t block_threads = program_block_threads;

    program_steps<Ref> steps;
    program_place place;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        steps.step(alloc::in_block(steps.ref, thread, thread.block().storage()), thread, place);
    }
};

} // namespace rhizome::bench
