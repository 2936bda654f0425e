// SPDX-License-Identifier: Apache-2.0
// A growable array of 32-bit integers under measurement, on a space of its own.
#pragma once

#include <rhizome/bench/harness/subject.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rhizome::bench {

struct array_subject_options {
    /// static, region, gg: those of container/. buffer: a plain array; growing copies it. vector: Thrust's
    /// device_vector on cuda, std::vector elsewhere.
    std::string structure;
    std::string insertion;           ///< one of array_insertions()
    std::uint64_t most_elements = 0; ///< elements that will be in it at the end
    std::uint32_t vectors = 512;     ///< gg
    std::uint64_t first_bucket = 32; ///< gg: elements
    /// static, region and gg: items whose elements a thread inserts with one call. 1: as in the paper.
    std::uint32_t items_per_call = 1;
};

/// The policies of static, region and gg. buffer and vector have none: their threads know their places.
[[nodiscard]] std::vector<std::string> array_insertions();

/// Times are milliseconds of the space.
class array_subject {
public:
    virtual ~array_subject() = default;

    /// Makes room for that many elements in all.
    [[nodiscard]] virtual double grow_ms(std::uint64_t elements) = 0;
    /// Each of `items` items inserts `each` elements, all with the item's number as value.
    [[nodiscard]] virtual double insert_ms(std::uint64_t items, std::uint32_t each) = 0;
    /// Adds 1 thirty times to each element: by contiguous runs.
    [[nodiscard]] virtual double read_write_ms() = 0;
    /// The same, element by element through its index.
    [[nodiscard]] virtual double read_write_by_index_ms() = 0;
    /// Adds 1 to each element.
    [[nodiscard]] virtual double add_one_ms() = 0;
    /// Makes `other`, of the same space and of a structure whose elements lie side by side, a copy of this
    /// array, with its growth.
    [[nodiscard]] virtual double copy_to_ms(array_subject& other) = 0;
    /// For copy_to_ms(): room for that many elements, all of which count as inserted; their address.
    [[nodiscard]] virtual std::int32_t* overwrite(std::uint64_t elements) = 0;

    [[nodiscard]] virtual std::uint64_t size() = 0;
    /// Bytes of memory that hold elements or are there for them.
    [[nodiscard]] virtual std::uint64_t capacity_bytes() = 0;
    /// The sum of all elements.
    [[nodiscard]] virtual std::uint64_t sum() = 0;
};

/// Throws std::invalid_argument for names that there are none of.
template <class Space>
[[nodiscard]] std::unique_ptr<array_subject> open_on(chosen_space const& where,
                                                     array_subject_options const& options);

} // namespace rhizome::bench
