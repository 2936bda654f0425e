// The axes of the tool, one list each: adding an allocator is one line here.
#pragma once

#include <rhizome/alloc/baselines/bump.hpp>
#include <rhizome/alloc/baselines/device_malloc.hpp>
#include <rhizome/alloc/ouroboros/ouroboros.hpp>
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
    function
        .template operator()<alloc::ouroboros<Space, alloc::page, alloc::array_queue, alloc::fine_classes<>>>(
            "ouroboros-page-array", "Ouroboros, pages in array queues, fine size classes");
    function.template
    operator()<alloc::ouroboros<Space, alloc::page, alloc::array_queue, alloc::power_of_two_classes<>>>(
        "ouroboros-page-array-pow2", "the same with the paper's power-of-two size classes");
    function.template
    operator()<alloc::ouroboros<Space, alloc::chunk, alloc::array_queue, alloc::fine_classes<>>>(
        "ouroboros-chunk-array", "Ouroboros, chunks in array queues, fine size classes");
    function.template operator()<alloc::bump<Space>>("bump",
                                                     "an atomic counter that never frees: a baseline");
    function.template operator()<alloc::device_malloc<Space>>(
        "device-malloc", "CUDA's own heap, std::malloc on the host: a baseline");
}

/// The session with the allocator of that name. Throws usage_error where there is none.
template <class Space>
[[nodiscard]] std::unique_ptr<session> open_on(Space space, std::uint64_t vertex_count,
                                               session_options const& options) {
    std::unique_ptr<session> opened;
    for_each_allocator<Space>([&]<class Allocator>(char const* name, char const*) {
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
