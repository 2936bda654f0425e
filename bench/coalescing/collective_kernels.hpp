// Kernels of collective operations; a rank is a thread. Nothing here waits: steps are launches.
#pragma once

#include <rhizome/alloc/block_storage.hpp>
#include <rhizome/bench/coalescing/collectives.hpp>
#include <rhizome/bench/coalescing/kernels.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::bench {

/// Fills the buffers from which ranks send.
struct fill_sent {
    void* const* sent; ///< nullptr: the rank has no buffer
    std::uint64_t ranks;
    std::uint64_t doubles;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, ranks, [&](std::uint64_t rank) {
            auto* const buffer = static_cast<double*>(sent[rank]);
            if (buffer == nullptr) return;
            for (std::uint64_t i = 0; i < doubles; ++i)
                buffer[i] = sent_value(rank, i);
        });
    }
};

/// Copies what ranks received to one array, rank by rank.
struct collect_received {
    void* const* received; ///< nullptr: the rank has no buffer
    std::uint64_t ranks;
    std::uint64_t doubles;
    double* to;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, ranks, [&](std::uint64_t rank) {
            auto const* const buffer = static_cast<double const*>(received[rank]);
            if (buffer == nullptr) return;
            for (std::uint64_t i = 0; i < doubles; ++i)
                to[rank * doubles + i] = buffer[i];
        });
    }
};

/// One step of an operation (collective_steps() says how many there are). Reduce and broadcast use a binomial
/// tree; the other three send every message at once. Rank 0 is the root.
template <class Ref>
struct collective_step {
    using shared = alloc::block_storage_of<Ref>;
    static constexpr std::uint32_t block_threads = most_block_threads;

    Ref ref;
    collective which;
    std::uint32_t step;
    std::uint32_t rounds; ///< of the tree
    std::uint64_t ranks;
    std::uint64_t doubles; ///< of a message
    void* const* sent;
    void* const* received;
    void** messages; ///< message_slots() of them
    std::uint64_t* refused;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const& allocator = alloc::in_block(ref, thread, thread.block().storage());
        if (which == collective::all_to_all || which == collective::gather || which == collective::scatter) {
            if (step == 0)
                send_all(allocator, thread);
            else
                receive_all(allocator, thread);
        } else {
            tree_step(allocator, thread);
        }
    }

private:
    /// Allocates a message, fills it and leaves it in a slot; nullptr if the request is refused.
    template <class Allocator, class Thread>
    RZ_HD void send(Allocator const& allocator, Thread const& thread, bool uniform, std::uint64_t slot,
                    double const* from) const {
        std::uint64_t const bytes = doubles * sizeof(double);
        auto* const message = static_cast<double*>(uniform ? allocate_uniformly(allocator, thread, bytes)
                                                           : allocator.allocate(thread, bytes));
        messages[slot] = message;
        if (message == nullptr) {
            thread.device(*refused).fetch_add(std::uint64_t{1}, exec::order::relaxed); // a count alone
            return;
        }
        for (std::uint64_t i = 0; i < doubles; ++i)
            message[i] = from[i];
    }
    /// Copies or adds the message in a slot, and frees it.
    template <class Allocator, class Thread>
    RZ_HD void receive(Allocator const& allocator, Thread const& thread, std::uint64_t slot, double* to,
                       bool adds) const {
        auto* const message = static_cast<double*>(messages[slot]);
        if (message == nullptr) return;
        for (std::uint64_t i = 0; i < doubles; ++i)
            to[i] = adds ? to[i] + message[i] : message[i];
        allocator.deallocate(thread, message);
    }

    template <class Allocator, class Thread>
    RZ_HD void send_all(Allocator const& allocator, Thread const& thread) const {
        std::uint64_t const self = thread.rank();
        auto const* const from = static_cast<double const*>(sent[self]);
        bool const uniform = which != collective::scatter;
        std::uint64_t const count = which == collective::gather                    ? 1
                                    : which == collective::all_to_all || self == 0 ? ranks
                                                                                   : 0;
        for (std::uint64_t i = 0; i < count; ++i) {
            std::uint64_t const slot = which == collective::gather       ? self
                                       : which == collective::all_to_all ? i * ranks + self
                                                                         : i;
            send(allocator, thread, uniform, slot, from + i * doubles);
        }
    }
    template <class Allocator, class Thread>
    RZ_HD void receive_all(Allocator const& allocator, Thread const& thread) const {
        std::uint64_t const self = thread.rank();
        auto* const to = static_cast<double*>(received[self]);
        std::uint64_t const first = which == collective::all_to_all ? self * ranks
                                    : which == collective::gather   ? 0
                                                                    : self;
        std::uint64_t const count = which == collective::scatter                   ? 1
                                    : which == collective::all_to_all || self == 0 ? ranks
                                                                                   : 0;
        for (std::uint64_t i = 0; i < count; ++i)
            receive(allocator, thread, first + i, to + i * doubles, false);
    }

    /// Receives what was sent in the step before, then sends. An allreduce goes up the tree, then down.
    template <class Allocator, class Thread>
    RZ_HD void tree_step(Allocator const& allocator, Thread const& thread) const {
        std::uint64_t const self = thread.rank();
        auto* const mine = static_cast<double*>(received[self]);
        bool const down = which == collective::broadcast || step > rounds;
        std::uint32_t const round = which == collective::allreduce && down ? step - rounds - 1 : step;
        auto const distance = [](std::uint32_t level) { return std::uint64_t{1} << level; };

        if (round == 0 && (which == collective::broadcast ? self == 0 : !down)) {
            auto const* const own = static_cast<double const*>(sent[self]);
            for (std::uint64_t i = 0; i < doubles; ++i)
                mine[i] = own[i];
        }
        // The upper of two ranks at this distance is the sender on the way up, the receiver on the way down.
        auto const is_upper = [&](std::uint64_t d) { return self % (2 * d) == d; };
        auto const is_lower = [&](std::uint64_t d) { return self % (2 * d) == 0 && self + d < ranks; };
        if (round > 0) {
            std::uint64_t const d = distance(down ? rounds - round : round - 1);
            if (down ? is_upper(d) : is_lower(d))
                receive(allocator, thread, down ? self : self + d, mine, !down);
        }
        if (round < rounds) {
            std::uint64_t const d = distance(down ? rounds - 1 - round : round);
            if (down ? is_lower(d) : is_upper(d))
                send(allocator, thread, false, down ? self + d : self, mine);
        }
    }
};

} // namespace rhizome::bench
