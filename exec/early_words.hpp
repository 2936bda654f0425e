// SPDX-License-Identifier: Apache-2.0
// A few numbers that a kernel writes, and that the host reads before the kernel has ended.
#pragma once

#include <rhizome/exec/config.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

namespace rhizome::exec {

/// Where a kernel writes the numbers: trivially copyable. A number has 48 bits. The other 16 of its word name
/// the launch, so that the host knows each number by itself as written.
struct early_words_ref {
    std::uint64_t* words;
    std::uint64_t stamp; ///< in the upper 16 bits

    static constexpr std::uint64_t number_mask = (std::uint64_t{1} << 48) - 1;

    /// Called once per launch for each number. What the thread wrote before its last fence() is visible to
    /// work that the host launches once it has read all numbers.
    template <class Thread>
    RZ_HD void write(Thread const& thread, std::uint32_t which, std::uint64_t number) const {
        thread.post(words[which], stamp | (number & number_mask));
    }
};

namespace detail {

/// The words of the launches of one space.
class stamped_words {
public:
    [[nodiscard]] early_words_ref next(std::uint64_t* words) {
        number_ = number_ % 0xffff + 1; // never 0, which is in the words at the start
        return {words, number_ << 48};
    }
    [[nodiscard]] bool has(std::uint64_t word) const { return word >> 48 == number_; }

private:
    std::uint64_t number_ = 0;
};

} // namespace detail

/// N such numbers. Move-only. This version is for spaces whose memory is the host's, and whose launches have
/// ended when they return; `cuda/early_words.hpp` has one in pinned memory.
template <class Space, std::uint32_t N>
class early_words {
public:
    using numbers = std::array<std::uint64_t, N>;

    /// Throws out_of_memory where the host has no memory for it.
    explicit early_words(Space space)
        : space_(std::move(space)), words_(std::make_unique<std::uint64_t[]>(N)) {}

    /// For the next launch. Earlier numbers must have been read.
    [[nodiscard]] early_words_ref next() { return stamps_.next(words_.get()); }
    /// Waits until the last launch that next() was for has written its numbers, and returns them.
    [[nodiscard]] numbers read() {
        space_.synchronize();
        numbers found;
        for (std::uint32_t i = 0; i < N; ++i)
            found[i] = words_[i] & early_words_ref::number_mask;
        return found;
    }

private:
    Space space_;
    std::unique_ptr<std::uint64_t[]> words_;
    detail::stamped_words stamps_;
};

} // namespace rhizome::exec
