// SPDX-License-Identifier: Apache-2.0
// All compactors that the conformance suite runs: a new one joins by one line.
#pragma once

#include <rhizome/compaction/select.hpp>
#include <rhizome/compaction/space/space_compactor.hpp>
#if defined(__CUDACC__)
#include <rhizome/compaction/cub_compactor.hpp>
#endif

#include <spaces.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

namespace rhizome::tests {

struct default_compactor {
    static std::string name() { return "default"; }
    template <class Space>
    using on = compaction::compactor<Space>;
    template <class Space>
    [[nodiscard]] static on<Space> make(Space const& space, exec::memory_resource* scratch) {
        return on<Space>(space, scratch);
    }
    template <class T>
    static constexpr bool takes = true;
};

/// The default in shapes in which a warp takes many steps, on any device: Warps warps, two per block.
template <std::uint32_t Warps>
struct default_on_few_warps {
    static std::string name() { return "default_on_" + std::to_string(Warps) + "_warps"; }
    template <class Space>
    using on = compaction::compactor<Space>;
    template <class Space>
    [[nodiscard]] static on<Space> make(Space const& space, exec::memory_resource* scratch) {
        on<Space> made(space, scratch);
        made.set_launch_options({.block_threads = 64, .write_blocks = Warps / 2});
        return made;
    }
    template <class T>
    static constexpr bool takes = true;
};

template <int Variant, std::uint32_t ChunkItems = 512, std::uint32_t Threads = 256>
struct space_variant {
    static std::string name() {
        std::string const shape =
            ChunkItems == 512 ? "" : "_by_" + std::to_string(ChunkItems) + "_on_" + std::to_string(Threads);
        return "space_" + std::to_string(Variant) + shape;
    }
    template <class Space>
    using on = compaction::space_compactor<Space>; // one type for all variants: compiled once
    template <class Space>
    [[nodiscard]] static on<Space> make(Space const& space, exec::memory_resource* scratch) {
        return on<Space>(space, compaction::space_variants[Variant - 1],
                         {.chunk_items = ChunkItems,
                          .block_threads = Threads,
                          .write_threads = ChunkItems == 96 ? 128u : 0u, // one has all options
                          .streams = ChunkItems == 96 ? 3u : 0u},
                         scratch);
    }
    template <class T>
    static constexpr bool takes = true;
};

#if defined(__CUDACC__)
struct cub_flagged {
    static std::string name() { return "cub_flagged"; }
    template <class Space>
    using on = compaction::cub_compactor;
    template <class Space>
    [[nodiscard]] static on<Space> make(Space const& space, exec::memory_resource* scratch) {
        return on<Space>(space, scratch);
    }
    template <class T>
    static constexpr bool takes = compaction::cub_selectable<T>;
};
using compactor_list = type_list<default_compactor, default_on_few_warps<2>, default_on_few_warps<4>,
                                 space_variant<1>, space_variant<2>, space_variant<3>, space_variant<4>,
                                 space_variant<5>, space_variant<6>, space_variant<7>, space_variant<8>,
                                 space_variant<8, 96, 1024>, space_variant<8, 65'536, 64>, cub_flagged>;
#else
/// Under sanitizers four of the paper's variants, which have each of its prefix sums and ways to write, with
/// and without skipping.
using compactor_list = std::conditional_t<
    sanitized,
    type_list<default_compactor, default_on_few_warps<2>, space_variant<3>, space_variant<4>,
              space_variant<5>, space_variant<8>>,
    type_list<default_compactor, default_on_few_warps<2>, default_on_few_warps<4>, space_variant<1>,
              space_variant<2>, space_variant<3>, space_variant<4>, space_variant<5>, space_variant<6>,
              space_variant<7>, space_variant<8>, space_variant<8, 96, 1024>, space_variant<8, 65'536, 64>>>;
#endif

/// A compactor on a space.
template <class Space, class Kind>
struct compactor_case {
    using space = Space;
    using kind = Kind;
    using type = typename Kind::template on<Space>;
    static std::string name() { return std::string(Space::name) + "_" + Kind::name(); }
};

} // namespace rhizome::tests
