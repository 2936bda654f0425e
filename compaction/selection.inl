// SPDX-License-Identifier: Apache-2.0
// Bodies of selection.hpp.
#pragma once

#include <rhizome/compaction/detail/host_passes.hpp>
#include <rhizome/compaction/detail/in_place_kernel.hpp>
#include <rhizome/compaction/detail/scan_kernel.hpp>
#include <rhizome/compaction/detail/write_kernel.hpp>

namespace rhizome::compaction::detail {

template <class Space>
template <class Source, class Element>
void selection<Space>::select(Space& space, selection_plan const& plan, selection_scratch const& scratch,
                              Source const& source, bit_mask const& mask, Element* output,
                              std::uint64_t* count) {
    if constexpr (exec::threads_take_runs<Space>) {
        *count = select_on_host(space.team(), scratch.list, source, mask, output);
    } else {
        if (mask.bits == 0) return space.fill(count, 0, sizeof(*count));
        using target = array_target<Source, Element>;
        tile_table const table{scratch.states + ticket_words, plan.tiles};
        auto* const steps = reinterpret_cast<listed_step*>(scratch.list + 2);
        launch(space, plan.scan_shape,
               scan_kernel<target>{target{source, output}, mask, table, scratch.states, steps, scratch.list,
                                   count});
        launch(space, plan.write_shape,
               write_kernel<Source, Element>{source, mask, steps, scratch.list, output, scratch.states,
                                             plan.state_words});
    }
}

template <class Space>
template <class Element>
void selection<Space>::select_in_place(Space& space, selection_plan const& plan,
                                       selection_scratch const& scratch, Element* data, bit_mask const& mask,
                                       std::uint64_t* count) {
    if constexpr (exec::threads_take_runs<Space>) {
        *count = select_in_place_on_host(space.team(), scratch.list, data, mask);
    } else {
        if (mask.bits == 0) return space.fill(count, 0, sizeof(*count));
        tile_table const table{scratch.states + ticket_words, plan.tiles};
        auto* const steps = reinterpret_cast<listed_step*>(scratch.list + 2);
        auto* const ticket = reinterpret_cast<std::uint64_t*>(scratch.progress);
        std::uint32_t* const progress = scratch.progress + 2;
        in_place_target const target{held_elements<Element>::capacity, row_parts<Element>, ticket, progress};
        launch(space, plan.scan_shape,
               scan_kernel<in_place_target>{target, mask, table, scratch.states, steps, scratch.list, count});
        launch(space, plan.move_shape,
               in_place_kernel<Element>{data, mask, steps, scratch.list, ticket, progress, scratch.states,
                                        plan.state_words});
    }
}

} // namespace rhizome::compaction::detail
