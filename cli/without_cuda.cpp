// Stands in for registry_cuda.cu where the CUDA space is not built.
#include <rhizome/cli/choices.hpp>

#include <stdexcept>

namespace rhizome::cli {

std::unique_ptr<session> open_on_cuda(std::uint64_t, session_options const&) {
    throw std::logic_error("open_on_cuda in a build without CUDA"); // open_session() asks first
}

std::unique_ptr<session> open_weighted_on_cuda(std::uint64_t vertex_count, session_options const& options) {
    return open_on_cuda(vertex_count, options);
}

bool built_with_cuda() { return false; }

std::string cuda_unusable_because() { return "built without CUDA"; }

} // namespace rhizome::cli
