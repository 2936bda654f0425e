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

/// The number of selected items of each chunk (section 3.1). A warp counts a chunk; or, where each of several
/// chunks has a power of two of lanes with four words each, these at once.
struct count_chunks {
    static constexpr std::uint32_t block_threads = most_space_threads;
    chunk_range range;
    std::uint32_t* counts;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        std::uint32_t const lanes = range.chunk_words / words_per_load;
        if (warp.size() == warp_lanes && lanes * words_per_load == range.chunk_words && lanes <= warp_lanes &&
            (lanes & (lanes - 1)) == 0)
            return count_several(warp, lanes);
        exec::for_each_group_item(warp, range.count, [&](std::uint64_t i) {
            std::uint32_t own = 0;
            for (std::uint32_t word = warp.rank(); word < range.chunk_words; word += warp.size())
                own += exec::popcount(range.word(range.first + i, word));
            std::uint32_t const total = warp.sum(own);
            if (warp.rank() == 0) counts[range.first + i] = total;
        });
    }

private:
    template <class Warp>
    RZ_HD void count_several(Warp const& warp, std::uint32_t lanes) const {
        std::uint32_t const together = warp_lanes / lanes;
        exec::for_each_group_item(warp, (range.count + together - 1) / together, [&](std::uint64_t i) {
            std::uint64_t const chunk = i * together + warp.rank() / lanes;
            std::uint64_t const word =
                (range.first + chunk) * range.chunk_words + warp.rank() % lanes * words_per_load;
            std::uint32_t total = chunk < range.count ? load_four_words(range.mask, word).count() : 0;
            for (std::uint32_t step = 1; step < lanes; step *= 2)
                total += warp.shuffle(total, warp.rank() ^ step);
            if (warp.rank() % lanes == 0 && chunk < range.count) counts[range.first + chunk] = total;
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
    static constexpr std::uint32_t block_threads = most_space_threads;
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
    static constexpr std::uint32_t block_threads = most_space_threads;
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
    static constexpr std::uint32_t block_threads = most_space_threads;
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
    static constexpr std::uint32_t block_threads = most_space_threads;
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

/// A warp takes neighbouring chunks, whose elements follow each other in the output. Items
/// that are all selected, 512 in a row, are copied at once. The positions of others it lists in shared
/// memory; when the list is full, or at the end, all lanes copy. Each loads several elements before it stores
/// the first.
template <class Element>
struct write_full_warps {
    static constexpr std::uint32_t block_threads = most_space_threads;
    static constexpr std::uint32_t part_words = 16;                   ///< that are listed at a time
    static constexpr std::uint32_t room = part_words * bits_per_word; ///< positions
    /// Twice as many are copied at once, in at most 16 of the 64 registers that blocks of 1024 threads allow.
    static constexpr std::uint32_t loads_at_once = sizeof(Element) <= 4 ? 8 : sizeof(Element) <= 8 ? 4 : 2;
    struct shared {
        std::uint16_t positions[most_space_threads / warp_lanes][room];
    };

    chunk_range range;
    chunk_offsets offsets;
    Element const* input;
    Element* output;
    std::uint32_t neighbours; ///< chunks that a warp takes, with 65,536 items at most

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        std::uint16_t* const list = thread.block().storage().positions[thread.block().rank() / warp.size()];
        std::uint64_t const groups = (range.count + neighbours - 1) / neighbours;
        exec::for_each_group_item(warp, groups, [&](std::uint64_t i) {
            std::uint64_t const chunk = range.first + i * neighbours;
            std::uint64_t const left = range.first + range.count - chunk;
            std::uint32_t const chunks = left < neighbours ? static_cast<std::uint32_t>(left) : neighbours;
            bool skipped = true;
            for (std::uint32_t c = warp.rank(); c < chunks; c += warp.size())
                skipped = skipped && offsets.skipped(chunk + c);
            if (warp.all(skipped)) return;
            write_group(warp, list, chunk * range.chunk_words, chunks * range.chunk_words,
                        output + offsets.of(chunk));
        });
    }

private:
    /// Writes what `words` words of the mask from `first` on select.
    template <class Warp>
    RZ_HD void write_group(Warp const& warp, std::uint16_t* list, std::uint64_t first, std::uint32_t words,
                           Element* out) const {
        Element const* const from = input + first * bits_per_word;
        if constexpr (Warp::prefers_runs) { // one lane
            for (std::uint32_t w = 0; w < words; ++w)
                for (std::uint32_t bits = mask_word(range.mask, first + w); bits != 0; bits &= bits - 1)
                    *out++ = from[w * bits_per_word + exec::countr_zero(bits)];
        } else {
            std::uint32_t listed = 0;
            std::uint32_t own = warp.rank() < words ? mask_word(range.mask, first + warp.rank()) : 0;
            for (std::uint32_t begin = 0; begin < words; begin += warp_lanes) {
                std::uint32_t const ahead = begin + warp_lanes + warp.rank();
                std::uint32_t const next = ahead < words ? mask_word(range.mask, first + ahead) : 0;
                std::uint32_t const own_count = exec::popcount(own);
                std::uint32_t const before = warp.exclusive_scan(own_count);
                std::uint32_t const half = warp.shuffle(before, part_words);
                std::uint32_t const all = warp.shuffle(before + own_count, warp_lanes - 1);
                std::uint32_t const some = warp.ballot(own != 0);
                for (std::uint32_t part = 0; part < warp_lanes; part += part_words) {
                    std::uint32_t const begins = part == 0 ? 0 : half;
                    std::uint32_t const count = (part == 0 ? half : all) - begins;
                    bool const full = count == room; // every item of the part: nothing to list
                    if (listed != 0 && (full || listed + count > room)) {
                        copy(warp, list, listed, from, out);
                        out += listed;
                        listed = 0;
                    }
                    if (full) {
                        copy_all(warp, from + (begin + part) * bits_per_word, out);
                        out += room;
                        continue;
                    }
                    list_part(warp, list + listed, begin * bits_per_word, own, before - begins,
                              some >> part & ((std::uint32_t{1} << part_words) - 1), part);
                    listed += count;
                }
                own = next;
            }
            copy(warp, list, listed, from, out);
        }
    }
    /// Lists the selected items of `some` of the words from number `part` on, of which each lane has its own,
    /// and what is listed before it. All lanes take a word together, so that they list neighbouring
    /// positions.
    template <class Warp>
    RZ_HD void list_part(Warp const& warp, std::uint16_t* list, std::uint32_t first_item, std::uint32_t own,
                         std::uint32_t before, std::uint32_t some, std::uint32_t part) const {
        std::uint32_t const lower_bits = (std::uint32_t{1} << warp.rank()) - 1;
        for (; some != 0; some &= some - 1) {
            std::uint32_t const w = part + exec::countr_zero(some);
            std::uint32_t const bits = warp.shuffle(own, w);
            std::uint32_t const place = warp.shuffle(before, w);
            if ((bits >> warp.rank() & 1) != 0)
                list[place + exec::popcount(bits & lower_bits)] =
                    static_cast<std::uint16_t>(first_item + w * bits_per_word + warp.rank());
        }
    }
    /// Copies a part of which all items are selected.
    template <class Warp>
    RZ_HD void copy_all(Warp const& warp, Element const* from, Element* out) const {
        RZ_UNROLL
        for (std::uint32_t first = 0; first < room; first += 2 * loads_at_once * warp_lanes) {
            Element values[2 * loads_at_once];
            RZ_UNROLL
            for (std::uint32_t j = 0; j < 2 * loads_at_once; ++j)
                values[j] = from[first + j * warp_lanes + warp.rank()];
            RZ_UNROLL
            for (std::uint32_t j = 0; j < 2 * loads_at_once; ++j)
                out[first + j * warp_lanes + warp.rank()] = values[j];
        }
    }
    /// Copies the listed items.
    template <class Warp>
    RZ_HD void copy(Warp const& warp, std::uint16_t const* list, std::uint32_t listed, Element const* from,
                    Element* out) const {
        warp.sync(); // the positions are there
        for (std::uint32_t at = warp.rank(); at < listed; at += loads_at_once * warp_lanes) {
            Element values[loads_at_once];
            RZ_UNROLL
            for (std::uint32_t j = 0; j < loads_at_once; ++j)
                if (at + j * warp_lanes < listed) values[j] = from[list[at + j * warp_lanes]];
            RZ_UNROLL
            for (std::uint32_t j = 0; j < loads_at_once; ++j)
                if (at + j * warp_lanes < listed) out[at + j * warp_lanes] = values[j];
        }
        warp.sync(); // the list may be written again
    }
};

} // namespace rhizome::compaction::detail
