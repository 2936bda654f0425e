// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/papers/random_walk/utilisation.hpp>

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace rhizome::bench {

double handed_out_share(utilisation_subject& subject, std::uint64_t heap_bytes, std::uint64_t threads,
                        std::uint64_t bytes) {
    // So that what the last launch gets beside the refusals is no large part.
    constexpr std::uint64_t launches_at_least = 256;
    threads = std::clamp<std::uint64_t>(heap_bytes / bytes / launches_at_least, 1, threads);
    std::uint64_t served = 0;
    for (;;) {
        std::uint64_t const got = subject.request(threads, bytes);
        served += got;
        if (served * bytes > heap_bytes)
            throw std::runtime_error("more was handed out than the heap can hold");
        if (got != threads) return static_cast<double>(served * bytes) / static_cast<double>(heap_bytes);
    }
}

double share_after_rounding(utilisation_options const& options, std::uint64_t bytes) {
    std::uint64_t rounded = std::bit_ceil(bytes);
    if (options.allocator != "ouroboros") {
        std::uint64_t const page =
            options.allocator == "random-walk-malloc-16" ? 16 : options.largest_bytes / 32;
        rounded = (bytes + page - 1) / page * page;
    }
    return static_cast<double>(bytes) / static_cast<double>(rounded);
}

} // namespace rhizome::bench
