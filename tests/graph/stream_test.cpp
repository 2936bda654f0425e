// Random update streams against a set of pairs, after every batch, over every allocator in every space.
#include "comparison.hpp"
#include "streams.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace rhizome::tests {
namespace {

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
            reference_graph reference(options);
            // Large batches are sorted, smaller ones counted: each way has its seeds.
            update_stream stream(seed, options.vertices, seed % 2 == 0 ? batch_edges / 8 : batch_edges);
            for (std::uint64_t done = 0, number = 0; done < updates; ++number) {
                SCOPED_TRACE("batch " + std::to_string(number));
                update_batch const batch = stream.next();
                apply_to_both(tested, reference, batch.edges, batch.erasing);
                expect_same(tested, reference);
                if (::testing::Test::HasFailure()) return;
                done += batch.edges.size();
            }
        }
    }
    /// Per mode and allocator: five modes, three seeds and four allocators are 6 million updates on the
    /// host in an ordinary run.
    static void run(graph::graph_options const& options) {
        run(options, work<space_type>(100'000, 10'000), is_emulated<space_type> ? 1'500 : 6'000, 3);
    }
};
TYPED_TEST_SUITE(update_streams, graph_cases, named_types);

TYPED_TEST(update_streams, undirected) { this->run({.vertices = 1000}); }

TYPED_TEST(update_streams, directed) { this->run({.vertices = 1000, .directed = true}); }

TYPED_TEST(update_streams, directed_with_in_arcs) {
    this->run({.vertices = 1000, .directed = true, .in_arcs = true});
}

TYPED_TEST(update_streams, without_self_loops) {
    this->run({.vertices = 1000, .self_loops = false});
    this->run({.vertices = 300, .directed = true, .in_arcs = true, .self_loops = false});
}

TYPED_TEST(update_streams, of_few_vertices_that_are_all_hubs) {
    this->run({.vertices = 7}, work<typename TypeParam::space>(4'000, 1'000), 300, 2);
    this->run({.vertices = 1, .directed = true, .in_arcs = true}, 100, 10, 2);
}

} // namespace
} // namespace rhizome::tests
