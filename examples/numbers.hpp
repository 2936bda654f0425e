// SPDX-License-Identifier: Apache-2.0
// What arrays_beside_thrust.cu measures: a kernel in which numbers insert themselves into an array or a plain
// buffer. And how it measures: times, and a report that compares the elements.
#pragma once

#include "space.hpp"

#include <rhizome/container/insertion.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/cuda/check.hpp>
#include <rhizome/exec/order.hpp>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

namespace examples {
using insertion = rhizome::container::tensor_scan;

/// How often number i is inserted: from `least` to `most` times.
struct wish {
    std::uint32_t least;
    std::uint32_t most;
    RZ_HD std::uint32_t operator()(std::uint32_t i) const {
        return least + (i * 2654435761u >> 16) % (most - least + 1);
    }
};

/// Inserts the numbers from `begin` to before `end`.
template <class Ref>
struct insert_numbers {
    struct shared {
        insertion::storage places;
    };
    static constexpr std::uint32_t blocks_side_by_side = 8; // docs/arrays.md says why

    Ref ref;
    wish times;
    std::uint32_t begin;
    std::uint32_t end;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const block = thread.block();
        // All threads of a block insert together, so all of them make the same number of rounds.
        for (std::uint64_t first = begin + thread.rank() - block.rank(); first < end;
             first += thread.size()) {
            auto const i = static_cast<std::uint32_t>(first + block.rank());
            (void)ref.template insert<insertion>(thread, block.storage().places, i < end ? times(i) : 0,
                                                 [&](std::uint32_t) { return i; });
        }
    }
};

/// A plain buffer that is large enough, and how many of its elements are in use: each thread takes places
/// with an atomic addition.
struct plain_ref {
    std::uint32_t* data;
    std::uint64_t* used;

    template <class, class Thread, class ElementOf>
    RZ_HD void insert(Thread const& thread, insertion::storage&, std::uint32_t count,
                      ElementOf const& element_of) const {
        // relaxed: no thread reads through this number what another has written
        std::uint64_t place = thread.device(*used).fetch_add(count, rhizome::exec::order::relaxed);
        for (std::uint32_t i = 0; i < count; ++i)
            data[place + i] = element_of(i);
    }
};

/// Launches it.
template <class Ref>
void insert(space where, Ref ref, wish times, std::uint32_t begin, std::uint32_t end) {
    launch(where, cover_threads(where, end - begin), insert_numbers<Ref>{ref, times, begin, end});
}

class plain_buffer {
public:
    plain_buffer(space where, std::uint64_t room)
        : where_(where), elements_(where, room), used_(where, std::vector<std::uint64_t>{0}) {}
    [[nodiscard]] plain_ref ref() { return {elements_.data(), used_.data()}; }
    /// Allocates anew, and copies.
    void grow_to(std::uint64_t room) {
        rhizome::exec::buffer<space, std::uint32_t> larger(where_, room);
        where_.copy(larger.data(), elements_.data(), elements_.size_bytes());
        elements_ = std::move(larger);
    }
    [[nodiscard]] std::uint32_t const* data() const { return elements_.data(); }
    [[nodiscard]] std::uint64_t size() const { return used_.to_host()[0]; }
    [[nodiscard]] std::uint64_t capacity() const { return elements_.size(); }

private:
    space where_;
    rhizome::exec::buffer<space, std::uint32_t> elements_;
    rhizome::exec::buffer<space, std::uint64_t> used_;
};

/// For Thrust: writes number i, as often as it wishes, from place places[i] on.
class repeat {
public:
    repeat(wish times, thrust::device_vector<std::uint32_t> const& places,
           thrust::device_vector<std::uint32_t>& to)
        : times_(times), places_(thrust::raw_pointer_cast(places.data())),
          to_(thrust::raw_pointer_cast(to.data())) {}
    __device__ void operator()(std::uint32_t i) const {
        for (std::uint32_t j = 0; j < times_(i); ++j)
            to_[places_[i] + j] = i;
    }

private:
    wish times_;
    std::uint32_t const* places_;
    std::uint32_t* to_;
};

/// The milliseconds of `work`, on the clock of the host, with the device idle before and after.
template <class Work>
double ms_of(Work&& work) {
    rhizome::exec::check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    auto const start = std::chrono::steady_clock::now();
    work();
    rhizome::exec::check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// The elements of an array, and the milliseconds that it took to insert them.
struct measured {
    double ms;
    std::uint64_t size;
    std::uint64_t capacity; ///< elements for which there is memory
    unsigned long long sum;

    template <class Array>
    measured(double in_ms, Array& array) : ms(in_ms), size(array.size()), capacity(array.capacity()), sum(0) {
        if constexpr (requires { array.flatten(); }) {
            auto const elements = array.flatten();
            sum = sum_of(elements.data());
        } else {
            sum = sum_of(thrust::raw_pointer_cast(array.data()));
        }
    }

private:
    [[nodiscard]] unsigned long long sum_of(std::uint32_t const* data) const {
        return thrust::reduce(thrust::device, data, data + size, 0ull);
    }
};
inline void report(char const* name, measured const& array, measured const& vector, measured const& plain) {
    bool const same = array.size == vector.size && array.size == plain.size && array.sum == vector.sum &&
                      array.sum == plain.sum;
    std::printf("%s: %llu elements, sum %llu; the others have the same: %s\n", name,
                static_cast<unsigned long long>(array.size), array.sum, same ? "yes" : "no");
    auto const mib = [](measured const& each) { return static_cast<double>(each.capacity >> 8) / 1024; };
    std::fprintf(stderr,
                 "%s: %.3f ms, %.1f MiB; device_vector: %.3f ms, %.1f MiB; plain buffer: %.3f ms, %.1f MiB\n",
                 name, array.ms, mib(array), vector.ms, mib(vector), plain.ms, mib(plain));
}

} // namespace examples
