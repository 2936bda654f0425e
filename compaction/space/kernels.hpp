// SPDX-License-Identifier: Apache-2.0
// The kernels of SPACE's three phases. They run on every space: a warp has one lane on the host.
#pragma once

#include <rhizome/compaction/bit_mask.hpp>
#include <rhizome/compaction/detail/mask_words.hpp>
#include <rhizome/compaction/tuning.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>

#include <cstdint>

namespace rhizome::compaction::detail {

/// A range of chunks of one mask.
struct chunk_range {
    bit_mask mask;
    std::uint32_t chunk_words;
    std::uint64_t first;
    std::uint64_t count;

    [[nodiscard]] RZ_HD std::uint32_t word(std::uint64_t chunk, std::uint32_t i) const {
        return mask_word(mask, chunk * chunk_words + i);
    }
};

/// The number of selected items of each chunk (section 3.1). A warp counts a chunk.
struct count_chunks {
    chunk_range range;
    std::uint32_t* counts;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        exec::for_each_group_item(warp, range.count, [&](std::uint64_t i) {
            std::uint32_t own = 0;
            for (std::uint32_t word = warp.rank(); word < range.chunk_words; word += warp.size())
                own += exec::popcount(range.word(range.first + i, word));
            std::uint32_t const total = warp.sum(own);
            if (warp.rank() == 0) counts[range.first + i] = total;
        });
    }
};

/// The tree of sums over the counts of chunks: entry i of layer b is the sum of the 2^b counts from 2^b * i
/// on. Layer 0 are the counts. A layer has only entries that are full, so that any number of chunks will do.
struct sum_tree {
    std::uint32_t const* counts;
    std::uint64_t* layers; ///< layer 1, then layer 2, ...; in all fewer entries than there are chunks
    std::uint64_t chunks;

    [[nodiscard]] RZ_HD std::uint64_t* layer(std::uint32_t b) const {
        std::uint64_t* place = layers;
        for (std::uint32_t lower = 1; lower < b; ++lower)
            place += chunks >> lower;
        return place;
    }
    /// The sum of the counts of all chunks before this one, from the largest subtrees that fit.
    [[nodiscard]] RZ_HD std::uint64_t before(std::uint64_t chunk) const {
        std::uint64_t sum = (chunk & 1) != 0 ? counts[chunk - 1] : 0;
        std::uint64_t const* place = layers;
        for (std::uint32_t b = 1; chunk >> b != 0; ++b) {
            if ((chunk >> b & 1) != 0) sum += place[(chunk >> b) - 1];
            place += chunks >> b;
        }
        return sum;
    }
};

/// Up-sweep (section 3.2): one layer from the one below.
struct add_layer {
    sum_tree tree;
    std::uint32_t b; ///< at least 1

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t* const sums = tree.layer(b);
        exec::for_each_item(thread, tree.chunks >> b, [&](std::uint64_t i) {
            if (b == 1)
                sums[i] = std::uint64_t{tree.counts[2 * i]} + tree.counts[2 * i + 1];
            else
                sums[i] = tree.layer(b - 1)[2 * i] + tree.layer(b - 1)[2 * i + 1];
        });
    }
};

/// Down-sweep: the offset of each chunk, and the total behind the last.
struct add_subtrees {
    sum_tree tree;
    std::uint64_t* offsets;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, tree.chunks + 1,
                            [&](std::uint64_t chunk) { offsets[chunk] = tree.before(chunk); });
    }
};

/// The offsets of chunks: computed, or to be computed from the tree.
struct chunk_offsets {
    std::uint64_t const* known; ///< nullptr: from the tree
    sum_tree tree;
    std::uint32_t const* counts;
    bool skips;

    [[nodiscard]] RZ_HD std::uint64_t of(std::uint64_t chunk) const {
        return known != nullptr ? known[chunk] : tree.before(chunk);
    }
    [[nodiscard]] RZ_HD bool skipped(std::uint64_t chunk) const { return skips && counts[chunk] == 0; }
};

/// Writes the total to the caller's count.
struct tell_count {
    chunk_offsets offsets;
    std::uint64_t chunks;
    std::uint64_t* count;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (thread.rank() == 0) *count = offsets.of(chunks);
    }
};

/// A thread walks all items of a chunk.
template <class Element>
struct write_by_threads {
    chunk_range range;
    chunk_offsets offsets;
    Element const* input;
    Element* output;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, range.count, [&](std::uint64_t i) {
            std::uint64_t const chunk = range.first + i;
            if (offsets.skipped(chunk)) return;
            Element* out = output + offsets.of(chunk);
            for (std::uint32_t w = 0; w < range.chunk_words; ++w) {
                std::uint32_t const word = range.word(chunk, w);
                Element const* const from = input + (chunk * range.chunk_words + w) * bits_per_word;
                for (std::uint32_t bit = 0; bit < bits_per_word; ++bit)
                    if ((word >> bit & 1) != 0) *out++ = from[bit];
            }
        });
    }
};

/// A warp reads a chunk word by word, each lane the item of its own bit.
template <class Element>
struct write_by_warps {
    chunk_range range;
    chunk_offsets offsets;
    Element const* input;
    Element* output;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        exec::for_each_group_item(warp, range.count, [&](std::uint64_t i) {
            std::uint64_t const chunk = range.first + i;
            if (offsets.skipped(chunk)) return;
            Element* out = output + offsets.of(chunk);
            for (std::uint32_t w = 0; w < range.chunk_words; ++w) {
                std::uint32_t const word = range.word(chunk, w);
                Element const* const from = input + (chunk * range.chunk_words + w) * bits_per_word;
                for (std::uint32_t bit = warp.rank(); bit < bits_per_word; bit += warp.size())
                    if ((word >> bit & 1) != 0)
                        out[exec::popcount(word & ((std::uint32_t{1} << bit) - 1))] = from[bit];
                out += exec::popcount(word);
            }
        });
    }
};

/// A warp collects positions of selected items and writes when it has one for each lane.
template <class Element>
struct write_full_warps {
    static constexpr std::uint32_t room =
        2 * bits_per_word; ///< fewer than a warp wait, and a word adds 32 at most
    struct shared {
        std::uint16_t positions[most_block_threads / warp_lanes][room];
    };

    chunk_range range;
    chunk_offsets offsets;
    Element const* input;
    Element* output;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        std::uint16_t* const ring = thread.block().storage().positions[thread.block().rank() / warp.size()];
        exec::for_each_group_item(warp, range.count, [&](std::uint64_t i) {
            std::uint64_t const chunk = range.first + i;
            if (offsets.skipped(chunk)) return;
            Element const* const from = input + chunk * range.chunk_words * bits_per_word;
            Element* const out = output + offsets.of(chunk);
            std::uint32_t listed = 0;
            std::uint32_t written = 0;
            for (std::uint32_t w = 0; w < range.chunk_words; ++w) {
                std::uint32_t const word = range.word(chunk, w);
                if (word == 0) continue;
                for (std::uint32_t bit = warp.rank(); bit < bits_per_word; bit += warp.size())
                    if ((word >> bit & 1) != 0)
                        ring[(listed + exec::popcount(word & ((std::uint32_t{1} << bit) - 1))) % room] =
                            static_cast<std::uint16_t>(w * bits_per_word + bit);
                listed += exec::popcount(word);
                warp.sync(); // the positions are there
                for (; listed - written >= warp.size(); written += warp.size())
                    out[written + warp.rank()] = from[ring[(written + warp.rank()) % room]];
                warp.sync(); // their room may be used again
            }
            if (warp.rank() < listed - written)
                out[written + warp.rank()] = from[ring[(written + warp.rank()) % room]];
            warp.sync();
        });
    }
};

} // namespace rhizome::compaction::detail
