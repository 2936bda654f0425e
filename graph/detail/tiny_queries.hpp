// SPDX-License-Identifier: Apache-2.0
// Queries about a few edges or vertices, from host memory: one launch, without copies. What is asked travels
// with the launch, and the host reads the answers while the kernel ends.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/early_words.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/graph/detail/tile_search.hpp>
#include <rhizome/graph/find_edge.hpp>
#include <rhizome/graph/queries.hpp>
#include <rhizome/graph/tuning.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace rhizome::graph::detail {

/// Words for the answers of one query.
inline constexpr std::uint32_t tiny_answer_words = 2 * tuning::tiny_query;

/// find_edge() by all lanes of a warp, which takes fewer loads one after the other than by one lane.
template <class Warp, class View>
[[nodiscard]] RZ_HD edge_place find_edge_by_lanes(Warp const& warp, View const& view,
                                                  basic_edge<id_of_view<View>> const& asked) {
    return find_edge_with(
        view, asked.source, asked.target, [&](auto const& row, id_of_view<View> target) -> neighbour_place {
            if constexpr (searched_by_lanes<View>) {
                auto const found =
                    search_by_lanes(warp, row.begin(), static_cast<std::uint32_t>(row.size()), target);
                return {found.place, found.present};
            } else {
                return find_neighbour<View::sorted>(warp, row, target);
            }
        });
}

/// Whether edges are present: a word for each, by one warp.
template <class View>
struct tiny_presence {
    static constexpr std::uint32_t block_threads = tuning::tiny_query_block_threads;
    static constexpr bool reads_members_in_place = true;

    View view;
    exec::early_words_ref answers;
    std::uint32_t count;
    basic_edge<id_of_view<View>> edges[tuning::tiny_query];

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        auto const i = static_cast<std::uint32_t>(thread.rank() / warp.size());
        if (i >= count) return;
        bool const present = find_edge_by_lanes(warp, view, edges[i]).present;
        if (warp.rank() == 0) answers.write(thread, i, present ? 1 : 0);
    }
};

/// The same with the values of the edges.
template <class View>
struct tiny_values {
    using value_type = typename View::value_type;
    static constexpr std::uint32_t block_threads = tuning::tiny_query_block_threads;
    static constexpr bool reads_members_in_place = true;
    static constexpr std::uint32_t words_per_edge =
        static_cast<std::uint32_t>((sizeof(value_type) + sizeof(std::uint32_t) - 1) / sizeof(std::uint32_t));

    View view;
    exec::early_words_ref answers; ///< four bytes of the value; bit 32: whether the edge is present
    std::uint32_t count;
    basic_edge<id_of_view<View>> edges[tuning::tiny_query];

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        auto const i = static_cast<std::uint32_t>(thread.rank() / warp.size());
        if (i >= count) return;
        auto const found = find_edge_by_lanes(warp, view, edges[i]);
        if (warp.rank() != 0) return;
        std::uint32_t bytes[words_per_edge] = {};
        if (found.present) {
            value_type const value = value_of_edge(view, edges[i].source, edges[i].target, found);
            memcpy(bytes, &value, sizeof(value));
        }
        for (std::uint32_t k = 0; k < words_per_edge; ++k)
            answers.write(thread, i * words_per_edge + k,
                          bytes[k] | (found.present ? std::uint64_t{1} << 32 : 0));
    }
};

template <class View>
struct tiny_degrees {
    static constexpr std::uint32_t block_threads = tuning::tiny_query_block_threads;
    static constexpr bool reads_members_in_place = true;

    View view;
    exec::early_words_ref answers;
    std::uint32_t count;
    id_of_view<View> ids[tuning::tiny_query];

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const i = static_cast<std::uint32_t>(thread.rank());
        if (i < count) answers.write(thread, i, degree_or_none(view, ids[i]));
    }
};

template <class Space, class Kernel>
void launch_tiny(Space& space, std::uint32_t threads, Kernel const& kernel) {
    std::uint32_t const in_block = std::min(Kernel::block_threads, space.max_block_threads());
    launch(space, {(threads + in_block - 1) / in_block, in_block}, kernel);
}

/// Writes 1 to present[i] if the view has edges[i], else 0. `edges`: 1 to tuning::tiny_query, in host memory.
template <class Space, class Words, class View>
void answer_tiny_presence(Space& space, Words& words, View const& view,
                          basic_edge<id_of_view<View>> const* edges, std::uint32_t count,
                          std::uint8_t* present) {
    tiny_presence<View> kernel{view, words.next(), count, {}};
    std::copy_n(edges, count, kernel.edges);
    launch_tiny(space, count * 32, kernel);
    std::uint64_t found[tuning::tiny_query];
    words.read(found, count);
    for (std::uint32_t i = 0; i < count; ++i)
        present[i] = static_cast<std::uint8_t>(found[i]);
}

/// How many edges a tiny query for values may have.
template <class View>
inline constexpr std::uint32_t
    most_tiny_values = std::min(tuning::tiny_query, tiny_answer_words / tiny_values<View>::words_per_edge);

/// The same, with the value of edges[i], or zeros. `edges`: 1 to most_tiny_values.
template <class Space, class Words, class View>
void answer_tiny_values(Space& space, Words& words, View const& view,
                        basic_edge<id_of_view<View>> const* edges, std::uint32_t count,
                        typename View::value_type* values, std::uint8_t* present) {
    using kernel_type = tiny_values<View>;
    constexpr std::uint32_t each = kernel_type::words_per_edge;
    kernel_type kernel{view, words.next(), count, {}};
    std::copy_n(edges, count, kernel.edges);
    launch_tiny(space, count * 32, kernel);
    std::uint64_t found[tiny_answer_words];
    words.read(found, count * each);
    for (std::uint32_t i = 0; i < count; ++i) {
        std::uint32_t bytes[each];
        for (std::uint32_t k = 0; k < each; ++k)
            bytes[k] = static_cast<std::uint32_t>(found[i * each + k]);
        std::memcpy(values + i, bytes, sizeof(values[i]));
        present[i] = found[i * each] >> 32 & 1;
    }
}

/// The degree of ids[i], or no_degree, to degrees[i]. `ids`: 1 to tuning::tiny_query, in host memory.
template <class Space, class Words, class View>
void answer_tiny_degrees(Space& space, Words& words, View const& view, id_of_view<View> const* ids,
                         std::uint32_t count, std::uint32_t* degrees) {
    tiny_degrees<View> kernel{view, words.next(), count, {}};
    std::copy_n(ids, count, kernel.ids);
    launch_tiny(space, count, kernel);
    std::uint64_t found[tuning::tiny_query];
    words.read(found, count);
    for (std::uint32_t i = 0; i < count; ++i)
        degrees[i] = static_cast<std::uint32_t>(found[i]);
}

} // namespace rhizome::graph::detail
