// SPDX-License-Identifier: Apache-2.0
// The variants of SPACE, for comparison with the default compaction.
#pragma once

#include <rhizome/compaction/bit_mask.hpp>
#include <rhizome/compaction/selectable.hpp>
#include <rhizome/compaction/selection.hpp>
#include <rhizome/compaction/space/kernels.hpp>
#include <rhizome/compaction/space/policy.hpp>
#include <rhizome/compaction/tuning.hpp>
#include <rhizome/exec/mailbox.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/side_lane.hpp>
#include <rhizome/exec/workspace.hpp>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::compaction {

struct space_options {
    std::uint32_t chunk_items = 512;   ///< a multiple of 32, from 32 to 65,536
    std::uint32_t block_threads = 256; ///< a multiple of 32, at most 1024
    std::uint32_t write_threads = 0;   ///< of the kernel that writes elements; 0: as the others
    std::uint32_t streams = 0;         ///< at most 64; 0: as many as the policy says
};

/// One variant of SPACE, with the interface of compactor. Scratch, kept between calls: 12 to 20 bytes per
/// chunk. Launches: with the two-phase and the partial prefix sum one per layer of the tree, which has as
/// many layers as the number of chunks has bits; otherwise three and those of exec::exclusive_scan.
template <class Space>
class space_compactor {
public:
    /// Throws std::invalid_argument for options out of range. `scratch` as for compactor.
    explicit space_compactor(Space space, space_policy const& policy, space_options const& options = {},
                             exec::memory_resource* scratch = nullptr)
        : space_(space), policy_(policy), options_(options), counts_(space, scratch), layers_(space, scratch),
          offsets_(space, scratch), scan_(space, scratch), found_(space) {
        if (options.chunk_items % bits_per_word != 0 || options.chunk_items < bits_per_word ||
            options.chunk_items > 65'536)
            throw std::invalid_argument("space_compactor: " + std::to_string(options.chunk_items) +
                                        " items per chunk, expected a multiple of 32 up to 65536");
        if (options.write_threads == 0) options_.write_threads = options.block_threads;
        for (std::uint32_t const threads : {options_.block_threads, options_.write_threads})
            if (threads == 0 || threads % warp_lanes != 0 || threads > most_space_threads)
                throw std::invalid_argument("space_compactor: " + std::to_string(threads) +
                                            " threads per block, expected a multiple of 32 up to 1024");
        if (options.streams > most_space_streams)
            throw std::invalid_argument("space_compactor: " + std::to_string(options.streams) +
                                        " streams, expected at most 64");
        for (std::uint32_t i = 0; i < (options.streams == 0 ? policy.streams : options.streams); ++i)
            lanes_.emplace_back(space);
    }

    /// As compactor::select().
    template <selectable T>
    void select(T const* input, bit_mask const& mask, T* output, std::uint64_t* count) {
        if (mask.bits == 0) return space_.fill(count, 0, sizeof(*count));
        detail::with_element(input, output, [&](auto const* from, auto* to) { run(from, mask, to, count); });
    }
    template <selectable T>
    [[nodiscard]] std::uint64_t select(T const* input, bit_mask const& mask, T* output) {
        if (mask.bits == 0) return 0;
        select(input, mask, output, found_.in_space());
        return found_.read();
    }

private:
    template <class Element>
    void run(Element const* input, bit_mask const& mask, Element* output, std::uint64_t* count) {
        std::uint64_t const chunks = (mask.bits + options_.chunk_items - 1) / options_.chunk_items;
        detail::chunk_range const all{mask, options_.chunk_items / bits_per_word, 0, chunks};
        bool const has_tree = policy_.prefix != prefix_sum::library;
        bool const has_offsets = policy_.prefix != prefix_sum::partial;
        auto* const counts = counts_.template at_least_of<std::uint32_t>(chunks + 1);
        auto* const layers = has_tree ? layers_.template at_least_of<std::uint64_t>(chunks) : nullptr;
        auto* const offsets =
            has_offsets ? offsets_.template at_least_of<std::uint64_t>(chunks + 1) : nullptr;
        detail::sum_tree const tree{counts, layers, chunks};

        in_parts(all, [&](Space& space, detail::chunk_range const& part) {
            launch(space, warps_for(part.count, options_.block_threads), detail::count_chunks{part, counts});
        });
        if (has_tree) {
            for (std::uint32_t b = 1; chunks >> b != 0; ++b)
                launch(space_, threads_for(chunks >> b), detail::add_layer{tree, b});
            if (has_offsets) launch(space_, threads_for(chunks + 1), detail::add_subtrees{tree, offsets});
        } else {
            space_.fill(counts + chunks, 0, sizeof(*counts));
            exclusive_scan(space_, scan_, counts, offsets, chunks + 1);
        }
        detail::chunk_offsets const places{offsets, tree, counts, policy_.skips};
        launch(space_, one_warp(space_), detail::tell_count{places, chunks, count});
        in_parts(all, [&](Space& space, detail::chunk_range const& part) {
            if (policy_.write == write_out::thread_per_chunk)
                launch(space, cover_threads(space_, part.count, options_.write_threads),
                       detail::write_by_threads<Element>{part, places, input, output});
            else if (policy_.write == write_out::warp_per_chunk)
                launch(space, warps_for(part.count, options_.write_threads),
                       detail::write_by_warps<Element>{part, places, input, output});
            else
                write_full(space, part, places, input, output);
        });
    }

    template <class Element>
    void write_full(Space& space, detail::chunk_range const& part, detail::chunk_offsets const& places,
                    Element const* input, Element* output) const {
        std::uint32_t const neighbours = std::max(space_group_items / options_.chunk_items, 1u);
        launch(space, warps_for((part.count + neighbours - 1) / neighbours, options_.write_threads),
               detail::write_full_warps<Element>{part, places, input, output, neighbours});
    }

    /// Calls body(space, range): once, or for each side lane with its share of the chunks.
    template <class Body>
    void in_parts(detail::chunk_range const& all, Body const& body) {
        if (lanes_.empty()) return body(space_, all);
        std::uint64_t const share = (all.count + lanes_.size() - 1) / lanes_.size();
        for (std::uint64_t i = 0; i < lanes_.size() && i * share < all.count; ++i) {
            detail::chunk_range part = all;
            part.first = i * share;
            part.count = std::min(share, all.count - part.first);
            lanes_[i].awaits_work();
            body(lanes_[i].space(), part);
            lanes_[i].work_awaits();
        }
    }
    [[nodiscard]] exec::launch_shape threads_for(std::uint64_t items) const {
        return cover_threads(space_, items, options_.block_threads);
    }
    [[nodiscard]] exec::launch_shape warps_for(std::uint64_t items, std::uint32_t threads) const {
        return exec::cover_tiles<warp_lanes>(space_, items, threads);
    }

    Space space_;
    space_policy policy_;
    space_options options_;
    exec::workspace<Space> counts_;
    exec::workspace<Space> layers_;
    exec::workspace<Space> offsets_;
    exec::workspace<Space> scan_;
    exec::mailbox<Space, std::uint64_t> found_;
    std::vector<exec::side_lane<Space>> lanes_;
};

} // namespace rhizome::compaction
