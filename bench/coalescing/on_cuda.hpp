// The backings that have a file of their own on cuda.
#pragma once

#include <rhizome/bench/coalescing/subject.hpp>
#include <rhizome/exec/cuda.hpp>

#include <memory>
#include <string>

namespace rhizome::bench {

[[nodiscard]] std::unique_ptr<coalescing_subject> open_over_malloc_on_cuda(exec::cuda_space const& space,
                                                                           std::string const& variant,
                                                                           coalescing_options const& options);
[[nodiscard]] std::unique_ptr<coalescing_subject> open_over_walk_on_cuda(exec::cuda_space const& space,
                                                                         std::string const& variant,
                                                                         coalescing_options const& options);

} // namespace rhizome::bench
