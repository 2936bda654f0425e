// SPDX-License-Identifier: Apache-2.0
// Events order the work of two spaces, written once for every space.
#pragma once

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/event.hpp>
#include <rhizome/exec/shape.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace rhizome::exec_test {

/// Long enough for work that does not wait for it to be done before.
struct write_late {
    std::uint32_t* word;
    std::uint32_t value;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (thread.rank() != 0) return;
        for (int i = 0; i < 5000; ++i)
            thread.pause();
        *word = value;
    }
};
struct copy_word {
    std::uint32_t const* from;
    std::uint32_t* to;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (thread.rank() == 0) *to = *from;
    }
};

/// Two handles with orders of their own. Whatever one records, the other waits for without the host.
template <class Space>
void events_order_two_spaces(Space first, Space second) {
    exec::buffer<Space, std::uint32_t> words(first, 2);
    words.fill_bytes(0);
    first.synchronize();
    exec::event<Space> made(first);
    EXPECT_TRUE(made.reached()) << "it was never recorded";
    second.wait_for(made);
    exec::event<Space> written(std::move(made));
    std::uint64_t const waits = first.waits() + second.waits();
    for (std::uint32_t round = 1; round < 4; ++round) {
        launch(first, one_warp(first), write_late{words.data(), round});
        first.record(written);
        second.wait_for(written);
        launch(second, one_warp(second), copy_word{words.data(), words.data() + 1});
        second.record(written);
        first.wait_for(written);
    }
    EXPECT_EQ(first.waits() + second.waits(), waits) << "the host waits for none of it";
    std::uint32_t found = 0;
    second.copy_out(&found, words.data() + 1, sizeof found);
    EXPECT_EQ(found, 3u);
    EXPECT_TRUE(written.reached());
}

} // namespace rhizome::exec_test
