// SPDX-License-Identifier: Apache-2.0
// An allocator under measurement, on a space of its own, in kernels that make the static calls of coalescing.
#pragma once

#include <rhizome/bench/harness/subject.hpp>
#include <rhizome/bench/papers/coalesced_allocation/collectives.hpp>
#include <rhizome/bench/papers/coalesced_allocation/patterns.hpp>
#include <rhizome/bench/papers/coalesced_allocation/programs.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rhizome::bench {

inline constexpr std::uint32_t most_block_threads = 1024;

struct coalescing_options {
    std::string allocator;        ///< one of coalescing_allocators()
    std::uint64_t heap_bytes = 0; ///< device-malloc has at least so much
    std::uint32_t blocks = 1;
    std::uint32_t block_threads = 1; ///< 1 to most_block_threads
};

/// The variants of coalescing over the default allocator, over CUDA's malloc and over random walks, and these
/// three alone. Names are those of the tool; "-random-walk-malloc" at the end names the third backing.
[[nodiscard]] std::vector<std::string> const& coalescing_allocators();
/// "coalescing-warp-table-device-malloc": warp-table over device-malloc. "device-malloc": no variant.
struct split_name {
    std::string variant; ///< "" for a backing alone
    std::string backing;
};
[[nodiscard]] split_name split_allocator(std::string const& allocator);

/// Clock ticks of one thread.
struct phase_ticks {
    std::uint64_t allocate;
    std::uint64_t work;
    std::uint64_t free;
};
/// Both clocks at the begin and the end of a launch.
struct clock_readings {
    std::uint64_t first_ticks;
    std::uint64_t first_nanoseconds;
    std::uint64_t last_ticks;
    std::uint64_t last_nanoseconds;
};

/// One launch that allocates, works and frees.
struct phases_outcome {
    double launch_ms = 0; ///< by events
    std::vector<phase_ticks> times;
    std::vector<double> results;
    clock_readings clocks{};
    std::uint64_t refused = 0;
};

/// One launch that works on blocks that are there already.
struct work_outcome {
    double launch_ms = 0; ///< by events
    std::vector<double> results;
};

/// Milliseconds of a collective, by events, and what it gave.
struct collective_outcome {
    double allocate_ms = 0; ///< the ranks' own buffers
    double operate_ms = 0;  ///< the operation, with the buffers that it allocates and frees
    double free_ms = 0;
    std::uint64_t refused = 0;
    std::vector<double> received; ///< of all ranks, or of the root
};

/// A program of several collectives in one launch, and what each rank says of it.
struct program_outcome {
    double launch_ms = 0; ///< by events
    std::vector<rank_ticks> times;
    clock_readings clocks{};
    std::vector<double> sums; ///< of what each rank received
    std::uint64_t refused = 0;
};

class coalescing_subject {
public:
    virtual ~coalescing_subject() = default;

    /// Threads of each launch.
    [[nodiscard]] virtual std::uint64_t threads() const = 0;
    [[nodiscard]] virtual phases_outcome run(access_pattern pattern, std::uint32_t floats) = 0;

    /// A launch that makes a request per thread and nothing else. Milliseconds by events.
    [[nodiscard]] virtual double allocate_ms(std::uint64_t bytes) = 0;
    /// The blocks of the last allocate_ms(); nullptr where a request was refused.
    [[nodiscard]] virtual std::vector<void*> blocks() = 0;
    /// Fills them, and works on them in a launch of its own, which all threads begin together.
    [[nodiscard]] virtual work_outcome work(access_pattern pattern, std::uint32_t floats) = 0;
    /// Gives them back.
    [[nodiscard]] virtual double free_ms() = 0;

    /// A rank per thread; `doubles` are exchanged by each pair of ranks that exchange any.
    [[nodiscard]] virtual collective_outcome run(collective which, std::uint64_t doubles) = 0;

    /// A rank per thread; their number is a multiple of program_block_threads. Throws std::runtime_error
    /// where the device cannot run them all at once.
    [[nodiscard]] virtual program_outcome run(mpi_program const& program, std::uint32_t rounds,
                                              std::uint64_t doubles) = 0;

    /// What is wrong with the heap once all blocks are given back; empty: nothing. Waits.
    [[nodiscard]] virtual std::vector<std::string> audit_empty() = 0;
};

/// Throws std::invalid_argument for an allocator that there is none of.
template <class Space>
[[nodiscard]] std::unique_ptr<coalescing_subject> open_on(chosen_space const& where,
                                                          coalescing_options const& options);

} // namespace rhizome::bench
