// The axes of the tool, one list each: adding an allocator is one line here.
#pragma once

#include <rhizome/alloc/baselines/bump.hpp>
#include <rhizome/alloc/baselines/device_malloc.hpp>
#include <rhizome/alloc/ouroboros/ouroboros.hpp>
#include <rhizome/alloc/page_queue/page_queue.hpp>
#include <rhizome/cli/session.hpp>
#include <rhizome/cli/session_on.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/graph/layout/buckets.hpp>
#include <rhizome/graph/layout/contiguous.hpp>
#include <rhizome/graph/layout/linked_pages.hpp>

#include <memory>
#include <string>
#include <utility>

namespace rhizome::cli {

/// The allocators, in the order that --help shows; the first is the default.
/// function(name, summary, allocator type)
template <class Space, class Function>
void for_each_allocator(Function&& function) {
    using namespace alloc;
    using fine = fine_classes<>;
    function.template operator()<ouroboros<Space, page, virtual_array_queue, fine>>(
        "ouroboros-page-virtual-array",
        "Ouroboros, pages in queues that lie in chunks of the heap, named by an array; fine size classes");
    function.template operator()<ouroboros<Space, page, array_queue, fine>>(
        "ouroboros-page-array", "pages in queues that are arrays of their own");
    function.template operator()<ouroboros<Space, page, array_queue, power_of_two_classes<>>>(
        "ouroboros-page-array-pow2", "the same with the paper's power-of-two size classes");
    function.template operator()<ouroboros<Space, page, virtual_linked_queue, fine>>(
        "ouroboros-page-virtual-linked", "pages in queues that lie in chunks, each chunk naming the next");
    function.template operator()<ouroboros<Space, chunk, array_queue, fine>>(
        "ouroboros-chunk-array", "Ouroboros, chunks in array queues, fine size classes");
    function.template operator()<ouroboros<Space, chunk, virtual_array_queue, fine>>(
        "ouroboros-chunk-virtual-array",
        "chunks in queues that lie in chunks of the heap, named by an array");
    function.template operator()<ouroboros<Space, chunk, virtual_linked_queue, fine>>(
        "ouroboros-chunk-virtual-linked", "the same, each chunk naming the next");
    function.template operator()<page_queue<Space, 128>>(
        "page-queue", "pages of 128 bytes from an index queue, as in faimGraph");
    function.template operator()<alloc::bump<Space>>("bump",
                                                     "an atomic counter that never frees: a baseline");
    function.template operator()<alloc::device_malloc<Space>>(
        "device-malloc", "CUDA's own heap, std::malloc on the host: a baseline");
}

/// The graphs that the tool is built with: the default layout over every allocator that can serve it, the
/// others over those that suit them. Each is half a minute of compiling. function.template operator()<Layout,
/// Allocator>(layout, allocator)
template <class Space, class Function>
void for_each_graph(Function&& function) {
    using default_allocator = graph::default_allocator<Space>;
    for_each_allocator<Space>([&]<class Allocator>(char const* name, char const*) {
        if constexpr (graph::layout_fits<graph::contiguous, Allocator>)
            function.template operator()<graph::contiguous, Allocator>(graph::contiguous::name, name);
    });
    using pages = graph::linked_pages<128>;
    function.template operator()<pages, alloc::page_queue<Space, 128>>(pages::name, "page-queue");
    function.template operator()<pages, default_allocator>(pages::name, "ouroboros-page-virtual-array");
    function.template operator()<graph::buckets<>, default_allocator>(graph::buckets<>::name,
                                                                      "ouroboros-page-virtual-array");
}

/// The session on the graph of those names, of which either may be empty. Throws usage_error where the tool
/// is built with none.
template <class Space>
[[nodiscard]] std::unique_ptr<session> open_on(Space space, std::uint64_t vertex_count,
                                               session_options const& options) {
    std::unique_ptr<session> opened;
    std::string others;
    std::string const layout = options.layout.empty() ? graph::contiguous::name : options.layout;
    for_each_graph<Space>([&]<class Layout, class Allocator>(char const* of, char const* allocator) {
        if (layout != of || opened != nullptr) return;
        if (options.allocator.empty() || options.allocator == allocator)
            opened = std::make_unique<session_on<Space, Layout, Allocator>>(space, vertex_count, options,
                                                                            session_names{allocator, of});
        others += (others.empty() ? "" : ", ") + std::string(allocator);
    });
    if (opened == nullptr)
        throw usage_error("--layout " + layout + " does not go with --allocator " + options.allocator +
                          "; it goes with " + others);
    return opened;
}

/// The session whose edges have weights: with the default allocator and layout only, since each more is as
/// much compiling as one without. Throws usage_error for others.
template <class Space>
[[nodiscard]] std::unique_ptr<session> open_weighted_on(Space space, std::uint64_t vertex_count,
                                                        session_options const& options) {
    using layout = graph::contiguous;
    constexpr char const* allocator_name = "ouroboros-page-virtual-array";
    bool const others = (!options.layout.empty() && options.layout != layout::name) ||
                        (!options.allocator.empty() && options.allocator != allocator_name);
    if (others)
        throw usage_error(std::string("weights are kept with --layout ") + layout::name +
                          " and --allocator " + allocator_name +
                          " only, the defaults; --drop-weights leaves them out");
    using allocator = graph::default_allocator<Space>;
    return std::make_unique<session_on<Space, layout, allocator, double>>(
        space, vertex_count, options, session_names{allocator_name, layout::name});
}

// One a space, each in a file of its own, so that each is compiled by its own compiler.
[[nodiscard]] std::unique_ptr<session> open_on_host(std::uint64_t vertex_count,
                                                    session_options const& options);
[[nodiscard]] std::unique_ptr<session> open_on_simt(std::uint64_t vertex_count,
                                                    session_options const& options);
[[nodiscard]] std::unique_ptr<session> open_on_cuda(std::uint64_t vertex_count,
                                                    session_options const& options);
[[nodiscard]] std::unique_ptr<session> open_weighted_on_host(std::uint64_t vertex_count,
                                                             session_options const& options);
[[nodiscard]] std::unique_ptr<session> open_weighted_on_simt(std::uint64_t vertex_count,
                                                             session_options const& options);
[[nodiscard]] std::unique_ptr<session> open_weighted_on_cuda(std::uint64_t vertex_count,
                                                             session_options const& options);
/// Whether this binary has the cuda space.
[[nodiscard]] bool built_with_cuda();

} // namespace rhizome::cli
