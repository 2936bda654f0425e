// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/communication/calls.hpp>

namespace rhizome::bench {

std::vector<std::string> const& communication_calls() {
    static std::vector<std::string> const names{"exchange", "all-gather", "all-reduce", "broadcast",
                                                "counts",   "vote",       "barrier"};
    return names;
}

bool takes_message(std::string const& call) {
    return call != "counts" && call != "vote" && call != "barrier";
}

double received_bytes(std::string const& call, std::uint64_t message_bytes, int ranks) {
    if (!takes_message(call) || ranks < 2) return 0;
    auto const bytes = static_cast<double>(message_bytes);
    double const others = ranks - 1;
    if (call == "exchange") return bytes * others / ranks;
    if (call == "all-gather") return bytes * others;
    return call == "all-reduce" ? 2 * bytes * others / ranks : bytes;
}

} // namespace rhizome::bench
