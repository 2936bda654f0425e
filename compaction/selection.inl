// Bodies of selection.hpp.
#pragma once

#include <rhizome/compaction/detail/count_kernel.hpp>
#include <rhizome/compaction/detail/host_passes.hpp>
#include <rhizome/compaction/detail/in_place_kernel.hpp>
#include <rhizome/compaction/detail/write_kernel.hpp>

namespace rhizome::compaction::detail {

template <class Space>
template <class Source, class Element>
void selection<Space>::select(Space& space, selection_plan const& plan, selection_scratch const& scratch,
                              Source const& source, bit_mask const& mask, Element* output,
                              std::uint64_t* count) {
    if constexpr (exec::threads_take_runs<Space>) {
        *count = select_on_host(space.team(), scratch.offsets, source, mask, output);
    } else {
        if (mask.bits == 0) return space.fill(count, 0, sizeof(*count));
        std::uint64_t* const words = scratch.states + 1;
        launch(space, plan.count_shape,
               count_kernel{mask, plan.units, plan.span_units, plan.spans, scratch.states, words,
                            scratch.offsets, count, nullptr, 0});
        launch(space, plan.write_shape,
               write_kernel<Source, Element>{source, mask, plan.units, scratch.offsets, output,
                                             scratch.states, plan.state_words});
    }
}

template <class Space>
template <class Element>
void selection<Space>::select_in_place(Space& space, selection_plan const& plan,
                                       selection_scratch const& scratch, Element* data, bit_mask const& mask,
                                       std::uint64_t* count) {
    if constexpr (exec::threads_take_runs<Space>) {
        *count = select_in_place_on_host(space.team(), scratch.offsets, data, mask);
    } else {
        if (mask.bits == 0) return space.fill(count, 0, sizeof(*count));
        std::uint64_t* const words = scratch.states + 1;
        launch(space, plan.count_shape,
               count_kernel{mask, plan.units, plan.span_units, plan.spans, scratch.states, words,
                            scratch.offsets, count, scratch.progress, plan.progress_words});
        launch(space, plan.write_shape,
               in_place_kernel<Element>{data, mask, plan.units, scratch.offsets,
                                        reinterpret_cast<std::uint64_t*>(scratch.progress),
                                        scratch.progress + 2, scratch.states, plan.state_words});
    }
}

} // namespace rhizome::compaction::detail
