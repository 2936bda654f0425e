// SPDX-License-Identifier: Apache-2.0
// std::vector as an array_subject: the counterpart of Thrust's device_vector on the host.
#pragma once

#include <rhizome/bench/papers/ggarray/subject.hpp>
#include <rhizome/exec/stopwatch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace rhizome::bench {

/// One thread, as the algorithms of the standard library have without an execution policy.
class standard_vector : public array_subject {
public:
    double grow_ms(std::uint64_t elements) override {
        return time_of([&] { elements_.resize(std::max<std::uint64_t>(elements, elements_.size())); });
    }
    double insert_ms(std::uint64_t items, std::uint32_t each) override {
        return time_of([&] {
            for (std::uint64_t i = 0; i < items; ++i)
                for (std::uint32_t j = 0; j < each; ++j)
                    elements_.at(size_++) = static_cast<std::int32_t>(i);
        });
    }
    double read_write_ms() override { return add(30); }
    double read_write_by_index_ms() override { return add(30); }
    double add_one_ms() override { return add(1); }
    double copy_to_ms(array_subject& other) override {
        auto const end = elements_.begin() + static_cast<std::ptrdiff_t>(size_);
        return time_of([&] { std::copy(elements_.begin(), end, other.overwrite(size_)); });
    }
    std::int32_t* overwrite(std::uint64_t elements) override {
        if (elements > elements_.size()) elements_.resize(elements);
        size_ = elements;
        return elements_.data();
    }
    std::uint64_t size() override { return size_; }
    std::uint64_t capacity_bytes() override { return elements_.capacity() * sizeof(std::int32_t); }
    std::uint64_t sum() override {
        return static_cast<std::uint64_t>(std::accumulate(
            elements_.begin(), elements_.begin() + static_cast<std::ptrdiff_t>(size_), std::int64_t{0}));
    }

private:
    template <class Work>
    static double time_of(Work&& work) {
        exec::wall_timer const timer;
        work();
        return timer.elapsed_ms();
    }
    double add(int times) {
        return time_of([&] {
            for (std::uint64_t i = 0; i < size_; ++i)
                elements_[i] += times;
        });
    }

    std::vector<std::int32_t> elements_;
    std::uint64_t size_ = 0;
};

} // namespace rhizome::bench
