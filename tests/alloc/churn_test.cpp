// SPDX-License-Identifier: Apache-2.0
// Random lifetimes: all threads take and give back at the same time, in one launch.
#include "blocks.hpp"
#include "expectations.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace rhizome::tests {
namespace {

struct churn_counts {
    std::uint64_t taken;
    std::uint64_t refused;
    std::uint64_t wrong; ///< words that somebody else wrote
    std::uint64_t misaligned;
};

/// Each thread holds up to `slots` blocks and, turn by turn, takes one or gives one back, by its own dice.
template <class Ref>
struct churn {
    static constexpr std::uint32_t slots = 6;
    Ref ref;
    std::uint32_t turns;
    std::uint64_t largest_bytes;
    std::uint64_t seed;
    churn_counts* counts;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        churn_counts mine{};
        void* held[slots] = {};
        std::uint64_t bytes[slots] = {};
        std::uint64_t dice = seed + thread.rank() * 0x9e37'79b9'7f4a'7c15ull;
        // In the last turns each slot is emptied. One call of each function of the allocator, which is
        // inlined: the compiler's time.
        for (std::uint32_t turn = 0; turn < turns + slots; ++turn) {
            dice = dice * 6364136223846793005ull + 1442695040888963407ull;
            bool const ending = turn >= turns;
            std::uint32_t const slot = ending ? turn - turns : static_cast<std::uint32_t>(dice >> 33) % slots;
            if (held[slot] == nullptr) {
                if (ending) continue;
                std::uint64_t const octave = (dice >> 40) % 20;
                std::uint64_t const wanted = (std::uint64_t{1} << octave) + (dice >> 45) % 64;
                bytes[slot] = wanted < largest_bytes ? wanted : 16;
                held[slot] = ref.allocate(thread, bytes[slot]);
                mine.taken += held[slot] != nullptr ? 1 : 0;
                mine.refused += held[slot] == nullptr ? 1 : 0;
                mine.misaligned += reinterpret_cast<std::uintptr_t>(held[slot]) % 16 != 0 ? 1 : 0;
                write(thread.rank() * slots + slot, held[slot], bytes[slot]);
            } else {
                mine.wrong += differing(thread.rank() * slots + slot, held[slot], bytes[slot]);
                ref.deallocate(thread, held[slot]);
                held[slot] = nullptr;
            }
        }
        thread.device(counts->taken).fetch_add(mine.taken, exec::order::relaxed);
        thread.device(counts->refused).fetch_add(mine.refused, exec::order::relaxed);
        thread.device(counts->wrong).fetch_add(mine.wrong, exec::order::relaxed);
        thread.device(counts->misaligned).fetch_add(mine.misaligned, exec::order::relaxed);
    }

private:
    /// Of blocks beyond 4 KiB some 512 words: one thread writes them all.
    [[nodiscard]] static RZ_HD constexpr std::uint64_t step(std::uint64_t words) { return 1 + words / 512; }

    RZ_HD void write(std::uint64_t owner, void* block, std::uint64_t bytes) const {
        if (block == nullptr) return;
        auto* const words = static_cast<std::uint64_t*>(block);
        std::uint64_t const count = ref.usable_bytes(bytes) / 8;
        for (std::uint64_t word = 0; word < count; word += step(count))
            words[word] = owner_pattern(owner, word);
    }
    RZ_HD std::uint64_t differing(std::uint64_t owner, void const* block, std::uint64_t bytes) const {
        if (block == nullptr) return 0;
        auto const* const words = static_cast<std::uint64_t const*>(block);
        std::uint64_t const count = ref.usable_bytes(bytes) / 8;
        std::uint64_t found = 0;
        for (std::uint64_t word = 0; word < count; word += step(count))
            found += words[word] != owner_pattern(owner, word) ? 1 : 0;
        return found;
    }
};

template <class Case>
class allocator_churn : public space_test {
protected:
    static constexpr bool recycles = Case::traits::reuses && Case::traits::bounded;
    static constexpr std::uint32_t slots = churn<typename Case::owner::ref_type>::slots;

    /// Churn over one heap, twice, with a trim between; the heap must be whole afterwards.
    static churn_counts run(std::uint64_t heap_bytes, std::uint64_t threads, std::uint32_t turns,
                            std::uint64_t largest_bytes) {
        using space_type = typename Case::space;
        heap<Case> tested(heap_bytes);
        exec::buffer<space_type, churn_counts> counts(tested.space(), 1);
        counts.fill_bytes(0);
        for (std::uint64_t round = 0; round < 2; ++round) {
            launch(tested.space(), cover_threads(tested.space(), threads, 128),
                   churn<typename Case::owner::ref_type>{tested.owner().ref(), turns, largest_bytes, round,
                                                         counts.data()});
            expect_sound(tested);
            if (recycles) expect_live_bytes(tested, 0);
            tested.owner().trim();
            expect_sound(tested);
        }
        if (recycles) expect_whole(tested);
        churn_counts const found = counts.to_host()[0];
        EXPECT_EQ(found.wrong, 0u);
        EXPECT_EQ(found.misaligned, 0u);
        EXPECT_GT(found.taken, 0u);
        return found;
    }
};
TYPED_TEST_SUITE(allocator_churn, conformance_cases, named_types);

TYPED_TEST(allocator_churn, in_a_roomy_heap_hardly_anybody_is_refused) {
    using space_type = typename TypeParam::space;
    auto const turns = static_cast<std::uint32_t>(work<space_type>(is_gpu<space_type> ? 100 : 4000, 60));
    std::uint64_t const threads = is_gpu<space_type> ? 65536 : 512;
    std::uint64_t const largest_bytes = served_size<TypeParam>(16u << 10);
    // On the host a large heap of small pages would take a minute to be asked for whole, page by page.
    std::uint64_t const host_mb = largest_bytes <= 1024 ? 8 : sanitized ? 32 : 96;
    std::uint64_t const heap_bytes = is_gpu<space_type>        ? 4ull << 30
                                     : is_emulated<space_type> ? 24u << 20
                                                               : host_mb << 20;
    churn_counts const found = this->run(heap_bytes, threads, turns, largest_bytes);
    if (TypeParam::traits::reuses && (TypeParam::traits::bounded || !is_gpu<space_type>)) {
        EXPECT_EQ(found.refused, 0u);
    }
}

TYPED_TEST(allocator_churn, in_a_full_heap_refusals_harm_nobody) {
    using space_type = typename TypeParam::space;
    auto const turns = static_cast<std::uint32_t>(work<space_type>(is_gpu<space_type> ? 50 : 4000, 50));
    std::uint64_t const threads = is_gpu<space_type> ? 16384 : 512;
    // Where threads run one after another, it must be the single request that is too large.
    std::uint64_t const heap_bytes = is_gpu<space_type> ? 64u << 20 : 256u << 10;
    churn_counts const found = this->run(heap_bytes, threads, turns, 512u << 10);
    if (TypeParam::traits::bounded) {
        EXPECT_GT(found.refused, 0u) << "the heap was too large for this test";
    }
}

TYPED_TEST(allocator_churn, of_the_smallest_pages_alone) {
    using space_type = typename TypeParam::space;
    auto const turns = static_cast<std::uint32_t>(work<space_type>(is_gpu<space_type> ? 1000 : 10'000, 100));
    std::uint64_t const threads = is_gpu<space_type> ? 16384 : 512;
    std::uint64_t const pages = (2u << 20) / 16;
    std::uint64_t const page_bytes = heap<TypeParam>(2u << 20).owner().ref().usable_bytes(1);
    // A block that shares a superblock with those of 31 other lanes may keep all of it from being used again.
    std::uint64_t const at_most = threads * this->slots * 32 * (page_bytes + bytes_beside<TypeParam>());
    bool const keeps_others = shares_superblocks<typename TypeParam::owner>;
    churn_counts const found = this->run(keeps_others ? 2 * at_most : pages * page_bytes, threads, turns, 1);
    if (TypeParam::traits::reuses) {
        EXPECT_EQ(found.refused, 0u);
    }
}

} // namespace
} // namespace rhizome::tests
