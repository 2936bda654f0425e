// SPDX-License-Identifier: Apache-2.0
// A hash join under measurement, on a space of its own, with pages of some allocator.
#pragma once

#include <rhizome/bench/harness/subject.hpp>
#include <rhizome/bench/papers/random_walk/hash_join/tables.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rhizome::bench {

struct join_options {
    std::string allocator;        ///< one of join_allocators()
    std::uint32_t page_bytes = 0; ///< the output's pages
    std::uint64_t pages = 0;      ///< of the pool
    std::uint64_t tuples_per_thread = 1;
};

/// direct: a counter of pages, as the join that the paper starts from has it. The others are those of the
/// tool.
[[nodiscard]] std::vector<std::string> const& join_allocators();
/// Whether the allocator has pages of that size: those of random_walk exist with 32, 128, 512 and 2048 bytes.
[[nodiscard]] bool serves_join_pages(std::string const& allocator, std::uint32_t page_bytes);

struct join_outcome {
    double prepare_ms = 0; ///< making the heap and its tables, by the host's clock
    double partition_ms = 0;
    double build_ms = 0;
    double probe_ms = 0;
    join_progress progress;
};

class join_subject {
public:
    virtual ~join_subject() = default;
    virtual void set_tables(join_tables const& tables) = 0;
    /// The whole join, with a new heap.
    [[nodiscard]] virtual join_outcome run() = 0;
};

/// Throws std::invalid_argument for an allocator that there is none of.
template <class Space>
[[nodiscard]] std::unique_ptr<join_subject> open_on(chosen_space const& where, join_options const& options);

} // namespace rhizome::bench
