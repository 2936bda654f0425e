// SPDX-License-Identifier: Apache-2.0
// Chunk-based queues under many interleavings: wholly free chunks move between classes while threads take and
// free pages of them.
#include "tiny_heaps.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace rhizome::tests::of_chunk_return {
namespace {

/// Two instances, whose chunks are of one size: any of them can serve both.
struct tiny_instances {
    using owner = alloc::combined_ouroboros<simt_space,
                                            alloc::instance<alloc::chunk_based, alloc::virtual_linked_queue,
                                                            alloc::power_of_two_classes<16, 64>, 1024>,
                                            alloc::instance<alloc::chunk_based, alloc::array_queue,
                                                            alloc::power_of_two_classes<128, 1024>, 1024>>;
    static constexpr bool is_virtual = true;
    static std::string name() { return "instances"; }
};
/// Two instances, of which one needs pairs of the other's chunks.
struct tiny_pairs {
    using owner = alloc::combined_ouroboros<simt_space,
                                            alloc::instance<alloc::chunk_based, alloc::virtual_array_queue,
                                                            alloc::power_of_two_classes<16, 64>, 1024>,
                                            alloc::instance<alloc::chunk_based, alloc::array_queue,
                                                            alloc::power_of_two_classes<128, 2048>, 2048>>;
};

template <class Variant>
class tiny_returns : public tiny_heap<Variant> {};
using returning_variants = std::conditional_t<
    sanitized, ::testing::Types<tiny_variant<alloc::chunk_based, alloc::virtual_linked_queue>>,
    ::testing::Types<tiny_variant<alloc::chunk_based, alloc::array_queue>,
                     tiny_variant<alloc::chunk_based, alloc::virtual_array_queue>,
                     tiny_variant<alloc::chunk_based, alloc::virtual_linked_queue>, tiny_instances>>;
TYPED_TEST_SUITE(tiny_returns, returning_variants, variant_names);

/// Each thread holds one page at a time, of a size that changes from turn to turn. There are as many chunks
/// as threads. So a thread that asks finds a chunk of which no page is live, and must be served.
template <class Ref, std::uint64_t Sizes, std::uint64_t Turns>
struct one_page_each {
    Ref ref;
    std::uint64_t* wrong;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t errors = 0;
        std::uint64_t served = 0;
        std::uint64_t dice = thread.rank() * 0x9e37'79b9'7f4a'7c15ull + 1;
        for (std::uint64_t turn = 0; turn < Turns; ++turn) {
            dice = dice * 6364136223846793005ull + 1442695040888963407ull;
            std::uint64_t const bytes =
                Sizes == 2 ? ((dice >> 40) % 2 == 0 ? 16 : 1024) : std::uint64_t{16} << (dice >> 40) % Sizes;
            void* const block = ref.allocate(thread, bytes);
            errors += block == nullptr ? 1 : 0;
            if (block == nullptr) continue;
            ++served;
            std::uint64_t const owner = thread.rank() * Turns + turn;
            fill(block, bytes, owner);
            if ((dice >> 50) % 2 == 0) thread.pause();
            errors += holds(block, bytes, owner) ? 0 : 1;
            ref.deallocate(thread, block);
        }
        if (errors != 0) thread.device(*wrong).fetch_add(errors, exec::order::relaxed);
        thread.device(wrong[1]).fetch_add(served, exec::order::relaxed);
    }
};

TYPED_TEST(tiny_returns, serve_each_thread_in_any_size) {
    explore_heap<typename TestFixture::tiny, one_page_each<typename TestFixture::tiny_ref, 7, 6>>(
        (32u << 10) + 2 * TestFixture::for_queues, {2, 16}, 2 * seeds);
}
TYPED_TEST(tiny_returns, serve_each_thread_in_the_smallest_and_the_largest_size) {
    explore_heap<typename TestFixture::tiny, one_page_each<typename TestFixture::tiny_ref, 2, 8>>(
        (8u << 10) + TestFixture::for_queues, {8, 1}, 8 * seeds);
}

/// Threads take a share of all pages of the smallest size, and free them while others do the same; then each
/// takes a whole chunk, beside threads that still use the smallest pages.
template <class Ref>
struct small_then_large {
    Ref ref;
    std::uint64_t* wrong;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t errors = 0;
        std::uint64_t served = 0;
        constexpr std::uint64_t most = 16;
        void* held[most] = {};
        for (std::uint64_t turn = 0; turn < 3; ++turn) {
            bool const is_large = (thread.rank() + turn) % 4 == 0;
            std::uint64_t const bytes = is_large ? 1024 : 16;
            std::uint64_t const count = is_large ? 2 : most;
            for (std::uint64_t i = 0; i < count; ++i) {
                held[i] = ref.allocate(thread, bytes);
                served += held[i] != nullptr ? 1 : 0;
                if (held[i] != nullptr) fill(held[i], bytes, thread.rank() * most + i);
            }
            for (std::uint64_t i = 0; i < count; ++i) {
                if (held[i] == nullptr) continue;
                errors += holds(held[i], bytes, thread.rank() * most + i) ? 0 : 1;
                ref.deallocate(thread, held[i]);
            }
        }
        // An extent of half the heap: refused while others hold pages all over it.
        void* const extent = ref.allocate(thread, 8192);
        if (extent != nullptr) fill(extent, 8192, thread.rank());
        if (extent != nullptr) errors += holds(extent, 8192, thread.rank()) ? 0 : 1;
        ref.deallocate(thread, extent);
        if (errors != 0) thread.device(*wrong).fetch_add(errors, exec::order::relaxed);
        thread.device(wrong[1]).fetch_add(served, exec::order::relaxed);
    }
};

TYPED_TEST(tiny_returns, lose_no_page_between_the_smallest_and_the_largest_size) {
    explore_heap<typename TestFixture::tiny, small_then_large<typename TestFixture::tiny_ref>>(
        16u << 10, {2, 32}, 2 * seeds, 64);
}

TEST(tiny_pairs_of_chunks, lose_no_page_between_instances) {
    using ref_type = tiny_pairs::owner::ref_type;
    explore_heap<tiny_pairs::owner, small_then_large<ref_type>>(16u << 10, {2, 32}, 2 * seeds, 64);
}

} // namespace
} // namespace rhizome::tests::of_chunk_return
