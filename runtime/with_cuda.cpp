// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/cuda.hpp>
#include <rhizome/runtime/catalogue.hpp>
#include <rhizome/runtime/detail/open_elsewhere.hpp>
#include <rhizome/runtime/open_on.hpp>

#include <stdexcept>

namespace rhizome::runtime {

std::string cuda_unusable_because() {
#ifdef RHIZOME_WITHOUT_DEVICE_CODE
    return "built without device code: RHIZOME_CUDA_TESTS is check, not build";
#else
    std::string const reason = exec::cuda_space::unusable_because();
    return reason.empty() ? "" : "no usable GPU: " + reason;
#endif
}

namespace detail {

bool has_cuda() { return true; }

std::unique_ptr<any_graph> open_graph_on_cuda([[maybe_unused]] graph_choice const& choice) {
#ifdef RHIZOME_WITHOUT_DEVICE_CODE
    throw std::logic_error("open_graph_on_cuda in a build without device code"); // open_graph() asks first
#else
    return open_graph_on(exec::cuda_space({.memory_limit_bytes = choice.memory_limit_bytes}), choice);
#endif
}

} // namespace detail
} // namespace rhizome::runtime
