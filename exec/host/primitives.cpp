// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/host/parallel.hpp>
#include <rhizome/exec/host/primitives.hpp>
#include <rhizome/exec/host/radix_sort.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rhizome::exec {

namespace {

// Fixed, so that sums of floating-point values do not depend on the number of threads.
constexpr std::uint64_t block_items = 1u << 14;

std::uint64_t blocks_of(std::uint64_t count) { return (count + block_items - 1) / block_items; }

/// Calls function(block, begin, end) for each block of items, in parallel.
template <class Function>
void for_each_block(host_space& space, std::uint64_t count, Function&& function) {
    parallel_for(space.team(), blocks_of(count), [&](std::uint64_t block) {
        function(block, block * block_items, std::min(count, (block + 1) * block_items));
    });
}

/// The scan in two passes over fixed blocks: sums of the blocks, then each block from its offset.
template <class In, class Out>
void scan_blocks(host_space& space, In const* in, Out* out, std::uint64_t count) {
    std::vector<Out> offsets(blocks_of(count));
    for_each_block(space, count, [&](std::uint64_t block, std::uint64_t begin, std::uint64_t end) {
        Out total{};
        for (std::uint64_t i = begin; i < end; ++i)
            total += static_cast<Out>(in[i]);
        offsets[block] = total;
    });
    Out running{};
    for (Out& offset : offsets) {
        Out const total = offset;
        offset = running;
        running += total;
    }
    for_each_block(space, count, [&](std::uint64_t block, std::uint64_t begin, std::uint64_t end) {
        Out sum = offsets[block];
        for (std::uint64_t i = begin; i < end; ++i) {
            Out const value = static_cast<Out>(in[i]); // read before written: in may be out
            out[i] = sum;
            sum += value;
        }
    });
}

template <class In, class Out>
void sum_blocks(host_space& space, In const* in, Out* out, std::uint64_t count) {
    std::vector<Out> totals(blocks_of(count));
    for_each_block(space, count, [&](std::uint64_t block, std::uint64_t begin, std::uint64_t end) {
        Out total{};
        for (std::uint64_t i = begin; i < end; ++i)
            total += static_cast<Out>(in[i]);
        totals[block] = total;
    });
    Out total{};
    for (Out const part : totals)
        total += part;
    *out = total;
}

template <class Key>
basic_key_pairs<Key> sort(host_space& space, workspace<host_space>& scratch, basic_key_pairs<Key> pairs,
                          basic_key_pairs<Key> alternate, std::uint64_t count, unsigned bits) {
    radix_sort<Key> work(space.team(), count, bits);
    return work.run(pairs, alternate, scratch.at_least_of<std::uint64_t>(work.places()));
}

template <class Key>
void sort_into(host_space& space, workspace<host_space>& scratch, Key const* keys, Key* sorted,
               void* temporary, std::uint64_t count, unsigned first, unsigned bits) {
    radix_sort<Key> work(space.team(), count, bits, first);
    // The keys are read only: the first pass moves them, and the others change the other two arrays.
    Key* const found =
        work.run({const_cast<Key*>(keys), nullptr}, {sorted, nullptr},
                 scratch.at_least_of<std::uint64_t>(work.places()), {static_cast<Key*>(temporary), nullptr})
            .keys;
    if (found == sorted) return;
    for_each_block(space, count, [&](std::uint64_t, std::uint64_t begin, std::uint64_t end) {
        std::copy(found + begin, found + end, sorted + begin);
    });
}

} // namespace

std::uint64_t sort_into_bytes(host_space&, std::uint64_t const*, std::uint64_t count, unsigned, unsigned) {
    return count * sizeof(std::uint64_t);
}
std::uint64_t sort_into_bytes(host_space&, uint128 const*, std::uint64_t count, unsigned, unsigned) {
    return count * sizeof(uint128);
}
void sort_keys_into(host_space& space, workspace<host_space>& scratch, std::uint64_t const* keys,
                    std::uint64_t* sorted, void* temporary, std::uint64_t count, unsigned first,
                    unsigned bits) {
    sort_into(space, scratch, keys, sorted, temporary, count, first, bits);
}
void sort_keys_into(host_space& space, workspace<host_space>& scratch, uint128 const* keys, uint128* sorted,
                    void* temporary, std::uint64_t count, unsigned first, unsigned bits) {
    sort_into(space, scratch, keys, sorted, temporary, count, first, bits);
}

std::uint64_t* sort_keys(host_space& space, workspace<host_space>& scratch, std::uint64_t* keys,
                         std::uint64_t* alternate, std::uint64_t count, unsigned bits) {
    return sort<std::uint64_t>(space, scratch, {keys, nullptr}, {alternate, nullptr}, count, bits).keys;
}
uint128* sort_keys(host_space& space, workspace<host_space>& scratch, uint128* keys, uint128* alternate,
                   std::uint64_t count, unsigned bits) {
    return sort<uint128>(space, scratch, {keys, nullptr}, {alternate, nullptr}, count, bits).keys;
}

key_pairs sort_pairs(host_space& space, workspace<host_space>& scratch, key_pairs pairs, key_pairs alternate,
                     std::uint64_t count, unsigned bits) {
    return sort<std::uint64_t>(space, scratch, pairs, alternate, count, bits);
}
wide_key_pairs sort_pairs(host_space& space, workspace<host_space>& scratch, wide_key_pairs pairs,
                          wide_key_pairs alternate, std::uint64_t count, unsigned bits) {
    return sort<uint128>(space, scratch, pairs, alternate, count, bits);
}

void exclusive_scan(host_space& space, workspace<host_space>&, std::uint32_t const* in, std::uint32_t* out,
                    std::uint64_t count) {
    scan_blocks(space, in, out, count);
}
void exclusive_scan(host_space& space, workspace<host_space>&, std::uint32_t const* in, std::uint64_t* out,
                    std::uint64_t count) {
    scan_blocks(space, in, out, count);
}
void exclusive_scan(host_space& space, workspace<host_space>&, std::uint64_t const* in, std::uint64_t* out,
                    std::uint64_t count) {
    scan_blocks(space, in, out, count);
}

void prepare_scan(host_space&, workspace<host_space>&, std::uint64_t) {} // a scan takes no scratch

void unique(host_space& space, workspace<host_space>&, std::uint64_t const* in, std::uint64_t* out,
            std::uint64_t* out_count, std::uint64_t count) {
    auto const first_of_run = [in](std::uint64_t i) { return i == 0 || in[i] != in[i - 1]; };
    std::vector<std::uint64_t> offsets(blocks_of(count));
    for_each_block(space, count, [&](std::uint64_t block, std::uint64_t begin, std::uint64_t end) {
        std::uint64_t firsts = 0;
        for (std::uint64_t i = begin; i < end; ++i)
            firsts += first_of_run(i) ? 1 : 0;
        offsets[block] = firsts;
    });
    std::uint64_t total = 0;
    for (std::uint64_t& offset : offsets) {
        std::uint64_t const firsts = offset;
        offset = total;
        total += firsts;
    }
    for_each_block(space, count, [&](std::uint64_t block, std::uint64_t begin, std::uint64_t end) {
        std::uint64_t place = offsets[block];
        for (std::uint64_t i = begin; i < end; ++i)
            if (first_of_run(i)) out[place++] = in[i];
    });
    *out_count = total;
}

void sum(host_space& space, workspace<host_space>&, std::uint64_t const* in, std::uint64_t* out,
         std::uint64_t count) {
    sum_blocks(space, in, out, count);
}
void sum(host_space& space, workspace<host_space>&, float const* in, double* out, std::uint64_t count) {
    sum_blocks(space, in, out, count);
}
void sum(host_space& space, workspace<host_space>&, double const* in, double* out, std::uint64_t count) {
    sum_blocks(space, in, out, count);
}

} // namespace rhizome::exec
