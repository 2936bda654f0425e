// SPDX-License-Identifier: Apache-2.0
// Chunks that few pages keep from being free are emptied: what lives in them moves, and trim() frees them.
#include <rhizome/alloc/decorators/checked.hpp>
#include <rhizome/alloc/decorators/counting.hpp>
#include <rhizome/alloc/decorators/failing.hpp>
#include <rhizome/alloc/ouroboros/ouroboros.hpp>
#include <rhizome/exec/alone.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/distribute.hpp>

#include <allocators.hpp>
#include <gtest/gtest.h>
#include <spaces.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::tests {
namespace {

/// Pages of three sizes. Each holds its number.
[[nodiscard]] RZ_HD std::uint64_t bytes_of(std::uint64_t i) {
    return i % 3 == 0 ? 48 : i % 3 == 1 ? 256 : 3000;
}

template <class Ref>
struct fill_heap {
    Ref ref;
    std::uint64_t** blocks;
    std::uint64_t count;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            blocks[i] = static_cast<std::uint64_t*>(ref.allocate(exec::alone(thread), bytes_of(i)));
            if (blocks[i] != nullptr) *blocks[i] = i;
        });
    }
};
/// Leaves every fifth block.
template <class Ref>
struct thin_out {
    Ref ref;
    std::uint64_t** blocks;
    std::uint64_t count;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            if (i % 5 == 0) return;
            ref.deallocate(exec::alone(thread), blocks[i]);
            blocks[i] = nullptr;
        });
    }
};
struct moves {
    std::uint64_t withheld; ///< blocks
    std::uint64_t refused;  ///< of these, those for which there was no page
    std::uint64_t in_vain;  ///< new pages that are withheld themselves
};
template <class Ref>
struct move_blocks {
    Ref ref;
    std::uint64_t** blocks;
    std::uint64_t count;
    moves* counts;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            std::uint64_t* const old = blocks[i];
            if (old == nullptr || !ref.is_withheld(thread, old)) return;
            thread.device(counts->withheld).fetch_add(1, exec::order::relaxed);
            auto* const page = static_cast<std::uint64_t*>(ref.allocate(exec::alone(thread), bytes_of(i)));
            if (page == nullptr) {
                thread.device(counts->refused).fetch_add(1, exec::order::relaxed);
                return;
            }
            if (ref.is_withheld(thread, page))
                thread.device(counts->in_vain).fetch_add(1, exec::order::relaxed);
            *page = *old;
            blocks[i] = page;
            ref.leave_withheld(thread, old);
        });
    }
};
/// Blocks that hold another number than their own.
template <class Ref>
struct check_blocks {
    Ref ref;
    std::uint64_t** blocks;
    std::uint64_t count;
    moves* counts;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            if (blocks[i] != nullptr && *blocks[i] != i)
                thread.device(counts->in_vain).fetch_add(1, exec::order::relaxed);
        });
    }
};

template <class Space>
class withheld_chunks : public space_test {
protected:
    template <class Owner>
    void expect_emptied() {
        Space space = make_space<Space>();
        Owner owner(space, {.heap_bytes = 16u << 20});
        using ref_type = typename Owner::ref_type;
        // As many at least: fewer lie in chunks too full to be withheld.
        std::uint64_t const least = sanitized ? 1 : is_emulated<Space> ? 500 : 1'500;
        std::uint64_t const count = std::max(work<Space>(6'000, 2'000), least);
        exec::buffer<Space, std::uint64_t*> blocks(space, count);
        exec::buffer<Space, moves> counts(space, 1);
        counts.fill_bytes(0);
        auto const shape = cover_threads(space, count);
        launch(space, shape, fill_heap<ref_type>{owner.ref(), blocks.data(), count});
        launch(space, shape, thin_out<ref_type>{owner.ref(), blocks.data(), count});
        auto const free_chunks = [&] {
            std::uint64_t chunks = 0;
            space.copy_out(&chunks, owner.free_chunks(), sizeof(chunks));
            return chunks;
        };
        auto const expect_sound = [&](alloc::audit_result const& found) {
            for (std::string const& violation : found.violations)
                ADD_FAILURE() << violation;
        };
        owner.trim();
        std::uint64_t const live_bytes = owner.audit().live_bytes;
        std::uint64_t const free_before = free_chunks();

        EXPECT_EQ(owner.withhold_sparse_chunks(16u << 20), 0u) << "it is not worth so much";
        expect_sound(owner.audit());
        EXPECT_EQ(free_chunks(), free_before);

        std::uint64_t const bytes = owner.withhold_sparse_chunks(1);
        EXPECT_GT(bytes, 0u);
        launch(space, shape, move_blocks<ref_type>{owner.ref(), blocks.data(), count, counts.data()});
        owner.trim();
        launch(space, shape, check_blocks<ref_type>{owner.ref(), blocks.data(), count, counts.data()});
        moves const found = counts.to_host()[0];
        EXPECT_GT(found.withheld, 0u);
        EXPECT_EQ(found.refused, 0u);
        EXPECT_EQ(found.in_vain, 0u);
        if constexpr (requires { owner.counts(); }) {
            alloc::allocation_counts const counted = owner.counts();
            EXPECT_EQ(counted.live_requests(), (count + 4) / 5)
                << "a block that moved is served and returned";
            EXPECT_EQ(counted.returned, count - (count + 4) / 5 + found.withheld);
        }
        alloc::audit_result const after = owner.audit();
        expect_sound(after);
        EXPECT_EQ(after.live_bytes, live_bytes);
        EXPECT_GE(free_chunks(), free_before + bytes / ouroboros_default::owner<Space>::ref_type::base_bytes);
    }
};
TYPED_TEST_SUITE(withheld_chunks, all_spaces, space_names);

TYPED_TEST(withheld_chunks, are_free_once_their_pages_have_moved) {
    this->template expect_emptied<ouroboros_default::owner<TypeParam>>();
    this->template expect_emptied<catalogued::ouroboros_chunk_array::owner<TypeParam>>();
}
TYPED_TEST(withheld_chunks, are_emptied_through_decorators) {
    this->template expect_emptied<alloc::counting<ouroboros_default::owner<TypeParam>>>();
    this->template expect_emptied<
        alloc::counting<alloc::failing<alloc::checked<ouroboros_default::owner<TypeParam>>>>>();
}
TYPED_TEST(withheld_chunks, of_several_instances_are_told_apart) {
    this->template expect_emptied<ouroboros_combined::owner<TypeParam>>();
}

} // namespace
} // namespace rhizome::tests
