// SPDX-License-Identifier: Apache-2.0
// An allocator of the catalogue on a space.
#pragma once

#include <rhizome/bench/allocators/subject.hpp>
#include <rhizome/bench/harness/subject_on.hpp>
#include <rhizome/runtime/open_on.hpp>

namespace rhizome::bench {

template <class Space>
std::unique_ptr<subject> open_on(chosen_space const& where, subject_options const& options) {
    return runtime::open_allocator_on(space_for<Space>(where), options.allocator, options.heap_bytes);
}

} // namespace rhizome::bench
