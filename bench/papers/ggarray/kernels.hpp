// SPDX-License-Identifier: Apache-2.0
// Kernels of the benchmarks of arrays.
#pragma once

#include <rhizome/container/concept.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>

#include <algorithm>
#include <cstdint>

namespace rhizome::bench {

/// Item i inserts `each` elements of value i. All threads of a block make the same number of calls. With each
/// call a thread inserts the elements of `items_per_call` neighbouring items, and waits once for the places
/// of all of them.
template <class Ref, class Insertion>
struct insert_items {
    struct shared {
        typename Insertion::storage insertion;
    };
    /// Growth of a gg_array contains the allocator, whose code wants 138 registers (nvcc 13.0, sm_90): one
    /// block per multiprocessor. Elements that fit are inserted in few registers; most of the time is waiting
    /// for memory.
    static constexpr std::uint32_t blocks_side_by_side = 8;

    Ref ref;
    std::uint64_t items;
    std::uint32_t each;
    std::uint32_t items_per_call;

    /// How many items a call takes if each inserts `each` elements: `wanted`, unless these are more elements
    /// than a thread inserts with one call.
    [[nodiscard]] static std::uint32_t items_for(std::uint32_t each, std::uint32_t wanted) {
        return std::clamp(Insertion::most_per_thread / each, 1u, wanted);
    }

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t const first = thread.block().index() * std::uint64_t{thread.block().size()};
        std::uint64_t const calls = (items + items_per_call - 1) / items_per_call;
        for (std::uint64_t block_call = first; block_call < calls; block_call += thread.size()) {
            std::uint64_t const item = (block_call + thread.block().rank()) * items_per_call;
            std::uint64_t const left = item < items ? items - item : 0;
            auto const own = static_cast<std::uint32_t>(left < items_per_call ? left : items_per_call);
            // What is refused shows in the size, which is checked.
            (void)ref.template insert<Insertion>(
                thread, thread.block().storage().insertion, own * each, [&](std::uint32_t i) {
                    return static_cast<std::int32_t>(item + (each == 1 ? i : i / each));
                });
        }
    }
};

/// Adds 1 `Times` times to each element.
template <class Ref, int Times>
struct add_to_runs {
    Ref ref;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        ref.for_each(thread, [](std::int32_t& element, std::uint64_t) {
            for (int i = 0; i < Times; ++i)
                element += 1;
        });
    }
};
template <class Ref, int Times>
struct add_by_index {
    Ref ref;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, ref.size(), [&](std::uint64_t i) {
            std::int32_t& element = ref[i];
            for (int j = 0; j < Times; ++j)
                element += 1;
        });
    }
};
template <class Ref>
struct sum_elements {
    Ref ref;
    std::uint64_t* sum;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t own = 0;
        ref.read_each(thread, [&](std::int32_t element, std::uint64_t) {
            own += static_cast<std::uint64_t>(static_cast<std::int64_t>(element));
        });
        exec::add_to_total(thread, *sum, own);
    }
};

// ---- the plain array: what a programmer writes for a buffer whose size is known ----

struct alignas(16) four_elements {
    std::int32_t values[4];
};

struct plain_insert {
    std::int32_t* data;
    std::uint64_t items;
    std::uint32_t each;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, items, [&](std::uint64_t item) {
            for (std::uint32_t i = 0; i < each; ++i)
                data[item * each + i] = static_cast<std::int32_t>(item);
        });
    }
};
template <int Times>
struct plain_add {
    std::int32_t* data;
    std::uint64_t size;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto* const packets = reinterpret_cast<four_elements*>(data);
        exec::for_each_item(thread, size / 4, [&](std::uint64_t i) {
            four_elements held = packets[i];
            for (std::int32_t& element : held.values)
                for (int j = 0; j < Times; ++j)
                    element += 1;
            packets[i] = held;
        });
        if (thread.rank() != 0) return;
        for (std::uint64_t i = size / 4 * 4; i < size; ++i)
            data[i] += Times;
    }
};
template <int Times>
struct plain_add_by_index {
    std::int32_t* data;
    std::uint64_t size;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, size, [&](std::uint64_t i) {
            for (int j = 0; j < Times; ++j)
                data[i] += 1;
        });
    }
};
struct plain_sum {
    std::int32_t const* data;
    std::uint64_t size;
    std::uint64_t* sum;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t own = 0;
        exec::for_each_item(thread, size, [&](std::uint64_t i) {
            own += static_cast<std::uint64_t>(static_cast<std::int64_t>(data[i]));
        });
        exec::add_to_total(thread, *sum, own);
    }
};

} // namespace rhizome::bench
