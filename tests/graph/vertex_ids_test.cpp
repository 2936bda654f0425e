// SPDX-License-Identifier: Apache-2.0
// The free ids of a graph: what is done with a few of them costs as much as these, however many are free.
#include <rhizome/exec/host.hpp>
#include <rhizome/graph/core/vertex_ids.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace rhizome::tests {
namespace {

TEST(vertex_ids, copies_the_free_list_only_when_it_has_doubled) {
    constexpr std::uint32_t vertices = 20'000;
    graph::vertex_ids<exec::host_space, std::uint32_t> ids(exec::host_space({.threads = 1}), vertices);
    ids.prepare(vertices);
    std::uint64_t copied_ids = 0;
    for (std::uint32_t id = 0; id < vertices; ++id) {
        std::uint32_t const* const before = ids.last_freed(ids.free_count()).data();
        auto const chosen = ids.choose(std::vector<std::uint32_t>{id}, vertices);
        ASSERT_EQ(chosen.ids.size(), 1u);
        // The old list is still there while the new one is filled, so they differ.
        if (ids.last_freed(ids.free_count()).data() != before) copied_ids += ids.free_count();
        ids.free(chosen.ids);
    }
    EXPECT_EQ(ids.free_count(), vertices);
    EXPECT_LE(copied_ids, 2u * vertices);
}

} // namespace
} // namespace rhizome::tests
