// SPDX-License-Identifier: Apache-2.0
// Taking, filling, checking and giving back many blocks at once.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>

#include <allocators.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace rhizome::tests {

/// What block `owner` holds in its word `word`: differs between neighbours in both.
[[nodiscard]] RZ_HD constexpr std::uint64_t owner_pattern(std::uint64_t owner, std::uint64_t word) {
    return (owner + 1) * 0x9e37'79b9'7f4a'7c15ull ^ word * 0xff51'afd7'ed55'8ccdull;
}

template <class Ref>
struct take_blocks {
    Ref ref;
    std::uint64_t const* bytes;
    void** blocks;
    std::uint64_t count;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count,
                            [&](std::uint64_t i) { blocks[i] = ref.allocate(thread, bytes[i]); });
    }
};

template <class Ref>
struct return_blocks {
    Ref ref;
    void* const* blocks;
    std::uint64_t count;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) { ref.deallocate(thread, blocks[i]); });
    }
};

/// Writes the owner's pattern over all usable bytes of each block; or, checking, counts words that differ.
template <class Ref, bool Check>
struct pattern_blocks {
    Ref ref;
    std::uint64_t const* bytes;
    std::uint64_t const* owners;
    void* const* blocks;
    std::uint64_t count;
    std::uint64_t* wrong;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            if (blocks[i] == nullptr) return;
            auto* const words = static_cast<std::uint64_t*>(blocks[i]);
            std::uint64_t differing = 0;
            for (std::uint64_t word = 0; word < ref.usable_bytes(bytes[i]) / 8; ++word) {
                if constexpr (Check) {
                    differing += words[word] != owner_pattern(owners[i], word) ? 1 : 0;
                } else {
                    words[word] = owner_pattern(owners[i], word);
                }
            }
            if (differing != 0) thread.device(*wrong).fetch_add(differing, exec::order::relaxed);
        });
    }
};

/// Blocks of one allocator: some of them nullptr.
struct block_set {
    std::vector<std::uint64_t> bytes;
    std::vector<void*> at;
    std::vector<std::uint64_t> owners; ///< what fill() writes: no two blocks of a heap have the same

    [[nodiscard]] std::uint64_t served() const {
        return at.size() - static_cast<std::uint64_t>(std::count(at.begin(), at.end(), nullptr));
    }
};

/// A space, an allocator on it, and blocks from it. A thread that writes
/// into a filled block that is not its own shows in wrong_words().
template <class Case>
class heap {
public:
    using space_type = typename Case::space;
    using owner_type = typename Case::owner;
    using ref_type = typename owner_type::ref_type;

    explicit heap(std::uint64_t heap_bytes, space_wishes const& wishes = {}, std::uint64_t reserve_bytes = 0)
        : space_(make_space<space_type>(wishes)),
          owner_(space_, {.heap_bytes = heap_bytes, .reserve_bytes = reserve_bytes}) {}

    [[nodiscard]] space_type& space() { return space_; }
    [[nodiscard]] owner_type& owner() { return owner_; }

    [[nodiscard]] block_set take(std::vector<std::uint64_t> bytes);
    [[nodiscard]] block_set take(std::uint64_t count, std::uint64_t bytes) {
        return take(std::vector<std::uint64_t>(count, bytes));
    }
    void give_back(block_set const& set);
    void fill(block_set const& set);
    [[nodiscard]] std::uint64_t wrong_words(block_set const& set);

    /// Bytes that the set's blocks really have.
    [[nodiscard]] std::uint64_t usable_bytes(block_set const& set) const {
        std::uint64_t bytes = 0;
        for (std::size_t i = 0; i < set.at.size(); ++i)
            if (set.at[i] != nullptr) bytes += owner_.ref().usable_bytes(set.bytes[i]);
        return bytes;
    }

private:
    template <bool Check>
    std::uint64_t pattern(block_set const& set);

    space_type space_;
    owner_type owner_;
    std::uint64_t next_owner_ = 0;
};

template <class Case>
block_set heap<Case>::take(std::vector<std::uint64_t> bytes) {
    block_set set{std::move(bytes), {}, {}};
    std::uint64_t const count = set.bytes.size();
    for (std::uint64_t i = 0; i < count; ++i)
        set.owners.push_back(next_owner_++);
    exec::buffer<space_type, std::uint64_t> const sizes(space_, set.bytes);
    exec::buffer<space_type, void*> blocks(space_, count);
    launch(space_, cover_threads(space_, count),
           take_blocks<ref_type>{owner_.ref(), sizes.data(), blocks.data(), count});
    set.at = blocks.to_host();
    return set;
}

template <class Case>
void heap<Case>::give_back(block_set const& set) {
    exec::buffer<space_type, void*> const blocks(space_, set.at);
    launch(space_, cover_threads(space_, blocks.size()),
           return_blocks<ref_type>{owner_.ref(), blocks.data(), blocks.size()});
    space_.synchronize();
}

template <class Case>
void heap<Case>::fill(block_set const& set) {
    pattern<false>(set);
}

template <class Case>
std::uint64_t heap<Case>::wrong_words(block_set const& set) {
    return pattern<true>(set);
}

template <class Case>
template <bool Check>
std::uint64_t heap<Case>::pattern(block_set const& set) {
    exec::buffer<space_type, std::uint64_t> const sizes(space_, set.bytes);
    exec::buffer<space_type, std::uint64_t> const owners(space_, set.owners);
    exec::buffer<space_type, void*> const blocks(space_, set.at);
    exec::buffer<space_type, std::uint64_t> wrong(space_, 1);
    wrong.fill_bytes(0);
    launch(space_, cover_threads(space_, blocks.size()),
           pattern_blocks<ref_type, Check>{owner_.ref(), sizes.data(), owners.data(), blocks.data(),
                                           blocks.size(), wrong.data()});
    return wrong.to_host()[0];
}

/// The blocks of `set` whose number `chosen` says yes to, and the others.
template <class Choose>
[[nodiscard]] std::pair<block_set, block_set> split(block_set const& set, Choose&& chosen) {
    std::pair<block_set, block_set> parts;
    for (std::size_t i = 0; i < set.at.size(); ++i) {
        block_set& part = chosen(i) ? parts.first : parts.second;
        part.bytes.push_back(set.bytes[i]);
        part.at.push_back(set.at[i]);
        part.owners.push_back(set.owners[i]);
    }
    return parts;
}

/// How many pairs of neighbouring blocks share a byte; `span` gets the bytes from the first to the end of the
/// last.
template <class Ref>
[[nodiscard]] std::uint64_t overlaps(Ref const& ref, block_set const& set, std::uint64_t& span) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges; // begin, end
    for (std::size_t i = 0; i < set.at.size(); ++i) {
        if (set.at[i] == nullptr) continue;
        auto const begin = reinterpret_cast<std::uintptr_t>(set.at[i]);
        ranges.emplace_back(begin, begin + ref.usable_bytes(set.bytes[i]));
    }
    std::sort(ranges.begin(), ranges.end());
    std::uint64_t found = 0;
    for (std::size_t i = 1; i < ranges.size(); ++i)
        found += ranges[i].first < ranges[i - 1].second ? 1 : 0;
    span = ranges.empty() ? 0 : ranges.back().second - ranges.front().first;
    return found;
}

} // namespace rhizome::tests
