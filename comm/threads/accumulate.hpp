// SPDX-License-Identifier: Apache-2.0
// The reduction of two arrays, as a kernel.
#pragma once

#include <rhizome/comm/elements.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/shape.hpp>

#include <cstdint>
#include <type_traits>

namespace rhizome::comm::detail {

template <class T>
struct accumulate_kernel {
    T* total;
    T const* values;
    std::uint64_t count;
    reduction how;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            T const a = total[i];
            T const b = values[i];
            if (how == reduction::min)
                total[i] = b < a ? b : a;
            else if (how == reduction::max)
                total[i] = a < b ? b : a;
            else
                total[i] = sum_of(a, b);
        });
    }

    [[nodiscard]] RZ_HD static T sum_of(T a, T b) {
        if constexpr (std::is_integral_v<T>) { // signed sums wrap as well, as they do in NCCL
            using bits = std::make_unsigned_t<T>;
            return static_cast<T>(static_cast<bits>(a) + static_cast<bits>(b));
        } else {
            return a + b;
        }
    }
};

/// total[i] = total[i] combined with values[i], for `count` elements in the memory of the space; in order.
template <class Space>
void accumulate(Space& space, element type, reduction how, void* total, void const* values,
                std::uint64_t count) {
    with_type(type, [&]<class T>(T) {
        launch(space, exec::cover_threads(space, count),
               accumulate_kernel<T>{static_cast<T*>(total), static_cast<T const*>(values), count, how});
    });
}

} // namespace rhizome::comm::detail
