// The emulator explores the look-back of the first pass, and the waiting of a compaction in place.
#include "compaction_check.hpp"

#include <rhizome/compaction/detail/look_back.hpp>
#include <rhizome/compaction/select.hpp>
#include <rhizome/exec/simt.hpp>

#include <gtest/gtest.h>
#include <scale.hpp>

#include <cstdint>
#include <vector>

namespace rhizome::tests {
namespace {

using exec::simt_space;

/// Looks back once per span: spans are taken by ticket, and their totals are their numbers + 1.
struct look_back_alone {
    std::uint64_t* ticket;
    std::uint64_t* words;
    std::uint64_t spans;
    std::uint64_t* before;
    struct shared {
        std::uint64_t span;
    };

    template <class Thread>
    void operator()(Thread const& thread) const {
        auto const block = thread.block();
        while (true) {
            if (block.rank() == 0)
                block.storage().span = thread.device(*ticket).fetch_add(1, exec::order::relaxed);
            block.sync();
            std::uint64_t const span = block.storage().span;
            block.sync();
            if (span >= spans) return;
            std::uint64_t const found = compaction::detail::look_back(thread, words, span, span + 1);
            if (block.rank() == 0) before[span] = found;
        }
    }
};

TEST(compaction_exploration, look_back_adds_up_under_every_schedule) {
    // More spans than a warp looks at in one round.
    auto const found = exec::explore(1, scaled(200), [](simt_space& space) {
        constexpr std::uint64_t spans = 80;
        exec::buffer<simt_space, std::uint64_t> words(space, spans + 1);
        exec::buffer<simt_space, std::uint64_t> before(space, spans);
        words.fill_bytes(0);
        launch(space, {12, 32}, look_back_alone{words.data(), words.data() + 1, spans, before.data()});
        std::vector<std::uint64_t> const sums = before.to_host();
        for (std::uint64_t span = 0; span < spans; ++span)
            if (sums[span] != span * (span + 1) / 2) return false;
        return true;
    });
    EXPECT_TRUE(found) << found.report();
}

/// Short spans and many blocks, so that blocks look back at each other.
constexpr compaction::launch_options many_spans{.block_threads = 32, .span_units = 1, .write_blocks = 4};

TEST(compaction_exploration, selections_are_right_under_every_schedule) {
    plain_mask mask = uniform_mask(40 * compaction::unit_items + 77, 0.004);
    for (std::uint64_t item = 50'000; item < 60'000; ++item)
        mask[item] = item % 3 != 0;
    auto const values = elements_of<std::uint32_t>(mask.size());
    auto const expected = selected_of(values, mask);
    auto const found = exec::explore(1, scaled(40), [&](simt_space& space) {
        compaction::compactor<simt_space> compactor(space);
        compactor.set_launch_options(many_spans);
        exec::buffer<simt_space, std::uint32_t> const input(space, std::span<std::uint32_t const>(values));
        mask_in_space<simt_space> const bits(space, mask);
        exec::buffer<simt_space, std::uint32_t> output(space, expected.size());
        // The second call uses scratch that the first one cleared.
        for (int call = 0; call < 2; ++call) {
            output.fill_bytes(0xab);
            if (compactor.select(input.data(), bits.view(), output.data()) != expected.size()) return false;
            if (output.to_host() != expected) return false;
        }
        return true;
    });
    EXPECT_TRUE(found) << found.report();
}

TEST(compaction_exploration, moves_in_place_are_right_under_every_schedule) {
    // Elements of 16 bytes: a unit has 16 steps, and most steps write into the places of another warp's
    // steps.
    plain_mask mask = uniform_mask(6 * compaction::unit_items + 1, 0.9);
    for (std::uint64_t item = 1000; item < 3000; ++item)
        mask[item] = false;
    auto const values = elements_of<two_words>(mask.size());
    auto const expected = selected_of(values, mask);
    auto const found = exec::explore(1, scaled(40), [&](simt_space& space) {
        compaction::compactor<simt_space> compactor(space);
        compactor.set_launch_options(many_spans);
        exec::buffer<simt_space, two_words> data(space, std::span<two_words const>(values));
        mask_in_space<simt_space> const bits(space, mask);
        if (compactor.select_in_place(data.data(), bits.view()) != expected.size()) return false;
        std::vector<two_words> all = data.to_host();
        all.resize(expected.size());
        return all == expected;
    });
    EXPECT_TRUE(found) << found.report();
}

} // namespace
} // namespace rhizome::tests
