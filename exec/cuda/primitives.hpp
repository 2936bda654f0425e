// SPDX-License-Identifier: Apache-2.0
// Device-wide primitives on CUDA: CUB behind compiled functions, so that CUB is read once.
// The contract of each stands in exec/host/primitives.hpp.
#pragma once

#include <rhizome/exec/cuda/space.hpp>
#include <rhizome/exec/key_pairs.hpp>
#include <rhizome/exec/workspace.hpp>

#include <cstdint>

namespace rhizome::exec {

std::uint64_t* sort_keys(cuda_space& space, workspace<cuda_space>& scratch, std::uint64_t* keys,
                         std::uint64_t* alternate, std::uint64_t count, unsigned bits);
uint128* sort_keys(cuda_space& space, workspace<cuda_space>& scratch, uint128* keys, uint128* alternate,
                   std::uint64_t count, unsigned bits);
key_pairs sort_pairs(cuda_space& space, workspace<cuda_space>& scratch, key_pairs pairs, key_pairs alternate,
                     std::uint64_t count, unsigned bits);
wide_key_pairs sort_pairs(cuda_space& space, workspace<cuda_space>& scratch, wide_key_pairs pairs,
                          wide_key_pairs alternate, std::uint64_t count, unsigned bits);
std::uint64_t sort_into_bytes(cuda_space& space, std::uint64_t const* keys, std::uint64_t count,
                              unsigned first, unsigned bits);
std::uint64_t sort_into_bytes(cuda_space& space, uint128 const* keys, std::uint64_t count, unsigned first,
                              unsigned bits);
void sort_keys_into(cuda_space& space, workspace<cuda_space>& scratch, std::uint64_t const* keys,
                    std::uint64_t* sorted, void* temporary, std::uint64_t count, unsigned first,
                    unsigned bits);
void sort_keys_into(cuda_space& space, workspace<cuda_space>& scratch, uint128 const* keys, uint128* sorted,
                    void* temporary, std::uint64_t count, unsigned first, unsigned bits);
void exclusive_scan(cuda_space& space, workspace<cuda_space>& scratch, std::uint32_t const* in,
                    std::uint32_t* out, std::uint64_t count);
void exclusive_scan(cuda_space& space, workspace<cuda_space>& scratch, std::uint32_t const* in,
                    std::uint64_t* out, std::uint64_t count);
void exclusive_scan(cuda_space& space, workspace<cuda_space>& scratch, std::uint64_t const* in,
                    std::uint64_t* out, std::uint64_t count);
void prepare_scan(cuda_space& space, workspace<cuda_space>& scratch, std::uint64_t count);
void unique(cuda_space& space, workspace<cuda_space>& scratch, std::uint64_t const* in, std::uint64_t* out,
            std::uint64_t* out_count, std::uint64_t count);
void sum(cuda_space& space, workspace<cuda_space>& scratch, std::uint64_t const* in, std::uint64_t* out,
         std::uint64_t count);
void sum(cuda_space& space, workspace<cuda_space>& scratch, float const* in, double* out,
         std::uint64_t count);
void sum(cuda_space& space, workspace<cuda_space>& scratch, double const* in, double* out,
         std::uint64_t count);

} // namespace rhizome::exec
