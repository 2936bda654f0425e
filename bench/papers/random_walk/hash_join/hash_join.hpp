// SPDX-License-Identifier: Apache-2.0
// A radix hash join whose output goes to pages of any allocator.
//
// Source: section VI of the random-walk paper (Pham et al.), which takes the join from Rui and Tu, Fast
// equi-join algorithms on GPUs (SSDBM 2017): partition, build, probe; each thread of the probe writes its
// matches to a page of its own, and requests another one when that is full.
//
// No match is lost if pages run out: a thread that gets none stops before the match for which it has no room,
// and so do all others that need a page. The caller learns from progress() how far the probe came. He may
// read the matches, give the pages back by release() or make the heap larger, and call probe() again, which
// goes on from there.
#pragma once

#include <rhizome/bench/papers/random_walk/hash_join/kernels.hpp>
#include <rhizome/bench/papers/random_walk/hash_join/tables.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::bench {

/// Calls act in the order of the space; those that return numbers wait. Memory in the space: 32 bytes per
/// tuple of the left table, 16 per tuple of the right one, 24 per thread of the probe, and 2 KiB. Throws what
/// the space throws, and std::logic_error if a stage is called before the one that it needs.
template <class Space>
class hash_join {
public:
    /// tuples_per_thread: of the right table, probed by each thread.
    explicit hash_join(Space space, std::uint64_t tuples_per_thread = 1)
        : space_(std::move(space)), tuples_per_thread_(std::max<std::uint64_t>(tuples_per_thread, 1)),
          scratch_(space_), left_(space_), right_(space_), places_(space_), heads_(space_), nexts_(space_),
          states_(space_), progress_(space_, 1), shortages_(space_, shortage_flag::words) {
        shortages_.fill_bytes(0);
    }

    /// Copies the tables from host memory to the space. A table has fewer than 2^32 - 1 tuples. Pages of an
    /// earlier probe are forgotten, here and by the stages 1 and 2: give them back first.
    void set_tables(std::span<join_tuple const> left, std::span<join_tuple const> right) {
        if (std::max(left.size(), right.size()) >= first_entry) throw std::length_error("too many tuples");
        stage_ = stage::none;
        left_ = table(space_, left);
        right_ = table(space_, right);
        radix_.slot_bits =
            static_cast<std::uint32_t>(std::bit_width(std::max<std::size_t>(left.size(), 2) - 1));
        radix_.partition_bits =
            radix_.slot_bits > log_partition_slots ? radix_.slot_bits - log_partition_slots : 0;
        places_.discard_and_resize(std::uint64_t{1} << radix_.partition_bits);
        heads_.discard_and_resize(std::uint64_t{1} << radix_.slot_bits);
        nexts_.discard_and_resize(left.size());
        states_.discard_and_resize((right.size() + tuples_per_thread_ - 1) / tuples_per_thread_);
    }

    /// Stage 1: puts the tuples of each partition of both tables side by side.
    void partition() {
        partition(left_);
        partition(right_);
        stage_ = stage::partitioned;
    }
    /// Stage 2: links the tuples of each slot of the left table. Nothing is probed yet. After partition(); a
    /// second time it makes the next probe begin anew.
    void build() {
        if (stage_ == stage::none) throw std::logic_error("build: the tables are not partitioned");
        heads_.fill_bytes(0);
        if (left_.size() != 0)
            launch(space_, cover_threads(space_, left_.size()),
                   build_lists{radix_, left_.partitioned.data(), left_.size(), heads_.data(), nexts_.data()});
        if (states_.size() != 0)
            launch(space_, cover_threads(space_, states_.size()),
                   reset_probe{states_.data(), states_.size()});
        stage_ = stage::built;
        page_bytes_ = 0;
    }
    /// Stage 3, after build(): goes on with the probe until all tuples are probed, or pages ran out.
    /// page_bytes: a multiple of 8, at least 16. Throws std::logic_error if pages of another size are not
    /// given back.
    template <class Ref>
    void probe(Ref const& ref, std::uint32_t page_bytes) {
        if (page_bytes < 16 || page_bytes % 8 != 0)
            throw std::invalid_argument("pages: a multiple of 8, from 16");
        require_built("probe");
        if (page_bytes_ != 0 && page_bytes_ != page_bytes)
            throw std::logic_error("probe: pages of another size are not given back");
        page_bytes_ = page_bytes;
        ++launches_;
        if (states_.size() == 0) return;
        launch(space_, one_thread_each(space_, states_.size()),
               probe_lists<Ref>{ref, page_bytes, radix_, left_.partitioned.data(), heads_.data(),
                                nexts_.data(), right_.partitioned.data(), right_.size(), states_.data(),
                                states_.size(), shortage_flag{shortages_.data(), launches_}});
    }

    /// How far it came. Reads all matches. This call and the next two: after build().
    [[nodiscard]] join_progress progress() {
        require_built("progress");
        progress_.fill_bytes(0);
        if (states_.size() != 0)
            launch(space_, cover_threads(space_, states_.size()),
                   sum_progress{states_.data(), states_.size(), page_bytes_, progress_.data()});
        join_progress found = progress_.to_host().front();
        found.complete = found.probed == right_.size();
        return found;
    }
    /// The matches in the pages, in any order.
    [[nodiscard]] std::vector<join_match> matches() {
        require_built("matches");
        std::uint64_t const threads = states_.size();
        if (threads == 0) return {};
        exec::buffer<Space, std::uint32_t> counts(space_, threads);
        exec::buffer<Space, std::uint64_t> places(space_, threads);
        launch(space_, cover_threads(space_, threads), count_matches{states_.data(), threads, counts.data()});
        exclusive_scan(space_, scratch_, counts.data(), places.data(), threads);
        exec::buffer<Space, join_match> gathered(space_, progress().matches);
        launch(space_, cover_threads(space_, threads),
               gather_matches{states_.data(), threads, page_bytes_, places.data(), gathered.data()});
        return gathered.to_host();
    }
    /// Gives all pages back to the allocator from which they are; their matches are gone.
    template <class Ref>
    void release(Ref const& ref) {
        require_built("release");
        if (states_.size() != 0)
            launch(space_, cover_threads(space_, states_.size()),
                   release_pages<Ref>{ref, states_.data(), states_.size()});
        page_bytes_ = 0;
    }

private:
    static constexpr std::uint32_t log_partition_slots =
        9; ///< 512 slots, and about as many tuples of the left table

    enum class stage : std::uint8_t { none, partitioned, built };

    struct table {
        exec::buffer<Space, join_tuple> tuples;
        exec::buffer<Space, join_tuple> partitioned;

        explicit table(Space space) : tuples(space), partitioned(space) {}
        table(Space space, std::span<join_tuple const> from)
            : tuples(space, from), partitioned(space, from.size()) {}
        [[nodiscard]] std::uint64_t size() const { return tuples.size(); }
    };

    void require_built(char const* call) const {
        if (stage_ != stage::built) throw std::logic_error(std::string(call) + ": the lists are not built");
    }
    void partition(table& which) {
        if (which.size() == 0) return;
        exec::launch_shape const shape = cover_threads(space_, which.size());
        places_.fill_bytes(0);
        launch(space_, shape, count_partitions{radix_, which.tuples.data(), which.size(), places_.data()});
        exclusive_scan(space_, scratch_, places_.data(), places_.data(), places_.size());
        launch(space_, shape,
               scatter_tuples{radix_, which.tuples.data(), which.size(), places_.data(),
                              which.partitioned.data()});
    }

    Space space_;
    std::uint64_t tuples_per_thread_;
    join_radix radix_{1, 0};
    stage stage_ = stage::none;
    std::uint32_t page_bytes_ = 0; ///< of the pages that hold matches; 0: none does
    std::uint32_t launches_ = 0;   ///< of the probe
    exec::workspace<Space> scratch_;
    table left_;
    table right_;
    exec::buffer<Space, std::uint32_t> places_;
    exec::buffer<Space, std::uint32_t> heads_;
    exec::buffer<Space, std::uint32_t> nexts_;
    exec::buffer<Space, probe_state> states_;
    exec::buffer<Space, join_progress> progress_;
    exec::buffer<Space, std::uint32_t> shortages_;
};

} // namespace rhizome::bench
