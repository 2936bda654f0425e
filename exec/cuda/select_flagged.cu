// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/cuda.hpp>
#include <rhizome/exec/cuda/check.hpp>
#include <rhizome/exec/cuda/device_guard.hpp>
#include <rhizome/exec/cuda/pending_error.hpp>
#include <rhizome/exec/cuda/select_flagged.hpp>

#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstddef>

namespace rhizome::exec {

namespace {

struct flag_of {
    std::uint32_t const* words;
    RZ_HD bool operator()(std::uint64_t item) const { return (words[item / 32] >> item % 32 & 1) != 0; }
};

struct unpack_kernel {
    std::uint32_t const* words;
    std::uint64_t items;
    std::uint8_t* flags;
    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        for_each_item(thread, items, [&](std::uint64_t item) { flags[item] = flag_of{words}(item) ? 1 : 0; });
    }
};

template <class Element, class Flags>
void flagged(cuda_space& space, workspace<cuda_space>& scratch, void const* input, Flags flags,
             std::uint64_t items, void* output, std::uint64_t* count) {
    device_guard const current(space.device());
    auto const call = [&](void* place, std::size_t& bytes) {
        check_cuda(detail::call_without_pending_error(
                       space.device(), space.stream(),
                       [&] {
                           return cub::DeviceSelect::Flagged(place, bytes, static_cast<Element const*>(input),
                                                             flags, static_cast<Element*>(output), count,
                                                             static_cast<std::int64_t>(items),
                                                             space.stream());
                       }),
                   "cub::DeviceSelect::Flagged");
    };
    std::size_t bytes = 0;
    call(nullptr, bytes);
    call(scratch.at_least(bytes == 0 ? 1 : bytes), bytes); // a null pointer would ask for the size again
}

template <class Flags>
void flagged_of(cuda_space& space, workspace<cuda_space>& scratch, void const* input,
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

void select_flagged(cuda_space& space, workspace<cuda_space>& scratch, void const* input,
                    std::uint32_t element_bytes, std::uint32_t const* words, std::uint64_t items,
                    void* output, std::uint64_t* count) {
    auto const flags =
        thrust::make_transform_iterator(thrust::counting_iterator<std::uint64_t>(0), flag_of{words});
    flagged_of(space, scratch, input, element_bytes, flags, items, output, count);
}

void select_flagged(cuda_space& space, workspace<cuda_space>& scratch, std::uint32_t const* input,
                    std::uint8_t const* flags, std::uint64_t items, std::uint32_t* output,
                    std::uint64_t* count) {
    flagged<std::uint32_t>(space, scratch, input, flags, items, output, count);
}

void unpack_flags(cuda_space& space, std::uint32_t const* words, std::uint64_t items, std::uint8_t* flags) {
    if (items != 0) launch(space, cover_threads(space, items), unpack_kernel{words, items, flags});
}

} // namespace rhizome::exec
