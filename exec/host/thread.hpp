// SPDX-License-Identifier: Apache-2.0
// A kernel thread on the host: a block of its own, run to completion.
#pragma once

#include <rhizome/exec/host/atomic.hpp>
#include <rhizome/exec/host/sanitizers.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/single_lane.hpp>

#include <atomic>
#include <cstdint>
#include <thread>

namespace rhizome::exec {

namespace detail {
inline std::atomic<std::uint32_t> fence_word{0};
} // namespace detail

template <class Shared>
class host_block : public single_lane {
public:
    host_block(std::uint64_t index, std::uint64_t count, Shared* storage)
        : single_lane(index, count), storage_(storage) {}

    [[nodiscard]] std::uint32_t index() const { return static_cast<std::uint32_t>(single_lane::index()); }
    [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(single_lane::count()); }
    [[nodiscard]] Shared& storage() const { return *storage_; }

private:
    Shared* storage_;
};

template <class Shared>
class host_thread {
public:
    static constexpr bool prefers_runs = true;

    host_thread(std::uint64_t rank, std::uint64_t size, Shared* storage)
        : rank_(rank), size_(size), storage_(storage) {}

    [[nodiscard]] std::uint64_t rank() const { return rank_; }
    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] host_block<Shared> block() const { return {rank_, size_, storage_}; }
    /// The same thread for code that is compiled once for kernels with any shared storage.
    [[nodiscard]] host_thread<no_shared> without_storage() const { return {rank_, size_, nullptr}; }
    template <std::uint32_t W>
    [[nodiscard]] single_lane tile(width_t<W>) const {
        return {rank_, size_};
    }
    [[nodiscard]] single_lane warp() const { return {rank_, size_}; }
    [[nodiscard]] single_lane coalesced() const { return {rank_, size_}; }

    template <class T>
    [[nodiscard]] host_atomic<T> device(T& word) const {
        return host_atomic<T>(word);
    }
    template <class T>
    [[nodiscard]] host_atomic<T> block_scoped(T& word) const {
        return host_atomic<T>(word);
    }
    template <class T>
    [[nodiscard]] host_atomic<T> shared(T& word) const {
        return host_atomic<T>(word);
    }

    /// Calls function(o), which accesses device(word) of several words with the order o: each of these
    /// atomics then has the order of the argument.
    template <order::for_update O, class Function>
    void ordered_together(O o, Function&& function) const {
        function(o);
    }

    /// Orders the caller's earlier accesses before its later ones.
    void fence() const {
        if constexpr (under_thread_sanitizer) { // which does not know fences, but atomics on one word
            detail::fence_word.fetch_add(0, std::memory_order_acq_rel);
        } else {
            std::atomic_thread_fence(std::memory_order_acq_rel);
        }
    }

    /// The same for readers on the host, too.
    void fence_for_host() const { fence(); }

    /// Brings what lies there closer, for a load that follows later.
    void prefetch(void const* address) const { __builtin_prefetch(address); }

    /// Writes a word of early_words.
    void post(std::uint64_t& word, std::uint64_t value) const { device(word).store(value, order::relaxed); }

    void relax() const { std::this_thread::yield(); }
    void pause() const { std::this_thread::yield(); }

private:
    std::uint64_t rank_;
    std::uint64_t size_;
    Shared* storage_;
};

} // namespace rhizome::exec
