// Prefix sums over the spans of a launch by decoupled look-back (Merrill and Garland, Single-pass parallel
// prefix scan with decoupled look-back, NVIDIA NVR-2016-002).
//
// Each span has a word with a state and a value. The state only rises: empty -> partial -> complete.
//   partial:  value = total of the span
//   complete: value = total of the span and of all spans before it
// Invariant: a word is written only by the warp that counted its span. Spans are numbered by the ticket with
// which a block took them, so a warp waits only for spans of blocks that have started. All words are 0
// (empty) when a launch begins; the next kernel of the call clears them again.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::compaction::detail {

inline constexpr std::uint32_t value_bits = 62;
inline constexpr std::uint64_t value_mask = (std::uint64_t{1} << value_bits) - 1;

enum class span_state : std::uint64_t { empty, partial, complete };

[[nodiscard]] RZ_HD constexpr std::uint64_t span_word(span_state state, std::uint64_t value) {
    return static_cast<std::uint64_t>(state) << value_bits | value;
}
[[nodiscard]] RZ_HD constexpr span_state state_of(std::uint64_t word) {
    return static_cast<span_state>(word >> value_bits);
}

/// Publishes the total of span number `span`, and returns the total of all spans before it. Called by all
/// lanes of one warp. Waits for the spans before it to publish theirs. Cost: one round of loads by the warp
/// for each 32 spans back to the last complete one.
template <class Thread>
[[nodiscard]] RZ_HD std::uint64_t look_back(Thread const& thread, std::uint64_t* words, std::uint64_t span,
                                            std::uint64_t total) {
    auto const warp = thread.warp();
    // All orders are relaxed: state and value are one word, and it guards no other memory.
    if (span != 0 && warp.rank() == 0)
        thread.device(words[span]).store(span_word(span_state::partial, total), exec::order::relaxed);
    std::uint64_t before = 0;
    for (std::uint64_t end = span; end != 0;) { // `before` covers spans [end, span)
        // A lane that would look before the first span sees a complete one with total 0.
        std::uint64_t word = span_word(span_state::complete, 0);
        // Lanes beyond the nearest complete span wait no longer than the others: before a span is complete,
        // all spans before it have published their totals.
        if (warp.rank() < end) {
            auto const found = thread.device(words[end - 1 - warp.rank()]);
            while (state_of(word = found.load(exec::order::relaxed)) == span_state::empty)
                thread.relax();
        }
        std::uint32_t const complete = warp.ballot(state_of(word) == span_state::complete);
        // Lanes up to the nearest complete span, or all lanes.
        std::uint32_t const needed = complete ^ (complete - 1);
        bool const counts = (needed >> warp.rank() & 1) != 0;
        before += warp.sum(counts ? word & value_mask : std::uint64_t{0});
        end = complete != 0 ? 0 : end - warp.size();
    }
    if (warp.rank() == 0)
        thread.device(words[span])
            .store(span_word(span_state::complete, before + total), exec::order::relaxed);
    return before;
}

} // namespace rhizome::compaction::detail
