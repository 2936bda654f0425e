// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/simt.hpp>
#include <rhizome/runtime/detail/open_elsewhere.hpp>
#include <rhizome/runtime/open_on.hpp>

namespace rhizome::runtime::detail {

bool has_simt() { return true; }

std::unique_ptr<any_graph> open_graph_on_simt(graph_choice const& choice) {
    return open_graph_on(
        exec::simt_space({.seed = choice.seed, .memory_limit_bytes = choice.memory_limit_bytes}), choice);
}

} // namespace rhizome::runtime::detail
