// SPDX-License-Identifier: Apache-2.0
// The spaces that a build can lack: each has a file for builds with it and one for builds without.
#pragma once

#include <rhizome/runtime/any_graph.hpp>

#include <memory>

namespace rhizome::runtime::detail {

[[nodiscard]] bool has_cuda();
[[nodiscard]] bool has_simt();
[[nodiscard]] std::unique_ptr<any_graph> open_graph_on_cuda(graph_choice const& choice);
[[nodiscard]] std::unique_ptr<any_graph> open_graph_on_simt(graph_choice const& choice);

} // namespace rhizome::runtime::detail
