#include <rhizome/cli/choices.hpp>
#include <rhizome/exec/cuda.hpp>

namespace rhizome::cli {

std::unique_ptr<session> open_weighted_on_cuda(std::uint64_t vertex_count, session_options const& options) {
    return open_weighted_on(exec::cuda({.memory_limit_bytes = options.memory_limit_bytes}), vertex_count,
                            options);
}

} // namespace rhizome::cli
