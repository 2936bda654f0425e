// SPDX-License-Identifier: Apache-2.0
// Kernels of the coalescing benchmarks that allocate in every thread, as listing 3 of the paper.
#pragma once

#include <rhizome/alloc/block_storage.hpp>
#include <rhizome/bench/papers/coalesced_allocation/patterns.hpp>
#include <rhizome/bench/papers/coalesced_allocation/subject.hpp>
#include <rhizome/exec/clock.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::bench {

/// A block for each thread of the thread block: by the static call of an allocator that has one. All threads
/// of the block call it together, with one size.
template <class Ref, class Thread>
[[nodiscard]] RZ_HD void* allocate_uniformly(Ref const& ref, Thread const& thread, std::uint64_t bytes) {
    if constexpr (requires { ref.allocate_uniform(thread, bytes); }) {
        return ref.allocate_uniform(thread, bytes);
    } else {
        return ref.allocate(thread, bytes);
    }
}

/// What a thread's work left: data[0], or of update the sum of all values.
[[nodiscard]] RZ_HD inline double result_of(access_pattern pattern, float const* data, std::uint32_t floats) {
    double result = static_cast<double>(data[0]);
    if (pattern == access_pattern::update)
        for (std::uint32_t i = 1; i < floats; ++i)
            result += static_cast<double>(data[i]);
    return result;
}

/// What the paper measures as work. Every pattern ends with a store, so that its clock stops after its loads.
RZ_HD inline void run_pattern(access_pattern pattern, std::uint64_t thread, float* data,
                              std::uint32_t floats) {
    float sum = 0;
    switch (pattern) {
    case access_pattern::linear:
        for (std::uint32_t i = 0; i < floats; ++i)
            sum += data[i];
        break;
    case access_pattern::quadratic:
        for (std::uint32_t i = 0; i < floats; ++i)
            for (std::uint32_t j = 0; j < floats; ++j)
                sum += data[i] * data[j];
        break;
    case access_pattern::update:
        for (std::uint32_t pass = 0; pass < update_passes; ++pass)
            for (std::uint32_t i = 0; i < floats; ++i)
                data[i] = data[i] * 0.5f + 1.0f;
        return;
    case access_pattern::stride:
        for (std::uint32_t first = 0; first < stride_floats; ++first)
            for (std::uint32_t i = first; i < floats; i += stride_floats)
                sum += data[i];
        break;
    case access_pattern::scattered:
        for (std::uint32_t k = 0; k < floats; ++k)
            sum += data[scattered_place(thread, k, floats)];
        break;
    }
    data[0] = sum;
}

/// Allocates, works and frees in one launch, and takes the times of each thread. The results are read between
/// the clocks of work and of freeing. A thread whose request is refused does no more.
template <class Ref>
struct run_phases {
    using shared = alloc::block_storage_of<Ref>;
    static constexpr std::uint32_t block_threads = most_block_threads;

    Ref ref;
    access_pattern pattern;
    std::uint32_t floats;
    phase_ticks* times;     ///< one per thread
    double* results;        ///< one per thread: data[0], or of update the sum of all values
    clock_readings* clocks; ///< one, of the first thread
    std::uint64_t* refused;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t const self = thread.rank();
        if (self == 0) *clocks = {exec::clock_ticks(), exec::clock_nanoseconds(), 0, 0};
        auto const& allocator = alloc::in_block(ref, thread, thread.block().storage());
        std::uint64_t const start = exec::clock_ticks();
        auto* const data =
            static_cast<float*>(allocate_uniformly(allocator, thread, std::uint64_t{floats} * sizeof(float)));
        std::uint64_t const allocated = exec::clock_ticks();
        if (data == nullptr) {
            times[self] = {};
            results[self] = 0;
            thread.device(*refused).fetch_add(std::uint64_t{1}, exec::order::relaxed); // a count alone
        } else {
            for (std::uint32_t i = 0; i < floats; ++i)
                data[i] = static_cast<float>(first_value(self) + i);
            std::uint64_t const work = exec::clock_ticks();
            run_pattern(pattern, self, data, floats);
            std::uint64_t const worked = exec::clock_ticks();
            results[self] = result_of(pattern, data, floats);
            std::uint64_t const freeing = exec::clock_ticks();
            allocator.deallocate(thread, data);
            std::uint64_t const freed = exec::clock_ticks();
            times[self] = {allocated - start, worked - work, freed - freeing};
        }
        if (self == 0) {
            clocks->last_ticks = exec::clock_ticks();
            clocks->last_nanoseconds = exec::clock_nanoseconds();
        }
    }
};

/// A block for each thread, all requests and nothing else.
template <class Ref>
struct allocate_each {
    using shared = alloc::block_storage_of<Ref>;
    static constexpr std::uint32_t block_threads = most_block_threads;

    Ref ref;
    std::uint64_t bytes;
    void** blocks; ///< nullptr where a request is refused

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const& allocator = alloc::in_block(ref, thread, thread.block().storage());
        blocks[thread.rank()] = allocate_uniformly(allocator, thread, bytes);
    }
};

/// A step of work on blocks that are there; all threads take it together.
enum class block_step : std::uint8_t { fill, work, collect };

struct step_on_each {
    static constexpr std::uint32_t block_threads = most_block_threads;

    block_step step;
    access_pattern pattern;
    std::uint32_t floats;
    void* const* blocks;
    double* results;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t const self = thread.rank();
        auto* const data = static_cast<float*>(blocks[self]);
        if (data == nullptr) return;
        switch (step) {
        case block_step::fill:
            for (std::uint32_t i = 0; i < floats; ++i)
                data[i] = static_cast<float>(first_value(self) + i);
            return;
        case block_step::work:
            run_pattern(pattern, self, data, floats);
            return;
        case block_step::collect:
            results[self] = result_of(pattern, data, floats);
            return;
        }
    }
};

template <class Ref>
struct free_each {
    static constexpr std::uint32_t block_threads = most_block_threads;

    Ref ref;
    void* const* blocks;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        void* const block = blocks[thread.rank()];
        if (block != nullptr) ref.deallocate(thread, block);
    }
};

} // namespace rhizome::bench
