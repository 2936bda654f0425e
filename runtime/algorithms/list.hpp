// SPDX-License-Identifier: Apache-2.0
// The one list of algorithms that the run-time interface, the tool and its streams offer.
//
// An entry has
//   info()                    what people and programs read of it (runtime/algorithm.hpp)
//   kept<Space>               what it keeps between runs, made from a space
//   run(kept, view, given)    -> algorithm_result
// and, if its result can follow a graph,
//   maintained<Space, Value>  made from a space, arguments and a way; has `result`, a maintained result
//                             (algorithms/maintained/), and found() -> algorithm_result
#pragma once

#include <rhizome/runtime/algorithms/bfs.hpp>
#include <rhizome/runtime/algorithms/components.hpp>
#include <rhizome/runtime/algorithms/kcore.hpp>
#include <rhizome/runtime/algorithms/local_triangles.hpp>
#include <rhizome/runtime/algorithms/pagerank.hpp>
#include <rhizome/runtime/algorithms/sssp.hpp>
#include <rhizome/runtime/algorithms/triangles.hpp>
#include <rhizome/runtime/algorithms/weighted_pagerank.hpp>

#include <tuple>

namespace rhizome::runtime {

using algorithm_list = std::tuple<pagerank_entry, triangles_entry, bfs_entry, components_entry, kcore_entry,
                                  sssp_entry, weighted_pagerank_entry, local_triangles_entry>;

} // namespace rhizome::runtime
