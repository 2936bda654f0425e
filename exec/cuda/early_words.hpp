// SPDX-License-Identifier: Apache-2.0
// Numbers of the device that the host reads while the kernel runs.
#pragma once

#include <rhizome/exec/cuda/space.hpp>
#include <rhizome/exec/early_words.hpp>

#include <cstdint>
#include <cstring>
#include <utility>

namespace rhizome::exec {

/// The host looks at the words until they are there. Now and then it asks the stream whether it still works:
/// a kernel that fails writes none.
template <std::uint32_t N>
class early_words<cuda_space, N> {
public:
    using numbers = std::array<std::uint64_t, N>;

    explicit early_words(cuda_space space)
        : space_(std::move(space)),
          words_(static_cast<std::uint64_t*>(space_.allocate_pinned(N * sizeof(std::uint64_t)))) {
        std::memset(words_, 0, N * sizeof(std::uint64_t));
    }
    early_words(early_words const&) = delete;
    early_words& operator=(early_words const&) = delete;
    early_words(early_words&& other) noexcept
        : space_(other.space_), words_(std::exchange(other.words_, nullptr)), stamps_(other.stamps_) {}
    early_words& operator=(early_words&& other) noexcept {
        std::swap(space_, other.space_);
        std::swap(words_, other.words_);
        std::swap(stamps_, other.stamps_);
        return *this;
    }
    ~early_words() {
        if (words_ != nullptr) space_.deallocate_pinned(words_);
    }

    [[nodiscard]] early_words_ref next() { return stamps_.next(words_, N); }
    void read(std::uint64_t* found, std::uint32_t count) {
        constexpr std::uint32_t looks_between =
            4096;                // each takes nanoseconds, asking the stream a microsecond
        std::uint32_t known = 0; // so many numbers, from the first one on
        for (std::uint32_t look = 0;; ++look) {
            while (known < count) {
                // Pairs with thread.fence_for_host() and post(): scopes of the system on both sides.
                std::uint64_t const word = __atomic_load_n(words_ + known, __ATOMIC_ACQUIRE);
                if (!stamps_.has(word)) break;
                found[known++] = word & early_words_ref::number_mask;
            }
            if (known == count) {
                space_.count_wait();
                return;
            }
            if (look % looks_between == looks_between - 1 && !space_.is_working())
                return read_at_end(found, count);
        }
    }
    [[nodiscard]] numbers read() {
        numbers found;
        read(found.data(), N);
        return found;
    }

private:
    /// After the kernel has ended, between two looks or by a failure, which this throws.
    void read_at_end(std::uint64_t* found, std::uint32_t count) {
        space_.synchronize();
        for (std::uint32_t i = 0; i < count; ++i)
            found[i] = stamps_.number_of(__atomic_load_n(words_ + i, __ATOMIC_ACQUIRE));
    }

    cuda_space space_;
    std::uint64_t* words_;
    detail::stamped_words stamps_;
};

} // namespace rhizome::exec
