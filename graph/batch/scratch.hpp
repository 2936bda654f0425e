// The scratch of a batch: one piece of memory, cut into the plan's arrays, kept between batches.
#pragma once

#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/batch/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace rhizome::graph::batch {

template <class Space>
class scratch {
public:
    explicit scratch(Space space) : arrays_(space), edges_(space), primitives(std::move(space)) {}

    /// Arrays for `slots` keys. Throws out_of_memory.
    [[nodiscard]] arrays cut(std::uint64_t slots) {
        std::uint64_t offset = 0;
        auto const reserve = [&](std::uint64_t bytes) {
            std::uint64_t const start = offset;
            offset += (bytes + 255) / 256 * 256;
            return start;
        };
        std::uint64_t const counts = reserve(sizeof(counters));
        std::uint64_t const keys = reserve(slots * 8);
        std::uint64_t const alternate = reserve(slots * 8);
        std::uint64_t const flags = reserve((slots + 1) * 4);
        std::uint64_t const segment_of = reserve((slots + 1) * 4);
        std::uint64_t const before = reserve((slots + 1) * 4);
        std::uint64_t const place = reserve(slots * 4);
        std::uint64_t const segment_begin = reserve((slots + 1) * 8);
        std::uint64_t const heavy = reserve(slots * 4);
        std::uint64_t const page = reserve(slots * 8);
        auto* const base = static_cast<std::byte*>(arrays_.at_least(offset));
        auto const at = [base]<class T>(std::uint64_t start, T**) {
            return reinterpret_cast<T*>(base + start);
        };
        arrays a{};
        a.counts = at(counts, &a.counts);
        a.keys = at(keys, &a.keys);
        a.alternate = at(alternate, &a.alternate);
        a.flags = at(flags, &a.flags);
        a.segment_of = at(segment_of, &a.segment_of);
        a.before = at(before, &a.before);
        a.place = at(place, &a.place);
        a.segment_begin = at(segment_begin, &a.segment_begin);
        a.heavy = at(heavy, &a.heavy);
        a.page = at(page, &a.page);
        return a;
    }

    [[nodiscard]] edge* edges(std::uint64_t count) { return edges_.template at_least_of<edge>(count); }

    [[nodiscard]] std::uint64_t held_bytes() const {
        return arrays_.held_bytes() + edges_.held_bytes() + primitives.held_bytes();
    }

private:
    exec::workspace<Space> arrays_;
    exec::workspace<Space> edges_;

public:
    exec::workspace<Space> primitives; ///< what sort, scan and unique work in
};

} // namespace rhizome::graph::batch
