// SPDX-License-Identifier: Apache-2.0
#include <rhizome/comm/network/collective_times.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace rhizome::comm {

namespace {
std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

/// The messages of one collective. They are given in an order in which each rank sends, and each receives.
class message_log {
public:
    message_log(network const& net, std::span<double const> begins_us)
        : net_(net), ranks_(static_cast<int>(begins_us.size())), ends_us_(begins_us.begin(), begins_us.end()),
          sent_(begins_us.size()) {
        for (ports* each : {&within_, &between_}) {
            each->sends_next.assign(begins_us.begin(), begins_us.end());
            each->receives_next = each->sends_next;
        }
    }

    [[nodiscard]] int ranks() const { return ranks_; }

    /// Sends what is there at `ready_us`, and returns when it has arrived.
    double send(int from, int to, std::uint64_t bytes, double ready_us) {
        return send(from, to, bytes, ready_us, net_.link_of(from, to));
    }

    /// The same, as a part of what goes around a ring or along a chain.
    double send_on(int from, int to, std::uint64_t bytes, double ready_us) {
        if (net_.host_of(from) == net_.host_of(to)) return send(from, to, bytes, ready_us);
        int const ranks = std::min(ranks_of_host(net_.host_of(from)), ranks_of_host(net_.host_of(to)));
        return send(from, to, bytes, ready_us, net_.ring_between(ranks));
    }

    /// A rank has finished when it has sent and received everything.
    [[nodiscard]] collective_cost finish() && { return {std::move(ends_us_), std::move(sent_)}; }

private:
    [[nodiscard]] int ranks_of_host(int host) const {
        return std::min(net_.ranks_per_host, ranks_ - host * net_.ranks_per_host);
    }

    double send(int from, int to, std::uint64_t bytes, double ready_us, network_link const& link) {
        if (bytes == 0) return ready_us;
        bool const leaves_host = net_.host_of(from) != net_.host_of(to);
        ports& used = leaves_host ? between_ : within_;
        double const transfer_us = link.transfer_us(static_cast<double>(bytes));
        double const begin_us = std::max(ready_us, used.sends_next[at(from)]);
        used.sends_next[at(from)] = begin_us + transfer_us;
        // The receiver takes the bytes as they come, after those of an earlier message.
        double const end_us = std::max(begin_us + link.latency_us, used.receives_next[at(to)]) + transfer_us;
        used.receives_next[at(to)] = end_us;
        ends_us_[at(from)] = std::max(ends_us_[at(from)], begin_us + transfer_us);
        ends_us_[at(to)] = std::max(ends_us_[at(to)], end_us);
        sent_messages& sent = sent_[at(from)];
        ++sent.messages;
        sent.bytes += bytes;
        if (leaves_host) sent.bytes_between_hosts += bytes;
        return end_us;
    }

    struct ports {
        std::vector<double> sends_next;    ///< when each rank can start another message
        std::vector<double> receives_next; ///< when it can take another message
    };

    network const& net_;
    int ranks_;
    ports within_;
    ports between_;
    std::vector<double> ends_us_;
    std::vector<sent_messages> sent_;
};

/// `steps` steps in which each rank sends to the next one what it received in the step before. In step s,
/// rank r sends block (r - s) modulo ranks.
template <class BytesOfBlock>
void send_around_ring(message_log& log, std::vector<double> has_us, int steps, BytesOfBlock&& bytes_of) {
    int const ranks = log.ranks();
    for (int step = 0; step < steps; ++step) {
        std::vector<double> gets_us(has_us.size());
        for (int rank = 0; rank < ranks; ++rank) {
            int const next = (rank + 1) % ranks;
            int const block = ((rank - step) % ranks + ranks) % ranks;
            gets_us[at(next)] = log.send_on(rank, next, bytes_of(block), has_us[at(rank)]);
        }
        for (int rank = 0; rank < ranks; ++rank) // its own part of a sum must be there too
            has_us[at(rank)] = std::max(has_us[at(rank)], gets_us[at(rank)]);
    }
}

collective_cost ring_reduction(network const& net, std::span<double const> begins_us, std::uint64_t bytes) {
    message_log log(net, begins_us);
    auto const ranks = static_cast<std::uint64_t>(begins_us.size());
    send_around_ring(log, {begins_us.begin(), begins_us.end()}, 2 * (log.ranks() - 1),
                     [&](int) { return (bytes + ranks - 1) / ranks; });
    return std::move(log).finish();
}

collective_cost tree_reduction(network const& net, std::span<double const> begins_us, std::uint64_t bytes) {
    message_log log(net, begins_us);
    std::vector<double> has_us(begins_us.begin(), begins_us.end());
    int highest = 1;
    for (int distance = 1; distance < log.ranks(); distance *= 2) { // sums go to rank 0
        for (int rank = 0; rank + distance < log.ranks(); rank += 2 * distance) {
            int const sender = rank + distance;
            has_us[at(rank)] = std::max(has_us[at(rank)], log.send(sender, rank, bytes, has_us[at(sender)]));
        }
        highest = distance;
    }
    for (int distance = highest; distance > 0; distance /= 2) // and the result comes back
        for (int rank = 0; rank + distance < log.ranks(); rank += 2 * distance)
            has_us[at(rank + distance)] = log.send(rank, rank + distance, bytes, has_us[at(rank)]);
    return std::move(log).finish();
}

double last_of(collective_cost const& cost) { return *std::ranges::max_element(cost.ends_us); }
} // namespace

collective_cost exchange_cost(network const& net, std::span<double const> begins_us,
                              std::span<std::uint64_t const> bytes) {
    message_log log(net, begins_us);
    int const ranks = log.ranks();
    int const per_host = net.ranks_per_host == 0 ? ranks : net.ranks_per_host;
    int const hosts = (ranks + per_host - 1) / per_host;
    for (int far = 0; far < hosts; ++far)           // 0: the own host
        for (int turn = 0; turn < per_host; ++turn) // 0: the rank at the own place
            for (int rank = 0; rank < ranks; ++rank) {
                int const first = (net.host_of(rank) + far) % hosts * per_host;
                int const there = std::min(per_host, ranks - first);
                int const to = first + (rank % per_host + turn) % there;
                if (turn < there && to != rank)
                    log.send(rank, to, bytes[at(rank) * begins_us.size() + at(to)], begins_us[at(rank)]);
            }
    return std::move(log).finish();
}

collective_cost all_gather_cost(network const& net, std::span<double const> begins_us,
                                std::span<std::uint64_t const> bytes) {
    message_log log(net, begins_us);
    send_around_ring(log, {begins_us.begin(), begins_us.end()}, log.ranks() - 1,
                     [&](int block) { return bytes[at(block)]; });
    return std::move(log).finish();
}

collective_cost words_cost(network const& net, std::span<double const> begins_us, std::uint64_t words) {
    auto const ranks = begins_us.size();
    if (net.shares_words(static_cast<int>(ranks), static_cast<double>(words))) {
        double const end_us = *std::ranges::max_element(begins_us) + net.shared_words_us;
        return {std::vector<double>(ranks, end_us), std::vector<sent_messages>(ranks)};
    }
    std::vector<double> begins(begins_us.begin(), begins_us.end());
    for (double& each : begins)
        each += net.words_us;
    return all_gather_cost(net, begins, std::vector<std::uint64_t>(ranks, words * sizeof(std::uint64_t)));
}

collective_cost all_reduce_cost(network const& net, std::span<double const> begins_us, std::uint64_t bytes) {
    collective_cost ring = ring_reduction(net, begins_us, bytes);
    collective_cost tree = tree_reduction(net, begins_us, bytes);
    return last_of(tree) < last_of(ring) ? tree : ring;
}

collective_cost broadcast_cost(network const& net, std::span<double const> begins_us, std::uint64_t bytes,
                               int root) {
    message_log log(net, begins_us);
    for (std::uint64_t begin = 0; begin < bytes; begin += broadcast_piece_bytes) {
        std::uint64_t const piece = std::min(broadcast_piece_bytes, bytes - begin);
        double has_us = begins_us[at(root)];
        for (int step = 0; step + 1 < log.ranks(); ++step)
            has_us = log.send_on((root + step) % log.ranks(), (root + step + 1) % log.ranks(), piece, has_us);
    }
    return std::move(log).finish();
}

} // namespace rhizome::comm
