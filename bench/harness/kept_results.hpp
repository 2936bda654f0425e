// SPDX-License-Identifier: Apache-2.0
// Results that several cells of a run compare with, measured once.
#pragma once

#include <rhizome/bench/harness/cell.hpp>

#include <functional>
#include <string>

namespace rhizome::bench {

/// A folder for the results that cells of this run share, while the object lives: processes that are started
/// then find it by an environment variable. If no folder can be made, cells share nothing.
class kept_results {
public:
    kept_results();
    kept_results(kept_results const&) = delete;
    kept_results& operator=(kept_results const&) = delete;
    ~kept_results(); ///< deletes the folder

private:
    std::string folder_;
};

/// Returns what measure() gave in this run for the same cell, in this process or an earlier one. Calls it if
/// there is nothing yet, and keeps the result if its status is ok. Outside of a run it always calls it.
[[nodiscard]] cell_result measured_once(cell const& which, std::function<cell_result()> const& measure);

} // namespace rhizome::bench
