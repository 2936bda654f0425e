// SPDX-License-Identifier: Apache-2.0
// What rhizome_malloc does in kernels and on the host, on host and emulator: the functions of malloc.cu
// without their names in C. program.cu calls these on a GPU.
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/simt/explore.hpp>
#include <rhizome/malloc/heap.hpp>
#include <rhizome/malloc/report.hpp>

#include <gtest/gtest.h>
#include <scale.hpp>
#include <spaces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::tests::malloc_heap {
namespace {

using program_heap::call_site;
using program_heap::heap_options;

/// The call of a thread, as the C functions are called.
template <class Heap, class Thread>
struct calls {
    Heap const& heap;
    Thread const& thread;

    [[nodiscard]] RZ_HD void* allocate(std::uint64_t bytes, call_site site) const {
        return heap.allocate(thread, 16, bytes, site);
    }
    [[nodiscard]] RZ_HD void* allocate_zeroed(std::uint64_t count, std::uint64_t bytes,
                                              call_site site) const {
        return program_heap::zeroed_block(count, bytes,
                                          [&](std::uint64_t all) { return allocate(all, site); });
    }
    [[nodiscard]] RZ_HD void* reallocate(void* block, std::uint64_t bytes, call_site site) const {
        return heap.reallocate(
            thread, block, bytes, [&](std::uint64_t all) { return allocate(all, site); },
            [&](void* old) { heap.deallocate(thread, old, site); });
    }
};

struct random_stream {
    std::uint64_t state;
    [[nodiscard]] RZ_HD std::uint64_t below(std::uint64_t most) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return (state >> 33) % most;
    }
};

/// Mostly small sizes, some up to 8 KiB, and a few that take several chunks.
[[nodiscard]] RZ_HD std::uint64_t random_bytes(random_stream& random) {
    std::uint64_t const kind = random.below(64);
    return 1 + random.below(kind == 0 ? 40'000 : kind < 8 ? 8192 : 300);
}

struct churn_counts {
    std::uint64_t wrong_bytes, misaligned, served, refused;
};

/// Each thread allocates, checks, reallocates and frees blocks of its own, in all ways, each filled with a
/// pattern of the thread and the slot: blocks that overlap are found by their contents.
template <class Heap>
struct churn {
    Heap heap;
    churn_counts* counts;
    std::uint64_t operations;
    std::uint64_t seed;

    struct held {
        unsigned char* at = nullptr;
        std::uint64_t bytes = 0;
        unsigned char pattern = 0;
    };

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        random_stream random{(seed << 32) + thread.rank() * 7919};
        calls<Heap, Thread> const call{heap, thread};
        held blocks[4];
        churn_counts found{};
        for (std::uint64_t i = 0; i < operations; ++i) {
            std::uint64_t const slot = random.below(4);
            held& block = blocks[slot];
            check(block, block.bytes, found);
            auto const pattern = static_cast<unsigned char>(1 + (thread.rank() * 4 + slot + i * 31) % 255);
            std::uint64_t const bytes = random_bytes(random);
            if (block.at == nullptr) {
                block.at = take(call, random, bytes, found);
            } else if (random.below(3) == 0) {
                void* const moved = call.reallocate(block.at, bytes, {"churn", 1});
                if (moved == nullptr) continue; // the block is as it was
                std::uint64_t const kept = block.bytes < bytes ? block.bytes : bytes;
                block.at = static_cast<unsigned char*>(moved);
                check(block, kept, found);
            } else {
                heap.deallocate(thread, block.at, {"churn", 2});
                block.at = nullptr;
            }
            block.bytes = block.at == nullptr ? 0 : bytes;
            block.pattern = pattern;
            for (std::uint64_t k = 0; k < block.bytes; ++k)
                block.at[k] = pattern;
        }
        for (held const& block : blocks) {
            check(block, block.bytes, found);
            heap.deallocate(thread, block.at, {"churn", 3});
        }
        add(thread, counts->wrong_bytes, found.wrong_bytes);
        add(thread, counts->misaligned, found.misaligned);
        add(thread, counts->served, found.served);
        add(thread, counts->refused, found.refused);
    }

    template <class Call>
    [[nodiscard]] RZ_HD unsigned char* take(Call const& call, random_stream& random, std::uint64_t bytes,
                                            churn_counts& found) const {
        std::uint64_t const way = random.below(4);
        std::uint64_t const alignment = way == 0 ? std::uint64_t{16} << random.below(10) : 16;
        void* const block = way == 0   ? heap.allocate(call.thread, alignment, bytes, {"churn", 4})
                            : way == 1 ? call.allocate_zeroed(bytes, 1, {"churn", 5})
                                       : call.allocate(bytes, {"churn", 6});
        if (block == nullptr) {
            ++found.refused;
            return nullptr;
        }
        ++found.served;
        if (reinterpret_cast<std::uintptr_t>(block) % alignment != 0) ++found.misaligned;
        auto* const at = static_cast<unsigned char*>(block);
        for (std::uint64_t i = 0; way == 1 && i < bytes; ++i)
            found.wrong_bytes += at[i] != 0 ? 1 : 0;
        return at;
    }
    static RZ_HD void check(held const& block, std::uint64_t bytes, churn_counts& found) {
        for (std::uint64_t i = 0; i < bytes; ++i)
            found.wrong_bytes += block.at[i] != block.pattern ? 1 : 0;
    }
    template <class Thread>
    static RZ_HD void add(Thread const& thread, std::uint64_t& total, std::uint64_t count) {
        if (count != 0) thread.device(total).fetch_add(count, exec::order::relaxed);
    }
};

/// Threads exchange blocks through a few slots by relaxed atomics, and free what they get in the same launch.
template <class Heap>
struct hand_over {
    Heap heap;
    std::uint64_t* slots; ///< addresses of blocks; 0: none
    std::uint64_t count;
    std::uint64_t rounds;
    std::uint64_t seed;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        random_stream random{(seed << 32) + thread.rank() * 7919};
        for (std::uint64_t i = 0; i < rounds; ++i) {
            // Half of the blocks are whole chunks, whose headers change most often.
            std::uint64_t const bytes =
                random.below(2) == 0 ? 8192 + random.below(8192) : random_bytes(random);
            void* const made = heap.allocate(thread, 16, bytes, {"hand.cu", 1});
            pass(thread, random.below(count), reinterpret_cast<std::uint64_t>(made));
        }
        for (std::uint64_t i = thread.rank(); i < count; i += thread.size())
            pass(thread, i, 0);
    }
    template <class Thread>
    RZ_HD void pass(Thread const& thread, std::uint64_t slot, std::uint64_t block) const {
        // relaxed: as a program's atomicExch()
        std::uint64_t const got = thread.device(slots[slot]).exchange(block, exec::order::relaxed);
        heap.deallocate(thread, reinterpret_cast<void*>(got), {"hand.cu", 2});
    }
};

/// Allocates `count` blocks at one place.
template <class Heap>
struct allocate_at {
    Heap heap;
    call_site site;
    std::uint64_t bytes;
    void** blocks;
    std::uint64_t count;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count,
                            [&](std::uint64_t i) { blocks[i] = heap.allocate(thread, 16, bytes, site); });
    }
};

template <class Heap>
struct free_at {
    Heap heap;
    call_site site;
    void* const* blocks;
    std::uint64_t count;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count,
                            [&](std::uint64_t i) { heap.deallocate(thread, blocks[i], site); });
    }
};

/// Fills blocks with their numbers, or counts bytes that differ.
struct mark_blocks {
    void* const* blocks;
    std::uint64_t bytes;
    std::uint64_t count;
    std::uint64_t* wrong; ///< nullptr: fills

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            auto* const at = static_cast<unsigned char*>(blocks[i]);
            auto const mark = static_cast<unsigned char>(i * 7 + 1);
            for (std::uint64_t k = 0; at != nullptr && k < bytes; ++k) {
                if (wrong == nullptr)
                    at[k] = mark;
                else if (at[k] != mark)
                    thread.device(*wrong).fetch_add(1, exec::order::relaxed);
            }
        });
    }
};

/// Runs function(thread) in one thread.
template <class Function>
struct alone {
    Function function;
    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (thread.rank() == 0) function(thread);
    }
};

template <class Space>
class fixture {
public:
    using heap_type = program_heap::heap<Space>;

    explicit fixture(Space space, heap_options const& options)
        : space_(std::move(space)), heap_(space_, options) {}

    [[nodiscard]] Space& space() { return space_; }
    [[nodiscard]] heap_type& heap() { return heap_; }

    [[nodiscard]] exec::buffer<Space, void*> allocate(call_site site, std::uint64_t count,
                                                      std::uint64_t bytes) {
        exec::buffer<Space, void*> blocks(space_, count);
        launch(space_, exec::cover_threads(space_, count),
               allocate_at<ref_type>{heap_.ref(), site, bytes, blocks.data(), count});
        return blocks;
    }
    void free(call_site site, exec::buffer<Space, void*>& blocks, std::uint64_t count) {
        launch(space_, exec::cover_threads(space_, count),
               free_at<ref_type>{heap_.ref(), site, blocks.data(), count});
    }
    void run(auto const& function) {
        launch(space_, {1, 1}, alone<std::decay_t<decltype(function)>>{function});
    }
    void fill(exec::buffer<Space, void*>& blocks, std::uint64_t bytes) {
        launch(space_, exec::cover_threads(space_, blocks.size()),
               mark_blocks{blocks.data(), bytes, blocks.size(), nullptr});
    }
    [[nodiscard]] std::uint64_t wrong_bytes(exec::buffer<Space, void*>& blocks, std::uint64_t bytes) {
        exec::buffer<Space, std::uint64_t> wrong(space_, 1);
        wrong.fill_bytes(0);
        launch(space_, exec::cover_threads(space_, blocks.size()),
               mark_blocks{blocks.data(), bytes, blocks.size(), wrong.data()});
        return wrong.to_host()[0];
    }
    [[nodiscard]] std::vector<std::string> lines() { return program_heap::report_leaks(heap_).lines; }

private:
    using ref_type = typename heap_type::ref_type;
    Space space_;
    heap_type heap_;
};

template <class Space>
[[nodiscard]] std::uint64_t served(exec::buffer<Space, void*> const& blocks) {
    auto const all = blocks.to_host();
    return all.size() - static_cast<std::uint64_t>(std::count(all.begin(), all.end(), nullptr));
}

template <class Space>
void expect_empty_and_sound(fixture<Space>& tested) {
    auto const found = tested.heap().statistics();
    EXPECT_EQ(found.violations, std::vector<std::string>{});
    EXPECT_EQ(found.live_bytes, 0u);
    EXPECT_EQ(tested.lines(), std::vector<std::string>{"rhizome_malloc: all blocks were freed"});
}

/// Returns what a churn found, after the heap was looked at.
template <class Space>
[[nodiscard]] churn_counts churn_on(Space space, bool checked, std::uint64_t threads,
                                    std::uint64_t operations, std::uint64_t seed) {
    fixture<Space> tested(space, {.heap_bytes = 4u << 20, .checked = checked});
    exec::buffer<Space, churn_counts> counts(space, 1);
    counts.fill_bytes(0);
    launch(space, exec::one_thread_each(space, threads, 64),
           churn<typename program_heap::heap<Space>::ref_type>{tested.heap().ref(), counts.data(), operations,
                                                               seed});
    churn_counts const found = counts.to_host()[0];
    expect_empty_and_sound(tested);
    return found;
}

/// What the heap says after threads have handed blocks over; empty: nothing is wrong.
template <class Space>
[[nodiscard]] std::vector<std::string>
complaints_after_handing_over(Space space, bool checked, std::uint64_t rounds, std::uint64_t seed) {
    fixture<Space> tested(space, {.heap_bytes = 4u << 20, .checked = checked});
    constexpr std::uint64_t slots = 16;
    exec::buffer<Space, std::uint64_t> handed(space, slots);
    handed.fill_bytes(0);
    using kernel = hand_over<typename program_heap::heap<Space>::ref_type>;
    launch(space, exec::one_thread_each(space, 96, 32),
           kernel{tested.heap().ref(), handed.data(), slots, rounds, seed});
    launch(space, {1, 1}, kernel{tested.heap().ref(), handed.data(), slots, 0, seed}); // what is left
    std::vector<std::string> found = tested.heap().statistics().violations;
    auto const lines = tested.lines();
    if (lines != std::vector<std::string>{"rhizome_malloc: all blocks were freed"})
        found.insert(found.end(), lines.begin(), lines.end());
    return found;
}

template <class Space>
class malloc_heap : public space_test {};
TYPED_TEST_SUITE(malloc_heap, all_spaces, space_names);

TYPED_TEST(malloc_heap, blocks_of_all_calls_keep_their_contents) {
    for (bool const checked : {false, true}) {
        constexpr std::uint64_t threads = 96;
        std::uint64_t const operations = std::max<std::uint64_t>(20, work<TypeParam>(1000, 120));
        churn_counts const found = churn_on(make_space<TypeParam>(), checked, threads, operations, 1);
        EXPECT_EQ(found.wrong_bytes, 0u) << checked;
        EXPECT_EQ(found.misaligned, 0u) << checked;
        EXPECT_GT(found.served, threads * 2) << checked;
    }
}

TYPED_TEST(malloc_heap, reports_leaks_by_the_place_that_allocated_them) {
    fixture tested(make_space<TypeParam>(), {.heap_bytes = 4u << 20, .checked = true});
    auto small = tested.allocate({"nodes.cu", 12}, 100, 24);
    auto same_line = tested.allocate({"other.cu", 12}, 3, 5000);
    auto freed = tested.allocate({"nodes.cu", 40}, 50, 8);
    tested.free({"nodes.cu", 41}, freed, 50);
    tested.free({"nodes.cu", 42}, small, 99);
    EXPECT_EQ(tested.lines(), (std::vector<std::string>{
                                  "rhizome_malloc: 3 blocks, 15000 bytes not freed: allocated at other.cu:12",
                                  "rhizome_malloc: 1 block, 24 bytes not freed: allocated at nodes.cu:12"}));
    auto const report = program_heap::report_leaks(tested.heap());
    EXPECT_EQ(report.blocks, 4u);
    EXPECT_EQ(report.bytes, 15024u);
    EXPECT_EQ(report.mistakes, 0u);
}

TYPED_TEST(malloc_heap, says_how_much_leaks_without_checks) {
    fixture tested(make_space<TypeParam>(), {.heap_bytes = 4u << 20});
    auto const blocks = tested.allocate({"nodes.cu", 12}, 10, 32);
    EXPECT_EQ(tested.lines(), std::vector<std::string>{"rhizome_malloc: 320 bytes not freed; options.checked "
                                                       "shows where they were allocated"});
}

TYPED_TEST(malloc_heap, finds_wrong_frees_and_writes_past_the_ends) {
    fixture tested(make_space<TypeParam>(), {.heap_bytes = 4u << 20, .checked = true});
    auto blocks = tested.allocate({"make.cu", 1}, 4, 40);
    auto const heap = tested.heap().ref();
    void* const* const at = blocks.data();
    tested.run([heap, at](auto const& thread) {
        static_cast<unsigned char*>(at[0])[48] = 1; // the canary is behind a multiple of 16 bytes
        static_cast<unsigned char*>(at[1])[-1] ^= 1;
        heap.deallocate(thread, at[0], {"free.cu", 2});
        heap.deallocate(thread, at[0], {"free.cu", 3});
        heap.deallocate(thread, static_cast<unsigned char*>(at[2]) + 16, {"free.cu", 4});
        heap.deallocate(thread, nullptr, {"free.cu", 5});
    });
    std::vector<std::string> const expected{
        "rhizome_malloc: 3 blocks, 120 bytes not freed: allocated at make.cu:1",
        "rhizome_malloc: 1 block written in front of the start: allocated at make.cu:1",
        "rhizome_malloc: 1 block written past the end: allocated at make.cu:1",
        "rhizome_malloc: 1 block freed again at free.cu:3",
        "rhizome_malloc: 1 pointer freed at free.cu:4 that no allocation returned"};
    auto found = tested.lines();
    EXPECT_TRUE(std::is_permutation(found.begin(), found.end(), expected.begin(), expected.end()))
        << ::testing::PrintToString(found);
    EXPECT_EQ(tested.lines(), found) << "a report changes nothing";
    EXPECT_EQ(tested.heap().statistics().violations, std::vector<std::string>{});
}

TYPED_TEST(malloc_heap, reallocates_only_live_blocks_in_checked_mode) {
    fixture tested(make_space<TypeParam>(), {.heap_bytes = 4u << 20, .checked = true});
    auto blocks = tested.allocate({"make.cu", 1}, 1, 40);
    exec::buffer<TypeParam, void*> results(tested.space(), 2);
    auto const heap = tested.heap().ref();
    void* const* const at = blocks.data();
    void** const result = results.data();
    tested.run([heap, at, result](auto const& thread) {
        calls<std::decay_t<decltype(heap)>, std::decay_t<decltype(thread)>> const call{heap, thread};
        result[0] = call.reallocate(at[0], 41, {"move.cu", 1});
        result[1] = call.reallocate(at[0], 42, {"move.cu", 2});
    });
    auto const got = results.to_host();
    EXPECT_NE(got[0], nullptr);
    EXPECT_NE(got[0], blocks.to_host()[0]);
    EXPECT_EQ(got[1], nullptr);
    EXPECT_EQ(tested.lines(),
              (std::vector<std::string>{"rhizome_malloc: 1 block, 41 bytes not freed: allocated at move.cu:1",
                                        "rhizome_malloc: 1 block freed again at move.cu:2"}));
}

TYPED_TEST(malloc_heap, frees_blocks_that_threads_hand_over) {
    for (bool const checked : {false, true})
        EXPECT_EQ(complaints_after_handing_over(make_space<TypeParam>(), checked,
                                                std::max<std::uint64_t>(10, work<TypeParam>(1000, 40)), 1),
                  std::vector<std::string>{})
            << checked;
}

// One name at two addresses.
constexpr char name_in_first_unit[] = "list.hpp";
constexpr char name_in_second_unit[] = "list.hpp";

TYPED_TEST(malloc_heap, adds_up_a_place_that_two_translation_units_have) {
    fixture tested(make_space<TypeParam>(), {.heap_bytes = 4u << 20, .checked = true});
    auto const heap = tested.heap().ref();
    tested.run([heap](auto const& thread) {
        void* const block = heap.allocate(thread, 16, 10, {name_in_first_unit, 7});
        static_cast<void>(heap.allocate(thread, 16, 20, {name_in_second_unit, 7}));
        static_cast<void>(heap.allocate(thread, 16, 30, {name_in_second_unit, 8}));
        heap.deallocate(thread, block, {name_in_first_unit, 9});
        heap.deallocate(thread, block, {name_in_first_unit, 9});
        heap.deallocate(thread, block, {name_in_second_unit, 9});
        static_cast<void>(heap.allocate(thread, 16, 4000, {name_in_first_unit, 7}));
    });
    EXPECT_EQ(tested.lines(), (std::vector<std::string>{
                                  "rhizome_malloc: 2 blocks, 4020 bytes not freed: allocated at list.hpp:7",
                                  "rhizome_malloc: 1 block, 30 bytes not freed: allocated at list.hpp:8",
                                  "rhizome_malloc: 2 blocks freed again at list.hpp:9"}));
}

TYPED_TEST(malloc_heap, knows_freed_blocks_after_growth) {
    fixture tested(make_space<TypeParam>(),
                   {.heap_bytes = small_heap_bytes, .most_bytes = 64u << 20, .checked = true});
    auto blocks = tested.allocate({"grow.cu", 1}, 20, 100);
    tested.free({"grow.cu", 2}, blocks, 20);
    tested.heap().grow(4 * small_heap_bytes);
    tested.free({"grow.cu", 3}, blocks, 20);
    EXPECT_EQ(tested.lines(),
              (std::vector<std::string>{"rhizome_malloc: all blocks were freed",
                                        "rhizome_malloc: 20 blocks freed again at grow.cu:3"}));
}

TYPED_TEST(malloc_heap, grows_between_launches) {
    for (bool const checked : {false, true}) {
        fixture tested(make_space<TypeParam>(),
                       {.heap_bytes = small_heap_bytes, .most_bytes = 64u << 20, .checked = checked});
        constexpr std::uint64_t bytes = 2000;
        std::uint64_t const count = small_heap_bytes / bytes + 10; // more than fit
        auto before = tested.allocate({"grow.cu", 1}, count, bytes);
        std::uint64_t const fitted = served(before);
        EXPECT_LT(fitted, count);
        EXPECT_GT(fitted, count / 2);
        EXPECT_EQ(tested.heap().statistics().refused.requests, count - fitted);
        EXPECT_EQ(tested.heap().statistics().refused.bytes, (count - fitted) * bytes);
        tested.fill(before, bytes);
        tested.heap().grow(4 * small_heap_bytes);
        EXPECT_GE(tested.heap().heap_bytes(), 5 * small_heap_bytes);
        auto after = tested.allocate({"grow.cu", 2}, count, bytes);
        EXPECT_EQ(served(after), count);
        tested.fill(after, bytes);
        EXPECT_EQ(tested.wrong_bytes(before, bytes), 0u);
        EXPECT_EQ(tested.wrong_bytes(after, bytes), 0u);
        tested.free({"grow.cu", 3}, before, count);
        tested.free({"grow.cu", 4}, after, count);
        expect_empty_and_sound(tested);
    }
}

TYPED_TEST(malloc_heap, stays_as_it_was_where_it_cannot_grow) {
    for (bool const checked : {false, true}) {
        fixture tested(make_space<TypeParam>({.memory_limit_bytes = 32u << 20}),
                       {.heap_bytes = 2u << 20, .checked = checked});
        auto blocks = tested.allocate({"grow.cu", 1}, 100, 100);
        EXPECT_THROW(tested.heap().grow(1u << 30), exec::out_of_memory);
        EXPECT_THROW(tested.heap().grow(~std::uint64_t{0}), exec::out_of_memory);
        EXPECT_EQ(tested.heap().heap_bytes(), 2u << 20);
        tested.free({"grow.cu", 2}, blocks, 100);
        expect_empty_and_sound(tested);
    }
}

TYPED_TEST(malloc_heap, refuses_what_no_heap_can_serve) {
    for (bool const checked : {false, true}) {
        fixture tested(make_space<TypeParam>(), {.heap_bytes = 2u << 20, .checked = checked});
        exec::buffer<TypeParam, void*> results(tested.space(), 9);
        auto const heap = tested.heap().ref();
        void** const result = results.data();
        tested.run([heap, result](auto const& thread) {
            calls<std::decay_t<decltype(heap)>, std::decay_t<decltype(thread)>> const call{heap, thread};
            call_site const here{"refuse.cu", 1};
            result[0] = call.allocate(std::uint64_t{3} << 20, here);
            result[1] = call.allocate(~std::uint64_t{0}, here);
            result[2] = call.allocate_zeroed(std::uint64_t{1} << 33, std::uint64_t{1} << 33, here);
            result[3] = heap.allocate(thread, 48, 16, here);
            result[4] = heap.allocate(thread, 16384, 16, here);
            result[5] = heap.allocate(thread, 0, 16, here);
            void* const block = call.allocate(10, here);
            result[6] = call.reallocate(block, std::uint64_t{3} << 20, here);
            heap.deallocate(thread, block, here); // still there
            result[7] = call.allocate(0, here);   // a block
            result[8] = call.allocate(1u << 20, here);
            heap.deallocate(thread, result[7], here);
            heap.deallocate(thread, result[8], here);
        });
        auto const got = results.to_host();
        for (std::size_t i = 0; i < 7; ++i)
            EXPECT_EQ(got[i], nullptr) << i;
        EXPECT_NE(got[7], nullptr);
        EXPECT_NE(got[8], nullptr);
        EXPECT_EQ(tested.heap().statistics().refused.requests, 7u);
        expect_empty_and_sound(tested);
    }
}

TYPED_TEST(malloc_heap, reports_more_places_than_its_table_holds) {
    fixture tested(make_space<TypeParam>(), {.heap_bytes = 4u << 20, .checked = true});
    auto const heap = tested.heap().ref();
    constexpr std::uint32_t places = 1500;
    tested.run([heap](auto const& thread) {
        for (std::uint32_t line = 1; line <= places; ++line)
            static_cast<void>(heap.allocate(thread, 16, 1, {"many.cu", line}));
    });
    auto const report = program_heap::report_leaks(tested.heap());
    EXPECT_EQ(report.blocks, places);
    EXPECT_TRUE(std::any_of(report.lines.begin(), report.lines.end(), [](std::string const& line) {
        return line.find("allocated at places for which the table has no room") != std::string::npos;
    }));
}

#if !RZ_THREAD_SANITIZER // the emulator has one OS thread
TEST(malloc_schedules, blocks_keep_their_contents) {
    exec::exploration const explored = exec::explore(1, scaled(24), [](exec::simt_space& space) {
        churn_counts const found = churn_on(space, space.seed() % 2 == 0, 96, 12, space.seed());
        return found.wrong_bytes == 0 && found.misaligned == 0;
    });
    EXPECT_TRUE(explored) << explored.report();
}
TEST(malloc_schedules, blocks_that_are_handed_over_are_freed) {
    exec::exploration const explored = exec::explore(1, scaled(24), [](exec::simt_space& space) {
        return complaints_after_handing_over(space, space.seed() % 2 == 0, 10, space.seed()).empty();
    });
    EXPECT_TRUE(explored) << explored.report();
}
#endif

} // namespace
} // namespace rhizome::tests::malloc_heap
