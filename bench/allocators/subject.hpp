// SPDX-License-Identifier: Apache-2.0
// An allocator under measurement, on a space of its own.
#pragma once

#include <rhizome/runtime/any_allocator.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace rhizome::bench {

using runtime::address_span;
using runtime::findings;
using runtime::requests;
using subject = runtime::any_allocator;

struct subject_options {
    std::string allocator;
    std::uint64_t heap_bytes = 0;
    std::uint64_t seed = 1;    ///< simt: of its scheduler
    unsigned host_threads = 0; ///< host: 0 means one per core
};

// One per space, each in a file of its own. Throw std::invalid_argument for a name that is not in the
// catalogue.
[[nodiscard]] std::unique_ptr<subject> open_subject_on_host(subject_options const& options);
[[nodiscard]] std::unique_ptr<subject> open_subject_on_simt(subject_options const& options);
[[nodiscard]] std::unique_ptr<subject> open_subject_on_cuda(subject_options const& options);

} // namespace rhizome::bench
