// SPDX-License-Identifier: Apache-2.0
// Random streams of edges and vertices against the reference, which is asked after every batch.
#pragma once

#include "comparison.hpp"
#include "streams.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace rhizome::tests {

template <class Case>
class update_streams : public space_test {
protected:
    using space_type = typename Case::space;

    /// `seeds` streams, `updates` updates each at least, in batches of about `batch_edges`.
    static void run(graph::graph_options options, std::uint64_t updates, std::uint64_t batch_edges,
                    std::uint64_t seeds) {
        if (!Case::traits::reuses) options.heap_bytes = 64u << 20; // nothing comes back
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
            SCOPED_TRACE("seed " + std::to_string(seed));
            graph_over<Case> tested(make_space<space_type>({.seed = seed}), options);
            basic_reference_graph<typename Case::value, typename Case::id> reference(options);
            // Large batches are sorted, smaller ones counted: each way has its seeds.
            basic_update_stream<typename Case::id> stream(seed, options.vertices,
                                                          seed % 2 == 0 ? batch_edges / 8 : batch_edges);
            typename graph_over<Case>::changes_type changes(tested.space());
            std::minstd_rand random(static_cast<std::uint32_t>(seed));
            for (std::uint64_t done = 0, number = 0; done < updates; ++number) {
                SCOPED_TRACE("batch " + std::to_string(number));
                auto const batch = stream.next();
                auto* const lists = random() % 4 == 0 ? nullptr : &changes;
                apply_to_both(tested, reference, batch.edges, batch.erasing, lists);
                if (number % 4 == 1) { // hubs among them
                    auto const erased = stream.next_vertices();
                    EXPECT_EQ(tested.erase_vertices(erased, lists), reference.erase_vertices(erased));
                    if (lists != nullptr) expect_last_changes(tested, changes, reference);
                    changes.clear();
                }
                if (number % 4 == 3) {
                    std::uint64_t const live = tested.live_vertex_count();
                    auto const names = tested.insert_vertices(1 + number % 7);
                    EXPECT_EQ(names.size(), 1 + number % 7);
                    for (auto const name : names)
                        EXPECT_FALSE(reference.is_live(name)) << "a name that is in use";
                    reference.insert_vertices(names);
                    EXPECT_EQ(tested.live_vertex_count(), live + names.size()) << "a name twice";
                }
                expect_same(tested, reference);
                if (::testing::Test::HasFailure()) return;
                done += batch.edges.size();
            }
        }
    }
    static void run(graph::graph_options const& options) {
        run(options, work<space_type>(24'000, 5'000), is_emulated<space_type> ? 1'500 : 4'000, 2);
    }
};

} // namespace rhizome::tests
