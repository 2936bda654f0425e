// SPDX-License-Identifier: Apache-2.0
// What a batch has counted. The last kernel adds the counts up where the host reads the sum, and clears them
// for the next batch. A copy to the host and a fill would each cost a small batch a tenth of its time.
#pragma once

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/mailbox.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/batch/arrays.hpp>

#include <cstdint>
#include <utility>

namespace rhizome::graph::batch {

struct outcome {
    progress now;
    counters total;
    // What the allocator says, where it does (alloc/abilities.hpp).
    std::uint64_t spilled_bytes;
    std::uint64_t free_chunks;
    bulk_tally bulk;
};

/// The words of the allocator that a report contains; nullptr if it has none.
struct heap_words {
    std::uint64_t* spilled_bytes = nullptr;
    std::uint64_t* free_chunks = nullptr;
};

/// The last kernel of a batch, for one warp.
struct report_batch {
    static constexpr bool overlaps_launch = true;
    beginning* counts;
    outcome* report;
    heap_words heap;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        report_by(thread, thread.warp());
    }
    /// The same by the last block at the end of the last kernel, which saves a launch. Called by all
    /// threads.
    template <class Thread>
    RZ_HD void by_last_block(Thread const& thread) const {
        auto const block = thread.block();
        auto const warp = thread.warp();
        block.sync(); // the thread that counts the block as done does so for all its threads
        if (block.rank() >= warp.size()) return;
        bool last = false;
        if (block.is_leader())
            last =
                thread.device(counts->blocks_done).fetch_add(1u, exec::order::acq_rel) + 1 == block.count();
        if (!warp.any(last)) return;
        warp.sync(); // all lanes see what the leader acquired
        report_by(thread, warp);
    }

private:
    template <class Thread, class Warp>
    RZ_HD void report_by(Thread const& thread, Warp const& warp) const {
        counters sum{};
        for (std::uint32_t i = warp.rank(); i < counters::shares; i += warp.size())
            sum += counts->all.share[i];
        sum = {warp.sum(sum.rejected),       warp.sum(sum.self_loops),      warp.sum(sum.edges),
               warp.sum(sum.effective_arcs), warp.sum(sum.effective_edges), warp.sum(sum.needed_bytes)};
        if (warp.rank() == 0) {
            auto const value_of = [&](std::uint64_t* word) {
                return word == nullptr ? 0 : thread.device(*word).load(exec::order::relaxed);
            };
            *report = {counts->all.now, sum, value_of(heap.spilled_bytes), value_of(heap.free_chunks),
                       counts->asked.bulk};
        }
        warp.sync(); // read before it is cleared
        auto* const words = reinterpret_cast<std::uint32_t*>(counts);
        for (std::uint32_t i = warp.rank(); i < sizeof(beginning) / sizeof(std::uint32_t); i += warp.size())
            words[i] = 0;
    }
};

/// The counts of one graph's batches, and where their sums are read.
template <class Space>
class scoreboard {
public:
    explicit scoreboard(Space const& space) : counts_(space, 1), report_(space) {}

    /// All counts are zero for the next batch.
    void begin() {
        if (!cleared_) counts_.fill_bytes(0);
        cleared_ = false; // until the batch has ended
    }
    /// The last kernel of a batch, which reads its counts.
    [[nodiscard]] report_batch report(heap_words const& heap) {
        return {counts_.data(), report_.in_space(), heap};
    }
    /// Waits for the report.
    [[nodiscard]] outcome read() {
        outcome const found = report_.read();
        cleared_ = true;
        return found;
    }
    [[nodiscard]] std::uint64_t held_bytes() const { return counts_.size_bytes(); }

private:
    exec::buffer<Space, beginning> counts_;
    exec::mailbox<Space, outcome> report_;
    bool cleared_ = false;
};

} // namespace rhizome::graph::batch
