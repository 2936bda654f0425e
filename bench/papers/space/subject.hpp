// SPDX-License-Identifier: Apache-2.0
// A compaction under measurement, on a space of its own.
#pragma once

#include <rhizome/bench/harness/subject.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rhizome::bench {

struct compaction_options {
    std::string method;              ///< a name of compaction_methods()
    std::uint32_t element_bytes = 4; ///< 1, 2, 4 or 8
    std::uint64_t items = 0;
    std::uint32_t chunk_items = 512; ///< of the variants of SPACE
    std::uint32_t block_threads = 0; ///< 0: the method's own
    std::uint32_t write_blocks = 0;  ///< of the default method; 0: its own
    std::uint32_t write_threads = 0; ///< of the kernel of variants of SPACE that writes; 0: block_threads
    std::uint32_t streams = 0;       ///< of the variants of SPACE; 0: the variant's own
};

/// Which items are selected.
struct mask_shape {
    std::uint64_t clusters = 0; ///< runs at equal distances; 0: items drawn at random
    double share = 0;           ///< of the items
    std::uint64_t seed = 1;
};

/// The bytes that every compaction by this mask must move.
struct compaction_traffic {
    std::uint64_t mask_bytes = 0;
    std::uint64_t read_bytes = 0; ///< of the 32-byte sectors of the input that hold a selected element
    std::uint64_t written_bytes = 0;
    std::uint64_t selected = 0;
};

/// Input, mask and output lie in the space. Throws what the space throws.
class compaction_subject {
public:
    virtual ~compaction_subject() = default;
    /// Draws the mask in the space, and counts what it asks for.
    virtual compaction_traffic set_mask(mask_shape const& shape) = 0;
    /// One compaction, with the count left in the space.
    virtual double select_ms() = 0;
    /// The rate of the fastest of five copies of the input to the output, bytes read and written per
    /// millisecond.
    virtual double copy_bytes_per_ms() = 0;
    /// Compares count and contents with the mask by code that shares none with the compactions. Throws
    /// std::runtime_error where they differ.
    virtual void verify() = 0;
};

/// "default", "in-place", "space-1" to "space-8", "cub", "cub-bytes".
[[nodiscard]] std::vector<std::string> const& compaction_methods();

/// nullptr for a method that the space, or this type of element, does not have.
template <class Space>
[[nodiscard]] std::unique_ptr<compaction_subject> open_on(chosen_space const& where,
                                                          compaction_options const& options);

} // namespace rhizome::bench
