// SPDX-License-Identifier: Apache-2.0
// Streams over graphs whose pages random walks find.
#include "stream_suite.hpp"

namespace rhizome::tests {

template <class Plan, class Space>
struct random_walk_graph : graph_case<typename Plan::layout, typename Plan::allocator, void, Space> {};
using random_walk_graphs = cross_types<random_walk_graph,
                                       type_list<plan<graph::contiguous, catalogued::random_walk_malloc>,
                                                 plan<small_pages, catalogued::random_walk_claim_128>>,
                                       space_list>;
INSTANTIATE_TYPED_TEST_SUITE_P(random_walks, update_streams, random_walk_graphs, named_types);

} // namespace rhizome::tests
