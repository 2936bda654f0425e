// SPDX-License-Identifier: Apache-2.0
// The arrays of a batch that requests pages in bulk.
#pragma once

#include <rhizome/alloc/page_run.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/graph/batch/arrays.hpp>
#include <rhizome/graph/batch/size_lists.hpp>
#include <rhizome/graph/tuning.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// A part: tuning::ranked_rows of the slices, in the order of rows.
struct bulk_arrays {
    alloc::page_run* runs = nullptr; ///< of each exact size bucket; nullptr: nothing is requested in bulk
    std::uint32_t* counts = nullptr; ///< [bucket][part], and one more: pages; later the sum of all before
    std::uint64_t parts = 0;
    // Where slices are not in the order of rows:
    std::uint32_t* marks = nullptr;  ///< a bit per row of the graph: it waits for a small page
    std::uint32_t* before = nullptr; ///< per word of marks, and one more: set bits in the words before
    std::uint64_t mark_words = 0;

    [[nodiscard]] bool in_use() const { return runs != nullptr; }
    [[nodiscard]] static constexpr std::uint64_t parts_of(std::uint64_t slices) {
        return (slices + tuning::ranked_rows - 1) / tuning::ranked_rows;
    }
    [[nodiscard]] static constexpr std::uint64_t words_of(std::uint64_t rows) { return (rows + 31) / 32; }
    [[nodiscard]] std::uint64_t count_words() const { return size_buckets::exact * parts + 1; }

    /// After the scan: pages of a bucket.
    [[nodiscard]] RZ_HD std::uint32_t pages(std::uint32_t bucket) const {
        return counts[(bucket + 1) * parts] - counts[bucket * parts];
    }
    /// After the scan: pages of a bucket in the parts before.
    [[nodiscard]] RZ_HD std::uint32_t pages_before(std::uint32_t bucket, std::uint64_t part) const {
        return counts[bucket * parts + part] - counts[bucket * parts];
    }
};

/// The slices of a batch in the order of their rows.
struct slices_by_row {
    std::uint32_t const* order; ///< their numbers; nullptr: they lie in this order
    std::uint32_t const* count; ///< of the numbers in `order`

    [[nodiscard]] RZ_HD std::uint32_t size(progress const& now) const {
        return order == nullptr ? now.slices() : *count;
    }
    [[nodiscard]] RZ_HD std::uint32_t operator[](std::uint64_t i) const {
        return order == nullptr ? static_cast<std::uint32_t>(i) : order[i];
    }
};

} // namespace rhizome::graph::batch
