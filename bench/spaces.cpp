#include <rhizome/bench/spaces.hpp>
#include <rhizome/exec/host.hpp>
#include <rhizome/exec/simt/space.hpp>

namespace rhizome::bench {

std::vector<space_description> describe_spaces() {
    exec::host const host;
    exec::simt const simt;
    return {describe_cuda(),
            {.name = "host", .device = host.device_name(), .memory_bytes = host.memory_bytes()},
            {.name = "simt", .device = "emulator", .memory_bytes = simt.memory_bytes()}};
}

} // namespace rhizome::bench
