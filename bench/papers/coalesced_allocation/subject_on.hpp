// SPDX-License-Identifier: Apache-2.0
// An allocator under measurement on one space, in kernels that make static calls.
#pragma once

#include <rhizome/alloc/concept.hpp>
#include <rhizome/bench/harness/subject_on.hpp>
#include <rhizome/bench/papers/coalesced_allocation/collective_kernels.hpp>
#include <rhizome/bench/papers/coalesced_allocation/kernels.hpp>
#include <rhizome/bench/papers/coalesced_allocation/program_kernels.hpp>
#include <rhizome/bench/papers/coalesced_allocation/subject.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/shape.hpp>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace rhizome::bench {

template <class Space, class Owner>
class coalescing_subject_on final : public coalescing_subject {
    using ref_type = typename Owner::ref_type;

public:
    coalescing_subject_on(Space space, coalescing_options const& options)
        : space_(std::move(space)), options_(options),
          owner_(space_,
                 alloc::heap_options{.heap_bytes = options.heap_bytes, .reserve_bytes = options.heap_bytes}),
          times_(space_, threads()), results_(space_, threads()), clocks_(space_, 1), refused_(space_, 1),
          blocks_(space_, threads()), received_(space_), watch_(space_) {}

    [[nodiscard]] std::uint64_t threads() const override {
        return std::uint64_t{options_.blocks} * options_.block_threads;
    }

    [[nodiscard]] phases_outcome run(access_pattern pattern, std::uint32_t floats) override {
        refused_.fill_bytes(0);
        phases_outcome outcome;
        outcome.launch_ms = launch_ms(run_phases<ref_type>{owner_.ref(), pattern, floats, times_.data(),
                                                           results_.data(), clocks_.data(), refused_.data()});
        outcome.refused = refused_.to_host()[0];
        outcome.times = times_.to_host();
        outcome.results = results_.to_host();
        outcome.clocks = clocks_.to_host()[0];
        return outcome;
    }

    [[nodiscard]] double allocate_ms(std::uint64_t bytes) override {
        return launch_ms(allocate_each<ref_type>{owner_.ref(), bytes, blocks_.data()});
    }
    [[nodiscard]] std::vector<void*> blocks() override { return blocks_.to_host(); }
    [[nodiscard]] work_outcome work(access_pattern pattern, std::uint32_t floats) override {
        results_.fill_bytes(0);
        step_on_each kernel{block_step::fill, pattern, floats, blocks_.data(), results_.data()};
        launch(space_, shape(), kernel);
        work_outcome outcome;
        kernel.step = block_step::work;
        outcome.launch_ms = launch_ms(kernel);
        kernel.step = block_step::collect;
        launch(space_, shape(), kernel);
        outcome.results = results_.to_host();
        return outcome;
    }
    [[nodiscard]] double free_ms() override {
        return launch_ms(free_each<ref_type>{owner_.ref(), blocks_.data()});
    }

    [[nodiscard]] collective_outcome run(collective which, std::uint64_t doubles) override {
        std::uint64_t const ranks = threads();
        std::uint64_t const sent = sent_doubles(which, ranks, doubles);
        std::uint64_t const received = received_doubles(which, ranks, doubles);
        if (received_.size() != ranks) received_.discard_and_resize(ranks);
        collective_outcome outcome;
        outcome.allocate_ms = allocate_buffers_ms(sent, blocks_, root_alone_sends(which)) +
                              allocate_buffers_ms(received, received_, root_alone_receives(which));
        outcome.refused =
            missing(blocks_, root_alone_sends(which)) + missing(received_, root_alone_receives(which));
        if (outcome.refused == 0) operate(which, doubles, outcome);
        outcome.free_ms = free_ms() + launch_ms(free_each<ref_type>{owner_.ref(), received_.data()});
        return outcome;
    }

    [[nodiscard]] program_outcome run(mpi_program const& program, std::uint32_t rounds,
                                      std::uint64_t doubles) override {
        std::uint64_t const ranks = threads();
        std::uint64_t slots = 0;
        for (std::uint32_t part = 0; part < program.part_count; ++part)
            slots = std::max(slots, message_slots(program.parts[part], ranks));
        exec::buffer<Space, void*> buffers(space_, 2 * ranks);
        exec::buffer<Space, void*> messages(space_, slots);
        exec::buffer<Space, rank_ticks> ticks(space_, ranks);
        exec::buffer<Space, program_state> state(space_, 1);
        buffers.fill_bytes(0);
        messages.fill_bytes(0); // of ranks that do not run
        ticks.fill_bytes(0);
        state.fill_bytes(0);
        program_steps<ref_type> const steps{owner_.ref(),    program,      rounds,         tree_rounds(ranks),
                                            ranks,           doubles,      buffers.data(), messages.data(),
                                            results_.data(), ticks.data(), state.data()};
        program_outcome outcome;
        outcome.launch_ms = time_of(watch_, [&] {
            if constexpr (exec::threads_take_runs<Space>) {
                program_place place;
                do
                    launch(space_, shape(), run_program_step<ref_type>{steps, place});
                while (steps.next(place));
            } else {
                launch_resident(space_, ranks, run_program<ref_type>{steps});
            }
        });
        outcome.times = ticks.to_host();
        for (rank_ticks const& each : outcome.times)
            if (each.last == 0) throw std::runtime_error("the device does not run all ranks at once");
        program_state const found = state.to_host()[0];
        outcome.clocks = found.clocks;
        outcome.refused = found.refused;
        outcome.sums = results_.to_host();
        return outcome;
    }

    [[nodiscard]] std::vector<std::string> audit_empty() override {
        alloc::audit_result found = owner_.audit();
        if (found.live_bytes != 0)
            found.violations.push_back("bytes that are live after all blocks were given back: " +
                                       std::to_string(found.live_bytes));
        return found.violations;
    }

private:
    [[nodiscard]] exec::launch_shape shape() const {
        if constexpr (exec::threads_take_runs<Space>)
            return {static_cast<std::uint32_t>(threads()), 1};
        else
            return {options_.blocks, options_.block_threads};
    }
    template <class Kernel>
    [[nodiscard]] double launch_ms(Kernel const& kernel) {
        return launch_ms(shape(), kernel);
    }
    template <class Kernel>
    [[nodiscard]] double launch_ms(exec::launch_shape const& threads, Kernel const& kernel) {
        return time_of(watch_, [&] { launch(space_, threads, kernel); });
    }
    /// Buffers of so many doubles for all ranks, or for the root alone.
    [[nodiscard]] double allocate_buffers_ms(std::uint64_t doubles, exec::buffer<Space, void*>& to,
                                             bool root_alone) {
        to.fill_bytes(0);
        return launch_ms(root_alone ? exec::launch_shape{1, 1} : shape(),
                         allocate_each<ref_type>{owner_.ref(), doubles * sizeof(double), to.data()});
    }
    /// Blocks that were requested and are not there.
    [[nodiscard]] static std::uint64_t missing(exec::buffer<Space, void*> const& given, bool first_alone) {
        std::vector<void*> const blocks = given.to_host();
        std::uint64_t count = 0;
        for (std::uint64_t i = 0; i < (first_alone ? 1 : blocks.size()); ++i)
            count += blocks[i] == nullptr ? 1 : 0;
        return count;
    }
    void operate(collective which, std::uint64_t doubles, collective_outcome& outcome) {
        std::uint64_t const ranks = threads();
        launch(space_, cover_threads(space_, ranks),
               fill_sent{blocks_.data(), ranks, sent_doubles(which, ranks, doubles)});
        exec::buffer<Space, void*> messages(space_, message_slots(which, ranks));
        refused_.fill_bytes(0);
        outcome.operate_ms = time_of(watch_, [&] {
            for (std::uint32_t step = 0; step < collective_steps(which, ranks); ++step)
                launch(space_, shape(),
                       collective_step<ref_type>{owner_.ref(), which, step, tree_rounds(ranks), ranks,
                                                 doubles, blocks_.data(), received_.data(), messages.data(),
                                                 refused_.data()});
        });
        outcome.refused = refused_.to_host()[0];

        std::uint64_t const received = received_doubles(which, ranks, doubles);
        std::uint64_t const receivers = root_alone_receives(which) ? 1 : ranks;
        exec::buffer<Space, double> found(space_, receivers * received);
        launch(space_, cover_threads(space_, receivers),
               collect_received{received_.data(), receivers, received, found.data()});
        outcome.received = found.to_host();
    }

    Space space_;
    coalescing_options options_;
    Owner owner_;
    exec::buffer<Space, phase_ticks> times_;
    exec::buffer<Space, double> results_;
    exec::buffer<Space, clock_readings> clocks_;
    exec::buffer<Space, std::uint64_t> refused_;
    exec::buffer<Space, void*> blocks_; ///< of each thread; of collectives those that it sends from
    exec::buffer<Space, void*> received_;
    exec::stopwatch<Space> watch_;
};

template <class Owner, class Space>
[[nodiscard]] std::unique_ptr<coalescing_subject> subject_of(Space const& space,
                                                             coalescing_options const& options) {
    return std::make_unique<coalescing_subject_on<Space, Owner>>(space, options);
}

} // namespace rhizome::bench
