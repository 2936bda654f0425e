// SPDX-License-Identifier: Apache-2.0
// Endurance of coalescing: threads ask together again and again, by every call, and give back what they hold
// one by one in random order, so that superblocks are freed by whichever of their segments goes last. Every
// byte of every block is checked. RHIZOME_CHURN_OPERATIONS says how many requests and returns.
#include "endurance.hpp"

#include <rhizome/alloc/block_storage.hpp>

namespace rhizome::tests {
namespace {

[[nodiscard]] RZ_HD constexpr std::uint64_t mixed(std::uint64_t value) {
    value = (value ^ value >> 31) * 0x9e37'79b9'7f4a'7c15ull;
    return value ^ value >> 29;
}

/// Each thread is a worker. In each turn it gives back some of what it holds and makes one request: three
/// times with all threads of its block, by the call that the variant is named after, then one by itself.
template <class Ref>
struct endure_together {
    Ref ref;
    endurance_worker* workers;
    std::uint64_t first_turn;
    std::uint64_t turns;
    bool return_all; ///< afterwards
    endurance_counts* counts;

    using shared = alloc::block_storage_of<Ref>;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const allocator = alloc::in_block(ref, thread, thread.block().storage());
        endurance_counts mine{};
        endurance_worker worker = workers[thread.rank()];
        for (std::uint64_t turn = first_turn; turn < first_turn + turns; ++turn) {
            worker.dice = worker.dice * 6364136223846793005ull + 1442695040888963407ull;
            std::uint32_t const empty = make_room(thread, allocator, worker, mine);
            bool const together = turn % 4 != 3;
            std::uint64_t const dice = mixed(turn << 32 ^ (together ? thread.block().index() : worker.dice));
            worker.bytes[empty] = dice % 8 == 0 ? 257 + (dice >> 8) % 1792 : 1 + (dice >> 8) % 256;
            worker.stamps[empty] = worker.dice ^ thread.rank();
            worker.held[empty] = together ? allocator.allocate_uniform(thread, worker.bytes[empty])
                                          : allocator.allocate(thread, worker.bytes[empty]);
            fill_slot(ref, worker, empty, mine);
        }
        for (std::uint32_t slot = 0; slot < worker.slots; ++slot) {
            if (worker.held[slot] == nullptr) continue;
            if (return_all)
                empty_slot(thread, ref, allocator, worker, slot, mine);
            else
                mine.live_bytes += ref.usable_bytes(worker.bytes[slot]);
        }
        workers[thread.rank()] = worker;
        mine.add_to(thread, *counts);
    }

private:
    /// Empties the slots that two throws of the dice name. Returns an empty slot, if need be after emptying
    /// it.
    template <class Thread, class Allocator>
    RZ_HD std::uint32_t make_room(Thread const& thread, Allocator const& allocator, endurance_worker& worker,
                                  endurance_counts& mine) const {
        static_assert(endurance_worker::slots == 8);
        std::uint32_t full = 0;
        for (std::uint32_t slot = 0; slot < worker.slots; ++slot)
            full |= worker.held[slot] != nullptr ? 1u << slot : 0u;
        std::uint32_t leaving = full & (1u << (worker.dice >> 61) | 1u << (worker.dice >> 58 & 7));
        if (full == 0xff && leaving == 0) leaving = 1;
        for (std::uint32_t slot = 0; slot < worker.slots; ++slot)
            if ((leaving >> slot & 1) != 0) empty_slot(thread, ref, allocator, worker, slot, mine);
        full &= ~leaving;
        std::uint32_t empty = 0;
        while ((full >> empty & 1) != 0)
            ++empty;
        return empty;
    }
};

template <class Case>
class coalescing_endurance : public space_test {};
template <class Scope, class Bookkeeping>
using over_default = coalescing_variant<Scope, Bookkeeping, ouroboros_default>;
using endurance_list = type_list<over_default<alloc::block_wide, alloc::by_header>,
                                 over_default<alloc::block_wide, alloc::by_table>,
                                 over_default<alloc::warp_wide, alloc::by_header>,
                                 catalogued::coalescing_warp_table, catalogued::coalescing_dynamic>;
using endurance_cases = cross_types<allocator_on, endurance_list, space_list>;
TYPED_TEST_SUITE(coalescing_endurance, endurance_cases, named_types);

TYPED_TEST(coalescing_endurance, nothing_is_lost_whatever_the_order_of_frees) {
    using space_type = typename TypeParam::space;
    constexpr std::uint64_t launches = 16;
    constexpr std::uint32_t block_threads = exec::threads_take_runs<space_type> ? 1 : 128;
    std::uint64_t const workers = is_gpu<space_type> ? 131'072 : is_emulated<space_type> ? 256 : 512;
    std::uint64_t const turns = 1 + operations_wanted<space_type>() / (2 * workers * launches);
    heap<TypeParam> tested(is_gpu<space_type> ? 4ull << 30 : 16u << 20);

    std::vector<endurance_worker> start(workers, endurance_worker{});
    for (std::uint64_t i = 0; i < workers; ++i)
        start[i].dice = (i + 1) * 0x9e37'79b9'7f4a'7c15ull;
    exec::buffer<space_type, endurance_worker> held(tested.space(), start);
    exec::buffer<space_type, endurance_counts> counts(tested.space(), 1);
    std::uint64_t operations = 0;
    std::uint64_t refused = 0;
    for (std::uint64_t number = 1; number <= launches; ++number) {
        SCOPED_TRACE("launch " + std::to_string(number));
        counts.fill_bytes(0);
        launch(tested.space(),
               exec::launch_shape{static_cast<std::uint32_t>(workers / block_threads), block_threads},
               endure_together<typename TypeParam::owner::ref_type>{tested.owner().ref(), held.data(),
                                                                    number * turns, turns, number == launches,
                                                                    counts.data()});
        endurance_counts const found = counts.to_host()[0];
        ASSERT_EQ(found.wrong, 0u);
        ASSERT_EQ(found.misaligned, 0u);
        alloc::audit_result const audit = tested.owner().audit();
        ASSERT_EQ(audit.violations.size(), 0u) << audit.violations[0];
        ASSERT_GE(audit.live_bytes, found.live_bytes) << "what the workers hold";
        operations += found.operations;
        refused += found.refused;
        if (number % 4 == 0) tested.owner().trim(); // amid live blocks
    }
    EXPECT_GE(operations, 2 * turns * workers * launches - workers * endurance_worker::slots);
    EXPECT_LT(refused * 20, operations) << "a heap that is hardly ever full";
    std::printf("endurance %s: %llu operations, %llu refused\n", TypeParam::name().c_str(),
                static_cast<unsigned long long>(operations), static_cast<unsigned long long>(refused));
    expect_sound(tested);
    expect_live_bytes(tested, 0);
}

} // namespace
} // namespace rhizome::tests
