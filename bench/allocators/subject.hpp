// SPDX-License-Identifier: Apache-2.0
// An allocator under measurement, on a space of its own.
#pragma once

#include <rhizome/bench/harness/subject.hpp>
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
};

/// Throws std::invalid_argument for a name that is not in the catalogue.
template <class Space>
[[nodiscard]] std::unique_ptr<subject> open_on(chosen_space const& where, subject_options const& options);

} // namespace rhizome::bench
