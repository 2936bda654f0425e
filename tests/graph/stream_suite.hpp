// SPDX-License-Identifier: Apache-2.0
// The streams that every graph of a list goes through.
#pragma once

#include "stream_runs.hpp"

#include <gtest/gtest.h>

namespace rhizome::tests {

TYPED_TEST_SUITE_P(update_streams);

TYPED_TEST_P(update_streams, undirected) { this->run({.vertices = 1000}); }

TYPED_TEST_P(update_streams, directed) { this->run({.vertices = 1000, .directed = true}); }

TYPED_TEST_P(update_streams, directed_with_in_arcs) {
    this->run({.vertices = 1000, .directed = true, .in_arcs = true});
}

TYPED_TEST_P(update_streams, without_self_loops) {
    this->run({.vertices = 600, .directed = true, .in_arcs = true, .self_loops = false});
}

TYPED_TEST_P(update_streams, of_few_vertices_that_are_all_hubs) {
    this->run({.vertices = 7}, work<typename TypeParam::space>(2'000, 500), 300, 2);
    this->run({.vertices = 1, .directed = true, .in_arcs = true}, 100, 10, 2);
}

REGISTER_TYPED_TEST_SUITE_P(update_streams, undirected, directed, directed_with_in_arcs, without_self_loops,
                            of_few_vertices_that_are_all_hubs);

} // namespace rhizome::tests
