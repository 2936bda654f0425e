#include <rhizome/compaction/cub/cub_compactor.hpp>
#include <rhizome/exec/cuda/check.hpp>
#include <rhizome/exec/cuda/device_guard.hpp>
#include <rhizome/exec/cuda/pending_error.hpp>

#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstddef>

namespace rhizome::compaction::detail {

namespace {

struct flag_of {
    std::uint32_t const* words;
    RZ_HD bool operator()(std::uint64_t item) const {
        return (words[item / bits_per_word] >> item % bits_per_word & 1) != 0;
    }
};

struct unpack_kernel {
    bit_mask mask;
    std::uint8_t* flags;
    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, mask.bits,
                            [&](std::uint64_t item) { flags[item] = flag_of{mask.words}(item) ? 1 : 0; });
    }
};

template <class Element, class Flags>
void flagged(exec::cuda_space& space, exec::workspace<exec::cuda_space>& scratch, void const* input,
             Flags flags, std::uint64_t items, void* output, std::uint64_t* count) {
    exec::device_guard const current(space.device());
    auto const call = [&](void* place, std::size_t& bytes) {
        exec::check_cuda(exec::detail::call_without_pending_error(
                             space.device(), space.stream(),
                             [&] {
                                 return cub::DeviceSelect::Flagged(
                                     place, bytes, static_cast<Element const*>(input), flags,
                                     static_cast<Element*>(output), count, static_cast<std::int64_t>(items),
                                     space.stream());
                             }),
                         "cub::DeviceSelect::Flagged");
    };
    std::size_t bytes = 0;
    call(nullptr, bytes);
    call(scratch.at_least(bytes == 0 ? 1 : bytes), bytes); // a null pointer would ask for the size again
}

template <class Flags>
void flagged_of(exec::cuda_space& space, exec::workspace<exec::cuda_space>& scratch, void const* input,
                std::uint32_t element_bytes, Flags flags, std::uint64_t items, void* output,
                std::uint64_t* count) {
    switch (element_bytes) {
    case 1:
        return flagged<std::uint8_t>(space, scratch, input, flags, items, output, count);
    case 2:
        return flagged<std::uint16_t>(space, scratch, input, flags, items, output, count);
    case 4:
        return flagged<std::uint32_t>(space, scratch, input, flags, items, output, count);
    case 8:
        return flagged<std::uint64_t>(space, scratch, input, flags, items, output, count);
    default:
        return flagged<uint4>(space, scratch, input, flags, items, output, count);
    }
}

} // namespace

void cub_flagged(exec::cuda_space& space, exec::workspace<exec::cuda_space>& scratch, void const* input,
                 std::uint32_t element_bytes, bit_mask const& mask, void* output, std::uint64_t* count) {
    auto const flags =
        thrust::make_transform_iterator(thrust::counting_iterator<std::uint64_t>(0), flag_of{mask.words});
    flagged_of(space, scratch, input, element_bytes, flags, mask.bits, output, count);
}

void cub_flagged_bytes(exec::cuda_space& space, exec::workspace<exec::cuda_space>& scratch, void const* input,
                       std::uint32_t element_bytes, std::uint8_t const* flags, std::uint64_t items,
                       void* output, std::uint64_t* count) {
    flagged_of(space, scratch, input, element_bytes, flags, items, output, count);
}

void unpack_flags(exec::cuda_space& space, bit_mask const& mask, std::uint8_t* flags) {
    if (mask.bits != 0) launch(space, cover_threads(space, mask.bits), unpack_kernel{mask, flags});
}

} // namespace rhizome::compaction::detail
