// SPDX-License-Identifier: Apache-2.0
// The side table: one record per chunk, outside the heap, the same for all variants of ouroboros.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// What a chunk is used for.
enum class chunk_kind : std::uint32_t {
    free = 0,   ///< free, or inside an extent but not its first chunk
    pages = 1,  ///< cut into pages: `detail` names instance and class
    extent = 2, ///< first chunk of an extent of `detail` units
    queue = 3   ///< holds entries of a virtualized queue of that instance and class
};

/// Kind in the low 4 bits, detail above: 2^28 units of 64 KiB are 16 TiB.
[[nodiscard]] RZ_HD constexpr std::uint32_t make_header(chunk_kind kind, std::uint64_t detail) {
    return static_cast<std::uint32_t>(kind) | static_cast<std::uint32_t>(detail << 4);
}
[[nodiscard]] RZ_HD constexpr chunk_kind kind_of(std::uint32_t header) {
    return static_cast<chunk_kind>(header & 15u);
}
[[nodiscard]] RZ_HD constexpr std::uint32_t detail_of(std::uint32_t header) { return header >> 4; }

/// The word `listed` of a chunk of pages. Low 48 bits: how often the chunk was flagged since no thread knew
/// it; 0: it is in no list or queue. High 16 bits: counted marks, a signed number.
struct known_chunk {
    static constexpr std::uint32_t flag_bits = 48;
    static constexpr std::uint64_t one_mark = std::uint64_t{1} << flag_bits;

    [[nodiscard]] static RZ_HD constexpr bool is_flagged(std::uint64_t word) { return word % one_mark != 0; }
    [[nodiscard]] static RZ_HD constexpr std::int64_t marks(std::uint64_t word) {
        return static_cast<std::int64_t>(word) >> flag_bits;
    }
};

/// Every word is accessed atomically while threads run.
/// Invariant: a chunk is in a list or queue of chunks of its class iff its `listed` has a flag
/// (ouroboros/spilled_pages.hpp); a chunk with marked pages has one.
template <std::uint32_t PagesAtMost>
struct chunk_record {
    static constexpr std::uint32_t words = (PagesAtMost + 63) / 64;

    std::uint32_t header;
    std::uint32_t next;         ///< next chunk of the spill list, plus 1; 0 ends it
    std::uint64_t listed;       ///< pages: known_chunk. queue: entries taken out
    std::uint64_t link;         ///< queue: which segment it is, and the next one (virtual_linked_queue.hpp)
    std::uint64_t pages[words]; ///< bit set: the page is free and in no queue
};

/// Chunks that are `Span` neighbouring chunks of the heap each, with up to WordsAtMost words of marks.
template <class Record, std::uint32_t Span, std::uint32_t WordsAtMost>
class chunk_table_ref {
public:
    static constexpr std::uint32_t words_at_most = WordsAtMost;
    static_assert(WordsAtMost <= Span * Record::words);

    RZ_HD explicit chunk_table_ref(Record* records) : records_(records) {}

    [[nodiscard]] RZ_HD std::uint32_t& next(std::uint64_t chunk) const { return first(chunk).next; }
    [[nodiscard]] RZ_HD std::uint64_t& listed(std::uint64_t chunk) const { return first(chunk).listed; }
    [[nodiscard]] RZ_HD std::uint64_t& link(std::uint64_t chunk) const { return first(chunk).link; }
    [[nodiscard]] RZ_HD std::uint64_t& marks(std::uint64_t chunk, std::uint32_t word) const {
        if constexpr (Span == 1) return records_[chunk].pages[word];
        return records_[chunk * Span + word / Record::words].pages[word % Record::words];
    }
    [[nodiscard]] RZ_HD std::uint32_t header(std::uint64_t chunk) const { return first(chunk).header; }
    /// The header, while other threads may set it.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint32_t header(Thread const& thread, std::uint64_t chunk) const {
        return thread.device(first(chunk).header).load(exec::order::relaxed);
    }
    /// Writes the header into all records of the chunk, so that every pointer into the chunk finds it.
    template <class Thread>
    RZ_HD void set_header(Thread const& thread, std::uint64_t chunk, std::uint32_t header) const {
        for (std::uint32_t i = 0; i < Span; ++i)
            thread.device(records_[chunk * Span + i].header).store(header, exec::order::relaxed);
    }

private:
    [[nodiscard]] RZ_HD Record& first(std::uint64_t chunk) const { return records_[chunk * Span]; }

    Record* records_;
};

} // namespace rhizome::alloc
