// SPDX-License-Identifier: Apache-2.0
// Atomic access to one word on the host: std::atomic_ref with the order types of exec.
#pragma once

#include <rhizome/exec/order.hpp>

#include <atomic>
#include <concepts>
#include <type_traits>

namespace rhizome::exec {

namespace detail {
template <class O>
inline constexpr std::memory_order std_order =
    order::acquires<O>&& order::releases<O> ? std::memory_order_acq_rel
    : order::acquires<O>                    ? std::memory_order_acquire
    : order::releases<O>                    ? std::memory_order_release
                                            : std::memory_order_relaxed;
template <class O>
inline constexpr std::memory_order std_failure_order =
    order::acquires<O> ? std::memory_order_acquire : std::memory_order_relaxed;
} // namespace detail

template <class T>
class host_atomic {
public:
    explicit host_atomic(T& word) : word_(word) {}

    template <order::for_load O>
    [[nodiscard]] T load(O) const {
        return ref().load(detail::std_order<O>);
    }
    template <order::for_store O>
    void store(T value, O) const {
        ref().store(value, detail::std_order<O>);
    }
    template <order::for_update O>
    T exchange(T value, O) const {
        return ref().exchange(value, detail::std_order<O>);
    }
    template <order::for_update O>
    T fetch_add(T value, O) const {
        return ref().fetch_add(value, detail::std_order<O>);
    }
    template <order::for_update O>
    T fetch_sub(T value, O) const requires std::integral<T> {
        return ref().fetch_sub(value, detail::std_order<O>);
    }
    template <order::for_update O>
    T fetch_and(T value, O) const requires std::integral<T> {
        return ref().fetch_and(value, detail::std_order<O>);
    }
    template <order::for_update O>
    T fetch_or(T value, O) const requires std::integral<T> {
        return ref().fetch_or(value, detail::std_order<O>);
    }
    template <order::for_update O>
    T fetch_min(T value, O o) const requires std::integral<T> {
        return replace_if(value, o, [value](T held) { return value < held; });
    }
    template <order::for_update O>
    T fetch_max(T value, O o) const requires std::integral<T> {
        return replace_if(value, o, [value](T held) { return held < value; });
    }
    template <order::for_update O>
    bool compare_exchange(T& expected, T desired, O) const requires std::integral<T> {
        return ref().compare_exchange_strong(expected, desired, detail::std_order<O>,
                                             detail::std_failure_order<O>);
    }

private:
    std::atomic_ref<T> ref() const { return std::atomic_ref<T>(word_); }

    template <class O, class Better>
    T replace_if(T value, O, Better better) const {
        // A read-modify-write even where nothing changes, as on the GPU: its release must not be lost.
        T held = ref().load(std::memory_order_relaxed);
        while (!ref().compare_exchange_weak(held, better(held) ? value : held, detail::std_order<O>,
                                            detail::std_failure_order<O>)) {
        }
        return held;
    }

    T& word_;
};

} // namespace rhizome::exec
