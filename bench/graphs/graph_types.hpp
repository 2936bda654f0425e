// The graphs that are measured, one list: adding one is one line here, and ten seconds of compiling a space.
#pragma once

#include <rhizome/alloc/baselines/device_malloc.hpp>
#include <rhizome/alloc/ouroboros/ouroboros.hpp>
#include <rhizome/graph/dynamic_graph.hpp>
#include <rhizome/graph/layout/contiguous.hpp>

namespace rhizome::bench {

/// Layouts with allocators, under the tool's names; the first is the default.
/// function.template operator()<Layout, Allocator>(layout, allocator)
template <class Space, class Function>
void for_each_graph_type(Function&& function) {
    using namespace alloc;
    using graph::contiguous;
    function.template operator()<contiguous, graph::default_allocator<Space>>("contiguous",
                                                                              "ouroboros-page-virtual-array");
    function.template operator()<contiguous, ouroboros<Space, page, array_queue, fine_classes<>>>(
        "contiguous", "ouroboros-page-array");
    function.template operator()<contiguous, alloc::device_malloc<Space>>("contiguous", "device-malloc");
}

} // namespace rhizome::bench
