// SPDX-License-Identifier: Apache-2.0
// Kernels of collective operations; a rank is a thread. Nothing here waits: steps are launches.
#pragma once

#include <rhizome/alloc/block_storage.hpp>
#include <rhizome/bench/papers/coalesced_allocation/collectives.hpp>
#include <rhizome/bench/papers/coalesced_allocation/kernels.hpp>
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
        perform(alloc::in_block(ref, thread, thread.block().storage()), thread, exchange_of(thread.rank()));
    }

    /// Messages of one rank in this step: the i-th lies in slot + i * slot_step, and belongs to the i-th part
    /// of a buffer.
    struct messages_of_rank {
        std::uint64_t count = 0;
        std::uint64_t slot = 0;
        std::uint64_t slot_step = 1;
        double* data = nullptr; ///< nullptr: only allocated, or only freed
    };
    /// What a rank does in this step: receives, then sends.
    struct exchange {
        messages_of_rank receives = {};
        messages_of_rank sends = {};
        bool adds = false;    ///< what is received
        bool begins = false;  ///< copies what it sends to what it received
        bool uniform = false; ///< all threads send as many messages: by static calls
        void** slots = nullptr;
        std::uint64_t first_doubles = 0; ///< of the first message that it sends
        std::uint64_t other_doubles = 0;
    };

    [[nodiscard]] RZ_HD exchange exchange_of(std::uint64_t self) const {
        bool const at_once =
            which == collective::all_to_all || which == collective::gather || which == collective::scatter;
        exchange mine = at_once ? exchange_at_once(self) : exchange_in_tree(self);
        mine.uniform = which == collective::all_to_all || which == collective::gather;
        mine.slots = messages;
        mine.first_doubles = mine.other_doubles = doubles;
        return mine;
    }

    /// Does that, with the ref that the threads of the block use.
    template <class Allocator, class Thread>
    RZ_HD void perform(Allocator const& allocator, Thread const& thread, exchange const& mine) const {
        std::uint64_t const self = thread.rank();
        if (mine.begins) {
            double const* const from = buffer(sent, self);
            double* const to = buffer(received, self);
            for (std::uint64_t i = 0; i < doubles; ++i)
                to[i] = from[i];
        }
        RZ_NO_UNROLL
        for (std::uint64_t i = 0; i < mine.receives.count; ++i)
            receive(allocator, thread, mine, i);
        RZ_NO_UNROLL
        for (std::uint64_t i = 0; i < mine.sends.count; ++i)
            send(allocator, thread, mine, i);
    }

private:
    [[nodiscard]] static RZ_HD double* buffer(void* const* buffers, std::uint64_t rank) {
        return static_cast<double*>(buffers[rank]);
    }

    /// Allocates a message, fills it and leaves it in its slot; nullptr if the request is refused.
    template <class Allocator, class Thread>
    RZ_HD void send(Allocator const& allocator, Thread const& thread, exchange const& mine,
                    std::uint64_t i) const {
        messages_of_rank const& all = mine.sends;
        std::uint64_t const bytes = (i == 0 ? mine.first_doubles : mine.other_doubles) * sizeof(double);
        auto* const message = static_cast<double*>(mine.uniform ? allocate_uniformly(allocator, thread, bytes)
                                                                : allocator.allocate(thread, bytes));
        mine.slots[all.slot + i * all.slot_step] = message;
        if (message == nullptr) {
            thread.device(*refused).fetch_add(std::uint64_t{1}, exec::order::relaxed); // a count alone
            return;
        }
        if (all.data == nullptr) return;
        double const* const from = all.data + i * doubles;
        for (std::uint64_t k = 0; k < doubles; ++k)
            message[k] = from[k];
    }
    /// Copies or adds a message, and frees it.
    template <class Allocator, class Thread>
    RZ_HD void receive(Allocator const& allocator, Thread const& thread, exchange const& mine,
                       std::uint64_t i) const {
        messages_of_rank const& all = mine.receives;
        auto* const message = static_cast<double*>(mine.slots[all.slot + i * all.slot_step]);
        if (message == nullptr) return;
        if (all.data != nullptr) {
            double* const to = all.data + i * doubles;
            for (std::uint64_t k = 0; k < doubles; ++k)
                to[k] = mine.adds ? to[k] + message[k] : message[k];
        }
        allocator.deallocate(thread, message);
    }

    /// All messages are sent in step 0, and received in step 1.
    [[nodiscard]] RZ_HD exchange exchange_at_once(std::uint64_t self) const {
        bool const is_root = self == 0;
        exchange mine;
        messages_of_rank& all = step == 0 ? mine.sends : mine.receives;
        all.data = buffer(step == 0 ? sent : received, self);
        if (which == collective::all_to_all) { // a row of slots per receiver
            all.count = ranks;
            all.slot = step == 0 ? self : self * ranks;
            all.slot_step = step == 0 ? ranks : 1;
        } else if ((which == collective::scatter) == (step == 0)) { // the root's side
            all.count = is_root ? ranks : 0;
        } else {
            all.count = 1;
            all.slot = self;
        }
        return mine;
    }

    /// A rank receives what was sent in the step before. An allreduce goes up the tree, then down.
    [[nodiscard]] RZ_HD exchange exchange_in_tree(std::uint64_t self) const {
        bool const down = which == collective::broadcast || step > rounds;
        std::uint32_t const round = which == collective::allreduce && down ? step - rounds - 1 : step;
        double* const own = buffer(received, self);
        exchange mine;
        mine.adds = !down;
        mine.begins = round == 0 && (which == collective::broadcast ? self == 0 : !down);
        if (round > 0) {
            std::uint64_t const d = std::uint64_t{1} << (down ? rounds - round : round - 1);
            if (down ? is_upper(self, d) : is_lower(self, d))
                mine.receives = {1, down ? self : self + d, 1, own};
        }
        if (round < rounds) {
            std::uint64_t const d = std::uint64_t{1} << (down ? rounds - 1 - round : round);
            if (down ? is_lower(self, d) : is_upper(self, d))
                mine.sends = {1, down ? self + d : self, 1, own};
        }
        return mine;
    }
    // The upper of two ranks at distance d is the sender on the way up, and the receiver on the way down.
    [[nodiscard]] RZ_HD bool is_upper(std::uint64_t rank, std::uint64_t d) const {
        return rank % (2 * d) == d;
    }
    [[nodiscard]] RZ_HD bool is_lower(std::uint64_t rank, std::uint64_t d) const {
        return rank % (2 * d) == 0 && rank + d < ranks;
    }
};

} // namespace rhizome::bench
