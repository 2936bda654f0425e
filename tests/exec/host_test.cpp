// SPDX-License-Identifier: Apache-2.0
// The host space keeps the contract.
#include "atomics_cases.hpp"
#include "collectives_cases.hpp"
#include "contract_cases.hpp"
#include "event_cases.hpp"
#include "sorting_cases.hpp"

#include <rhizome/exec/host.hpp>
#include <rhizome/exec/host/mapped_memory.hpp>

#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace rhizome;

namespace {

exec::host_space const two_threads({.threads = 2});

TEST(host, every_item_is_visited_once) { exec_test::every_item_is_visited_once(two_threads); }
TEST(host, tiles_share_an_item) { exec_test::tiles_share_an_item(two_threads); }
TEST(host, regions_grow_in_place) { exec_test::regions_grow_in_place(exec::host_space(), 64u << 10); }
TEST(host, regions_begin_at_a_multiple_of_their_step) {
    std::vector<exec::mapped_memory> regions;
    std::vector<void*> pages; // between them, so that the system's addresses are no multiples
    for (std::size_t i = 0; i < 8; ++i) {
        pages.push_back(::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        regions.emplace_back(100, "region");
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(regions[i].data()) % exec::mapped_memory::step_bytes(),
                  0u);
        regions[i].commit_to(exec::mapped_memory::step_bytes());
        regions[i].data()[exec::mapped_memory::step_bytes() - 1] = std::byte{1};
    }
    for (void* const page : pages)
        ::munmap(page, 4096);
}
TEST(host, regions_shrink_in_place) { exec_test::regions_shrink_in_place(exec::host_space()); }
TEST(host, sizes_beyond_all_memory_are_refused) {
    exec_test::sizes_beyond_all_memory_are_refused(exec::host_space());
}
TEST(host, limits_are_kept) {
    exec_test::limits_are_kept(exec::host_space({.memory_limit_bytes = 8u << 20}));
}
TEST(host, places_are_filled_ahead) { exec_test::places_are_filled_ahead(two_threads); }
TEST(host, numbers_come_early) { exec_test::numbers_come_early(two_threads); }
TEST(host, results_come_without_a_copy) { exec_test::results_come_without_a_copy(two_threads); }
TEST(host, kernels_go_on_beside_the_work) { exec_test::kernels_go_on_beside_the_work(two_threads); }
TEST(host, waits_and_charges_are_counted) { exec_test::waits_and_charges_are_counted(two_threads); }
TEST(host, primitives_agree_with_the_standard_library) {
    exec_test::primitives_agree_with_the_standard_library(two_threads);
    exec_test::primitives_agree_with_the_standard_library(exec::host_space({.threads = 1}));
}
TEST(host, wide_keys_are_sorted) {
    exec_test::wide_keys_are_sorted(two_threads);
    exec_test::wide_keys_are_sorted(exec::host_space({.threads = 1}));
}

TEST(host, events_order_two_spaces) {
    exec_test::events_order_two_spaces(two_threads, exec::host_space({.threads = 2}));
}
TEST(host, sorting_ignores_higher_bits) {
    exec_test::sorting_ignores_higher_bits<std::uint64_t>(two_threads);
    exec_test::sorting_ignores_higher_bits<exec::uint128>(exec::host_space({.threads = 1}));
}
TEST(host, sorting_into_another_array_leaves_the_keys) {
    exec_test::sorting_into_another_array_leaves_the_keys<std::uint64_t>(two_threads);
    exec_test::sorting_into_another_array_leaves_the_keys<exec::uint128>(exec::host_space({.threads = 1}));
}
TEST(host, scratch_of_sorting_is_charged) {
    exec_test::scratch_of_sorting_is_charged<std::uint64_t>(
        exec::host_space({.memory_limit_bytes = 4u << 20}));
    exec_test::scratch_of_sorting_is_charged<exec::uint128>(
        exec::host_space({.memory_limit_bytes = 4u << 20}));
}

struct throwing_kernel {
    template <class Thread>
    void operator()(Thread const& thread) const {
        if (thread.rank() == thread.size() / 2) throw std::runtime_error("from a kernel");
    }
};

TEST(host, an_exception_of_a_kernel_reaches_the_caller) {
    exec::host_space space({.threads = 2});
    EXPECT_THROW(launch(space, {64, 1}, throwing_kernel{}), std::runtime_error);
}

/// Notes the OS thread of each kernel thread; each takes that long.
struct note_os_threads {
    std::thread::id* ids;
    std::chrono::milliseconds length;

    template <class Thread>
    void operator()(Thread const& thread) const {
        std::this_thread::sleep_for(length);
        ids[thread.rank()] = std::this_thread::get_id();
    }
};

TEST(host, few_items_stay_with_the_caller_and_long_ones_are_shared) {
    exec::host_space space({.threads = 2});
    if (!exec::under_thread_sanitizer) {
        exec::launch_shape const few = cover_threads(space, exec::host_space::least_run_items);
        std::vector<std::thread::id> ids(few.blocks);
        launch(space, few, note_os_threads{ids.data(), std::chrono::milliseconds(0)});
        EXPECT_EQ(ids, std::vector(1, std::this_thread::get_id()));
    }
    exec::launch_shape const rows = cover_blocks(space, 128); // a second thread may start late
    std::vector<std::thread::id> ids(rows.blocks);
    launch(space, rows, note_os_threads{ids.data(), std::chrono::milliseconds(2)});
    EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), 2u) << "one item may be a long row";
}

TEST(host, copies_of_a_space_are_used_by_several_threads_at_a_time) {
    exec::host_space const space({.threads = 2});
    exec::host_space copy = space;
    EXPECT_EQ(&copy.team(), &exec::host_space(space).team()) << "a space has its threads once";
    std::atomic<std::uint64_t> sum = 0;
    auto const use = [&] {
        exec::host_space own = space;
        for (int i = 0; i < 50; ++i)
            parallel_for(own.team(), 1'000, [&](std::uint64_t item) { sum += item; });
    };
    std::thread other(use);
    use();
    other.join();
    EXPECT_EQ(sum, 100u * (999u * 1'000u / 2));
}

template <class Atomic, class Order>
concept loads_with = requires(Atomic const atomic, Order o) {
    atomic.load(o);
};
template <class Atomic, class Order>
concept stores_with = requires(Atomic const atomic, Order o) {
    atomic.store(1u, o);
};
using word = exec::host_atomic<std::uint32_t>;
static_assert(loads_with<word, exec::order::acquire_t> && !loads_with<word, exec::order::release_t>);
static_assert(stores_with<word, exec::order::release_t> && !stores_with<word, exec::order::acq_rel_t>);

TEST(host, atomics_compute_what_their_names_say) {
    exec::launch_shape const wide{512, 1};
    exec_test::atomics_compute<std::uint32_t>(two_threads, wide, 1);
    exec_test::atomics_compute<std::int32_t>(two_threads, wide, 1);
    exec_test::atomics_compute<std::uint64_t>(two_threads, wide, 1);
    exec_test::atomics_compute<std::int64_t>(two_threads, wide, 1);
    exec_test::atomics_compute<float>(two_threads, wide, 1);
    exec_test::atomics_compute<double>(two_threads, wide, 1);
}

/// Tiles and groups of one lane.
TEST(host, collectives_answer_from_the_ranks) {
    exec_test::tiles_answer_from_the_ranks<std::int64_t>(two_threads);
    exec_test::groups_answer_from_the_ranks<std::uint32_t>(two_threads, 1, 4);
    exec_test::tiles_of_one_warp_may_diverge(two_threads);
    exec_test::tile_sync_orders_memory(two_threads);
    exec_test::barriers_order_shared_storage(two_threads, 1);
}

} // namespace
