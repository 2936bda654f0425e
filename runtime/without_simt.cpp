// SPDX-License-Identifier: Apache-2.0
#include <rhizome/runtime/detail/open_elsewhere.hpp>

#include <stdexcept>

namespace rhizome::runtime::detail {

bool has_simt() { return false; }

std::unique_ptr<any_graph> open_graph_on_simt(graph_choice const&) {
    throw std::logic_error("open_graph_on_simt in a build without the emulator"); // open_graph() asks first
}

} // namespace rhizome::runtime::detail
