// SPDX-License-Identifier: Apache-2.0
// What is measured of hash joins. Matches are checked by number and content; what is wrong is thrown as
// std::runtime_error.
#pragma once

#include <rhizome/bench/harness/cell.hpp>
#include <rhizome/bench/papers/random_walk/hash_join/subject.hpp>

namespace rhizome::bench {

/// Joins two tables of draw_join_tables(): `total`, and its parts `partition`, `build` and `probe`;
/// `prepare`, making the heap; `pages`, used at the end. The cell has tuples, copies, warm-up, repetitions
/// and seed. Not served: pages ran out; the message says how far the probe came.
[[nodiscard]] cell_result run_join(join_subject& subject, cell const& which);

} // namespace rhizome::bench
