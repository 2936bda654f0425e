// Ouroboros, the owner: pages from queues, chunks from a mask, large requests from extents, one heap that
// grows.
#pragma once

#include <rhizome/alloc/concept.hpp>
#include <rhizome/alloc/ouroboros/device.hpp>
#include <rhizome/alloc/ouroboros/maintenance.hpp>
#include <rhizome/alloc/size_classes.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/region.hpp>
#include <rhizome/exec/shape.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>

namespace rhizome::alloc {

/// ouroboros<Granularity, array_queue> of papers/ouroboros, sections 3 and 4, on one space.
/// Memory: the heap, about 1 % of it for chunk records (16-byte pages are a bit each), 1/64 for the rings.
template <class Space, class Granularity = page, class Classes = power_of_two_classes<>,
          std::uint32_t ChunkBytes = 8192>
class ouroboros {
public:
    using ref_type = ouroboros_ref<Granularity, Classes, ChunkBytes>;

    /// Throws out_of_memory where the heap or its tables cannot be had.
    explicit ouroboros(Space space, heap_options const& options = {})
        : space_(std::move(space)), reserve_bytes_(reserve_of(space_, options)),
          heap_(space_, reserve_bytes_, "allocator heap"),
          records_(space_, heap_.reserved_bytes() / ChunkBytes * sizeof(record), "allocator chunk records"),
          mask_(space_, heap_.reserved_bytes() / ChunkBytes / 8 + 8, "allocator chunk mask"),
          slots_(space_, ring_capacity_for(heap_.reserved_bytes()) * rings * sizeof(std::uint64_t),
                 "allocator rings"),
          state_(space_, 1), shards_(space_, Classes::count * tuning::shards), counts_(space_, 1) {
        state_.fill_bytes(0);
        shards_.fill_bytes(0);
        grow_to(options.heap_bytes);
    }

    [[nodiscard]] ref_type ref() const {
        return {heap_.data(),
                chunk_store_ref(const_cast<chunk_store_state*>(state_.data()),
                                reinterpret_cast<std::uint64_t*>(mask_.data()), (chunks_ + 63) / 64),
                reinterpret_cast<record*>(records_.data()),
                const_cast<shard_state*>(shards_.data()),
                reinterpret_cast<std::uint64_t*>(slots_.data()),
                ring_capacity_};
    }

    /// Rounds up to units. Tables first: where the heap itself cannot grow, they are merely larger than
    /// needed.
    void grow_to(std::uint64_t bytes) {
        std::uint64_t const wanted_chunks =
            (bytes + ref_type::unit_bytes - 1) / ref_type::unit_bytes * tuning::chunks_per_unit;
        if (wanted_chunks <= chunks_) return;
        grow_zeroed(records_, wanted_chunks * sizeof(record));
        grow_zeroed(mask_, (wanted_chunks + 63) / 64 * sizeof(std::uint64_t));
        std::uint64_t const capacity = ring_capacity_for(wanted_chunks * ChunkBytes);
        if (capacity > ring_capacity_) slots_.grow_to(capacity * rings * sizeof(std::uint64_t));
        heap_.grow_to(wanted_chunks * ChunkBytes);

        // Nothing can fail from here on.
        std::uint64_t const first_chunk = std::exchange(chunks_, wanted_chunks);
        maintenance::add_chunks<ref_type> const add{ref(), first_chunk, chunks_ - first_chunk};
        launch(space_, cover_threads(space_, chunks_ - first_chunk), add);
        if (capacity > ring_capacity_) resize_rings(capacity);
    }

    /// Chunks whose pages are all free become usable for every size again. Cost: a pass over rings and
    /// records.
    void trim() {
        if (chunks_ == 0) return;
        drain();
        reset_and_refill();
    }

    [[nodiscard]] std::uint64_t heap_bytes() const { return chunks_ * ChunkBytes; }
    [[nodiscard]] std::uint64_t table_bytes() const {
        return records_.committed_bytes() + mask_.committed_bytes() + slots_.committed_bytes() +
               state_.size_bytes() + shards_.size_bytes() + counts_.size_bytes() +
               (heap_.committed_bytes() - heap_bytes());
    }
    [[nodiscard]] std::uint64_t ring_capacity() const { return ring_capacity_; }

    [[nodiscard]] audit_result audit() {
        counts_.fill_bytes(0);
        launch(space_, cover_threads(space_, chunks_),
               maintenance::audit_chunks<ref_type>{ref(), chunks_, counts_.data()});
        launch(space_, cover_threads(space_, ring_capacity_),
               maintenance::audit_rings<ref_type>{ref(), Classes::count, chunks_, counts_.data()});
        launch(space_, cover_threads(space_, std::uint64_t{Classes::count} * tuning::shards),
               maintenance::audit_lists<ref_type>{ref(), Classes::count, chunks_, counts_.data()});
        maintenance::audit_counts const found = counts_.to_host()[0];
        chunk_store_state const state = state_.to_host()[0];
        audit_result result;
        auto const expect_equal = [&](std::uint64_t left, std::uint64_t right, char const* equation) {
            if (left != right)
                result.violations.push_back(std::string("ouroboros: ") + equation + ": " +
                                            std::to_string(left) + " != " + std::to_string(right));
        };
        expect_equal(state.count, found.free_bits, "chunk count = free bits");
        expect_equal(motion_ref::movers(state.searches), 0, "searches for extents under way = 0");
        expect_equal(found.free_with_header, 0, "free chunks with a header = 0");
        expect_equal(found.free_bits + found.page_chunks + found.extent_chunks, chunks_,
                     "free + page + extent chunks = chunks");
        expect_equal(found.foreign_entries, 0, "ring entries that name no page of their class = 0");
        expect_equal(found.doubled_entries, 0, "ring entries that are spilled as well = 0");
        expect_equal(found.foreign_marks, 0, "chunks with marks beyond their pages = 0");
        expect_equal(found.unlisted_marks, 0, "chunks with marked pages that are not flagged = 0");
        expect_equal(found.flagged_chunks, found.listed_chunks, "flagged chunks = chunks in lists");
        expect_equal(found.foreign_listed, 0, "entries of lists that do not belong there = 0");
        expect_equal(found.expected_chunks, found.listed_chunks, "expected chunks = chunks in lists");
        expect_equal(found.broken_rings, 0, "rings whose counters do not add up = 0");
        std::uint64_t const free_page_bytes = found.ringed_bytes + found.spilled_bytes + found.uncut_bytes;
        if (free_page_bytes > found.page_bytes)
            result.violations.push_back(
                "ouroboros: bytes of free pages <= bytes of pages: " + std::to_string(free_page_bytes) +
                " > " + std::to_string(found.page_bytes));
        result.live_bytes = found.page_bytes - free_page_bytes + found.extent_chunks * ChunkBytes;
        result.free_bytes = found.free_bits * ChunkBytes + free_page_bytes;
        return result;
    }

private:
    using record = typename ref_type::record;
    static constexpr std::uint64_t rings = std::uint64_t{Classes::count} * tuning::shards;

    static std::uint64_t reserve_of(Space& space, heap_options const& options) {
        std::uint64_t const asked = options.reserve_bytes != 0 ? options.reserve_bytes : space.memory_bytes();
        return std::max(asked, options.heap_bytes);
    }

    static std::uint64_t ring_capacity_for(std::uint64_t heap_bytes) {
        std::uint64_t const entries = heap_bytes / tuning::ring_share / sizeof(std::uint64_t) / rings;
        return std::bit_floor(std::max(entries, tuning::smallest_ring));
    }

    void grow_zeroed(exec::region<Space>& region, std::uint64_t bytes) {
        std::uint64_t const held = region.committed_bytes();
        region.grow_to(bytes);
        space_.fill(region.data() + held, 0, region.committed_bytes() - held);
    }

    void drain() {
        launch(space_, cover_threads(space_, ring_capacity_),
               maintenance::drain_rings<ref_type>{ref(), Classes::count});
    }
    void reset_and_refill() {
        launch(space_, cover_threads(space_, rings),
               maintenance::reset_rings<ref_type>{ref(), Classes::count});
        launch(space_, cover_threads(space_, chunks_),
               maintenance::sort_out_chunks<ref_type>{ref(), chunks_});
    }
    void resize_rings(std::uint64_t capacity) {
        if (ring_capacity_ != 0) drain();
        ring_capacity_ = capacity;
        space_.fill(slots_.data(), 0xff, capacity * rings * sizeof(std::uint64_t));
        reset_and_refill();
    }

    Space space_;
    std::uint64_t reserve_bytes_;
    exec::region<Space> heap_;
    exec::region<Space> records_;
    exec::region<Space> mask_;
    exec::region<Space> slots_;
    exec::buffer<Space, chunk_store_state> state_;
    exec::buffer<Space, shard_state> shards_;
    exec::buffer<Space, maintenance::audit_counts> counts_; ///< kept: a full heap can be audited, too
    std::uint64_t chunks_ = 0;
    std::uint64_t ring_capacity_ = 0;
};

} // namespace rhizome::alloc
