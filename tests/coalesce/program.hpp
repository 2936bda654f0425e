// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <rhizome/exec/simt.hpp>

#include <stand_in.hpp>

#include <cstdint>
#include <vector>

namespace rhizome::tests {

struct program_result {
    std::vector<std::uint64_t> sums; ///< one per thread
    alloc::static_calls calls;
};

/// program.cpp as it is written, and as rhizome-coalesce rewrites it.
program_result program_before(exec::simt_space space);
program_result program_after(exec::simt_space space);

} // namespace rhizome::tests
