#include <rhizome/cli/choices.hpp>
#include <rhizome/exec/cuda.hpp>

namespace rhizome::cli {

std::unique_ptr<session> open_on_cuda(std::uint64_t vertex_count, session_options const& options) {
    return open_on(exec::cuda({.memory_limit_bytes = options.memory_limit_bytes}), vertex_count, options);
}

bool built_with_cuda() { return true; }

std::string cuda_unusable_because() {
#ifdef RHIZOME_WITHOUT_DEVICE_CODE
    return "built without device code: RHIZOME_CUDA_TESTS is check, not build";
#endif
    std::string const reason = exec::cuda::unusable_because();
    return reason.empty() ? "" : "no usable GPU: " + reason;
}

} // namespace rhizome::cli
