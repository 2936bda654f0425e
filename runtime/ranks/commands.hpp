// SPDX-License-Identifier: Apache-2.0
// What rank 0 tells the other ranks to do with it.
#pragma once

#include <rhizome/runtime/ranks/any_rank.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <vector>

namespace rhizome::runtime::detail {

/// The collective calls of any_part, and what concerns the group itself.
enum class order : std::uint64_t {
    nothing, ///< rank 0 is still there
    open,
    close,
    end,
    explain, ///< rank 0 asks why a rank refused
    add_vertices,
    insert,
    erase,
    pagerank,
    triangles,
    bfs,
    components,
    rows,
    arcs,
    validate,
    memory,
    compact,
    release_scratch,
};

struct command {
    order what = order::nothing;
    std::array<std::uint64_t, 5> numbers{};
};

/// Collective: `mine` counts on rank 0. Returns it on all ranks.
[[nodiscard]] inline command tell(any_rank& self, command const& mine) {
    std::array<std::uint64_t, 6> words{static_cast<std::uint64_t>(mine.what)};
    std::copy(mine.numbers.begin(), mine.numbers.end(), words.begin() + 1);
    std::vector<std::uint64_t> const all = self.gather_words(words);
    command told{static_cast<order>(all[0]), {}};
    std::copy_n(all.begin() + 1, told.numbers.size(), told.numbers.begin());
    return told;
}

[[nodiscard]] inline command open_command(graph_choice const& choice) {
    std::uint64_t const flags = (choice.directed ? 1u : 0u) | (choice.in_arcs ? 2u : 0u) |
                                (choice.self_loops ? 4u : 0u) | (choice.compacts ? 8u : 0u);
    return {order::open,
            {choice.vertices, flags, choice.heap_bytes, static_cast<std::uint64_t>(choice.pages)}};
}
[[nodiscard]] inline graph_choice choice_of(command const& given) {
    return {.vertices = given.numbers[0],
            .directed = (given.numbers[1] & 1) != 0,
            .in_arcs = (given.numbers[1] & 2) != 0,
            .self_loops = (given.numbers[1] & 4) != 0,
            .heap_bytes = given.numbers[2],
            .pages = static_cast<graph::page_requests>(given.numbers[3]),
            .compacts = (given.numbers[1] & 8) != 0};
}

[[nodiscard]] inline command pagerank_command(algorithms::pagerank_options const& options, rank_type type,
                                              bool wants_values) {
    return {order::pagerank,
            {std::bit_cast<std::uint64_t>(options.damping), std::bit_cast<std::uint64_t>(options.tolerance),
             options.max_iterations, static_cast<std::uint64_t>(type), wants_values ? 1u : 0u}};
}
inline ranked_part run_pagerank(any_part& part, command const& given) {
    return part.pagerank({.damping = std::bit_cast<double>(given.numbers[0]),
                          .tolerance = std::bit_cast<double>(given.numbers[1]),
                          .max_iterations = static_cast<unsigned>(given.numbers[2])},
                         static_cast<rank_type>(given.numbers[3]), given.numbers[4] != 0);
}

/// Why a rank refused.
class refusal {
public:
    /// Keeps the exception that is being handled.
    void keep(std::exception const& error);
    /// Collective. Throws what rank `rank` has kept, as it would be thrown here: exec::out_of_memory, or
    /// std::runtime_error with its text, which names the rank.
    void explain(any_rank& self, int rank) const;

private:
    static constexpr std::size_t most_text_words = 64;
    bool out_of_memory_ = false;
    std::uint64_t needed_bytes_ = 0;
    std::uint64_t available_bytes_ = 0;
    std::string text_;
};

} // namespace rhizome::runtime::detail
