// SPDX-License-Identifier: Apache-2.0
// Stands in for graphs over ranks in a build without that component.
#include <rhizome/runtime/components.hpp>
#include <rhizome/runtime/ranks/any_rank.hpp>
#include <rhizome/runtime/ranks/open_ranks.hpp>

#include <stdexcept>

namespace rhizome::runtime {

std::vector<std::unique_ptr<any_rank>> host_ranks(int, rank_options const&) {
    throw std::runtime_error(how_to_add("ranks"));
}

std::unique_ptr<any_rank> cuda_rank(rank_options const&) { throw std::runtime_error(how_to_add("ranks")); }

std::string cuda_ranks_unusable_because() { return how_to_add("ranks"); }

int cuda_device_count() { return 0; }

} // namespace rhizome::runtime
