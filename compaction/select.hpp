// SPDX-License-Identifier: Apache-2.0
// Stream compaction: copies the selected elements of an array, in order, to the beginning of another one.
#pragma once

#include <rhizome/compaction/bit_mask.hpp>
#include <rhizome/compaction/selectable.hpp>
#include <rhizome/compaction/selection.hpp>
#include <rhizome/compaction/tuning.hpp>
#include <rhizome/exec/mailbox.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/workspace.hpp>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace rhizome::compaction {

/// Compacts arrays by bit masks, and keeps its scratch between calls. Move-only. All arrays lie in the memory
/// of the space.
///
/// Every function has two forms. The one with `count`, a pointer into the memory of the space, enqueues the
/// work in the order of the space: on cuda it returns before the work is done, on host and simt the work is
/// done on return. The other one waits and returns the count. One thread of the host at a time calls a
/// compactor.
///
/// Elements are of any trivially copyable type of 1 to 16 bytes; the selected ones keep their order. Sizes
/// and counts have 64 bits. The result is the same in all spaces and runs.
///
/// Cost: on cuda and simt two launches, one pass over the mask and a second one over those chunks of 32,768
/// items of which more than 512 are selected, one read of the sectors (32 bytes) that hold a selected
/// element, and one write of the output. Scratch: 16 bytes per 1024 items (of 8 bytes: per 512, of more: per
/// 256), and 16 bytes per tile of 262,144 items; in place also a bit per step. On the host two parallel
/// passes, and 8 bytes of scratch per 65,536 items. If the scratch suffices, a call allocates nothing.
///
/// Throws out_of_memory if there is no memory for the scratch; nothing has been written then.
/// The method: docs of this module (compaction/README.md); prefix sum by Merrill and Garland, NVR-2016-002.
template <class Space>
class compactor {
public:
    /// Allocates nothing. `scratch`: source of the scratch, which must outlive this object; nullptr: the
    /// space.
    explicit compactor(Space space, exec::memory_resource* scratch = nullptr)
        : space_(space), states_(space, scratch), list_(space, scratch), progress_(space, scratch) {}

    /// output[0, count) = the elements of input whose bits are set. `input` has mask.bits elements, `output`
    /// has room for those that are selected. The arrays do not overlap.
    template <selectable T>
    void select(T const* input, bit_mask const& mask, T* output, std::uint64_t* count) {
        detail::with_element(input, output, [&](auto const* from, auto* to) {
            run(detail::source_of(from), mask, to, count);
        });
    }
    template <selectable T>
    [[nodiscard]] std::uint64_t select(T const* input, bit_mask const& mask, T* output) {
        if (mask.bits == 0) return 0;
        select(input, mask, output, answer());
        return found_->read();
    }

    /// output[0, count) = the numbers of the items whose bits are set, ascending. Throws
    /// std::invalid_argument if Index cannot hold mask.bits - 1.
    template <index_type Index>
    void select_indices(bit_mask const& mask, Index* output, std::uint64_t* count) {
        detail::require_index<Index>(mask.bits);
        run(detail::index_source<Index>{}, mask, output, count);
    }
    template <index_type Index>
    [[nodiscard]] std::uint64_t select_indices(bit_mask const& mask, Index* output) {
        if (mask.bits == 0) return 0;
        select_indices(mask, output, answer());
        return found_->read();
    }

    /// Moves the elements of `data` whose bits are set to its beginning. The elements behind them are
    /// unspecified. Takes no memory for a second array; on cuda it is slower than select().
    template <selectable T>
    void select_in_place(T* data, bit_mask const& mask, std::uint64_t* count) {
        detail::with_element(data, data,
                             [&](auto const*, auto* elements) { run_in_place(elements, mask, count); });
    }
    template <selectable T>
    [[nodiscard]] std::uint64_t select_in_place(T* data, bit_mask const& mask) {
        if (mask.bits == 0) return 0;
        select_in_place(data, mask, answer());
        return found_->read();
    }

    /// For measurements and tests. Throws std::invalid_argument if block_threads is neither 0 nor a multiple
    /// of 64 up to 256.
    void set_launch_options(launch_options const& options) {
        if (options.block_threads % (2 * warp_lanes) != 0 || options.block_threads > most_block_threads)
            throw std::invalid_argument("launch_options::block_threads is " +
                                        std::to_string(options.block_threads) +
                                        ", expected a multiple of 64 up to 256, or 0");
        options_ = options;
    }
    /// Bytes of scratch that this object holds.
    [[nodiscard]] std::uint64_t scratch_bytes() const {
        return states_.held_bytes() + list_.held_bytes() + progress_.held_bytes();
    }

private:
    [[nodiscard]] std::uint64_t* answer() {
        if (!found_) found_.emplace(space_);
        return found_->in_space();
    }

    /// The scratch of a call.
    [[nodiscard]] detail::selection_scratch prepare(detail::selection_plan const& plan, bool in_place) {
        detail::selection_scratch scratch;
        scratch.list = list_.template at_least_of<std::uint64_t>(plan.list_words);
        if (in_place && plan.progress_words != 0)
            scratch.progress = progress_.template at_least_of<std::uint32_t>(plan.progress_words);
        if (plan.state_words != 0) {
            std::uint64_t const held = states_.held_bytes();
            scratch.states = states_.template at_least_of<std::uint64_t>(plan.state_words);
            if (states_.held_bytes() != held) clean_ = false;
            if (!clean_) space_.fill(scratch.states, 0, states_.held_bytes());
        }
        clean_ = false; // until both kernels have been given to the space
        return scratch;
    }

    template <class Source, class Element>
    void run(Source const& source, bit_mask const& mask, Element* output, std::uint64_t* count) {
        auto const plan = detail::plan_selection(space_, mask.bits, sizeof(Element), options_);
        detail::selection<Space>::select(space_, plan, prepare(plan, false), source, mask, output, count);
        clean_ = true;
    }
    template <class Element>
    void run_in_place(Element* data, bit_mask const& mask, std::uint64_t* count) {
        auto const plan = detail::plan_selection(space_, mask.bits, sizeof(Element), options_);
        detail::selection<Space>::select_in_place(space_, plan, prepare(plan, true), data, mask, count);
        clean_ = true;
    }

    Space space_;
    exec::workspace<Space> states_; ///< all zero between calls if clean_
    exec::workspace<Space> list_;
    exec::workspace<Space> progress_;
    std::optional<exec::mailbox<Space, std::uint64_t>> found_; ///< made by the first call that waits
    launch_options options_;
    bool clean_ = false;
};

// The same with scratch that the caller gives, whose contents do not matter: one more launch clears a part of
// it. `scratch` grows if it is too small, and throws out_of_memory if it cannot.

template <class Space, selectable T>
void select(Space space, exec::workspace<Space>& scratch, T const* input, bit_mask const& mask, T* output,
            std::uint64_t* count) {
    auto const plan = detail::plan_selection(space, mask.bits, sizeof(T), {});
    auto const parts = detail::carve(space, plan, scratch);
    detail::with_element(input, output, [&](auto const* from, auto* to) {
        detail::selection<Space>::select(space, plan, parts, detail::source_of(from), mask, to, count);
    });
}

template <class Space, index_type Index>
void select_indices(Space space, exec::workspace<Space>& scratch, bit_mask const& mask, Index* output,
                    std::uint64_t* count) {
    detail::require_index<Index>(mask.bits);
    auto const plan = detail::plan_selection(space, mask.bits, sizeof(Index), {});
    detail::selection<Space>::select(space, plan, detail::carve(space, plan, scratch),
                                     detail::index_source<Index>{}, mask, output, count);
}

template <class Space, selectable T>
void select_in_place(Space space, exec::workspace<Space>& scratch, T* data, bit_mask const& mask,
                     std::uint64_t* count) {
    auto const plan = detail::plan_selection(space, mask.bits, sizeof(T), {});
    auto const parts = detail::carve(space, plan, scratch);
    detail::with_element(data, data, [&](auto const*, auto* elements) {
        detail::selection<Space>::select_in_place(space, plan, parts, elements, mask, count);
    });
}

/// A single call: takes scratch of the space, waits, gives the scratch back and returns the count.
template <class Space, selectable T>
[[nodiscard]] std::uint64_t select(Space space, T const* input, bit_mask const& mask, T* output) {
    return compactor<Space>(space).select(input, mask, output);
}

} // namespace rhizome::compaction

#if defined(RHIZOME_COMPILED_COMPACTION)
#include <rhizome/compaction/compiled.hpp>
#endif
