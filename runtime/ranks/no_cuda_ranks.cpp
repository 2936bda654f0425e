// SPDX-License-Identifier: Apache-2.0
#include <rhizome/runtime/catalogue.hpp>
#include <rhizome/runtime/ranks/open_ranks.hpp>

#include <stdexcept>

namespace rhizome::runtime {

std::unique_ptr<any_rank> cuda_rank(rank_options const&) {
    throw std::runtime_error("space cuda: " + cuda_unusable_because());
}

std::string cuda_ranks_unusable_because() { return cuda_unusable_because(); }

int cuda_device_count() { return 0; }

} // namespace rhizome::runtime
