// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/cuda/check.hpp>
#include <rhizome/exec/cuda/device_guard.hpp>
#include <rhizome/exec/cuda/kernel_list.hpp>
#include <rhizome/exec/cuda/pending_error.hpp>
#include <rhizome/exec/cuda/primitives.hpp>
#include <rhizome/exec/cuda/short_sort.hpp>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cuda/std/functional>

namespace rhizome::exec {

namespace {

// CUB chooses its kernels by size: all that are compiled here are loaded together.
detail::listed_kernel all_primitives(
    reinterpret_cast<void const*>(&detail::run_kernel<detail::sort_tiles<std::uint64_t, false>>),
    detail::listed_kernel::extent::translation_unit);

template <class Call>
void checked(cuda_space const& space, char const* name, Call const& call, void* place, std::size_t& bytes) {
    check_cuda(detail::call_without_pending_error(space.device(), space.stream(),
                                                  [&] { return call(place, bytes); }),
               name);
}
/// CUB's first call: how much scratch. Takes it.
template <class Call>
void* scratch_for(cuda_space const& space, workspace<cuda_space>& scratch, char const* name, Call const& call,
                  std::size_t& bytes) {
    checked(space, name, call, nullptr, bytes);
    // A null pointer would ask for the size again.
    return scratch.at_least(bytes == 0 ? 1 : bytes);
}
/// CUB's two calls: how much scratch, then the work.
template <class Call>
void with_scratch(cuda_space const& space, workspace<cuda_space>& scratch, char const* name,
                  Call const& call) {
    device_guard const current(space.device());
    std::size_t bytes = 0;
    void* const place = scratch_for(space, scratch, name, call, bytes);
    checked(space, name, call, place, bytes);
}

constexpr char const* scan_name = "cub::DeviceScan::ExclusiveScan";
template <class In, class Out>
auto scan_call(cuda_space const& space, In const* in, Out* out, std::uint64_t count) {
    return [=, stream = space.stream()](void* place, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveScan(place, bytes, in, out, ::cuda::std::plus<Out>{}, Out{}, count,
                                              stream);
    };
}
template <class In, class Out>
void scan(cuda_space& space, workspace<cuda_space>& scratch, In const* in, Out* out, std::uint64_t count) {
    if (count == 0) return;
    with_scratch(space, scratch, scan_name, scan_call(space, in, out, count));
}

template <class In, class Out>
void reduce(cuda_space& space, workspace<cuda_space>& scratch, In const* in, Out* out, std::uint64_t count) {
    if (count == 0) {
        space.fill(out, 0, sizeof(Out));
        return;
    }
    with_scratch(space, scratch, "cub::DeviceReduce::Reduce", [&](void* place, std::size_t& bytes) {
        return cub::DeviceReduce::Reduce(place, bytes, in, out, count, ::cuda::std::plus<Out>{}, Out{},
                                         space.stream());
    });
}

template <class Key>
Key* sort_any_keys(cuda_space& space, workspace<cuda_space>& scratch, Key* keys, Key* alternate,
                   std::uint64_t count, unsigned bits) {
    if (count == 0) return keys;
    if (count <= detail::short_sort_keys) {
        detail::sort_short<false, Key>(space, {keys, nullptr}, {alternate, nullptr}, count, bits);
        return keys;
    }
    cub::DoubleBuffer<Key> buffers(keys, alternate);
    with_scratch(space, scratch, "cub::DeviceRadixSort::SortKeys", [&](void* place, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortKeys(place, bytes, buffers, count, 0, static_cast<int>(bits),
                                              space.stream());
    });
    return buffers.Current();
}

constexpr char const* sort_into_name = "cub::DeviceRadixSort::SortKeys";
template <class Key>
auto sort_into_call(cuda_space const& space, Key const* keys, Key* sorted, std::uint64_t count,
                    unsigned first, unsigned bits) {
    return [=, stream = space.stream()](void* place, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortKeys(place, bytes, keys, sorted, count, static_cast<int>(first),
                                              static_cast<int>(bits), stream);
    };
}
template <class Key>
std::uint64_t bytes_to_sort_into(cuda_space& space, Key const* keys, std::uint64_t count, unsigned first,
                                 unsigned bits) {
    if (count <= detail::short_sort_keys) return count * sizeof(Key);
    device_guard const current(space.device());
    std::size_t bytes = 0;
    checked(space, sort_into_name,
            sort_into_call(space, keys, static_cast<Key*>(nullptr), count, first, bits), nullptr, bytes);
    return bytes;
}
template <class Key>
void sort_any_into(cuda_space& space, Key const* keys, Key* sorted, void* temporary, std::uint64_t count,
                   unsigned first, unsigned bits) {
    if (count == 0) return;
    if (count <= detail::short_sort_keys) {
        space.copy(sorted, keys, count * sizeof(Key));
        detail::sort_short<false, Key>(space, {sorted, nullptr}, {static_cast<Key*>(temporary), nullptr},
                                       count, bits);
        return;
    }
    device_guard const current(space.device());
    auto const call = sort_into_call(space, keys, sorted, count, first, bits);
    std::size_t bytes = 0;
    checked(space, sort_into_name, call, nullptr, bytes);
    checked(space, sort_into_name, call, temporary, bytes);
}

template <class Key>
basic_key_pairs<Key> sort_any_pairs(cuda_space& space, workspace<cuda_space>& scratch,
                                    basic_key_pairs<Key> pairs, basic_key_pairs<Key> alternate,
                                    std::uint64_t count, unsigned bits) {
    if (count == 0) return pairs;
    if (count <= detail::short_sort_keys) {
        detail::sort_short<true, Key>(space, pairs, alternate, count, bits);
        return pairs;
    }
    cub::DoubleBuffer<Key> keys(pairs.keys, alternate.keys);
    cub::DoubleBuffer<std::uint32_t> values(pairs.values, alternate.values);
    with_scratch(space, scratch, "cub::DeviceRadixSort::SortPairs", [&](void* place, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(place, bytes, keys, values, count, 0, static_cast<int>(bits),
                                               space.stream());
    });
    return {keys.Current(), values.Current()};
}

} // namespace

std::uint64_t* sort_keys(cuda_space& space, workspace<cuda_space>& scratch, std::uint64_t* keys,
                         std::uint64_t* alternate, std::uint64_t count, unsigned bits) {
    return sort_any_keys(space, scratch, keys, alternate, count, bits);
}
uint128* sort_keys(cuda_space& space, workspace<cuda_space>& scratch, uint128* keys, uint128* alternate,
                   std::uint64_t count, unsigned bits) {
    return sort_any_keys(space, scratch, keys, alternate, count, bits);
}

std::uint64_t sort_into_bytes(cuda_space& space, std::uint64_t const* keys, std::uint64_t count,
                              unsigned first, unsigned bits) {
    return bytes_to_sort_into(space, keys, count, first, bits);
}
std::uint64_t sort_into_bytes(cuda_space& space, uint128 const* keys, std::uint64_t count, unsigned first,
                              unsigned bits) {
    return bytes_to_sort_into(space, keys, count, first, bits);
}
void sort_keys_into(cuda_space& space, workspace<cuda_space>&, std::uint64_t const* keys,
                    std::uint64_t* sorted, void* temporary, std::uint64_t count, unsigned first,
                    unsigned bits) {
    sort_any_into(space, keys, sorted, temporary, count, first, bits);
}
void sort_keys_into(cuda_space& space, workspace<cuda_space>&, uint128 const* keys, uint128* sorted,
                    void* temporary, std::uint64_t count, unsigned first, unsigned bits) {
    sort_any_into(space, keys, sorted, temporary, count, first, bits);
}

key_pairs sort_pairs(cuda_space& space, workspace<cuda_space>& scratch, key_pairs pairs, key_pairs alternate,
                     std::uint64_t count, unsigned bits) {
    return sort_any_pairs(space, scratch, pairs, alternate, count, bits);
}
wide_key_pairs sort_pairs(cuda_space& space, workspace<cuda_space>& scratch, wide_key_pairs pairs,
                          wide_key_pairs alternate, std::uint64_t count, unsigned bits) {
    return sort_any_pairs(space, scratch, pairs, alternate, count, bits);
}

void exclusive_scan(cuda_space& space, workspace<cuda_space>& scratch, std::uint32_t const* in,
                    std::uint32_t* out, std::uint64_t count) {
    scan(space, scratch, in, out, count);
}
void exclusive_scan(cuda_space& space, workspace<cuda_space>& scratch, std::uint32_t const* in,
                    std::uint64_t* out, std::uint64_t count) {
    scan(space, scratch, in, out, count);
}
void exclusive_scan(cuda_space& space, workspace<cuda_space>& scratch, std::uint64_t const* in,
                    std::uint64_t* out, std::uint64_t count) {
    scan(space, scratch, in, out, count);
}

void prepare_scan(cuda_space& space, workspace<cuda_space>& scratch, std::uint64_t count) {
    if (count == 0) return;
    device_guard const current(space.device());
    std::uint32_t* const none = nullptr;
    std::size_t bytes = 0;
    static_cast<void>(scratch_for(space, scratch, scan_name,
                                  scan_call(space, static_cast<std::uint32_t const*>(none), none, count),
                                  bytes));
}

void unique(cuda_space& space, workspace<cuda_space>& scratch, std::uint64_t const* in, std::uint64_t* out,
            std::uint64_t* out_count, std::uint64_t count) {
    if (count == 0) {
        space.fill(out_count, 0, sizeof(*out_count));
        return;
    }
    with_scratch(space, scratch, "cub::DeviceSelect::Unique", [&](void* place, std::size_t& bytes) {
        return cub::DeviceSelect::Unique(place, bytes, in, out, out_count, count, space.stream());
    });
}

void sum(cuda_space& space, workspace<cuda_space>& scratch, std::uint64_t const* in, std::uint64_t* out,
         std::uint64_t count) {
    reduce(space, scratch, in, out, count);
}
void sum(cuda_space& space, workspace<cuda_space>& scratch, float const* in, double* out,
         std::uint64_t count) {
    reduce(space, scratch, in, out, count);
}
void sum(cuda_space& space, workspace<cuda_space>& scratch, double const* in, double* out,
         std::uint64_t count) {
    reduce(space, scratch, in, out, count);
}

} // namespace rhizome::exec
