// SPDX-License-Identifier: Apache-2.0
// In builds without CUDA.
#include "place.hpp"

#include <stdexcept>

namespace rhizome::python {

std::shared_ptr<place> cuda_place(int, std::uint64_t) { throw std::runtime_error(cuda_unusable_because()); }
std::string cuda_unusable_because() {
    return "this build of rhizome is for the CPU (the package rhizome-graph-cuda13 adds GPUs)";
}
int cuda_device_count() { return 0; }

} // namespace rhizome::python
