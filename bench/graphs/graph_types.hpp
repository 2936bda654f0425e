// The graphs that are measured, one list: adding one is one line here, and ten seconds of compiling a space.
#pragma once

#include <rhizome/alloc/baselines/device_malloc.hpp>
#include <rhizome/alloc/ouroboros/ouroboros.hpp>
#include <rhizome/alloc/page_queue/page_queue.hpp>
#include <rhizome/graph/dynamic_graph.hpp>
#include <rhizome/graph/layout/buckets.hpp>
#include <rhizome/graph/layout/contiguous.hpp>
#include <rhizome/graph/layout/linked_pages.hpp>

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
    function.template operator()<graph::linked_pages<128>, page_queue<Space, 128>>("linked-pages",
                                                                                   "page-queue");
    function.template operator()<graph::buckets<>, graph::default_allocator<Space>>(
        "buckets", "ouroboros-page-virtual-array");
}

} // namespace rhizome::bench
