#include <rhizome/bench/allocators/subject_on.hpp>
#include <rhizome/exec/cuda.hpp>

namespace rhizome::bench {

std::unique_ptr<subject> open_subject_on_cuda(subject_options const& options) {
    return open_subject(exec::cuda(), options);
}

} // namespace rhizome::bench
