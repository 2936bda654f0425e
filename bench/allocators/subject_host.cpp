#include <rhizome/bench/allocators/subject_on.hpp>
#include <rhizome/exec/host.hpp>

namespace rhizome::bench {

std::unique_ptr<subject> open_subject_on_host(subject_options const& options) {
    return open_subject(exec::host({.threads = options.host_threads}), options);
}

} // namespace rhizome::bench
