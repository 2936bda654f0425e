// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/host/parallel.hpp>
#include <rhizome/exec/host/primitives.hpp>
#include <rhizome/exec/host/sanitizers.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

#if !RZ_THREAD_SANITIZER
#include <tbb/parallel_sort.h>
#endif

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

/// Sorts [first, last) on the threads of the space, or on the caller's where that is done sooner.
template <class Iterator, class Before>
void sort_range(host_space& space, Iterator first, Iterator last, Before const& before) {
#if !RZ_THREAD_SANITIZER
    constexpr std::ptrdiff_t least_shared = 4096; // takes as long as waking a thread a few times
    if (space.threads() > 1 && last - first >= least_shared) {
        auto sort = [&] { tbb::parallel_sort(first, last, before); };
        space.team().execute([](void* context) { (*static_cast<decltype(sort)*>(context))(); }, &sort);
        return;
    }
#endif
    static_cast<void>(space);
    std::sort(first, last, before);
}

template <class Key>
Key* sort_low_bits(host_space& space, Key* keys, std::uint64_t count, unsigned bits) {
    Key const mask = low_bits<Key>(bits);
    // Masking costs a tenth of a sort; one look at each key tells whether it is needed.
    Key const used = std::accumulate(keys, keys + count, Key{}, std::bit_or<Key>());
    if ((used & ~mask) == 0)
        sort_range(space, keys, keys + count, std::less<Key>());
    else
        sort_range(space, keys, keys + count,
                   [mask](Key left, Key right) { return (left & mask) < (right & mask); });
    return keys;
}

template <class Key>
basic_key_pairs<Key> sort_to_alternate(host_space& space, workspace<host_space>& scratch,
                                       basic_key_pairs<Key> pairs, basic_key_pairs<Key> alternate,
                                       std::uint64_t count, unsigned bits) {
    struct item {
        Key key;
        std::uint64_t place;
    };
    item* const items = scratch.at_least_of<item>(count);
    Key const mask = low_bits<Key>(bits);
    for_each_block(space, count, [&](std::uint64_t, std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t i = begin; i < end; ++i)
            items[i] = {pairs.keys[i] & mask, i};
    });
    auto const before = [](item const& left, item const& right) {
        return left.key != right.key ? left.key < right.key : left.place < right.place;
    };
    sort_range(space, items, items + count, before);
    for_each_block(space, count, [&](std::uint64_t, std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t i = begin; i < end; ++i) {
            alternate.keys[i] = pairs.keys[items[i].place];
            alternate.values[i] = pairs.values[items[i].place];
        }
    });
    return alternate;
}

} // namespace

std::uint64_t* sort_keys(host_space& space, workspace<host_space>&, std::uint64_t* keys, std::uint64_t*,
                         std::uint64_t count, unsigned bits) {
    return sort_low_bits(space, keys, count, bits);
}
uint128* sort_keys(host_space& space, workspace<host_space>&, uint128* keys, uint128*, std::uint64_t count,
                   unsigned bits) {
    return sort_low_bits(space, keys, count, bits);
}

key_pairs sort_pairs(host_space& space, workspace<host_space>& scratch, key_pairs pairs, key_pairs alternate,
                     std::uint64_t count, unsigned bits) {
    return sort_to_alternate(space, scratch, pairs, alternate, count, bits);
}
wide_key_pairs sort_pairs(host_space& space, workspace<host_space>& scratch, wide_key_pairs pairs,
                          wide_key_pairs alternate, std::uint64_t count, unsigned bits) {
    return sort_to_alternate(space, scratch, pairs, alternate, count, bits);
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
