// SPDX-License-Identifier: Apache-2.0
// Kernels by which the owner of a gg_array settles it, grows it and frees its buckets. No other kernel may
// use the array meanwhile.
#pragma once

#include <rhizome/alloc/together.hpp>
#include <rhizome/container/gg_ref.hpp>
#include <rhizome/container/lf_vector.hpp>
#include <rhizome/exec/block_algorithms.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>

#include <cstdint>

namespace rhizome::container::detail {

/// What settling finds out beside the index.
struct gg_totals {
    std::uint64_t capacity;      ///< of all vectors
    std::uint64_t short_vectors; ///< vectors with less capacity than was asked for
};

/// Takes back the claims that got no place, opens closed vectors, and recomputes the index. Run by one block.
template <class T>
struct settle_vectors {
    struct shared {
        exec::block_sum_storage<std::uint64_t> sums;
    };

    gg_table<T> table;
    gg_totals* totals;
    std::uint64_t wanted_capacity; ///< of each vector, for totals->short_vectors

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const block = thread.block();
        auto& sums = block.storage().sums;
        gg_totals own{0, 0};
        std::uint64_t start = 0;
        for (std::uint32_t first = 0; first < table.count; first += block.size()) {
            std::uint32_t const vector = first + block.rank();
            std::uint64_t size = 0;
            if (vector < table.count) {
                std::uint64_t& word = table.vectors[vector].word;
                std::uint64_t const buckets = vector_word::buckets(word);
                std::uint64_t const capacity = table.sizes.capacity_of(vector_word::buckets(word));
                size = vector_word::claimed(word) < capacity ? vector_word::claimed(word) : capacity;
                word = buckets * vector_word::one_bucket + size;
                own.capacity += capacity;
                own.short_vectors += capacity < wanted_capacity ? 1 : 0;
            }
            exec::block_sum<std::uint64_t> const sum = exec::block_exclusive_sum(thread, sums, size);
            if (vector < table.count) table.starts[vector] = start + sum.before;
            start += sum.total;
        }
        std::uint64_t const capacity = exec::block_exclusive_sum(thread, sums, own.capacity).total;
        std::uint64_t const short_vectors = exec::block_exclusive_sum(thread, sums, own.short_vectors).total;
        if (block.rank() != 0) return;
        table.starts[table.count] = start;
        *totals = {capacity, short_vectors};
    }
};

/// Adds buckets until each vector has `places` places, or the allocator refuses. One warp for each vector.
template <class T, class Allocator>
struct grow_vectors {
    gg_table<T> table;
    Allocator allocator;
    std::uint64_t places;
    std::uint32_t* buckets_before; ///< [vector], for drop_growth

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        std::uint32_t const wanted = table.sizes.buckets_for(places);
        exec::for_each_group_item(warp, table.count, [&](std::uint64_t vector) {
            lf_vector<T>& own = table.vectors[vector];
            std::uint64_t const word = own.word;
            std::uint32_t const held = vector_word::buckets(word);
            if (warp.is_leader()) buckets_before[vector] = held;
            std::uint32_t number = held;
            for (; number < wanted && number < lf_vector<T>::most_buckets; ++number) {
                if (table.sizes.room(number) > Allocator::traits::largest_bytes / sizeof(T)) break;
                // Barriers of the warp in this call come between the loads of `word` and the store below.
                void* const memory =
                    alloc::allocate_together(allocator, thread, warp, table.sizes.room(number) * sizeof(T));
                if (memory == nullptr) break;
                if (warp.is_leader()) own.bucket[number] = static_cast<T*>(memory);
            }
            if (warp.is_leader() && number != held)
                own.word = word + (number - held) * vector_word::one_bucket;
        });
    }
};

/// Frees the buckets that the last grow_vectors added. No element lies in them. One thread for each vector.
template <class T, class Allocator>
struct drop_growth {
    gg_table<T> table;
    Allocator allocator;
    std::uint32_t const* buckets_before; ///< [vector]

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, table.count, [&](std::uint64_t vector) {
            lf_vector<T>& own = table.vectors[vector];
            std::uint32_t const kept = buckets_before[vector];
            std::uint32_t number = vector_word::buckets(own.word);
            own.word -= (number - kept) * vector_word::one_bucket;
            while (number > kept)
                allocator.deallocate(thread, own.bucket[--number]);
        });
    }
};

/// Keeps the elements with an index below `size`, and frees the buckets that hold none of them. One thread
/// for each vector.
template <class T, class Allocator>
struct shrink_vectors {
    gg_table<T> table;
    Allocator allocator;
    std::uint64_t size;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, table.count, [&](std::uint64_t vector) {
            lf_vector<T>& own = table.vectors[vector];
            std::uint64_t const start = table.starts[vector];
            std::uint64_t const held = table.starts[vector + 1] - start;
            std::uint64_t const left = size > start ? size - start : 0;
            std::uint64_t const kept = held < left ? held : left;
            std::uint32_t const needed = table.sizes.buckets_for(kept);
            for (std::uint32_t number = vector_word::buckets(own.word); number-- > needed;)
                allocator.deallocate(thread, own.bucket[number]);
            own.word = needed * vector_word::one_bucket + kept;
        });
    }
};

} // namespace rhizome::container::detail
