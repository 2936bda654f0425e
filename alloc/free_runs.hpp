// SPDX-License-Identifier: Apache-2.0
// Where the chunk mask may have free runs of chunks: a tree over its words. With it a single lane skips used
// parts of a large heap in a few steps.
//
// Glossary. A run of class c (0 to 6) has at least 2^c chunks. Byte: what the tree
// knows of one word of the mask, or of the eight bytes below it. Bit c says that a run of class c may be
// there. Bit 7 (doubt) says that a thread is checking; readers treat doubt as "may be there".
//
// Invariant: each free run of class c, all of whose chunks were put by threads that have returned, touches a
// word whose byte has bit c or doubt, and so have the bytes above it.
//
// A bit that is set and should not be only costs time. A bit that should be set does not stay clear, for this
// reason. A thread that puts chunks back sets bits of the mask and then reads the byte. A thread that clears
// a byte sets doubt, clears the byte, and then reads the mask once more. All these accesses to the mask are
// read-modify-writes, which have one order. Either the clearing thread finds the chunks and sets the bits
// again, or the other thread finds them cleared and sets them. For a run across two words, each thread reads
// its own word first and then the neighbouring word, so at least one of two threads that put its halves sees
// all of it.
#pragma once

#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

class free_runs_ref {
public:
    static constexpr std::uint64_t none = ~std::uint64_t{0};
    static constexpr std::uint64_t all_classes = 0x7f;

    free_runs_ref() = default;
    free_runs_ref(std::uint64_t* tree, std::uint64_t* mask, std::uint64_t words)
        : tree_(tree), mask_(mask), words_(words) {}

    /// Words of the tree over that many words of the mask. A larger mask appends words.
    [[nodiscard]] static constexpr std::uint64_t tree_words(std::uint64_t mask_words) {
        return (mask_words + block_span - 1) / block_span * block_words;
    }
    /// The bit of the largest class that runs of `chunks` belong to, chunks >= 1.
    [[nodiscard]] static RZ_HD constexpr std::uint64_t class_bit(std::uint64_t chunks) {
        return std::uint64_t{1} << (exec::bit_width(chunks < 64 ? chunks : 64) - 1);
    }

    /// Sets bits of a word of the mask, and makes the tree know the run that they belong to. release: the
    /// caller's use of the chunks happens before their next holder's. Cost: an atomic and a load; where the
    /// tree does not know of such a run, up to one more of each per level.
    template <class Thread>
    RZ_HD void put(Thread const& thread, std::uint64_t word, std::uint64_t bits) const {
        // acquire: announce() sees that another thread has cleared the byte before
        std::uint64_t const now = thread.device(mask_[word]).fetch_or(bits, exec::order::acq_rel) | bits;
        announce(thread, 0, word,
                 classes_near(
                     now, bits,
                     [&](std::uint64_t neighbour) {
                         // acq_rel: one order with threads that put and clear there
                         return thread.device(mask_[neighbour]).fetch_or(0, exec::order::acq_rel);
                     },
                     word));
    }

    /// The next word whose byte has `bit` (class_bit()), from `from` up to and including `last`, upwards or
    /// downwards; none: there is no such word. Cost: some loads per word that is found, one for every 4096
    /// words that have none.
    template <bool Downwards, class Thread>
    [[nodiscard]] RZ_HD std::uint64_t find(Thread const& thread, std::uint64_t from, std::uint64_t last,
                                           std::uint64_t bit) const {
        return descend<Downwards>(*this, thread.without_storage(), from, last, bit);
    }

    /// Called by a thread that found no run in a word: if the word has no run of the class, the tree learns
    /// it. Cost: a load; three more where the byte has the bit; some atomics where it should not.
    template <class Thread>
    RZ_HD void reconsider(Thread const& thread, std::uint64_t word, std::uint64_t bit) const {
        std::uint64_t const byte =
            thread.device(node(0, word)).load(exec::order::relaxed) >> byte_of(0, word) * 8;
        if ((byte & bit) == 0 || (byte & doubt) != 0) return;
        std::uint64_t const seen = thread.device(mask_[word]).load(exec::order::relaxed);
        // relaxed: a first check; lower() makes sure
        auto const glance = [&](std::uint64_t neighbour) {
            return thread.device(mask_[neighbour]).load(exec::order::relaxed);
        };
        if ((classes_near(seen, seen, glance, word) & bit) == 0) lower(*this, thread.without_storage(), word);
    }

    /// The classes of a word that a search from the top finds, at rest: those that all levels have.
    [[nodiscard]] RZ_HD std::uint64_t known_at_rest(std::uint64_t word) const {
        std::uint64_t known = all_classes;
        for (std::uint32_t level = 0; level < levels; ++level)
            known &= node(level, word) >> byte_of(level, word) * 8;
        return known;
    }
    /// Whether any byte of the word is in doubt, at rest.
    [[nodiscard]] RZ_HD bool doubts_at_rest(std::uint64_t word) const {
        std::uint64_t any = 0;
        for (std::uint32_t level = 0; level < levels; ++level)
            any |= node(level, word) >> byte_of(level, word) * 8;
        return (any & doubt) != 0;
    }
    [[nodiscard]] RZ_HD std::uint64_t words() const { return words_; }
    [[nodiscard]] RZ_HD std::uint64_t* mask() const { return mask_; }

private:
    // A block of 4096 words of the mask: 512 words of bytes, 64 over them, 8, 1.
    static constexpr std::uint32_t levels = 4;
    static constexpr std::uint64_t block_span = 4096;
    static constexpr std::uint64_t block_words = 512 + 64 + 8 + 1;
    static constexpr std::uint64_t doubt = 0x80;
    static constexpr std::uint64_t every_byte = 0x0101'0101'0101'0101ull;

    /// The word of a level that holds the byte for a word of the mask.
    [[nodiscard]] RZ_HD std::uint64_t& node(std::uint32_t level, std::uint64_t word) const {
        std::uint64_t const before = level == 0 ? 0 : level == 1 ? 512 : level == 2 ? 576 : 584;
        return tree_[word / block_span * block_words + before + (word % block_span >> 3 * (level + 1))];
    }
    [[nodiscard]] static RZ_HD constexpr std::uint32_t byte_of(std::uint32_t level, std::uint64_t word) {
        return static_cast<std::uint32_t>(word >> 3 * level) & 7;
    }

    /// A bit for each class of which `bits` has a run.
    [[nodiscard]] static RZ_HD constexpr std::uint64_t classes_of_runs(std::uint64_t bits) {
        std::uint64_t classes = 0;
        for (std::uint32_t c = 0; c <= 6 && bits != 0; ++c) {
            classes |= std::uint64_t{1} << c;
            if (c != 6) bits &= bits >> (1u << c);
        }
        return classes;
    }
    [[nodiscard]] static RZ_HD constexpr std::uint64_t classes_of_length(std::uint64_t chunks) {
        return chunks == 0 ? 0 : 2 * class_bit(chunks) - 1;
    }
    /// The classes of the runs within a word, and of the runs across its ends that contain bits of `of`.
    template <class Neighbour>
    [[nodiscard]] RZ_HD std::uint64_t classes_near(std::uint64_t bits, std::uint64_t of,
                                                   Neighbour const& neighbour, std::uint64_t word) const {
        std::uint64_t classes = classes_of_runs(bits);
        if (~bits == 0) return classes;
        std::uint32_t const low = exec::countr_one(bits);
        std::uint32_t const high = exec::countl_one(bits);
        if (word != 0 && (of & exec::bit_range(0, low)) != 0)
            classes |= classes_of_length(low + exec::countl_one(neighbour(word - 1)));
        if (word + 1 < words_ && (of & exec::bit_range(64 - high, 64)) != 0) {
            classes |= classes_of_length(high + exec::countr_one(neighbour(word + 1)));
        }
        return classes;
    }

    template <bool Downwards, class Thread>
    [[nodiscard]] RZ_NOINLINE static RZ_HD std::uint64_t
    descend(free_runs_ref runs, Thread thread, std::uint64_t from, std::uint64_t last, std::uint64_t bit) {
        std::uint64_t at = from;
        for (std::uint32_t level = 0;;) {
            if (Downwards ? at < last || at == none : at > last) return none;
            std::uint32_t const byte = byte_of(level, at);
            // relaxed: for a run that stays free, every value says that it may be there
            std::uint64_t const seen = thread.device(runs.node(level, at)).load(exec::order::relaxed);
            std::uint64_t const ahead =
                Downwards ? exec::bit_range(0, byte * 8 + 8) : exec::bit_range(byte * 8, 64);
            std::uint64_t const hits = seen & ahead & (bit | doubt) * every_byte;
            std::uint32_t const below = 3 * level; // a byte covers 2^below words
            if (hits == 0) {
                std::uint64_t const span = std::uint64_t{8} << below;
                std::uint64_t const begin = at / span * span;
                at = Downwards ? begin - 1 : begin + span; // begin - 1 may be none
                if (level + 1 < levels) ++level;
                continue;
            }
            std::uint32_t const hit = (Downwards ? exec::bit_width(hits) - 1 : exec::countr_zero(hits)) / 8;
            if (hit != byte) {
                std::uint64_t const begin =
                    (at >> (below + 3) << (below + 3)) + (std::uint64_t{hit} << below);
                at = Downwards ? begin + (std::uint64_t{1} << below) - 1 : begin;
            }
            if (level == 0) {
                if (Downwards ? at < last : at > last) return none;
                return at;
            }
            --level;
        }
    }

    /// Adds the classes to the bytes of a word from `level` up, after the levels below. Where a byte has the
    /// classes already, and is not in doubt, the thread that set them updates the bytes above.
    template <class Thread>
    RZ_HD void announce(Thread const& thread, std::uint32_t level, std::uint64_t word,
                        std::uint64_t classes) const {
        for (; level < levels && classes != 0; ++level) {
            std::uint32_t const shift = byte_of(level, word) * 8;
            auto const known = thread.device(node(level, word));
            // relaxed: the read-modify-write on the level below, which acquired, comes before
            if ((known.load(exec::order::relaxed) >> shift & (classes | doubt)) == classes) return;
            // acq_rel: one order with threads that clear the byte above and then read here
            known.fetch_or(classes << shift, exec::order::acq_rel);
        }
    }
    /// Recomputes the byte of a word from the mask, and the bytes above it from those below.
    template <class Thread>
    RZ_NOINLINE static RZ_HD void lower(free_runs_ref runs, Thread thread, std::uint64_t word) {
        auto const look = [&](std::uint64_t neighbour) {
            // acq_rel: one order with threads that put
            return thread.device(runs.mask_[neighbour]).fetch_or(0, exec::order::acq_rel);
        };
        if (!runs.begin_doubt(thread, 0, word)) return;
        std::uint64_t const bits = look(word); // its own word first
        runs.end_doubt(thread, 0, word, runs.classes_near(bits, bits, look, word));
        for (std::uint32_t level = 1; level < levels; ++level) {
            auto const below = thread.device(runs.node(level - 1, word));
            auto const byte =
                thread.device(runs.node(level, word)).load(exec::order::relaxed) >> byte_of(level, word) * 8;
            // relaxed: only decides whether the rest is worthwhile
            if ((byte & all_classes & ~classes_in(below.load(exec::order::relaxed))) == 0) return;
            if (!runs.begin_doubt(thread, level, word)) return;
            // acq_rel: one order with threads that announce there and then read above
            runs.end_doubt(thread, level, word, classes_in(below.fetch_or(0, exec::order::acq_rel)));
        }
    }
    /// The classes of the eight bytes of a word together; all where there is doubt.
    [[nodiscard]] static RZ_HD constexpr std::uint64_t classes_in(std::uint64_t bytes) {
        if ((bytes & doubt * every_byte) != 0) return all_classes;
        bytes |= bytes >> 32;
        bytes |= bytes >> 16;
        bytes |= bytes >> 8;
        return bytes & all_classes;
    }
    /// Tries to become the thread that clears the byte, and clears it; whether the caller did.
    template <class Thread>
    [[nodiscard]] RZ_HD bool begin_doubt(Thread const& thread, std::uint32_t level,
                                         std::uint64_t word) const {
        std::uint32_t const shift = byte_of(level, word) * 8;
        auto const known = thread.device(node(level, word));
        // acquire: the following read finds what was announced before
        if ((known.fetch_or(doubt << shift, exec::order::acquire) >> shift & doubt) != 0) return false;
        // acq_rel: as above; and a thread that reads it cleared finds the doubt
        known.fetch_and(~(all_classes << shift), exec::order::acq_rel);
        return true;
    }
    template <class Thread>
    RZ_HD void end_doubt(Thread const& thread, std::uint32_t level, std::uint64_t word,
                         std::uint64_t classes) const {
        std::uint32_t const shift = byte_of(level, word) * 8;
        auto const known = thread.device(node(level, word));
        // acq_rel: as announce()
        if (classes != 0) known.fetch_or(classes << shift, exec::order::acq_rel);
        // A thread that finds them set, without doubt, relies on the bytes above.
        announce(thread, level + 1, word, classes);
        // release: a thread that reads it without doubt finds the classes, here and above
        known.fetch_and(~(doubt << shift), exec::order::release);
    }

    std::uint64_t* tree_ = nullptr;
    std::uint64_t* mask_ = nullptr;
    std::uint64_t words_ = 0;
};

} // namespace rhizome::alloc
