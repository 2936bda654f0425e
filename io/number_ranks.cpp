// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/number_ranks.hpp>

#include <atomic>

namespace rhizome::io {

void number_ranks::insert(std::uint64_t number) {
    std::atomic_ref<std::uint64_t> const word(words_[number / 64]);
    std::uint64_t const bit = std::uint64_t{1} << number % 64;
    // Relaxed: the words are read after the threads have joined. Most numbers are there already.
    if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
}

std::uint64_t number_ranks::count() {
    ranks_.resize(words_.size());
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
        ranks_[i] = static_cast<graph::vertex_id>(sum);
        sum += static_cast<std::uint64_t>(std::popcount(words_[i]));
    }
    return sum;
}

std::vector<std::uint64_t> number_ranks::numbers() const {
    std::vector<std::uint64_t> all;
    for (std::size_t i = 0; i < words_.size(); ++i)
        for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1)
            all.push_back(i * 64 + static_cast<std::uint64_t>(std::countr_zero(rest)));
    return all;
}

} // namespace rhizome::io
