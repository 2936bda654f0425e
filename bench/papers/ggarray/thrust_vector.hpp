// SPDX-License-Identifier: Apache-2.0
// Thrust's device_vector as an array_subject.
#pragma once

#include <rhizome/bench/papers/ggarray/subject.hpp>
#include <rhizome/exec/cuda.hpp>

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/reduce.h>
#include <thrust/tabulate.h>

#include <cstddef>
#include <cstdint>

namespace rhizome::bench {

struct value_of_place {
    std::uint32_t each;
    __device__ std::int32_t operator()(std::uint64_t place) const {
        return static_cast<std::int32_t>(place / each);
    }
};
template <int Times>
struct add_times {
    __device__ void operator()(std::int32_t& element) const {
        for (int i = 0; i < Times; ++i)
            element += 1;
    }
};

/// Thrust works on the default stream, and growing waits on the host: its times are those of the host, with
/// the device idle before and after.
class thrust_vector : public array_subject {
public:
    double grow_ms(std::uint64_t elements) override {
        return time_of([&] { elements_.resize(elements); });
    }
    double insert_ms(std::uint64_t items, std::uint32_t each) override {
        auto const begin = elements_.begin() + static_cast<std::ptrdiff_t>(size_);
        size_ += items * each;
        auto const end = elements_.begin() + static_cast<std::ptrdiff_t>(size_);
        return time_of([&] { thrust::tabulate(thrust::device, begin, end, value_of_place{each}); });
    }
    double read_write_ms() override { return add<30>(); }
    double read_write_by_index_ms() override { return add<30>(); }
    double add_one_ms() override { return add<1>(); }
    double copy_to_ms(array_subject& other) override {
        return time_of([&] {
            thrust::copy(thrust::device, elements_.begin(), last(),
                         thrust::device_pointer_cast(other.overwrite(size_)));
        });
    }
    std::int32_t* overwrite(std::uint64_t elements) override {
        if (elements > elements_.size()) elements_.resize(elements);
        size_ = elements;
        return thrust::raw_pointer_cast(elements_.data());
    }
    std::uint64_t size() override { return size_; }
    std::uint64_t capacity_bytes() override { return elements_.capacity() * sizeof(std::int32_t); }
    std::uint64_t sum() override {
        return static_cast<std::uint64_t>(
            thrust::reduce(thrust::device, elements_.begin(), last(), std::int64_t{0}));
    }

private:
    [[nodiscard]] thrust::device_vector<std::int32_t>::iterator last() {
        return elements_.begin() + static_cast<std::ptrdiff_t>(size_);
    }
    template <class Work>
    static double time_of(Work&& work) {
        exec::check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        exec::wall_timer const timer;
        work();
        exec::check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        return timer.elapsed_ms();
    }
    template <int Times>
    double add() {
        return time_of(
            [&] { thrust::for_each(thrust::device, elements_.begin(), last(), add_times<Times>{}); });
    }

    thrust::device_vector<std::int32_t> elements_;
    std::uint64_t size_ = 0;
};

} // namespace rhizome::bench
