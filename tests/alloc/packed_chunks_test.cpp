// SPDX-License-Identifier: Apache-2.0
// Packing a heap: chunks move from its end into free chunks below, and the memory at the end is given back.
#include <rhizome/alloc/abilities.hpp>
#include <rhizome/alloc/decorators/checked.hpp>
#include <rhizome/alloc/decorators/counting.hpp>
#include <rhizome/alloc/decorators/failing.hpp>
#include <rhizome/alloc/ouroboros/ouroboros.hpp>
#include <rhizome/exec/alone.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/errors.hpp>

#include <allocators.hpp>
#include <gtest/gtest.h>
#include <spaces.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace rhizome::tests {
namespace packed_chunks_cases {

// ---- The plan, on the host ----

constexpr std::uint32_t page_chunk = alloc::make_header(alloc::chunk_kind::pages, 5);
constexpr std::uint64_t no_limit = ~std::uint64_t{0};
constexpr std::uint64_t none_free = ~std::uint64_t{0}; ///< share

/// A heap of random chunks of pages and extents. `use`: in percent.
std::vector<std::uint32_t> random_headers(std::uint64_t chunks, std::uint64_t use, std::uint64_t longest,
                                          std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<std::uint32_t> headers(chunks, 0);
    for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) {
        if (random() % 100 >= use) continue;
        std::uint64_t const length = longest == 0 || random() % 8 != 0 ? 0 : 1 + random() % longest;
        if (length == 0) {
            headers[chunk] = page_chunk;
        } else if (chunk + length <= chunks) {
            headers[chunk] = alloc::make_header(alloc::chunk_kind::extent, length);
            chunk += length - 1;
        }
    }
    return headers;
}

/// The heap as one number per chunk: which unit it belongs to; 0: none.
std::vector<std::uint64_t> owners_of(std::vector<std::uint32_t> const& headers) {
    std::vector<std::uint64_t> owners(headers.size(), 0);
    for (std::uint64_t chunk = 0; chunk < headers.size(); ++chunk) {
        if (headers[chunk] == 0) continue;
        std::uint64_t const chunks = alloc::kind_of(headers[chunk]) == alloc::chunk_kind::extent
                                         ? alloc::detail_of(headers[chunk])
                                         : 1;
        for (std::uint64_t i = 0; i < chunks; ++i)
            owners[chunk + i] = (chunk + 1) * 1000 + i;
        chunk += chunks - 1;
    }
    return owners;
}

/// Makes the moves of a round one by one, and checks that their order does not matter.
void make_moves(std::vector<std::uint64_t>& owners, std::vector<alloc::chunk_move> const& moves) {
    std::vector<std::uint64_t> const before = owners;
    for (alloc::chunk_move const& move : moves) {
        ASSERT_LT(move.from, before.size());
        ASSERT_NE(before[move.from], 0u) << "a chunk that moves is in use";
        ASSERT_EQ(before[move.to], 0u) << "and goes to one that was free";
        ASSERT_EQ(owners[move.to], 0u) << "alone";
        owners[move.to] = before[move.from];
    }
    for (alloc::chunk_move const& move : moves)
        owners[move.from] = 0;
}

/// Checks the plan for a heap, and returns it.
alloc::chunk_move_plan expect_sound_plan(std::vector<std::uint32_t> const& headers, std::uint64_t free_share,
                                         std::uint64_t most_moves, std::uint64_t step) {
    auto const plan = alloc::plan_chunk_moves(headers, free_share, most_moves, [&](std::uint64_t end) {
        return std::min<std::uint64_t>((end + step - 1) / step * step, headers.size());
    });
    EXPECT_LE(plan.moves(), most_moves);
    EXPECT_LE(plan.end, headers.size());
    std::vector<std::uint64_t> owners = owners_of(headers);
    std::vector<std::uint64_t> sorted = owners;
    make_moves(owners, plan.pages);
    make_moves(owners, plan.extents);
    for (std::uint64_t chunk = plan.end; chunk < owners.size(); ++chunk)
        EXPECT_EQ(owners[chunk], 0u) << "chunk " << chunk << " beyond the end " << plan.end;
    for (std::uint64_t chunk = 1; chunk < owners.size(); ++chunk)
        EXPECT_TRUE(owners[chunk] % 1000 == 0 || owners[chunk] == owners[chunk - 1] + 1)
            << "an extent stays in one piece";
    std::sort(owners.begin(), owners.end());
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(owners, sorted) << "all that was in use still is";
    return plan;
}

TEST(chunk_move_plan, of_pages_leaves_no_hole) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        auto const headers = random_headers(500 + seed, 5 * seed, 0, seed);
        auto const used = static_cast<std::uint64_t>(headers.size()) -
                          static_cast<std::uint64_t>(std::count(headers.begin(), headers.end(), 0u));
        EXPECT_EQ(expect_sound_plan(headers, none_free, no_limit, 1).end, used);
        EXPECT_EQ(expect_sound_plan(headers, 8, no_limit, 1).end,
                  std::min<std::uint64_t>(used + used / 8, headers.size()));
    }
}
TEST(chunk_move_plan, makes_room_for_extents) {
    for (std::uint64_t seed = 0; seed < 60; ++seed)
        for (std::uint64_t const step : {1u, 8u, 50u})
            static_cast<void>(expect_sound_plan(random_headers(700, 10 + seed, 1 + seed % 40, seed),
                                                1 + seed % 7, no_limit, step));

    // An extent of 30 chunks at the end, above every second chunk of 100 in use.
    std::vector<std::uint32_t> headers(200, 0);
    for (std::uint64_t chunk = 0; chunk < 100; chunk += 2)
        headers[chunk] = page_chunk;
    headers[170] = alloc::make_header(alloc::chunk_kind::extent, 30);
    EXPECT_EQ(expect_sound_plan(headers, none_free, no_limit, 1).end, 80u);
}
TEST(chunk_move_plan, keeps_to_a_limit_and_gets_there_in_pieces) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        auto const headers = random_headers(400, 30, seed % 3 == 0 ? 0 : 10, seed);
        std::uint64_t const whole = expect_sound_plan(headers, none_free, no_limit, 1).end;
        std::uint64_t before = headers.size();
        for (std::uint64_t const limit : {0u, 1u, 10u, 50u, 400u}) {
            auto const plan = expect_sound_plan(headers, none_free, limit, 1);
            EXPECT_LE(plan.end, before);
            EXPECT_GE(plan.end, whole);
            before = plan.end;
        }
        EXPECT_EQ(before, whole);
    }
}

// ---- Heaps ----

/// Pages of three sizes and extents. Each holds its number in all of its words.
[[nodiscard]] RZ_HD std::uint64_t bytes_of(std::uint64_t i) {
    return i % 41 == 0 ? 20'000 + i % 7 * 8'192 : i % 3 == 0 ? 48 : i % 3 == 1 ? 256 : 3000;
}

template <class Ref>
struct fill_heap {
    Ref ref;
    std::uint64_t** blocks;
    std::uint64_t count;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            if (blocks[i] != nullptr) return;
            blocks[i] = static_cast<std::uint64_t*>(ref.allocate(exec::alone(thread), bytes_of(i)));
            if (blocks[i] == nullptr) return;
            for (std::uint64_t word = 0; word < bytes_of(i) / 8; ++word)
                blocks[i][word] = i;
        });
    }
};
template <class Ref>
struct thin_out {
    Ref ref;
    std::uint64_t** blocks;
    std::uint64_t count;
    std::uint64_t kept; ///< one of so many

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            if (i % kept == 0) return;
            ref.deallocate(exec::alone(thread), blocks[i]);
            blocks[i] = nullptr;
        });
    }
};
struct follow_blocks {
    alloc::moved_chunks_ref moved;
    std::uint64_t** blocks;
    std::uint64_t count;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            if (blocks[i] != nullptr) blocks[i] = moved.now(blocks[i]);
        });
    }
};
/// Counts blocks that are not as they were written.
struct check_blocks {
    std::uint64_t** blocks;
    std::uint64_t count;
    std::uint64_t* wrong;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            if (blocks[i] == nullptr) return;
            bool right = true;
            for (std::uint64_t word = 0; right && word < bytes_of(i) / 8; ++word)
                right = blocks[i][word] == i;
            if (!right) thread.device(*wrong).fetch_add(1, exec::order::relaxed);
        });
    }
};

/// A heap with blocks, whose contents it knows.
template <class Owner>
class filled_heap {
public:
    using space_type = typename Owner::space_type;
    using ref_type = typename Owner::ref_type;
    static constexpr std::uint64_t first_bytes = 256u << 10;

    filled_heap(space_type space, std::uint64_t count)
        : space_(space), owner_(space, {.heap_bytes = first_bytes, .reserve_bytes = 64u << 20}),
          count_(count), blocks_(space, count), wrong_(space, 1) {
        blocks_.fill_bytes(0);
    }

    [[nodiscard]] Owner& owner() { return owner_; }
    /// Requests the blocks that are missing, in a heap that is large enough.
    void fill(std::uint64_t heap_bytes) {
        owner_.grow_to(heap_bytes);
        launch(space_, shape(), fill_heap<ref_type>{owner_.ref(), blocks_.data(), count_});
        for (std::uint64_t* const block : blocks_.to_host())
            ASSERT_NE(block, nullptr) << "the heap is large enough";
    }
    void keep_one_of(std::uint64_t kept) {
        launch(space_, shape(), thin_out<ref_type>{owner_.ref(), blocks_.data(), count_, kept});
    }
    /// Packs the heap; returns the bytes that have moved.
    std::uint64_t pack(std::uint64_t most_moved_bytes = no_limit) {
        auto const moved = owner_.pack_chunks(most_moved_bytes);
        if (moved.bytes() != 0) launch(space_, shape(), follow_blocks{moved.ref(), blocks_.data(), count_});
        return moved.bytes();
    }
    void expect_sound(char const* when) {
        wrong_.fill_bytes(0);
        alloc::audit_result const found = owner_.audit();
        for (std::string const& violation : found.violations)
            ADD_FAILURE() << when << ": " << violation;
        std::uint64_t live_bytes = 0;
        std::vector<std::uint64_t*> const blocks = blocks_.to_host();
        for (std::uint64_t i = 0; i < count_; ++i)
            if (blocks[i] != nullptr) live_bytes += owner_.ref().usable_bytes(bytes_of(i));
        EXPECT_EQ(found.live_bytes, live_bytes) << when;
        EXPECT_LE(found.live_bytes + found.free_bytes, owner_.heap_bytes()) << when;
        launch(space_, shape(), check_blocks{blocks_.data(), count_, wrong_.data()});
        EXPECT_EQ(wrong_.to_host()[0], 0u) << when << ": blocks that have lost what was written";
    }

private:
    [[nodiscard]] auto shape() { return cover_threads(space_, count_); }

    space_type space_;
    Owner owner_;
    std::uint64_t count_;
    exec::buffer<space_type, std::uint64_t*> blocks_;
    exec::buffer<space_type, std::uint64_t> wrong_;
};

template <class Space>
class packed_chunks : public space_test {
protected:
    static constexpr std::uint64_t full_bytes = (is_emulated<Space> ? 3u : 12u) << 20;
    static constexpr std::uint64_t count = is_emulated<Space> ? 900 : 4'000;

    /// What is free at the end of a packed heap, beside what the space cannot give back.
    static std::uint64_t spare_of(std::uint64_t heap_bytes) { return heap_bytes / 16 + (4u << 20); }

    template <class Owner>
    void expect_packed() {
        Space space = make_space<Space>();
        filled_heap<Owner> tested(space, count);
        EXPECT_EQ(tested.pack(), 0u) << "nothing is in the heap";
        tested.expect_sound("packed without blocks");
        tested.fill(full_bytes);
        tested.keep_one_of(5);
        std::uint64_t const held_before = space.budget().held_bytes();
        std::uint64_t const heap_before = tested.owner().heap_bytes();

        EXPECT_GT(tested.pack(), 0u);
        tested.expect_sound("packed");
        std::uint64_t const heap_after = tested.owner().heap_bytes();
        EXPECT_LT(heap_after, heap_before);
        std::uint64_t const step = is_gpu<Space> ? 2u << 20 : 64u << 10; // of the space
        EXPECT_LE(space.budget().held_bytes() + (heap_before - heap_after), held_before + step)
            << "the space has the memory back";

        EXPECT_EQ(tested.pack(), 0u) << "it is packed";
        tested.expect_sound("packed again");

        tested.fill(full_bytes);
        tested.expect_sound("filled again");
        tested.keep_one_of(2);
        tested.owner().trim();
        static_cast<void>(tested.pack());
        tested.expect_sound("packed after it grew");
        tested.keep_one_of(count);
        static_cast<void>(tested.pack());
        EXPECT_LE(tested.owner().heap_bytes(), filled_heap<Owner>::first_bytes + spare_of(0));
        tested.expect_sound("with hardly a block");
    }
};
TYPED_TEST_SUITE(packed_chunks, all_spaces, space_names);

TYPED_TEST(packed_chunks, leave_the_end_of_the_heap) {
    this->template expect_packed<ouroboros_default::owner<TypeParam>>();
    this->template expect_packed<catalogued::ouroboros_chunk_array::owner<TypeParam>>();
}
TYPED_TEST(packed_chunks, move_below_decorators) {
    this->template expect_packed<alloc::counting<alloc::failing<ouroboros_default::owner<TypeParam>>>>();
}
TYPED_TEST(packed_chunks, move_in_pieces_of_limited_size) {
    auto space = make_space<TypeParam>();
    filled_heap<ouroboros_default::owner<TypeParam>> tested(space, this->count);
    tested.fill(this->full_bytes);
    tested.keep_one_of(is_emulated<TypeParam> ? 16 : 4);
    EXPECT_EQ(tested.pack(0), 0u);
    tested.expect_sound("after nothing may move");
    constexpr std::uint64_t limit = 256u << 10;
    std::uint64_t pieces = 0;
    for (std::uint64_t before = tested.owner().heap_bytes();; ++pieces) {
        std::uint64_t const moved = tested.pack(limit);
        EXPECT_LE(moved, limit);
        EXPECT_LE(tested.owner().heap_bytes(), before);
        before = tested.owner().heap_bytes();
        tested.expect_sound("after a piece");
        if (moved == 0) break;
    }
    EXPECT_GT(pieces, 1u);
    std::uint64_t const in_pieces = tested.owner().heap_bytes();
    static_cast<void>(tested.pack());
    EXPECT_GE(in_pieces, tested.owner().heap_bytes());
    tested.expect_sound("packed as a whole");
}
TYPED_TEST(packed_chunks, stay_where_memory_for_the_plan_is_lacking) {
    auto space = make_space<TypeParam>({.memory_limit_bytes = 96u << 20});
    filled_heap<ouroboros_default::owner<TypeParam>> tested(space, this->count);
    tested.fill(this->full_bytes);
    tested.keep_one_of(5);
    std::uint64_t refused = 0;
    for (std::uint64_t left : {0u, 256u, 2048u, 4096u, 1u << 20}) {
        std::optional<exec::buffer<TypeParam, std::byte>> rest;
        rest.emplace(space, space.budget().available_bytes() - left);
        std::uint64_t const heap_bytes = tested.owner().heap_bytes();
        try {
            static_cast<void>(tested.pack());
        } catch (exec::out_of_memory const&) {
            ++refused;
            EXPECT_EQ(tested.owner().heap_bytes(), heap_bytes);
        }
        tested.expect_sound("under a limit");
    }
    EXPECT_GE(refused, 2u);
    EXPECT_LT(tested.owner().heap_bytes(), this->full_bytes);
}

// Whether decorators have the ability: those that know addresses do not.
template <class Space>
inline constexpr bool packs =
    alloc::packing_owner<ouroboros_default::owner<Space>>&&
        alloc::packing_owner<alloc::counting<ouroboros_default::owner<Space>>> &&
    !alloc::packing_owner<alloc::checked<ouroboros_default::owner<Space>>> &&
    !alloc::packing_owner<alloc::counting<alloc::checked<ouroboros_default::owner<Space>>>> &&
    !alloc::packing_owner<ouroboros_combined::owner<Space>>;
#if !defined(__CUDACC__)
static_assert(packs<exec::host_space> && packs<exec::simt_space>);
#else
static_assert(packs<exec::cuda_space>);
#endif

} // namespace packed_chunks_cases
} // namespace rhizome::tests
