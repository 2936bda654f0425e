// SPDX-License-Identifier: Apache-2.0
// Networks whose numbers are measured or assumed, for predictions.
#pragma once

#include <rhizome/comm/network/network.hpp>

namespace rhizome::comm {

/// H200 GPUs, NVLink within a host of 8, InfiniBand between hosts, through NCCL.
///
/// Measured, on two H200 of one host (NVLink, NCCL 2.28.9): an exchange of 8 MB a rank, of which half stays,
/// in 0.042 ms, of 80 MB in 0.16 ms; all_gather of 8 and 80 MB a rank in 0.054 and 0.34 ms; a vote in 0.039
/// ms. The bandwidth and call_us + latency_us of `within` are fitted to the first four (each within 8 %),
/// words_us + latency_us to the vote, which NCCL exchanged. Two ranks cannot tell a call and a message apart:
/// that a message takes 3 us of these is assumed. Through the memory of the host a vote takes 10 us, also
/// measured.
///
/// Assumed, not measured: everything of `between` (an InfiniBand adapter of 400 Gb/s per GPU, of which 90 %
/// are reached; 6 us per message), and that 8 GPUs behind a switch have the links that two have.
inline constexpr network h200_network{.ranks_per_host = 8,
                                      .within = {.latency_us = 3, .gigabytes_per_second = 280},
                                      .between = {.latency_us = 6, .gigabytes_per_second = 45},
                                      .call_us = 26,
                                      .words_us = 36,
                                      .shared_words_us = 10};

} // namespace rhizome::comm
