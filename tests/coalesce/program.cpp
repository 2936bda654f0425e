// SPDX-License-Identifier: Apache-2.0
// Kernels in Rhizome's style. The tool rewrites a copy of this file; emulator_test.cpp runs both.
#include <rhizome/exec/buffer.hpp>

#include <program.hpp>

namespace rhizome::tests {
namespace {

constexpr std::uint32_t blocks = 3;
constexpr std::uint32_t block_threads = 64;

template <class Thread>
RZ_HD std::uint64_t use(Thread const& thread, std::uint64_t* values, std::uint64_t count) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; values != nullptr && i < count; ++i)
        values[i] = thread.rank() + i;
    for (std::uint64_t i = 0; values != nullptr && i < count; ++i)
        sum += values[i];
    return sum;
}

template <class Thread>
RZ_HD std::uint64_t* numbers(Thread const& thread, alloc::stand_in_ref heap, std::uint64_t count) {
    return static_cast<std::uint64_t*>(heap.allocate(thread, count * 8)); // argument
}

// The size of a block of memory is a member of the kernel, or depends on the block, the warp, or the thread.
struct member_sizes {
    alloc::stand_in_ref heap;
    std::uint64_t count;
    std::uint64_t* sums;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto* const own = static_cast<std::uint64_t*>(heap.allocate(thread, count * 8)); // block
        std::uint64_t sum = use(thread, own, count);
        heap.deallocate(thread, own);
        for (std::uint64_t i = 1; i < count; ++i) {
            auto* const more = static_cast<std::uint64_t*>(heap.allocate(thread, i * 8)); // block
            sum += use(thread, more, i);
            heap.deallocate(thread, more);
        }
        sums[thread.rank()] += sum;
    }
};

struct own_sizes {
    alloc::stand_in_ref heap;
    std::uint64_t count;
    std::uint64_t* sums;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t const size = 1 + thread.rank() % count;
        std::uint64_t sum =
            use(thread, static_cast<std::uint64_t*>(heap.allocate(thread, size * 8)), size); // left
        if (thread.rank() % 3 == 0)
            sum += use(thread, static_cast<std::uint64_t*>(heap.allocate(thread, 16)), 2); // left
        std::uint64_t const by_warp = 1 + thread.block().rank() / 32;
        sum += use(thread, static_cast<std::uint64_t*>(heap.allocate(thread, by_warp * 8)), by_warp); // warp
        sums[thread.rank()] += sum;
    }
};

struct in_functions {
    alloc::stand_in_ref heap;
    std::uint64_t count;
    std::uint64_t* sums;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t sum = use(thread, numbers(thread, heap, count), count);             // tells
        if (thread.block().index() == 1) sum += use(thread, numbers(thread, heap, 3), 3); // tells
        if (thread.rank() % 2 == 0) sum += use(thread, numbers(thread, heap, 2), 2);
        sums[thread.rank()] += sum;
    }
};

struct leaves_early {
    alloc::stand_in_ref heap;
    std::uint64_t count;
    std::uint64_t* sums;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t sum = use(thread, static_cast<std::uint64_t*>(heap.allocate(thread, 24)), 3); // block
        if (thread.rank() % 5 == 0) return;
        sum += use(thread, static_cast<std::uint64_t*>(heap.allocate(thread, 24)), 3); // left
        sums[thread.rank()] += sum;
    }
};

struct over_items {
    alloc::stand_in_ref heap;
    std::uint64_t count;
    std::uint64_t* sums;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, 100, [&](std::uint64_t) {
            sums[thread.rank()] +=
                use(thread, static_cast<std::uint64_t*>(heap.allocate(thread, 16)), 2); // left
        });
    }
};

program_result run(exec::simt_space space) {
    exec::launch_shape const shape{blocks, block_threads};
    alloc::bump<exec::simt_space> heap(space, {.heap_bytes = 1u << 20, .reserve_bytes = 1u << 20});
    exec::buffer<exec::simt_space, std::uint64_t> sums(space, blocks * block_threads);
    exec::buffer<exec::simt_space, alloc::static_calls> calls(space, 1);
    space.fill(sums.data(), 0, sums.size() * 8);
    space.fill(calls.data(), 0, sizeof(alloc::static_calls));
    alloc::stand_in_ref const ref(heap.ref(), calls.data());
    exec::launch(space, shape, member_sizes{ref, 4, sums.data()});
    exec::launch(space, shape, own_sizes{ref, 5, sums.data()});
    exec::launch(space, shape, in_functions{ref, 3, sums.data()});
    exec::launch(space, shape, leaves_early{ref, 3, sums.data()});
    exec::launch(space, shape, over_items{ref, 3, sums.data()});
    program_result result{std::vector<std::uint64_t>(sums.size()), {}};
    space.copy_out(result.sums.data(), sums.data(), sums.size() * 8);
    space.copy_out(&result.calls, calls.data(), sizeof(alloc::static_calls));
    return result;
}

} // namespace

#if defined(RHIZOME_REWRITTEN)
program_result program_after(exec::simt_space space) { return run(space); }
#else
program_result program_before(exec::simt_space space) { return run(space); }
#endif

} // namespace rhizome::tests
