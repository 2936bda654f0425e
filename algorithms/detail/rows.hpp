// SPDX-License-Identifier: Apache-2.0
// How ids are loaded from rows that are contiguous in memory.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/read_only.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// A few consecutive ids of a row, as one load brings them.
template <class Id>
struct alignas(16) basic_id_window {
    static constexpr std::uint32_t width = 16 / sizeof(Id);
    Id ids[width];
};
using id_window = basic_id_window<graph::vertex_id>;

/// Whether the memory of a window is soon read again, which decides how it is loaded.
enum class rereads { soon, never };

/// Loads a window of ids from ids[first] on; ids at `size` and behind are undefined. Precondition: first <
/// size, and first is a multiple of the width.
template <bool Padded, rereads Again = rereads::soon, class Id>
[[nodiscard]] RZ_HD basic_id_window<Id> load_window(Id const* ids, std::uint64_t first, std::uint64_t size) {
    using window_type = basic_id_window<Id>;
    if constexpr (Padded) {
        auto const* const place = reinterpret_cast<window_type const*>(ids + first);
        return Again == rereads::soon ? exec::load_read_only(place) : exec::load_once(place);
    } else {
        window_type window{};
        for (std::uint32_t k = 0; k < window_type::width; ++k)
            if (first + k < size) window.ids[k] = exec::load_read_only(ids + first + k);
        return window;
    }
}

} // namespace rhizome::algorithms::detail
