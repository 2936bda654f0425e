// The axes of the tool, one list each: adding an allocator is one line here.
#pragma once

#include <rhizome/alloc/baselines/bump.hpp>
#include <rhizome/alloc/baselines/device_malloc.hpp>
#include <rhizome/alloc/ouroboros/ouroboros.hpp>
#include <rhizome/alloc/page_queue/page_queue.hpp>
#include <rhizome/cli/session.hpp>
#include <rhizome/cli/session_on.hpp>
#include <rhizome/cli/usage_error.hpp>

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
    function.template operator()<ouroboros<Space, page, array_queue, fine>>(
        "ouroboros-page-array", "Ouroboros, pages in array queues, fine size classes");
    function.template operator()<ouroboros<Space, page, array_queue, power_of_two_classes<>>>(
        "ouroboros-page-array-pow2", "the same with the paper's power-of-two size classes");
    function.template operator()<ouroboros<Space, page, virtual_array_queue, fine>>(
        "ouroboros-page-virtual-array", "pages in queues that lie in chunks of the heap, named by an array");
    function.template operator()<ouroboros<Space, page, virtual_linked_queue, fine>>(
        "ouroboros-page-virtual-linked", "the same, each chunk naming the next");
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

/// Whether a contiguous adjacency of any length can lie in one block of it.
template <class Allocator>
inline constexpr bool serves_graphs = Allocator::ref_type::traits::largest_bytes >= std::uint64_t{1} << 32;

/// The session with the allocator of that name. Throws usage_error where there is none.
template <class Space>
[[nodiscard]] std::unique_ptr<session> open_on(Space space, std::uint64_t vertex_count,
                                               session_options const& options) {
    std::unique_ptr<session> opened;
    for_each_allocator<Space>([&]<class Allocator>(char const* name, char const*) {
        if constexpr (serves_graphs<Allocator>)
            if (opened == nullptr && (options.allocator.empty() || options.allocator == name))
                opened = std::make_unique<session_on<Space, Allocator>>(space, vertex_count, options,
                                                                        session_names{name, "contiguous"});
    });
    return opened;
}

// One a space, each in a file of its own, so that each is compiled by its own compiler.
[[nodiscard]] std::unique_ptr<session> open_on_host(std::uint64_t vertex_count,
                                                    session_options const& options);
[[nodiscard]] std::unique_ptr<session> open_on_simt(std::uint64_t vertex_count,
                                                    session_options const& options);
[[nodiscard]] std::unique_ptr<session> open_on_cuda(std::uint64_t vertex_count,
                                                    session_options const& options);
/// Whether this binary has the cuda space.
[[nodiscard]] bool built_with_cuda();

} // namespace rhizome::cli
