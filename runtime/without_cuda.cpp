// SPDX-License-Identifier: Apache-2.0
#include <rhizome/runtime/catalogue.hpp>
#include <rhizome/runtime/detail/open_elsewhere.hpp>

#include <stdexcept>

namespace rhizome::runtime {

std::string cuda_unusable_because() { return "built without CUDA"; }

namespace detail {

bool has_cuda() { return false; }

std::unique_ptr<any_graph> open_graph_on_cuda(graph_choice const&) {
    throw std::logic_error("open_graph_on_cuda in a build without CUDA"); // open_graph() asks first
}

} // namespace detail
} // namespace rhizome::runtime
