// SPDX-License-Identifier: Apache-2.0
// A kernel thread in the emulator.
#pragma once

#include <rhizome/exec/order.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/simt/atomic.hpp>
#include <rhizome/exec/simt/group.hpp>
#include <rhizome/exec/simt/lane.hpp>

#include <cstdint>

namespace rhizome::exec {

template <class Shared>
class simt_block {
    using site = emulator::call_site;

public:
    static constexpr bool prefers_runs = false;

    explicit simt_block(emulator::lane& caller) : caller_(&caller) {}

    [[nodiscard]] std::uint32_t rank() const { return caller_->thread; }
    [[nodiscard]] std::uint32_t size() const { return caller_->block_threads; }
    [[nodiscard]] bool is_leader() const { return caller_->thread == 0; }
    [[nodiscard]] std::uint32_t index() const { return caller_->block; }
    [[nodiscard]] std::uint32_t count() const { return caller_->blocks; }
    void sync(site at = site::here()) const { emulator::sync_block(*caller_, at); }
    [[nodiscard]] Shared& storage() const { return *static_cast<Shared*>(caller_->storage); }

private:
    emulator::lane* caller_;
};

template <class Shared>
class simt_thread {
    using site = emulator::call_site;

public:
    static constexpr bool prefers_runs = false;

    explicit simt_thread(emulator::lane& caller) : caller_(&caller) {}

    [[nodiscard]] std::uint64_t rank() const {
        return std::uint64_t{caller_->block} * caller_->block_threads + caller_->thread;
    }
    [[nodiscard]] std::uint64_t size() const {
        return std::uint64_t{caller_->blocks} * caller_->block_threads;
    }
    [[nodiscard]] simt_block<Shared> block() const { return simt_block<Shared>(*caller_); }
    /// The same thread for code that is compiled once for kernels with any shared storage.
    [[nodiscard]] simt_thread<no_shared> without_storage() const { return simt_thread<no_shared>(*caller_); }
    template <std::uint32_t W>
    [[nodiscard]] simt_tile<W> tile(width_t<W>) const {
        return simt_tile<W>(*caller_);
    }
    [[nodiscard]] simt_tile<32> warp() const { return simt_tile<32>(*caller_); }
    [[nodiscard]] simt_coalesced coalesced(site at = site::here()) const {
        return {*caller_, emulator::gather(*caller_, at)};
    }

    template <class T>
    [[nodiscard]] simt_atomic<T, false> device(T& word) const {
        return {*caller_, word};
    }
    template <class T>
    [[nodiscard]] simt_atomic<T, true> block_scoped(T& word) const {
        return {*caller_, word};
    }
    template <class T>
    [[nodiscard]] simt_atomic<T, true> shared(T& word) const {
        return {*caller_, word};
    }

    /// Calls function(o), which accesses device(word) of several words with the order o: each of these
    /// atomics then has the order of the argument.
    template <order::for_update O, class Function>
    void ordered_together(O o, Function&& function) const {
        function(o);
    }

    /// Orders the caller's earlier accesses before its later ones. Here each fence pairs with every earlier
    /// one, also of threads from which the caller has read nothing.
    void fence() const {
        static_cast<void>(device(emulator::fence_word).fetch_add(0u, order::acq_rel)); // changes no value
    }

    /// The same for readers on the host, too.
    void fence_for_host() const { fence(); }

    /// Brings what lies there closer, for a load that follows later.
    void prefetch(void const*) const {}

    /// Writes a word of early_words.
    void post(std::uint64_t& word, std::uint64_t value) const { device(word).store(value, order::relaxed); }

    void relax(site at = site::here()) const { emulator::relax(*caller_, at); }
    void pause() const { emulator::pause(*caller_); }

private:
    emulator::lane* caller_;
};

} // namespace rhizome::exec
