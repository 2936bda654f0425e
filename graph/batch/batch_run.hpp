// SPDX-License-Identifier: Apache-2.0
// A batch on its way through its steps.
#pragma once

#include <rhizome/graph/batch/merge_context.hpp>
#include <rhizome/graph/batch/outcome.hpp>
#include <rhizome/graph/batch/packed_arcs.hpp>
#include <rhizome/graph/batch/plan/sorting_arrays.hpp>
#include <rhizome/graph/batch/reserve/bulk_arrays.hpp>
#include <rhizome/graph/batch/slots.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <functional>

namespace rhizome::graph::batch {

template <class Format>
struct batch_run {
    using id_type = typename Format::id_type;

    basic_edge<id_type> const* edges;
    std::uint64_t edge_count;
    std::uint64_t arc_count;  ///< of the batch
    std::uint64_t row_count;  ///< of the graph
    std::uint64_t graph_arcs; ///< of all its rows, before the batch
    row_slots slots;
    report_batch report; ///< comes last
    merge_context<Format> context;
    /// If arcs are sorted: the arrays if the sorted keys lie where they were made, and if they lie in the
    /// other half.
    sorted_arrays<id_type, Format::has_values> sorted[2]{};
    bulk_arrays bulk{};                            ///< empty where pages are requested lane by lane
    std::function<bool()> const* decide = nullptr; ///< asked between reserve and apply; nullptr: apply
    bool may_bin = true; ///< false: batches before this one were skewed (row_bins.hpp)
    change_targets<id_type, typename Format::value_type> changes{}; ///< counts if changes are noted
    arc_form* form = nullptr; ///< of the edges, where they may be packed arcs

    [[nodiscard]] bool is_packed() const { return form != nullptr && form->packed; }
};

} // namespace rhizome::graph::batch
