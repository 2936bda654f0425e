// SPDX-License-Identifier: Apache-2.0
// What the steps of shortest paths leave to each other.
#pragma once

#include <rhizome/algorithms/detail/frontier_lists.hpp>
#include <rhizome/algorithms/sssp_options.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/grid_barrier.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// What a step finds. All threads add to it.
struct sssp_found {
    frontier_counts near; ///< vertices to be expanded next
    std::uint32_t far;    ///< vertices added to the pile; of a split: vertices of the new pile
    std::uint32_t refused;
    std::uint32_t overflows;   ///< a sum exceeded the type of distances
    std::uint64_t above_least; ///< complement of the least word in the new pile, so that 0 is none
};

/// How far a search has come. All threads that work on it have equal ones, so it should need few registers.
struct sssp_search {
    frontier_counts near;
    std::uint64_t limit;   ///< word below which distances are near
    std::uint64_t settled; ///< distances below this word are final
    double delta;
    std::uint32_t number; ///< of the step; stamps are numbers, and its parity says which lists are read
    std::uint32_t rounds;
    std::uint32_t far; ///< size of the pile
    std::uint8_t far_parity;
    std::uint8_t doublings; ///< of delta since the start, at most tuning::delta_doublings
    bool adapts;            ///< delta is doubled and halved
    bool was_wide;          ///< since the last split, a step was for more than a block
    bool splits;            ///< the step takes vertices from the pile
    bool marks;   ///< the step expands near vertices, and marks those to be listed; without it, it lists them
    bool gathers; ///< the step lists the marked vertices
    bool refused;
    bool overflows;
};

/// What a step leaves to the next one.
struct sssp_round {
    sssp_found found;
    // Added to by all threads:
    std::uint64_t rows;     ///< that are not empty
    std::uint64_t samples;  ///< weights in the sum
    std::uint64_t vertices; ///< different sources; reached vertices; vertices that got a parent
    double weights;
    sssp_search search; ///< by one thread: where a narrow step has arrived
};

struct sssp_outcome {
    shortest_paths_report report;
    std::uint64_t refused_arc; ///< source above, target below
    std::uint32_t refused;
    std::uint32_t dead_source;
    std::uint32_t too_far;
};

/// In the memory of the space; zero at the beginning.
struct sssp_state {
    exec::grid_barrier barrier;
    std::uint64_t refused_arc;
    std::uint32_t dead_source;
    std::uint32_t too_far;
    sssp_round ring[4]; ///< step i reads ring[i % 4], adds to ring[(i + 1) % 4], clears ring[(i + 2) % 4]
};

} // namespace rhizome::algorithms::detail
