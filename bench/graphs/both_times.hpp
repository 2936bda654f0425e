// SPDX-License-Identifier: Apache-2.0
// The times of an algorithm on the live graph and on a snapshot of it.
#pragma once

#include <rhizome/bench/harness/cell.hpp>

#include <vector>

namespace rhizome::bench {

/// The times of both views, and what they say of each other.
struct both_times {
    measure live{"live", "ms", false, {}};
    measure csr{"csr", "ms", false, {}};
    measure live_over_csr{"live_over_csr", "x CSR", false, {}};

    void add(double live_ms, double csr_ms) {
        live.samples.push_back(live_ms);
        csr.samples.push_back(csr_ms);
        live_over_csr.samples.push_back(csr_ms == 0 ? 0 : live_ms / csr_ms);
    }
    [[nodiscard]] std::vector<measure> measures() const { return {live, csr, live_over_csr}; }
};

} // namespace rhizome::bench
