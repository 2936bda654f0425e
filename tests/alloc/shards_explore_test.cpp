// SPDX-License-Identifier: Apache-2.0
// Few pages, several shards, under many interleavings: every thread may have one, so that each refusal is a
// page that was lost sight of.
#include <rhizome/alloc/ouroboros/ouroboros.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/simt.hpp>
#include <rhizome/exec/simt/explore.hpp>

#include <gtest/gtest.h>
#include <scale.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace rhizome::tests::of_shards {
namespace {

using exec::simt_space;
using classes = alloc::power_of_two_classes<16, 1024>;

constexpr std::uint32_t threads = 8;

/// Each thread takes a page and gives it back, a warp of its own each: pages wander between shards.
template <class Ref>
struct hand_over {
    Ref ref;
    std::uint64_t bytes;
    std::uint64_t* refused;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        for (int turn = 0; turn < 10; ++turn) {
            void* const page = ref.allocate(thread, bytes);
            if (page == nullptr) thread.device(*refused).fetch_add(1, exec::order::relaxed);
            ref.deallocate(thread, page);
        }
    }
};

/// Two pages: the first two warps have one between them, in turns, so that the other lies now in the one's
/// shard, now in the other's. It is the third warp's, which must always get it. A lane of each warp.
template <class Ref>
struct carousel {
    Ref ref;
    std::uint64_t bytes;
    std::uint64_t* refused; ///< and whose turn it is
    static constexpr std::uint64_t rounds = 12;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        if (warp.rank() != 0) return;
        for (std::uint64_t round = 0; round < rounds; ++round) {
            std::uint64_t const turn = 2 * round + warp.index();
            // acquire: what the one before gave back is there
            while (warp.index() != 2 && thread.device(refused[1]).load(exec::order::acquire) != turn)
                thread.relax();
            void* const page = ref.allocate(thread, bytes);
            if (page == nullptr) thread.device(*refused).fetch_add(1, exec::order::relaxed);
            ref.deallocate(thread, page);
            // release: as above
            if (warp.index() != 2) thread.device(refused[1]).store(turn + 1, exec::order::release);
        }
    }
};
/// Holds what is not to be had.
template <class Ref>
struct hold_pages {
    Ref ref;
    std::uint64_t bytes;
    std::uint64_t pages;
    void** held;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        for (std::uint64_t i = 0; i < pages; ++i)
            held[i] = ref.allocate(thread, bytes);
    }
};

/// Planted: gives nothing to anybody.
template <class Ref>
struct refuses_all : Ref {
    explicit refuses_all(Ref const& base) : Ref(base) {}
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate(Thread const&, std::uint64_t) const {
        return nullptr;
    }
};
/// Planted: gives nothing where the thread's own shard has nothing and another has.
template <class Ref>
struct refuses_from_other_shards : Ref {
    explicit refuses_from_other_shards(Ref const& base) : Ref(base) {}
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate(Thread const& thread, std::uint64_t bytes) const {
        auto const instance = this->template at<0>();
        std::uint32_t const own = alloc::own_shard(thread, instance.shards());
        bool others_have = false;
        for (std::uint32_t number = 0; number < instance.shards(); ++number) {
            bool const has = instance.queue(classes::index_of(bytes), number).semaphore().permits(thread) > 0;
            if (number == own && has) return Ref::allocate(thread, bytes);
            others_have = others_have || has;
        }
        return others_have ? nullptr : Ref::allocate(thread, bytes);
    }
};
template <class Ref>
struct as_it_is : Ref {
    explicit as_it_is(Ref const& base) : Ref(base) {}
};

/// `heap_bytes`: with a page of `bytes` for each thread, beside what queues may take.
template <class Owner, template <class> class Planted>
exec::exploration explore_shards(std::uint64_t seeds, std::uint64_t heap_bytes, std::uint64_t bytes) {
    return exec::explore(1, seeds, [&](simt_space& space) {
        Owner owner(space, {.heap_bytes = heap_bytes,
                            .reserve_bytes = heap_bytes,
                            .shards = std::uint32_t{2} << space.seed() % 2});
        exec::buffer<simt_space, std::uint64_t> refused(space, 1);
        refused.fill_bytes(0);
        using ref_type = Planted<typename Owner::ref_type>;
        launch(space, {threads, 1}, hand_over<ref_type>{ref_type(owner.ref()), bytes, refused.data()});
        alloc::audit_result const audit = owner.audit();
        if (!audit.violations.empty()) throw std::runtime_error(audit.violations[0]);
        if (refused.to_host()[0] != 0)
            throw std::runtime_error(std::to_string(refused.to_host()[0]) +
                                     " requests were refused, though there was a page for each");
        return true;
    });
}

/// Two pages of 1024 bytes are to be had, and wanted at most.
template <class Owner, template <class> class Planted>
exec::exploration explore_carousel(std::uint64_t seeds) {
    return exec::explore(1, seeds, [&](simt_space& space) {
        Owner owner(space, {.heap_bytes = 8u << 10, .reserve_bytes = 8u << 10, .shards = 2});
        exec::buffer<simt_space, std::uint64_t> refused(space, 2);
        exec::buffer<simt_space, void*> held(space, 6);
        refused.fill_bytes(0);
        using ref_type = Planted<typename Owner::ref_type>;
        launch(space, {1, 1}, hold_pages<typename Owner::ref_type>{owner.ref(), 1024, 6, held.data()});
        launch(space, {1, 96}, carousel<ref_type>{ref_type(owner.ref()), 1024, refused.data()});
        alloc::audit_result const audit = owner.audit();
        if (!audit.violations.empty()) throw std::runtime_error(audit.violations[0]);
        if (refused.to_host()[0] != 0)
            throw std::runtime_error(std::to_string(refused.to_host()[0]) +
                                     " requests were refused, though a page was free at each moment");
        return true;
    });
}

using page_array = alloc::ouroboros<simt_space, alloc::page_based, alloc::array_queue, classes, 1024>;
using chunk_array = alloc::ouroboros<simt_space, alloc::chunk_based, alloc::array_queue, classes, 1024>;
using page_virtual_linked =
    alloc::ouroboros<simt_space, alloc::page_based, alloc::virtual_linked_queue, classes, 1024>;

constexpr std::uint64_t seeds = 1000;

TEST(shards, pages_in_queues_of_others_are_found) {
    auto const found = explore_shards<page_array, as_it_is>(scaled(seeds), 8u << 10, 1024);
    EXPECT_TRUE(found) << found.report();
}
TEST(shards, chunks_in_queues_of_others_are_found) {
    auto const found = explore_shards<chunk_array, as_it_is>(scaled(seeds), 8u << 10, 1024);
    EXPECT_TRUE(found) << found.report();
}
TEST(shards, pages_in_segments_of_others_are_found) {
    auto const found = explore_shards<page_virtual_linked, as_it_is>(scaled(seeds), 24u << 10, 1024);
    EXPECT_TRUE(found) << found.report();
}

TEST(shards, a_page_that_moves_behind_the_search_is_found) {
    auto const found = explore_carousel<page_array, as_it_is>(scaled(seeds));
    EXPECT_TRUE(found) << found.report();
}
TEST(shards, a_chunk_that_moves_behind_the_search_is_found) {
    auto const found = explore_carousel<chunk_array, as_it_is>(scaled(seeds));
    EXPECT_TRUE(found) << found.report();
}

TEST(shards, an_allocator_that_refuses_everything_is_noticed) {
    EXPECT_FALSE((explore_shards<page_array, refuses_all>(1, 8u << 10, 1024)));
    EXPECT_FALSE((explore_carousel<page_array, refuses_all>(1)));
}
TEST(shards, an_allocator_that_refuses_what_other_shards_have_is_noticed) {
    EXPECT_FALSE((explore_carousel<page_array, refuses_from_other_shards>(50)));
    EXPECT_FALSE((explore_carousel<chunk_array, refuses_from_other_shards>(50)));
}

} // namespace
} // namespace rhizome::tests::of_shards
