// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/host.hpp>
#include <rhizome/graph/dynamic_graph.hpp>

std::uint64_t edges_of_nothing() {
    return rhizome::graph::dynamic_graph<rhizome::exec::host_space>(rhizome::exec::host_space(), {})
        .edge_count();
}
