// SPDX-License-Identifier: Apache-2.0
#include <rhizome/comm/network/cost_model.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace rhizome::comm {

cost_model::cost_model(network const& net, int ranks) : net_(net), ranks_(ranks) {
    if (ranks < 1) throw std::invalid_argument("a network has at least 1 rank, not " + std::to_string(ranks));
    int const on_host = net.ranks_per_host == 0 ? ranks : std::min(ranks, net.ranks_per_host);
    int const hosts = (ranks + on_host - 1) / on_host;
    ring_between_ = net.ring_between(ranks % on_host == 0 ? on_host : ranks % on_host);
    others_within_ = on_host - 1;
    others_between_ = ranks - on_host;
    // A way of ranks - 1 hops leaves out one hop of the ring: one within a host, if there is any.
    hops_between_ = hosts == 1 ? 0 : on_host == 1 ? ranks - 1 : hosts;
    levels_within_ = std::ceil(std::log2(on_host));
    levels_between_ = std::ceil(std::log2(ranks)) - levels_within_;
}

double cost_model::exchange_us(double bytes) const {
    auto const port_us = [&](network_link const& link, double others) {
        return others == 0 ? 0 : link.latency_us + others * link.transfer_us(bytes);
    };
    return net_.call_us +
           std::max(port_us(net_.within, others_within_), port_us(net_.between, others_between_));
}

double cost_model::ring_us(double bytes) const {
    double const hops = others_within_ + others_between_;
    double const within_us = net_.within.latency_us + net_.within.transfer_us(bytes);
    double const between_us = ring_between_.latency_us + ring_between_.transfer_us(bytes);
    double const way_us = (hops - hops_between_) * within_us + hops_between_ * between_us;
    double const slowest_us =
        hops_between_ == 0 ? 0 : ring_between_.latency_us + hops * ring_between_.transfer_us(bytes);
    return std::max(way_us, slowest_us);
}

double cost_model::all_gather_us(double bytes) const { return net_.call_us + ring_us(bytes); }

double cost_model::words_us(double words) const {
    constexpr double word_bytes = 8;
    return net_.shares_words(ranks_, words) ? net_.shared_words_us
                                            : net_.words_us + ring_us(words * word_bytes);
}

double cost_model::all_reduce_us(double bytes) const {
    double const ranks = others_within_ + others_between_ + 1;
    double const ring = 2 * ring_us(bytes / ranks);
    double const tree = 2 * (levels_within_ * (net_.within.latency_us + net_.within.transfer_us(bytes)) +
                             levels_between_ * (net_.between.latency_us + net_.between.transfer_us(bytes)));
    return net_.call_us + std::min(ring, tree);
}

} // namespace rhizome::comm
