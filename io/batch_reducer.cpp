// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/batch_reducer.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <thread>
#include <utility>

namespace rhizome::io {
namespace {

constexpr std::size_t small_updates = 1 << 14; // one thread takes some 0.2 ms
constexpr std::size_t part_updates = 1 << 12;  // a part and the set of its keys fit in L2
constexpr unsigned most_part_bits = 10;        // more parts than this miss the TLB when they are written
constexpr std::size_t least_piece_updates = 1 << 13; // worth a thread
constexpr std::size_t most_pieces = 256;

/// Spreads the keys over 2^bits parts.
std::size_t part_of(std::uint64_t key, unsigned bits) {
    key ^= key >> 29;
    return static_cast<std::size_t>((key * 0xbf58'476d'1ce4'e5b9u) >> (64 - bits));
}

/// Calls function(begin, end) for ranges that cover 0 to `count` once each.
template <class Function>
void for_ranges(exec::thread_team& team, std::uint64_t count, Function&& function) {
    team.for_ranges(
        count,
        [](void* context, std::uint64_t begin, std::uint64_t end) {
            (*static_cast<std::remove_reference_t<Function>*>(context))(begin, end);
        },
        static_cast<void*>(&function));
}

unsigned usable_threads(unsigned threads) {
    return threads == 0 ? std::max(1u, std::thread::hardware_concurrency()) : threads;
}

} // namespace

batch_reducer::batch_reducer(unsigned threads) : team_(usable_threads(threads)) {}

net_batch const& batch_reducer::reduce(std::span<update const> updates, bool directed,
                                       std::span<double const> weights) {
    if (updates.size() > std::numeric_limits<std::uint32_t>::max())
        throw std::length_error("a batch of more than 2^32 - 1 updates");
    // One thread is faster without parts: it prefetches the slots of the set.
    if (team_.threads() == 1 || updates.size() < small_updates) {
        reduce_alone(updates, directed, weights);
    } else {
        reduce_together(updates, directed, weights);
    }
    return result_;
}

void batch_reducer::reduce(std::span<update const> updates, bool directed, std::span<double const> weights,
                           net_batch& result) {
    (void)reduce(updates, directed, weights);
    std::swap(result, result_);
}

void batch_reducer::reduce_alone(std::span<update const> updates, bool directed,
                                 std::span<double const> weights) {
    constexpr std::size_t ahead = 16; // updates between prefetching a slot and using it, to hide a cache miss
    decided_.reset(updates.size());
    result_.deletions.clear();
    result_.insertions.clear();
    result_.weights.clear();
    result_.superseded = 0;
    for (std::size_t i = updates.size(); i-- > 0;) { // backwards: the last update of an edge counts
        if (i >= ahead) decided_.prefetch(edge_key(updates[i - ahead].edge, directed));
        if (!decided_.insert(edge_key(updates[i].edge, directed))) {
            ++result_.superseded;
        } else if (updates[i].operation == operation::insert) {
            result_.insertions.push_back(updates[i].edge);
            if (!weights.empty()) result_.weights.push_back(weights[i]);
        } else {
            result_.deletions.push_back(updates[i].edge);
        }
    }
    std::reverse(result_.deletions.begin(), result_.deletions.end());
    std::reverse(result_.insertions.begin(), result_.insertions.end());
    std::reverse(result_.weights.begin(), result_.weights.end());
}

void batch_reducer::reduce_together(std::span<update const> updates, bool directed,
                                    std::span<double const> weights) {
    part_bits_ =
        std::min(most_part_bits, static_cast<unsigned>(std::bit_width(updates.size() / part_updates)));
    pieces_ = std::clamp<std::size_t>(updates.size() / least_piece_updates, 1, most_pieces);
    piece_updates_ = (updates.size() + pieces_ - 1) / pieces_;
    partition(updates, directed);
    mark_last();
    collect(updates, weights);
}

/// Writes the updates into their parts. A part has them in the order of the stream.
void batch_reducer::partition(std::span<update const> updates, bool directed) {
    std::size_t const parts = std::size_t{1} << part_bits_;
    places_.assign(pieces_ * parts, 0);
    ends_.resize(parts);
    entries_.resize(updates.size());
    is_last_.resize(updates.size());
    auto const for_each_of = [&](std::uint64_t piece, auto&& function) {
        std::size_t const end = std::min(updates.size(), (piece + 1) * piece_updates_);
        for (std::size_t i = piece * piece_updates_; i < end; ++i)
            function(edge_key(updates[i].edge, directed), static_cast<std::uint32_t>(i));
    };
    exec::parallel_for(team_, pieces_, [&](std::uint64_t piece) {
        std::uint32_t* const sizes = &places_[piece * parts];
        for_each_of(piece, [&](std::uint64_t key, std::uint32_t) { ++sizes[part_of(key, part_bits_)]; });
    });
    std::uint32_t place = 0;
    for (std::size_t part = 0; part < parts; ++part) {
        for (std::size_t piece = 0; piece < pieces_; ++piece)
            place += std::exchange(places_[piece * parts + part], place);
        ends_[part] = place;
    }
    exec::parallel_for(team_, pieces_, [&](std::uint64_t piece) {
        std::uint32_t* const places = &places_[piece * parts];
        for_each_of(piece, [&](std::uint64_t key, std::uint32_t index) {
            entries_[places[part_of(key, part_bits_)]++] = {key, index};
        });
    });
}

/// Marks the last update of each edge.
void batch_reducer::mark_last() {
    for_ranges(team_, ends_.size(), [&](std::uint64_t first, std::uint64_t last) {
        edge_key_set decided;
        for (std::uint64_t part = first; part < last; ++part) {
            std::size_t const begin = part == 0 ? 0 : ends_[part - 1];
            decided.reset(ends_[part] - begin);
            for (std::size_t i = ends_[part]; i-- > begin;)
                is_last_[entries_[i].index] = decided.insert(entries_[i].key) ? 1 : 0;
        }
    });
}

/// Copies the marked updates into the lists of the result.
void batch_reducer::collect(std::span<update const> updates, std::span<double const> weights) {
    counts_.assign(pieces_ + 1, {});
    exec::parallel_for(team_, pieces_, [&](std::uint64_t piece) {
        std::size_t const end = std::min(updates.size(), (piece + 1) * piece_updates_);
        counts count;
        for (std::size_t i = piece * piece_updates_; i < end; ++i) {
            bool const inserts = updates[i].operation == operation::insert;
            count.insertions += is_last_[i] & (inserts ? 1u : 0u);
            count.deletions += is_last_[i] & (inserts ? 0u : 1u);
        }
        counts_[piece] = count;
    });
    counts all;
    for (counts& each : counts_) {
        all.deletions += std::exchange(each.deletions, all.deletions);
        all.insertions += std::exchange(each.insertions, all.insertions);
    }
    result_.deletions.resize(all.deletions);
    result_.insertions.resize(all.insertions);
    result_.weights.resize(weights.empty() ? 0 : all.insertions);
    result_.superseded = updates.size() - all.deletions - all.insertions;
    exec::parallel_for(team_, pieces_, [&](std::uint64_t piece) {
        std::size_t const end = std::min(updates.size(), (piece + 1) * piece_updates_);
        counts to = counts_[piece];
        for (std::size_t i = piece * piece_updates_; i < end; ++i) {
            if (is_last_[i] == 0) continue;
            if (updates[i].operation == operation::erase) {
                result_.deletions[to.deletions++] = updates[i].edge;
            } else {
                if (!weights.empty()) result_.weights[to.insertions] = weights[i];
                result_.insertions[to.insertions++] = updates[i].edge;
            }
        }
    });
}

} // namespace rhizome::io
