// SPDX-License-Identifier: Apache-2.0
// An audit that never speaks up is worth nothing: each damage, done by hand, must be reported.
#include "blocks.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace rhizome::tests {
namespace {

using owner_type =
    alloc::ouroboros<exec::host_space, alloc::page_based, alloc::array_queue, alloc::power_of_two_classes<>>;
constexpr std::uint32_t class_16 = 0;
constexpr std::uint32_t class_1024 = 6;

struct case_on_host {
    using space = exec::host_space;
    using owner = owner_type;
};

class ouroboros_audit : public ::testing::Test {
protected:
    ouroboros_audit() : tested_(2u << 20) {
        small_ = tested_.take(2000, 16);
        block_set const more = tested_.take(1000, 16);
        tested_.give_back(more); // the ring has no room for all of them: the others spill
        large_ = tested_.take(100, 1024);
        extent_ = tested_.take(1, 200'000);
        auto const [returned, kept] = split(large_, [](std::size_t i) { return i % 2 == 0; });
        tested_.give_back(returned);
        kept_ = kept;
        EXPECT_TRUE(violations().empty());
        EXPECT_EQ(violations(), "");
    }

    [[nodiscard]] std::string violations() {
        std::string all;
        for (std::string const& violation : tested_.owner().audit().violations)
            all += violation + "\n";
        return all;
    }

    /// Does damage to one word; the audit must speak up, and be silent again once the word is as before.
    template <class Word>
    void expect_noticed(Word& word, std::type_identity_t<Word> damaged, char const* what) {
        ASSERT_NE(word, damaged) << what;
        Word const before = std::exchange(word, damaged);
        EXPECT_NE(violations(), "") << what;
        word = before;
        EXPECT_EQ(violations(), "") << what;
    }

    [[nodiscard]] owner_type::ref_type ref() { return tested_.owner().ref(); }
    [[nodiscard]] auto instance() { return ref().at<0>(); }
    /// Of all chunks with that header, the first.
    [[nodiscard]] std::uint64_t chunk_with(std::uint32_t header, bool spilled = false) {
        for (std::uint64_t chunk = 0; chunk < (2u << 20) / 8192; ++chunk) {
            auto const& record = ref().record_of(chunk);
            bool const free = (ref().store().mask()[chunk / 64] >> (chunk % 64) & 1) != 0;
            if (record.header == header && free == (header == 0) && (!spilled || record.listed != 0))
                return chunk;
        }
        ADD_FAILURE() << "no chunk has header " << header;
        return 0;
    }
    /// A shard of the class whose ring has entries, and room.
    [[nodiscard]] std::uint32_t filled_shard(std::uint32_t size_class) {
        for (std::uint32_t number = 0; number < instance().shards(); ++number)
            if (instance().shard(size_class, number).queue.semaphore.count > 3 &&
                instance().shard(size_class, number).queue.room > 0)
                return number;
        ADD_FAILURE() << "no ring of class " << size_class << " has entries";
        return 0;
    }
    [[nodiscard]] std::uint64_t& ring_slot(std::uint32_t size_class, std::uint64_t entry) {
        std::uint32_t const number = filled_shard(size_class);
        return instance()
            .words(size_class, number)
            .at(instance().shard(size_class, number).queue.front + entry);
    }

    heap<case_on_host> tested_;
    block_set small_;
    block_set large_;
    block_set kept_; ///< what was not given back of them
    block_set extent_;
};

TEST_F(ouroboros_audit, notices_a_wrong_chunk_count) {
    expect_noticed(ref().store().state()->count, ref().store().state()->count + 1, "one too many");
    expect_noticed(ref().store().state()->count, ref().store().state()->count - 1, "one too few");
    expect_noticed(ref().store().state()->searches, ref().store().state()->searches + 1,
                   "a search without end");
}

TEST_F(ouroboros_audit, notices_wrong_bits_in_the_mask) {
    std::uint64_t* const mask = ref().store().mask();
    std::uint64_t const free = chunk_with(0);
    expect_noticed(mask[free / 64], mask[free / 64] & ~(1ull << (free % 64)), "a free chunk that nobody has");
    std::uint64_t const pages = chunk_with(alloc::make_header(alloc::chunk_kind::pages, class_1024));
    expect_noticed(mask[pages / 64], mask[pages / 64] | 1ull << (pages % 64),
                   "a chunk of pages that is free");
}

TEST_F(ouroboros_audit, notices_wrong_headers) {
    auto const header_of = [&](std::uint64_t chunk) -> std::uint32_t& {
        return ref().record_of(chunk).header;
    };
    std::uint32_t const of_1024 = alloc::make_header(alloc::chunk_kind::pages, class_1024);
    std::uint32_t const of_16 = alloc::make_header(alloc::chunk_kind::pages, class_16);
    std::uint32_t const of_extent = alloc::make_header(alloc::chunk_kind::extent, 26);
    expect_noticed(header_of(chunk_with(0)), of_16, "a free chunk with a header");
    expect_noticed(header_of(chunk_with(of_16)), 0u, "a chunk of pages without one");
    expect_noticed(header_of(chunk_with(of_extent)), 0u, "an extent without one");
    expect_noticed(header_of(chunk_with(of_extent)), alloc::make_header(alloc::chunk_kind::extent, 27),
                   "an extent that is longer than its chunks");
    std::uint64_t const ringed = ring_slot(class_1024, 0) / 8; // 8 pages a chunk
    EXPECT_EQ(header_of(ringed), of_1024);
    expect_noticed(header_of(ringed), of_1024 + 16, "a chunk whose ring entries name another class");
}

TEST_F(ouroboros_audit, notices_wrong_spill_marks) {
    std::uint64_t const chunk =
        chunk_with(alloc::make_header(alloc::chunk_kind::pages, class_16), /*spilled=*/true);
    auto& record = ref().record_of(chunk);
    expect_noticed(record.listed, std::uint64_t{0}, "a listed chunk without its flag");
    expect_noticed(record.listed, record.listed + alloc::known_chunk::one_mark,
                   "a mark too many in the count");
    bool listed = false;
    for (std::uint32_t number = 0; number < instance().shards(); ++number) {
        auto& spilled = instance().shard(class_16, number).spilled;
        expect_noticed(spilled.expected, spilled.expected + 1, "a chunk that nobody lists");
        if (static_cast<std::uint32_t>(spilled.list) == 0) continue;
        listed = true;
        expect_noticed(spilled.list, 0, "a list that is cut off");
    }
    EXPECT_TRUE(listed);
    std::uint64_t const of_1024 = chunk_with(alloc::make_header(alloc::chunk_kind::pages, class_1024));
    auto& other = ref().record_of(of_1024);
    expect_noticed(other.listed, std::uint64_t{1}, "a flagged chunk in no list");
    expect_noticed(other.pages[0], other.pages[0] | 1ull << 8, "a mark beyond the chunk's 8 pages");
    expect_noticed(other.pages[1], 1, "a mark in a later word");
}

TEST_F(ouroboros_audit, notices_wrong_ring_counters) {
    auto& state = instance().shard(class_1024, filled_shard(class_1024)).queue;
    expect_noticed(state.front, state.front + 1, "front");
    expect_noticed(state.back, state.back + 1, "back");
    expect_noticed(state.room, state.room - 1, "room");
    expect_noticed(state.semaphore.count, state.semaphore.count + 1, "permits");
    expect_noticed(state.semaphore.refills, state.semaphore.refills + 1, "a refill that never ends");
}

TEST_F(ouroboros_audit, notices_wrong_ring_slots) {
    std::uint64_t& slot = ring_slot(class_1024, 3);
    expect_noticed(slot, alloc::queue_counters::empty, "an entry that is gone");
    expect_noticed(slot, std::uint64_t{1} << 40, "a page outside the heap");
    expect_noticed(slot, chunk_with(0) * 8, "a page of a free chunk");
    std::uint64_t const beyond = static_cast<std::uint64_t>(
        instance().shard(class_1024, filled_shard(class_1024)).queue.semaphore.count);
    expect_noticed(ring_slot(class_1024, beyond), slot, "an entry behind the last");
}

TEST_F(ouroboros_audit, notices_a_page_that_is_both_in_a_ring_and_spilled) {
    std::uint64_t const page = ring_slot(class_1024, 0);
    auto& record = ref().record_of(page / 8);
    EXPECT_EQ(record.listed, 0u);
    record.pages[0] |= 1ull << (page % 8);
    EXPECT_NE(violations().find("spilled as well"), std::string::npos);
}

TEST_F(ouroboros_audit, notices_a_page_that_was_given_back_twice) {
    tested_.give_back(kept_);
    EXPECT_EQ(violations(), "");
    tested_.give_back(kept_);
    EXPECT_NE(violations(), "") << "more pages are free than there are";
}

TEST_F(ouroboros_audit, live_bytes_are_those_of_the_blocks) {
    std::uint64_t const live = 2000 * 16 + 50 * 1024 + 26 * 8192;
    EXPECT_EQ(tested_.owner().audit().live_bytes, live);
    tested_.give_back(small_);
    EXPECT_EQ(tested_.owner().audit().live_bytes, live - 2000 * 16);
    tested_.give_back(extent_);
    EXPECT_EQ(tested_.owner().audit().live_bytes, 50 * 1024u);
}

} // namespace
} // namespace rhizome::tests
