// SPDX-License-Identifier: Apache-2.0
// Includes what most programs need: graphs that change, their algorithms, and files. Programs with
// allocators, arrays or kernels of their own include the headers of the modules as well (docs/reference.md).
#pragma once

#include <rhizome/algorithms/frontier.hpp>
#include <rhizome/algorithms/functions.hpp>
#include <rhizome/exec/host.hpp>
#include <rhizome/graph/dynamic_graph.hpp>
#include <rhizome/graph/for_each.hpp>
#include <rhizome/io/graph_store.hpp>
#include <rhizome/io/load_graph.hpp>
#include <rhizome/io/stream_updates.hpp>
#if defined(RHIZOME_HAS_CUDA) // the library was built with CUDA
#include <rhizome/exec/cuda.hpp>
#endif

namespace rhizome {

using algorithms::advance;
using algorithms::filter;
using algorithms::filter_vertices;
using algorithms::frontier;
using exec::host_space;
#if defined(RHIZOME_HAS_CUDA)
using exec::cuda_space;
#endif
using exec::out_of_memory;
using graph::batch_report;
using graph::dynamic_graph;
using graph::edge;
using graph::edge_columns;
using graph::for_each_arc;
using graph::for_each_vertex;
using graph::graph_options;
using graph::vertex_id;
using graph::weighted_graph;
using io::save_graph;

} // namespace rhizome
