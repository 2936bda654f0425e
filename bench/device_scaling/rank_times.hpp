// SPDX-License-Identifier: Apache-2.0
// How long a call takes that all ranks make.
#pragma once

#include <rhizome/runtime/ranks/any_rank.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>

namespace rhizome::bench {

/// Milliseconds of a call that all ranks make: of the rank that took longest. All ranks begin together.
[[nodiscard]] inline double ms_of_all_ranks(runtime::any_rank& self, runtime::any_part& part,
                                            std::function<void()> const& call) {
    using clock = std::chrono::steady_clock;
    part.synchronize();
    std::uint64_t const nothing = 0;
    (void)self.gather_words({&nothing, 1}); // a rank that waits for long sleeps, and wakes late
    (void)self.gather_words({&nothing, 1}); // all begin
    auto const begin = clock::now();
    call();
    part.synchronize();
    auto const took = std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - begin);
    auto const mine = static_cast<std::uint64_t>(took.count());
    return static_cast<double>(std::ranges::max(self.gather_words({&mine, 1}))) * 1e-6;
}

} // namespace rhizome::bench
