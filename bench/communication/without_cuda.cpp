// SPDX-License-Identifier: Apache-2.0
// Stands in for on_cuda.cu in builds without CUDA.
#include <rhizome/bench/communication/calls.hpp>

#include <stdexcept>

namespace rhizome::bench {

std::vector<double> communicate_on_cuda(communication_options const&) {
    throw std::logic_error("a cell on cuda in a build without it"); // the plan asks first
}

std::vector<double> communicate_through_nccl(communication_options const&) {
    throw std::logic_error("a cell on cuda in a build without it");
}

std::string no_nccl_because() { return "built without CUDA"; }

} // namespace rhizome::bench
