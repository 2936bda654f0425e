// SPDX-License-Identifier: Apache-2.0
// Primitives over whole arrays on the host: oneTBB behind compiled functions, so that users of this header do
// not need TBB.
#pragma once

#include <rhizome/exec/host/space.hpp>
#include <rhizome/exec/key_pairs.hpp>
#include <rhizome/exec/workspace.hpp>

#include <cstdint>

namespace rhizome::exec {

// `scratch` is charged to the budget of its space, and kept for the next call. Each function throws
// out_of_memory where it cannot be had, and has changed nothing then.

/// Sorts `count` keys by bits [0, bits), ascending. Higher bits are ignored in every space: keys that differ
/// only in those come in any order. Both arrays hold `count` elements. Returns the array with the sorted
/// keys; the other is scratch. Cost: passes over the needed bits only.
std::uint64_t* sort_keys(host_space& space, workspace<host_space>& scratch, std::uint64_t* keys,
                         std::uint64_t* alternate, std::uint64_t count, unsigned bits);
uint128* sort_keys(host_space& space, workspace<host_space>& scratch, uint128* keys, uint128* alternate,
                   std::uint64_t count, unsigned bits);

/// Writes `count` keys to `sorted` in ascending order of bits [0, bits), and leaves `keys` as they are, which
/// must lie in the order of their lowest `first` bits: a stable sort by the other bits then suffices. first <
/// bits. `temporary`: sort_into_bytes() bytes of scratch. Launches allocate nothing on cuda.
void sort_keys_into(host_space& space, workspace<host_space>& scratch, std::uint64_t const* keys,
                    std::uint64_t* sorted, void* temporary, std::uint64_t count, unsigned first,
                    unsigned bits);
void sort_keys_into(host_space& space, workspace<host_space>& scratch, uint128 const* keys, uint128* sorted,
                    void* temporary, std::uint64_t count, unsigned first, unsigned bits);
/// The bytes of `temporary` for sort_keys_into() with these arguments.
std::uint64_t sort_into_bytes(host_space& space, std::uint64_t const* keys, std::uint64_t count,
                              unsigned first, unsigned bits);
std::uint64_t sort_into_bytes(host_space& space, uint128 const* keys, std::uint64_t count, unsigned first,
                              unsigned bits);

/// Sorts `count` pairs by bits [0, bits) of their keys, ascending; equal keys keep their order. As with
/// sort_keys, the result lies in `pairs` or in `alternate`, and the other is scratch.
key_pairs sort_pairs(host_space& space, workspace<host_space>& scratch, key_pairs pairs, key_pairs alternate,
                     std::uint64_t count, unsigned bits);
wide_key_pairs sort_pairs(host_space& space, workspace<host_space>& scratch, wide_key_pairs pairs,
                          wide_key_pairs alternate, std::uint64_t count, unsigned bits);

/// out[i] = in[0] + ... + in[i-1]. `in` may be `out`.
void exclusive_scan(host_space& space, workspace<host_space>& scratch, std::uint32_t const* in,
                    std::uint32_t* out, std::uint64_t count);
void exclusive_scan(host_space& space, workspace<host_space>& scratch, std::uint32_t const* in,
                    std::uint64_t* out, std::uint64_t count);
void exclusive_scan(host_space& space, workspace<host_space>& scratch, std::uint64_t const* in,
                    std::uint64_t* out, std::uint64_t count);
/// Takes the scratch of an exclusive_scan() of `count` std::uint32_t to std::uint32_t. Until `scratch` is
/// given back or used by another primitive, such a scan allocates nothing. Throws out_of_memory. Launches
/// nothing.
void prepare_scan(host_space& space, workspace<host_space>& scratch, std::uint64_t count);

/// Copies the first of each run of equal keys to `out`; writes how many to *out_count (memory of the space).
void unique(host_space& space, workspace<host_space>& scratch, std::uint64_t const* in, std::uint64_t* out,
            std::uint64_t* out_count, std::uint64_t count);

/// *out = sum of in[0..count): the same value for the same input, whatever the number of threads.
void sum(host_space& space, workspace<host_space>& scratch, std::uint64_t const* in, std::uint64_t* out,
         std::uint64_t count);
void sum(host_space& space, workspace<host_space>& scratch, float const* in, double* out,
         std::uint64_t count);
void sum(host_space& space, workspace<host_space>& scratch, double const* in, double* out,
         std::uint64_t count);

} // namespace rhizome::exec
