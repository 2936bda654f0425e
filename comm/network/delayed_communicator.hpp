// SPDX-License-Identifier: Apache-2.0
// A decorator that counts how long calls would take on another network: a virtual clock for each rank.
#pragma once

#include <rhizome/comm/decorator.hpp>
#include <rhizome/comm/network/collective_times.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace rhizome::comm {

/// Makes every call through the decorated communicator, and counts its time on a network: so that a few
/// threads of one machine tell what 64 ranks of a cluster would wait. Nothing sleeps: `now_us()` is a virtual
/// clock, which no load of this machine changes. It begins at 0. Results are those of the decorated
/// communicator.
///
/// A collective ends for a rank when its last message has arrived (collective_times.hpp). The clock takes it
/// as synchronous: computation does not overlap with it. wait() costs nothing. compute() adds the time of
/// computation between calls. After a failure the clock stands still.
///
/// All ranks decorate, with the same network. Cost: after each call, all ranks exchange their clocks (and
/// what they send) through the decorated communicator, and each computes the times of all messages.
template <class Space>
class delayed_communicator final : public communicator_decorator<Space> {
public:
    /// `decorated` must outlive this object. Throws std::invalid_argument for a network with negative times
    /// or without bandwidth.
    delayed_communicator(communicator<Space>& decorated, network const& net)
        : communicator_decorator<Space>(decorated), net_(net) {
        for (network_link const& link : {net.within, net.between})
            if (!(link.latency_us >= 0) || !(link.gigabytes_per_second > 0))
                throw std::invalid_argument("a link needs a latency of at least 0 and a bandwidth above 0");
        if (!(net.call_us >= 0) || !(net.words_us >= 0) || !(net.shared_words_us >= 0) ||
            net.ranks_per_host < 0)
            throw std::invalid_argument("a network needs times and ranks per host of at least 0");
    }

    /// What ranks write into each other's memory could not be counted.
    [[nodiscard]] bool may_share_memory() const override { return false; }

    /// The virtual time of this rank, in microseconds.
    [[nodiscard]] double now_us() const { return now_us_; }
    /// What this rank has sent to others, in all calls.
    [[nodiscard]] sent_messages const& sent() const { return sent_; }
    /// Computation of this length, before the next call.
    void compute(double us) { now_us_ += us; }

private:
    using base = communicator_decorator<Space>;

    comm_result do_share_memory(void*, bool, std::span<void*>, bool& shared) override {
        shared = false;
        return {};
    }

    /// The collective of these clocks.
    template <class Cost>
    comm_result count(double call_us, Cost&& cost_of) {
        return count(call_us, {}, [&](std::span<double const> begins_us, std::span<std::uint64_t const>) {
            return cost_of(begins_us);
        });
    }

    /// The same where each rank has words that the others need: cost_of(begins_us, words of all ranks).
    template <class Cost>
    comm_result count(double call_us, std::span<std::uint64_t const> words, Cost&& cost_of) {
        auto const ranks = static_cast<std::size_t>(this->size());
        std::vector<std::uint64_t> mine{std::bit_cast<std::uint64_t>(now_us_ + call_us)};
        mine.insert(mine.end(), words.begin(), words.end());
        std::vector<std::uint64_t> all(mine.size() * ranks);
        if (comm_result told = base::do_gather_words(mine, all); !told.ok()) return told;
        std::vector<double> begins_us;
        std::vector<std::uint64_t> others;
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            auto const begin = all.begin() + static_cast<std::ptrdiff_t>(rank * mine.size());
            begins_us.push_back(std::bit_cast<double>(*begin));
            others.insert(others.end(), begin + 1, begin + static_cast<std::ptrdiff_t>(mine.size()));
        }
        collective_cost const cost = cost_of(begins_us, others);
        auto const self = static_cast<std::size_t>(this->rank());
        now_us_ = cost.ends_us[self];
        sent_.messages += cost.sent[self].messages;
        sent_.bytes += cost.sent[self].bytes;
        sent_.bytes_between_hosts += cost.sent[self].bytes_between_hosts;
        return {};
    }

    comm_result do_all_to_all(void const* send, std::span<std::uint64_t const> send_counts, void* receive,
                              std::span<std::uint64_t const> receive_counts,
                              std::uint64_t element_bytes) override {
        comm_result result = base::do_all_to_all(send, send_counts, receive, receive_counts, element_bytes);
        if (!result.ok()) return result;
        std::vector<std::uint64_t> bytes(send_counts.begin(), send_counts.end());
        for (std::uint64_t& each : bytes)
            each *= element_bytes;
        return count(net_.call_us, bytes,
                     [&](std::span<double const> begins_us, std::span<std::uint64_t const> matrix) {
                         return exchange_cost(net_, begins_us, matrix);
                     });
    }

    comm_result do_all_gather(void const* send, void* receive, std::span<std::uint64_t const> counts,
                              std::uint64_t element_bytes) override {
        comm_result result = base::do_all_gather(send, receive, counts, element_bytes);
        if (!result.ok()) return result;
        std::vector<std::uint64_t> bytes(counts.begin(), counts.end());
        for (std::uint64_t& each : bytes)
            each *= element_bytes;
        return count(net_.call_us, [&](std::span<double const> begins_us) {
            return all_gather_cost(net_, begins_us, bytes);
        });
    }

    comm_result do_all_reduce(void const* send, void* receive, std::uint64_t items, element type,
                              reduction how) override {
        comm_result result = base::do_all_reduce(send, receive, items, type, how);
        if (!result.ok()) return result;
        return count(net_.call_us, [&](std::span<double const> begins_us) {
            return all_reduce_cost(net_, begins_us, items * bytes_of(type));
        });
    }

    comm_result do_broadcast(void* data, std::uint64_t bytes, int root) override {
        comm_result result = base::do_broadcast(data, bytes, root);
        if (!result.ok()) return result;
        return count(net_.call_us, [&](std::span<double const> begins_us) {
            return broadcast_cost(net_, begins_us, bytes, root);
        });
    }

    comm_result do_gather_words(std::span<std::uint64_t const> mine, std::span<std::uint64_t> all) override {
        comm_result result = base::do_gather_words(mine, all);
        if (!result.ok()) return result;
        return count(
            0, [&](std::span<double const> begins_us) { return words_cost(net_, begins_us, mine.size()); });
    }

    network net_;
    double now_us_ = 0;
    sent_messages sent_;
};

} // namespace rhizome::comm
