// SPDX-License-Identifier: Apache-2.0
// Work on the elements of a run by the threads of a block, in accesses of 16 bytes.
#pragma once

#include <rhizome/container/concept.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/shape.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace rhizome::container {

/// The launch shape for kernels that visit all elements, however many there are. On a GPU it has several
/// times as many blocks as run at once: each block has a share of the elements, and with small shares the
/// multiprocessors finish at about the same time, also where the kernel's registers let fewer blocks run than
/// the space assumes.
template <class Space>
[[nodiscard]] exec::launch_shape full_grid(Space const& space) {
    exec::launch_shape shape = cover_threads(space, std::uint64_t{1} << 40);
    if constexpr (!exec::threads_take_runs<Space>) shape.blocks *= 4;
    return shape;
}

/// Elements that a thread loads or stores with one access: as many as fill 16 bytes, or one.
template <class T>
inline constexpr std::uint32_t packet_elements = 16 % sizeof(T) == 0 ? 16 / sizeof(T) : 1;

namespace detail {

template <class T>
struct alignas(sizeof(T) * packet_elements<T> % 16 == 0 ? 16 : alignof(T)) packet {
    T values[packet_elements<T>];
    static constexpr std::uint32_t bytes = sizeof(T) * packet_elements<T>;
};

template <class T, std::size_t... Is, class ElementOf>
RZ_HD packet<T> packet_of(std::index_sequence<Is...>, std::uint32_t first, ElementOf&& element_of) {
    return {{element_of(first + static_cast<std::uint32_t>(Is))...}};
}

/// Stores element_of(0) to element_of(count - 1) from `to` on, side by side, in packets where they fit.
template <class T, class ElementOf>
RZ_HD void store_elements(T* to, std::uint32_t count, ElementOf&& element_of) {
    constexpr std::uint32_t each = packet_elements<T>;
    std::uint32_t i = 0;
    if constexpr (each > 1) {
        auto const is_placed = [&] {
            return reinterpret_cast<std::uintptr_t>(to + i) % sizeof(packet<T>) == 0;
        };
        while (count - i >= each) {
            if (is_placed()) {
                *reinterpret_cast<packet<T>*>(to + i) =
                    packet_of<T>(std::make_index_sequence<each>{}, i, element_of);
                i += each;
            } else {
                to[i] = element_of(i);
                ++i;
            }
        }
    }
    for (; i < count; ++i)
        to[i] = element_of(i);
}

/// How the elements of a run divide into packets: some before the first whole packet, then packets, then the
/// rest. One packet is 16 bytes, or an element.
template <class T>
struct packet_split {
    std::uint64_t before;
    std::uint64_t packets;

    RZ_HD explicit packet_split(T const* data, std::uint64_t count) {
        constexpr std::uint32_t each = packet_elements<T>;
        std::uint64_t const misplaced = reinterpret_cast<std::uintptr_t>(data) / sizeof(T) % each;
        before = misplaced == 0 ? 0 : each - misplaced;
        if (before > count) before = count;
        packets = (count - before) / each;
    }
    [[nodiscard]] RZ_HD std::uint64_t after() const { return before + packets * packet_elements<T>; }
};

/// Calls function(element, index) for the elements of a run, each in one thread of the block. Writes packets
/// back where Writes.
template <bool Writes, class T, class Block, class Function>
RZ_HD void for_each_in_run(Block const& block, array_run<T> run, Function&& function) {
    constexpr std::uint32_t each = packet_elements<T>;
    packet_split<T> const split(run.data, run.count);
    std::uint64_t const step = block.size();
    for (std::uint64_t i = block.rank(); i < split.before; i += step)
        function(run.data[i], run.index + i);
    auto* const packets = reinterpret_cast<packet<T>*>(run.data + split.before);
    std::uint64_t const first = run.index + split.before;
    auto const apply = [&](packet<T>& held, std::uint64_t at) {
        RZ_UNROLL
        for (std::uint32_t j = 0; j < each; ++j)
            function(held.values[j], first + at * each + j);
    };
    std::uint64_t i = block.rank();
    // Two packets at a time, both loaded before either is used: one alone leaves memory idle.
    for (; i + step < split.packets; i += 2 * step) {
        packet<T> one = packets[i];
        packet<T> two = packets[i + step];
        apply(one, i);
        apply(two, i + step);
        if constexpr (Writes) {
            packets[i] = one;
            packets[i + step] = two;
        }
    }
    for (; i < split.packets; i += step) {
        packet<T> one = packets[i];
        apply(one, i);
        if constexpr (Writes) packets[i] = one;
    }
    for (std::uint64_t rest = split.after() + block.rank(); rest < run.count; rest += step)
        function(run.data[rest], run.index + rest);
}

/// Copies a run to `out`, which need not be aligned as the run is.
template <class T, class Block>
RZ_HD void copy_run(Block const& block, array_run<T> run, T* out) {
    std::uint64_t const step = block.size();
    auto const distance = reinterpret_cast<std::uintptr_t>(out) - reinterpret_cast<std::uintptr_t>(run.data);
    if (distance % (sizeof(T) * packet_elements<T>) == 0) {
        packet_split<T> const split(run.data, run.count);
        for (std::uint64_t i = block.rank(); i < split.before; i += step)
            out[i] = run.data[i];
        auto const* const from = reinterpret_cast<packet<T> const*>(run.data + split.before);
        auto* const to = reinterpret_cast<packet<T>*>(out + split.before);
        for (std::uint64_t i = block.rank(); i < split.packets; i += step)
            to[i] = from[i];
        for (std::uint64_t i = split.after() + block.rank(); i < run.count; i += step)
            out[i] = run.data[i];
        return;
    }
    constexpr std::uint32_t at_once = 4; // loads in flight for each thread
    std::uint64_t i = block.rank();
    for (; i + (at_once - 1) * step < run.count; i += at_once * step) {
        T held[at_once];
        for (std::uint32_t j = 0; j < at_once; ++j)
            held[j] = run.data[i + j * step];
        for (std::uint32_t j = 0; j < at_once; ++j)
            out[i + j * step] = held[j];
    }
    for (; i < run.count; i += step)
        out[i] = run.data[i];
}

/// The part of `total` elements that a block handles: [begin, end). Shares are multiples of 64 elements, but
/// for the last one.
struct block_share {
    std::uint64_t begin;
    std::uint64_t end;

    template <class Block>
    RZ_HD block_share(Block const& block, std::uint64_t total) {
        std::uint64_t const each = ((total + block.count() - 1) / block.count() + 63) / 64 * 64;
        begin = each * block.index() < total ? each * block.index() : total;
        end = begin + each < total ? begin + each : total;
    }
};

/// Copies the elements of an array to `out`, in the order of their indices.
template <class Ref>
struct copy_elements {
    Ref ref;
    typename Ref::value_type* out;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        ref.for_each_run(thread, [&](array_run<typename Ref::value_type> run) {
            copy_run(thread.block(), run, out + run.index);
        });
    }
};

} // namespace detail

} // namespace rhizome::container
