// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rhizome/alloc/coalescing/coalescing.hpp>
#include <rhizome/exec/shape.hpp>

#include <algorithm>
#include <bit>
#include <string>

namespace rhizome::alloc {

template <class Scope, class Bookkeeping, class Backing>
coalescing<Scope, Bookkeeping, Backing>::coalescing(space_type space, heap_options const& options)
    : space_(std::move(space)), base_(space_, options), slots_(space_), without_slots_(space_, 1),
      most_bytes_(options.reserve_bytes != 0 ? options.reserve_bytes : space_.memory_bytes()) {
    without_slots_.fill_bytes(0);
    if constexpr (has_table) grow_table(base_.heap_bytes());
}

/// A slot for each window of the heap. An allocator without one heap also takes memory elsewhere.
template <class Scope, class Bookkeeping, class Backing>
std::uint64_t coalescing<Scope, Bookkeeping, Backing>::capacity_for(std::uint64_t heap_bytes) {
    std::uint64_t const windows =
        heap_bytes / table_type::window_bytes + (heap_bytes % table_type::window_bytes != 0 ? 1 : 0);
    if constexpr (ref_type::traits::bounded) return std::bit_ceil(std::max<std::uint64_t>(windows, 1));
    constexpr std::uint64_t least_slots = 1024; // 32 KiB
    return std::bit_ceil(std::max(2 * windows, least_slots));
}

template <class Scope, class Bookkeeping, class Backing>
auto coalescing<Scope, Bookkeeping, Backing>::table_of(std::uint64_t capacity) -> slots {
    slots moved(space_, capacity);
    moved.fill_bytes(0);
    if (slots_.size() == 0) return moved;
    exec::buffer<space_type, std::uint64_t> lost(space_, 1);
    lost.fill_bytes(0);
    launch(space_, cover_threads(space_, slots_.size()),
           coalescing_maintenance::move_windows<table_type>{table(slots_), table(moved), lost.data()});
    return lost.to_host()[0] == 0 ? std::move(moved) : slots(space_);
}

template <class Scope, class Bookkeeping, class Backing>
void coalescing<Scope, Bookkeeping, Backing>::grow_table(std::uint64_t heap_bytes) {
    std::uint64_t const capacity = capacity_for(heap_bytes);
    if (capacity <= slots_.size()) return;
    slots larger = table_of(capacity);
    if (larger.size() != 0) slots_ = std::move(larger);
}

template <class Scope, class Bookkeeping, class Backing>
void coalescing<Scope, Bookkeeping, Backing>::grow_to(std::uint64_t bytes) {
    if constexpr (has_table) {
        // No table for more than the heap can become: the backing refuses such a request.
        if (bytes > base_.heap_bytes()) grow_table(std::min(bytes, most_bytes_));
    }
    base_.grow_to(bytes);
    if constexpr (has_table) {
        try {
            grow_table(base_.heap_bytes());    // the backing rounds up
        } catch (exec::out_of_memory const&) { // threads whose superblocks find no slots get headers
        }
    }
}

template <class Scope, class Bookkeeping, class Backing>
void coalescing<Scope, Bookkeeping, Backing>::trim() {
    base_.trim();
    if constexpr (has_table && !ref_type::traits::bounded) {
        try {
            slots const fewer = table_of(slots_.size());
            // Refs stay valid: the table keeps its place.
            if (fewer.size() != 0) space_.copy(slots_.data(), fewer.data(), slots_.size_bytes());
            space_.synchronize();
        } catch (exec::out_of_memory const&) { // all windows keep their slots
        }
    }
}

template <class Scope, class Bookkeeping, class Backing>
audit_result coalescing<Scope, Bookkeeping, Backing>::audit() {
    audit_result result = base_.audit();
    if constexpr (has_table) {
        exec::buffer<space_type, coalescing_maintenance::audit_counts> counts(space_, 1);
        counts.fill_bytes(0);
        launch(space_, cover_threads(space_, slots_.size()),
               coalescing_maintenance::audit<table_type>{table(slots_), counts.data()});
        coalescing_maintenance::audit_counts const found = counts.to_host()[0];
        auto const expect = [&](char const* equation, std::uint64_t left, std::uint64_t right) {
            if (left != right)
                result.violations.push_back(std::string("coalescing: ") + equation + ": " +
                                            std::to_string(left) + " against " + std::to_string(right));
        };
        expect("starts that are not covered = 0", found.starts_uncovered, 0);
        expect("counts outside of 1 to the number of segments = 0", found.counts_out_of_range, 0);
        expect("covered granules = granules of superblocks", found.covered_granules,
               found.superblock_granules);
        expect("windows that name no superblock = 0", found.reaches_wrong, 0);
    }
    return result;
}

} // namespace rhizome::alloc
