// SPDX-License-Identifier: Apache-2.0
// CUB's DeviceSelect::Flagged, for comparison with the default compaction. CUDA only.
#pragma once

#include <rhizome/compaction/bit_mask.hpp>
#include <rhizome/compaction/selectable.hpp>
#include <rhizome/exec/cuda.hpp>
#include <rhizome/exec/cuda/select_flagged.hpp>
#include <rhizome/exec/memory_resource.hpp>

#include <cstdint>
#include <utility>

namespace rhizome::compaction {

/// An element type that CUB's compiled functions take: 1, 2, 4, 8 or 16 bytes that lie at multiples of their
/// size.
template <class T>
concept cub_selectable = selectable<T> && detail::has_natural_size(sizeof(T)) && alignof(T) == sizeof(T);

/// With the interface of compactor.
class cub_compactor {
public:
    explicit cub_compactor(exec::cuda_space space, exec::memory_resource* scratch = nullptr)
        : space_(space), scratch_(space, scratch), flags_(space, scratch), found_(space) {}

    /// As compactor::select(). CUB reads flags from the mask through an iterator.
    template <cub_selectable T>
    void select(T const* input, bit_mask const& mask, T* output, std::uint64_t* count) {
        if (mask.bits == 0) return space_.fill(count, 0, sizeof(*count));
        exec::select_flagged(space_, scratch_, input, sizeof(T), mask.words, mask.bits, output, count);
    }
    template <cub_selectable T>
    [[nodiscard]] std::uint64_t select(T const* input, bit_mask const& mask, T* output) {
        if (mask.bits == 0) return 0;
        select(input, mask, output, found_.in_space());
        return found_.read();
    }

    /// Unpacks a mask to flags of one byte per item, for select_flagged().
    void unpack(bit_mask const& mask) {
        items_ = mask.bits;
        exec::unpack_flags(space_, mask.words, mask.bits, flags_.at_least_of<std::uint8_t>(mask.bits + 1));
    }
    /// As select(), by the flags that unpack() wrote last; elements of 4 bytes only.
    void select_flagged(std::uint32_t const* input, std::uint32_t* output, std::uint64_t* count) {
        if (items_ == 0) return space_.fill(count, 0, sizeof(*count));
        exec::select_flagged(space_, scratch_, input, flags_.at_least_of<std::uint8_t>(items_), items_,
                             output, count);
    }

private:
    exec::cuda_space space_;
    exec::workspace<exec::cuda_space> scratch_;
    exec::workspace<exec::cuda_space> flags_;
    std::uint64_t items_ = 0;
    exec::mailbox<exec::cuda_space, std::uint64_t> found_;
};

} // namespace rhizome::compaction
