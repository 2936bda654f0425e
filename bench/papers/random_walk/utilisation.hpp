// SPDX-License-Identifier: Apache-2.0
// Figure 15 of the random-walk paper: how much of a heap is handed out before the first refusal.
#pragma once

#include <rhizome/bench/harness/registry.hpp>
#include <rhizome/bench/harness/subject.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace rhizome::bench {

struct utilisation_options {
    std::string allocator; ///< ouroboros, random-walk-malloc, random-walk-malloc-16
    std::uint64_t largest_bytes =
        0; ///< 4096, 8192, 16384, 32768: a chunk of ouroboros, 32 pages of random-walk-malloc
    std::uint64_t heap_bytes = 0;
};

/// A new heap. Throws what the space throws.
class utilisation_subject {
public:
    virtual ~utilisation_subject() = default;
    /// Each of `threads` threads requests a block. Returns how many were served.
    [[nodiscard]] virtual std::uint64_t request(std::uint64_t threads, std::uint64_t bytes) = 0;
};

/// Throws std::invalid_argument for options that there are none of.
template <class Space>
[[nodiscard]] std::unique_ptr<utilisation_subject> open_on(chosen_space const& where,
                                                           utilisation_options const& options);

/// Launch by launch until a request is refused: the bytes that were asked for and served, over those of the
/// heap.
[[nodiscard]] double handed_out_share(utilisation_subject& subject, std::uint64_t heap_bytes,
                                      std::uint64_t threads, std::uint64_t bytes);
/// The most that rounding up to whole pages allows; ouroboros: to a power of two.
[[nodiscard]] double share_after_rounding(utilisation_options const& options, std::uint64_t bytes);

[[nodiscard]] benchmark utilisation_benchmark();

} // namespace rhizome::bench
