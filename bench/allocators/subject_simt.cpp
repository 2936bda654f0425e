#include <rhizome/bench/allocators/subject_on.hpp>
#include <rhizome/exec/simt.hpp>

namespace rhizome::bench {

std::unique_ptr<subject> open_subject_on_simt(subject_options const& options) {
    return open_subject(exec::simt({.seed = options.seed}), options);
}

} // namespace rhizome::bench
