// SPDX-License-Identifier: Apache-2.0
// Measures calls of any communicator. Every rank runs this code.
#pragma once

#include <rhizome/bench/communication/calls.hpp>
#include <rhizome/comm/communicator.hpp>
#include <rhizome/exec/buffer.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace rhizome::bench {

/// One rank's arrays for one call, and the call.
template <class Space>
class measured_call {
public:
    /// Fills the arrays in the space. `self` must outlive this object.
    measured_call(comm::communicator<Space>& self, communication_options const& options)
        : self_(self), call_(options.call), ranks_(static_cast<std::size_t>(self.size())),
          items_(takes_message(call_) ? options.message_bytes / sizeof(std::uint64_t) : 0),
          shares_(ranks_, items_ / ranks_), send_(self.space()), receive_(self.space()) {
        for (std::size_t rank = 0; rank < items_ % ranks_; ++rank)
            ++shares_[rank];
        received_.assign(ranks_, shares_[static_cast<std::size_t>(self.rank())]);
        std::vector<std::uint64_t> mine(items_);
        for (std::size_t i = 0; i < mine.size(); ++i)
            mine[i] = value(self.rank(), i);
        send_.discard_and_resize(items_);
        if (items_ != 0) self.space().copy_in(send_.data(), mine.data(), send_.size_bytes());
        if (call_ == "exchange") receive_.discard_and_resize(received_.front() * ranks_);
        if (call_ == "all-gather") receive_.discard_and_resize(items_ * ranks_);
        if (call_ == "all-reduce") receive_.discard_and_resize(items_);
    }

    void make() {
        std::uint64_t const* const from = send_.data();
        if (call_ == "exchange")
            self_.all_to_all(from, shares_, receive_.data(), received_).or_throw();
        else if (call_ == "all-gather")
            self_.all_gather(from, items_, receive_.data()).or_throw();
        else if (call_ == "all-reduce")
            self_.all_reduce(from, receive_.data(), items_, comm::reduction::sum).or_throw();
        else if (call_ == "broadcast")
            self_.broadcast(send_.data(), items_, 0).or_throw();
        else if (call_ == "counts")
            counted_ = self_.exchange_counts(shares_of_counts());
        else if (call_ == "vote")
            voted_ = self_.vote(true);
        else
            self_.barrier().or_throw();
        self_.wait().or_throw();
    }

    /// Compares what the last call gave with what it must give. Throws std::runtime_error.
    void check() const {
        auto const expect = [&](bool right) {
            if (!right)
                throw std::runtime_error(call_ + ": rank " + std::to_string(self_.rank()) +
                                         " received wrong values");
        };
        if (call_ == "vote") return expect(voted_.ok() && voted_.value);
        if (call_ == "counts")
            return expect(counted_.ok() &&
                          counted_.value == std::vector<std::uint64_t>(
                                                ranks_, static_cast<std::uint64_t>(self_.rank()) + 1));
        std::vector<std::uint64_t> const got = call_ == "broadcast" ? send_.to_host() : receive_.to_host();
        for (std::size_t i = 0; i < got.size(); ++i)
            expect(got[i] == expected(i));
    }

private:
    /// What a rank has at a place of its array.
    [[nodiscard]] static std::uint64_t value(int rank, std::uint64_t place) {
        return (static_cast<std::uint64_t>(rank) + 1) * 1'000'003 + place * 7;
    }
    [[nodiscard]] std::vector<std::uint64_t> shares_of_counts() const {
        std::vector<std::uint64_t> shares(ranks_);
        for (std::size_t rank = 0; rank < ranks_; ++rank)
            shares[rank] = rank + 1;
        return shares;
    }
    [[nodiscard]] std::uint64_t expected(std::uint64_t place) const {
        if (call_ == "broadcast") return value(0, place);
        if (call_ == "all-gather") return value(static_cast<int>(place / items_), place % items_);
        if (call_ == "exchange") {
            std::uint64_t before = 0;
            for (int rank = 0; rank < self_.rank(); ++rank)
                before += shares_[static_cast<std::size_t>(rank)];
            return value(static_cast<int>(place / received_.front()), before + place % received_.front());
        }
        std::uint64_t sum = 0;
        for (int rank = 0; rank < self_.size(); ++rank)
            sum += value(rank, place);
        return sum;
    }

    comm::communicator<Space>& self_;
    std::string call_;
    std::size_t ranks_;
    std::uint64_t items_;
    std::vector<std::uint64_t> shares_;   ///< exchange: what this rank sends to each
    std::vector<std::uint64_t> received_; ///< exchange: what it receives from each
    exec::buffer<Space, std::uint64_t> send_;
    exec::buffer<Space, std::uint64_t> receive_;
    comm::answer<std::vector<std::uint64_t>> counted_;
    comm::answer<bool> voted_;
};

/// The milliseconds of each repetition, the same on all ranks: those of the rank that took longest.
template <class Space>
[[nodiscard]] std::vector<double> measure_call(comm::communicator<Space>& self,
                                               communication_options const& options) {
    using clock = std::chrono::steady_clock;
    measured_call<Space> call(self, options);
    std::vector<double> times;
    std::vector<std::uint64_t> all(static_cast<std::size_t>(self.size()));
    for (std::uint64_t round = 0; round < options.warm_up + options.repetitions; ++round) {
        self.barrier().or_throw();
        auto const begin = clock::now();
        call.make();
        auto const took = std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - begin);
        auto const mine = static_cast<std::uint64_t>(took.count());
        self.gather_words({&mine, 1}, all).or_throw();
        if (round >= options.warm_up)
            times.push_back(static_cast<double>(*std::max_element(all.begin(), all.end())) * 1e-6);
    }
    call.check();
    return times;
}

} // namespace rhizome::bench
