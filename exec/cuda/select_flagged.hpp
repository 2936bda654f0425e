// SPDX-License-Identifier: Apache-2.0
// CUB's DeviceSelect::Flagged behind compiled functions, so that CUB is read once: the baseline of module
// compaction.
#pragma once

#include <rhizome/exec/cuda/space.hpp>
#include <rhizome/exec/workspace.hpp>

#include <cstdint>

namespace rhizome::exec {

// Elements have 1, 2, 4, 8 or 16 bytes and lie at multiples of their size. Asynchronous; throw out_of_memory
// if there is no memory for the scratch. *count, in the memory of the space, becomes the number of selected
// elements. items > 0.

/// CUB reads flags through an iterator: item i is selected if bit i % 32 of words[i / 32] is set.
void select_flagged(cuda_space& space, workspace<cuda_space>& scratch, void const* input,
                    std::uint32_t element_bytes, std::uint32_t const* words, std::uint64_t items,
                    void* output, std::uint64_t* count);
/// The same for elements of 4 bytes, with flags of a byte per item.
void select_flagged(cuda_space& space, workspace<cuda_space>& scratch, std::uint32_t const* input,
                    std::uint8_t const* flags, std::uint64_t items, std::uint32_t* output,
                    std::uint64_t* count);
/// Writes a byte per item, 0 or 1.
void unpack_flags(cuda_space& space, std::uint32_t const* words, std::uint64_t items, std::uint8_t* flags);

} // namespace rhizome::exec
