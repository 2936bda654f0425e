// SPDX-License-Identifier: Apache-2.0
// The neighbours of one vertex.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/types.hpp>

#include <concepts>
#include <cstdint>

namespace rhizome::graph {

/// The neighbours of one vertex, contiguous in the memory of the graph's space.
template <class Id>
class basic_neighbour_range {
public:
    using id_type = Id;
    static constexpr bool contiguous = true;

    RZ_HD basic_neighbour_range(Id const* ids, std::uint64_t size) : ids_(ids), size_(size) {}

    [[nodiscard]] RZ_HD std::uint64_t size() const { return size_; }
    [[nodiscard]] RZ_HD Id operator[](std::uint64_t i) const { return ids_[i]; }
    [[nodiscard]] RZ_HD Id const* begin() const { return ids_; }
    [[nodiscard]] RZ_HD Id const* end() const { return ids_ + size_; }

    /// Calls function(i, id) for neighbours number `first` to `last` - 1, each by one lane of a group. All
    /// lanes of the group call this.
    template <class Group, class Function>
    RZ_HD void for_each(Group const& group, std::uint64_t first, std::uint64_t last,
                        Function&& function) const {
        for (std::uint64_t i = first + group.rank(); i < last; i += group.size())
            function(i, ids_[i]);
    }

private:
    Id const* ids_;
    std::uint64_t size_;
};
using neighbour_range = basic_neighbour_range<vertex_id>;

/// The type of neighbours(): size(), forward iteration, and for_each() by the lanes of a group. If
/// `contiguous`, also pointers and operator[] in O(1).
template <class Range>
concept neighbours_of_vertex = requires(Range const range) {
    typename Range::id_type;
    { Range::contiguous } -> std::convertible_to<bool>;
    { range.size() } -> std::convertible_to<std::uint64_t>;
    range.begin() != range.end();
    { *range.begin() } -> std::convertible_to<typename Range::id_type>;
};

} // namespace rhizome::graph
