// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/errors.hpp>
#include <rhizome/runtime/ranks/commands.hpp>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace rhizome::runtime::detail {

void refusal::keep(std::exception const& error) {
    text_ = error.what();
    auto const* const memory = dynamic_cast<exec::out_of_memory const*>(&error);
    out_of_memory_ = memory != nullptr;
    if (memory == nullptr) return;
    needed_bytes_ = memory->needed_bytes();
    available_bytes_ = memory->available_bytes();
}

void refusal::explain(any_rank& self, int rank) const {
    constexpr std::size_t numbers = 3;
    std::array<std::uint64_t, numbers + most_text_words> mine{out_of_memory_ ? 1u : 0u, needed_bytes_,
                                                              available_bytes_};
    std::size_t const most_bytes = most_text_words * sizeof(std::uint64_t) - 1; // a zero ends the text
    std::memcpy(mine.data() + numbers, text_.data(), std::min(text_.size(), most_bytes));
    std::vector<std::uint64_t> const all = self.gather_words(mine);
    if (self.rank() != 0) return;
    std::uint64_t const* const its = all.data() + static_cast<std::size_t>(rank) * mine.size();
    std::array<char, most_text_words * sizeof(std::uint64_t)> text{};
    std::memcpy(text.data(), its + numbers, text.size());
    std::string const said = "rank " + std::to_string(rank) + ": " + text.data();
    if (its[0] == 0) throw std::runtime_error(said);
    // The constructor writes the sizes itself.
    std::string const beginning = ": out of memory";
    std::string const sizes_end = " bytes, available " + std::to_string(its[2]) + " bytes";
    std::size_t const sizes = said.find(sizes_end);
    throw exec::out_of_memory(said.substr(0, said.find(beginning)), its[1], its[2],
                              sizes == std::string::npos ? "" : said.substr(sizes + sizes_end.size()));
}

} // namespace rhizome::runtime::detail
