// SPDX-License-Identifier: Apache-2.0
// Heaps so small that schedules meet everywhere: each variant of the allocators, and what runs a kernel on
// one for many seeds.
#pragma once

#include "blocks.hpp"

#include <rhizome/exec/simt/explore.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace rhizome::tests {
namespace {

using exec::simt_space;
using classes = alloc::power_of_two_classes<16, 1024>;
/// Chunks of 1 KiB, units of 8 KiB: a heap of one unit is 8 chunks, 512 pages of 16 B; a segment has 128
/// slots.
template <class Granularity, class Queue>
struct tiny_variant {
    using owner = alloc::ouroboros<simt_space, Granularity, Queue, classes, 1024>;
    static constexpr bool is_virtual = Queue::is_virtual;
    static std::string name() { return std::string(Granularity::name) + "_" + Queue::name; }
};
/// Three instances over one heap: single chunks of 1 KiB, pairs, and fours.
struct tiny_combined {
    using owner = alloc::combined_ouroboros<
        simt_space,
        alloc::instance<alloc::page_based, alloc::virtual_linked_queue, alloc::power_of_two_classes<16, 64>,
                        1024>,
        alloc::instance<alloc::chunk_based, alloc::virtual_array_queue, alloc::power_of_two_classes<128, 256>,
                        2048>,
        alloc::instance<alloc::page_based, alloc::array_queue, alloc::power_of_two_classes<512, 1024>, 4096>>;
    static constexpr bool is_virtual = true;
    static std::string name() { return "combined"; }
};

/// One of the six variants, or all kinds in one.
template <class Variant>
class tiny_heap : public ::testing::Test {
protected:
    using tiny = typename Variant::owner;
    using tiny_ref = typename tiny::ref_type;
    /// Segments of a class at most, beside pages for all.
    static constexpr std::uint64_t for_queues = Variant::is_virtual ? 16u << 10 : 0;
};
struct variant_names {
    template <class Variant>
    static std::string GetName(int) {
        return Variant::name();
    }
};
/// Under sanitizers each granularity and each queue, arrays only in the combined heap.
using tiny_variants = std::conditional_t<
    sanitized,
    ::testing::Types<tiny_variant<alloc::page_based, alloc::virtual_array_queue>,
                     tiny_variant<alloc::chunk_based, alloc::virtual_linked_queue>, tiny_combined>,
    ::testing::Types<tiny_variant<alloc::page_based, alloc::array_queue>,
                     tiny_variant<alloc::page_based, alloc::virtual_array_queue>,
                     tiny_variant<alloc::page_based, alloc::virtual_linked_queue>,
                     tiny_variant<alloc::chunk_based, alloc::array_queue>,
                     tiny_variant<alloc::chunk_based, alloc::virtual_array_queue>,
                     tiny_variant<alloc::chunk_based, alloc::virtual_linked_queue>, tiny_combined>>;
TYPED_TEST_SUITE(tiny_heap, tiny_variants, variant_names);

constexpr std::uint64_t seeds = 60; ///< RHIZOME_SIMT_SEEDS asks for another number

/// One, two or four, as the seed says: a heap of this size would have one.
[[nodiscard]] std::uint32_t shards_for(simt_space const& space) {
    return std::uint32_t{1} << space.seed() % 3;
}

/// Runs a kernel on a heap for many seeds; the heap must be sound and whole afterwards. The kernel adds what
/// it finds wrong, and behind that how many requests were served: at least `served` of each launch. What was
/// served, over all seeds.
template <class Tiny, class Kernel>
std::uint64_t explore_heap(std::uint64_t heap_bytes, exec::launch_shape shape, std::uint64_t many = seeds,
                           std::uint64_t served = 0) {
    std::uint64_t noted = 0;
    exec::exploration const found = exec::explore(1, scaled(many), [&](simt_space& space) {
        Tiny owner(space,
                   {.heap_bytes = heap_bytes, .reserve_bytes = heap_bytes, .shards = shards_for(space)});
        exec::buffer<simt_space, std::uint64_t> wrong(space, 2);
        for (int round = 0; round < 2; ++round) { // the second meets rings and lists as the first left them
            wrong.fill_bytes(0);
            launch(space, shape, Kernel{owner.ref(), wrong.data()});
            alloc::audit_result const audit = owner.audit();
            for (std::string const& violation : audit.violations)
                throw std::runtime_error(violation);
            if (audit.live_bytes != 0) throw std::runtime_error("bytes are live that nobody holds");
            if (audit.free_bytes + audit.overhead_bytes != heap_bytes)
                throw std::runtime_error("bytes of the heap are lost");
            auto const counts = wrong.to_host();
            noted += counts[1];
            if (counts[0] != 0)
                throw std::runtime_error(std::to_string(counts[0]) + " requests were refused or went wrong");
            if (counts[1] < served)
                throw std::runtime_error(std::to_string(counts[1]) + " requests were served, " +
                                         std::to_string(served) + " blocks were there");
        }
        return true;
    });
    EXPECT_TRUE(found) << found.report();
    return noted;
}

RZ_HD void fill(void* block, std::uint64_t bytes, std::uint64_t owner) {
    for (std::uint64_t word = 0; word < bytes / 8; ++word)
        static_cast<std::uint64_t*>(block)[word] = owner_pattern(owner, word);
}
RZ_HD bool holds(void const* block, std::uint64_t bytes, std::uint64_t owner) {
    for (std::uint64_t word = 0; word < bytes / 8; ++word)
        if (static_cast<std::uint64_t const*>(block)[word] != owner_pattern(owner, word)) return false;
    return true;
}

} // namespace
} // namespace rhizome::tests
