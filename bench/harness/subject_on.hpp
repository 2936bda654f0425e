// SPDX-License-Identifier: Apache-2.0
// What the files subject_on.hpp of the benchmarks share: the space of a cell, and times of work on it.
#pragma once

#include <rhizome/bench/harness/subject.hpp>
#include <rhizome/exec/stopwatch.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace rhizome::bench {

/// cuda: whether all kernels are loaded before the first launch, or each before its own.
enum class kernel_loading : std::uint8_t { eager, lazy };

template <class Space>
[[nodiscard]] Space space_for([[maybe_unused]] chosen_space const& chosen,
                              [[maybe_unused]] kernel_loading loading = kernel_loading::eager) {
    if constexpr (std::is_same_v<Space, exec::host_space>)
        return Space({.threads = chosen.host_threads});
    else if constexpr (std::is_same_v<Space, exec::simt_space>)
        return Space({.seed = chosen.seed});
    else
        return Space({.preload_kernels = loading == kernel_loading::eager});
}

/// Milliseconds of the space that work() takes.
template <class Space, class Work>
[[nodiscard]] double time_of(exec::stopwatch<Space>& watch, Work&& work) {
    watch.start();
    work();
    watch.stop();
    return watch.elapsed_ms();
}

/// The same, and what work() returns.
template <class Space, class Work>
[[nodiscard]] auto timed(exec::stopwatch<Space>& watch, Work&& work) {
    watch.start();
    auto result = work();
    watch.stop();
    return std::pair(watch.elapsed_ms(), std::move(result));
}

} // namespace rhizome::bench
