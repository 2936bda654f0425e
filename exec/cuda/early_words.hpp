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

    [[nodiscard]] early_words_ref next() { return stamps_.next(words_); }
    [[nodiscard]] numbers read() {
        constexpr std::uint32_t looks_between =
            4096; // each takes nanoseconds, asking the stream a microsecond
        for (std::uint32_t look = 0;; ++look) {
            numbers found{};
            bool all = true;
            for (std::uint32_t i = 0; i < N && all; ++i) {
                std::uint64_t const word = __atomic_load_n(words_ + i, __ATOMIC_ACQUIRE);
                all = stamps_.has(word);
                found[i] = word & early_words_ref::number_mask;
            }
            if (all) {
                space_.count_wait();
                return found;
            }
            if (look % looks_between == looks_between - 1 && !space_.is_working()) return read_at_end();
        }
    }

private:
    /// After the kernel has ended, between two looks or by a failure, which this throws.
    [[nodiscard]] numbers read_at_end() {
        space_.synchronize();
        numbers found;
        for (std::uint32_t i = 0; i < N; ++i)
            found[i] = words_[i] & early_words_ref::number_mask;
        return found;
    }

    cuda_space space_;
    std::uint64_t* words_;
    detail::stamped_words stamps_;
};

} // namespace rhizome::exec
