// SPDX-License-Identifier: Apache-2.0
// What rewritten CUDA sources include, on the host under AddressSanitizer: static calls, and a free that
// takes pointers of any origin and reads nothing outside of the blocks that it gets.
#define RHIZOME_COALESCED_WINDOWS 64 // can be full
#include <device_on_host.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <random>
#include <string>
#include <vector>

// Freed memory is given out again at once; a request that cannot be served gets a null pointer.
extern "C" char const* __asan_default_options() { return "quarantine_size_mb=0:allocator_may_return_null=1"; }

namespace {

namespace coalesced = rhizome::coalesced;

struct block_wide {
    static void* allocate(std::size_t bytes) { return coalesced::block_malloc(bytes); }
    static constexpr unsigned threads = 1024;
};
struct warp_wide {
    static void* allocate(std::size_t bytes) { return coalesced::warp_malloc(bytes); }
    static constexpr unsigned threads = 32;
};

// One pointer per thread of a block.
template <class Scope>
std::vector<char*> allocated(unsigned threads, std::size_t bytes) {
    std::vector<char*> all(threads);
    on_host::run_block(threads, [&] { all[threadIdx.x] = static_cast<char*>(Scope::allocate(bytes)); });
    return all;
}

bool is_part(void const* pointer) { return coalesced::detail::superblock_around(pointer) != nullptr; }

// The next tests begin with an empty directory.
void clear_directory() {
    for (coalesced::detail::directory_slot& slot : coalesced::detail::directory) {
        std::free(reinterpret_cast<void*>(slot.records)); // NOLINT
        slot = {0, 0};
    }
}

template <class Scope>
class static_call : public testing::Test {
protected:
    void TearDown() override { clear_directory(); }
};
using scopes = testing::Types<block_wide, warp_wide>;
struct scope_names {
    template <class Scope>
    static std::string GetName(int) {
        return Scope::threads == 32 ? "warp" : "block";
    }
};
TYPED_TEST_SUITE(static_call, scopes, scope_names);

TYPED_TEST(static_call, gives_parts_side_by_side_which_any_thread_frees) {
    for (unsigned const threads : {1u, 40u, 70u})
        for (std::size_t const bytes : {1u, 40u, 1500u}) {
            std::vector<char*> const parts = allocated<TypeParam>(threads, bytes);
            for (unsigned i = 0; i < threads; ++i) {
                ASSERT_NE(parts[i], nullptr);
                ASSERT_TRUE(is_part(parts[i]));
                ASSERT_EQ(reinterpret_cast<std::uintptr_t>(parts[i]) % 16, 0u);
                if (i % TypeParam::threads != 0) {
                    ASSERT_EQ(parts[i] - parts[i - 1], static_cast<std::ptrdiff_t>((bytes + 15) / 16 * 16));
                }
                std::memset(parts[i], static_cast<int>(i), bytes);
            }
            for (unsigned i = 0; i < threads; ++i)
                ASSERT_EQ(static_cast<unsigned char>(parts[i][bytes - 1]), i);
            on_host::run_block(threads, [&] { coalesced::free(parts[threads - 1 - threadIdx.x]); });
            for (char const* const part : parts)
                ASSERT_FALSE(is_part(part)); // the superblock is gone from the registry
        }
}

TYPED_TEST(static_call, gives_all_threads_nothing_if_memory_is_out) {
    for (char const* const part : allocated<TypeParam>(2, std::size_t{1} << 50))
        EXPECT_EQ(part, nullptr);
    for (char const* const part : allocated<TypeParam>(2, ~std::size_t{0} - 64))
        EXPECT_EQ(part, nullptr);
}

TYPED_TEST(static_call, gives_each_thread_a_block_of_its_own_if_the_registry_is_full) {
    for (unsigned long long window = 0; window < coalesced::detail::directory_slots; ++window)
        ASSERT_NE(coalesced::detail::make_window(window), nullptr);
    for (char* const part : allocated<TypeParam>(40, 24)) {
        ASSERT_NE(part, nullptr);
        EXPECT_FALSE(is_part(part));
        std::memset(part, 1, 24);
        coalesced::free(part);
    }
}

// The registry has room for the beginning of the superblock alone.
TYPED_TEST(static_call, leaves_no_trace_of_a_superblock_for_which_there_is_no_room) {
    for (unsigned long long window = 0; window + 3 < coalesced::detail::directory_slots; ++window)
        ASSERT_NE(coalesced::detail::make_window(window), nullptr);
    std::vector<char*> const parts = allocated<TypeParam>(32, std::size_t{1} << 16);
    for (char* const part : parts) {
        ASSERT_NE(part, nullptr);
        EXPECT_FALSE(is_part(part));
        coalesced::free(part);
    }
    for (coalesced::detail::directory_slot const& slot : coalesced::detail::directory)
        for (unsigned i = 0; slot.records != 0 && i < coalesced::detail::records_per_window; ++i) {
            auto const& one = reinterpret_cast<coalesced::detail::window_records*>(slot.records)->of[i];
            EXPECT_EQ(one.covered, 0u);
            EXPECT_EQ(one.starts, 0u);
        }
}

TYPED_TEST(static_call, of_a_thread_that_calls_it_alone_gives_a_block_of_malloc) {
    on_host::run_block(40, [&] {
        if (threadIdx.x % 3 != 0) return;
        void* const own = coalesced::warp_malloc(24, coalesced::reached::by_some);
        std::memset(own, 1, 24);
        EXPECT_FALSE(is_part(own));
        coalesced::free(own);
        coalesced::free(coalesced::block_malloc(24, coalesced::reached::by_some));
    });
}

TEST(coalesced_free, takes_pointers_of_malloc_and_null_pointers) {
    coalesced::free(nullptr);
    for (std::size_t bytes = 0; bytes < 200; ++bytes)
        coalesced::free(std::malloc(bytes)); // NOLINT
}

// Threads that allocate, hand pointers over and free at once, among blocks of malloc that come and go beside
// the parts.
TEST(coalesced_free, tells_parts_from_other_blocks_while_threads_allocate) {
    std::mutex lock;
    std::vector<std::pair<unsigned char*, std::size_t>> held;
    blockDim = {1, 1, 1};
    std::vector<std::thread> running;
    for (unsigned thread = 0; thread < 4; ++thread)
        running.emplace_back([&, thread] {
            on_host::group own(1);
            on_host::warp = &own;
            std::mt19937 dice(thread);
            for (int step = 0; step < 10000; ++step) {
                std::pair<unsigned char*, std::size_t> one{nullptr,
                                                           1 + dice() % (dice() % 50 == 0 ? 5000 : 90)};
                bool const is_static = dice() % 2 == 0;
                one.first = static_cast<unsigned char*>(is_static ? coalesced::warp_malloc(one.second)
                                                                  : std::malloc(one.second)); // NOLINT
                std::memset(one.first, static_cast<int>(one.second % 251), one.second);
                {
                    std::lock_guard const guard(lock);
                    held.push_back(one);
                    std::swap(held.back(), held[dice() % held.size()]);
                    if (held.size() < 500) continue;
                    one = held.back();
                    held.pop_back();
                }
                ASSERT_TRUE(std::all_of(one.first, one.first + one.second,
                                        [&](unsigned char byte) { return byte == one.second % 251; }));
                coalesced::free(one.first);
            }
        });
    for (std::thread& one : running)
        one.join();
    for (auto const& [pointer, bytes] : held)
        coalesced::free(pointer);
    for (coalesced::detail::directory_slot const& slot : coalesced::detail::directory)
        for (unsigned i = 0; slot.records != 0 && i < coalesced::detail::records_per_window; ++i)
            EXPECT_EQ(reinterpret_cast<coalesced::detail::window_records*>(slot.records)->of[i].covered, 0u);
    clear_directory();
}

} // namespace
