// SPDX-License-Identifier: Apache-2.0
// Results that follow a graph, of algorithms chosen by name at run time.
#pragma once

#include <rhizome/algorithms/maintained/maintenance.hpp>
#include <rhizome/runtime/algorithm.hpp>

#include <cstddef>
#include <string_view>

namespace rhizome::runtime {

/// A result that follows the graph, as graph_results::update() leaves it.
struct maintained_answer {
    /// As a run of the algorithm leaves it. The arrays are valid until the next update of any result, the
    /// next change of the graph, or stop().
    algorithm_result found;
    bool recomputed = false; ///< computed anew since the last update(), not only repaired
};

/// Keeps results of algorithms up to date while a graph changes: each change notes what it does, and the
/// results are repaired from that (algorithms/maintained/). They are brought up to date when update() asks
/// for them, and before the next change, because the notes of two changes may contradict each other
/// (but see any_graph::begin_disjoint_changes()).
class graph_results {
public:
    virtual ~graph_results() = default;

    /// Keeps the result of an algorithm from now on. Returns its number, for the calls below. The first
    /// update() computes it. Throws std::invalid_argument if the algorithm, this graph's layout or its values
    /// do not offer that, and for arguments that the algorithm does not take.
    virtual std::size_t maintain(std::string_view algorithm, algorithm_arguments given = {},
                                 algorithms::maintenance way = algorithms::maintenance::cheaper) = 0;
    /// Brings a result up to date. Waits. Throws what a run of the algorithm throws; the next call then
    /// computes it anew. Throws std::out_of_range for a number that maintain() has not returned, or whose
    /// result was stopped.
    virtual maintained_answer update(std::size_t result) = 0;
    /// Keeps the result no longer, and frees its memory.
    virtual void stop(std::size_t result) = 0;
};

} // namespace rhizome::runtime
