// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/spaces.hpp>
#include <rhizome/exec/host.hpp>

namespace rhizome::bench {

std::vector<space_description> describe_spaces() {
    exec::host_space const host;
    std::vector<space_description> spaces{
        describe_cuda(), {.name = "host", .device = host.device_name(), .memory_bytes = host.memory_bytes()}};
    if (auto simt = describe_simt()) spaces.push_back(std::move(*simt));
    return spaces;
}

} // namespace rhizome::bench
