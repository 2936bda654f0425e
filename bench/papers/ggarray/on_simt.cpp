// SPDX-License-Identifier: Apache-2.0
// Arrays under measurement on simt.
#include <rhizome/bench/papers/ggarray/standard_vector.hpp>
#include <rhizome/bench/papers/ggarray/subject_on.hpp>
#include <rhizome/exec/simt.hpp>

namespace rhizome::bench {

std::unique_ptr<array_subject> open_array_on_simt(array_subject_options const& options) {
    if (options.structure == "vector") return std::make_unique<standard_vector>();
    auto opened = open_array_on(exec::simt_space({.seed = options.seed}), options);
    if (!opened) throw std::invalid_argument("no array '" + options.structure + "'");
    return opened;
}

} // namespace rhizome::bench
