// SPDX-License-Identifier: Apache-2.0
// A few numbers that a kernel writes, and that the host reads before the kernel has ended.
#pragma once

#include <rhizome/exec/config.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

namespace rhizome::exec {

/// Where a kernel writes the numbers: trivially copyable. A number has 48 bits. The other 16 of its word name
/// the launch, so that the host knows each number by itself as written.
struct early_words_ref {
    std::uint64_t* words;
    std::uint64_t stamp; ///< in the upper 16 bits

    static constexpr std::uint64_t number_mask = (std::uint64_t{1} << 48) - 1;

    /// Called once per launch for each number that the host will read. What the thread wrote before its last
    /// fence_for_host(), or what it had learnt of by then, is there for the host once it has read the number,
    /// and for work that the host launches after it.
    template <class Thread>
    RZ_HD void write(Thread const& thread, std::uint32_t which, std::uint64_t number) const {
        thread.post(words[which], stamp | (number & number_mask));
    }
};

namespace detail {

/// The words of the launches of one space.
class stamped_words {
public:
    /// `words`: `count` words that nothing writes meanwhile.
    [[nodiscard]] early_words_ref next(std::uint64_t* words, std::uint32_t count) {
        if (number_ ==
            0xffff) { // numbers begin anew; those of old must not be in words that launches left out
            std::memset(words, 0, count * sizeof(std::uint64_t));
            number_ = 0;
        }
        ++number_; // never 0, which is in the words at the start
        return {words, number_ << 48};
    }
    [[nodiscard]] bool has(std::uint64_t word) const { return word >> 48 == number_; }
    /// Throws if the word is not of the last launch. Precondition: that launch has ended.
    [[nodiscard]] std::uint64_t number_of(std::uint64_t word) const {
        if (!has(word))
            throw std::logic_error(
                "a kernel has ended without its report: do two threads use one graph at the same time?");
        return word & early_words_ref::number_mask;
    }

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

    /// For the next launch. The numbers of earlier launches must have been read, unless they were refused.
    [[nodiscard]] early_words_ref next() { return stamps_.next(words_.get(), N); }
    /// Waits until the last launch that next() was for has written the first `count` numbers, and writes them
    /// to `found`. Throws std::logic_error if the launch has ended without.
    void read(std::uint64_t* found, std::uint32_t count) {
        space_.synchronize();
        for (std::uint32_t i = 0; i < count; ++i)
            found[i] = stamps_.number_of(words_[i]);
    }
    /// The same for all numbers.
    [[nodiscard]] numbers read() {
        numbers found;
        read(found.data(), N);
        return found;
    }

private:
    Space space_;
    std::unique_ptr<std::uint64_t[]> words_;
    detail::stamped_words stamps_;
};

} // namespace rhizome::exec
