// SPDX-License-Identifier: Apache-2.0
// The owner of a page_queue: bodies of page_queue.hpp.
#pragma once

namespace rhizome::alloc {

template <class Space, std::uint32_t PageBytes>
page_queue<Space, PageBytes>::page_queue(Space space, heap_options const& options)
    : space_(std::move(space)), heap_(space_, options, ref_type::block_bytes),
      slots_(space_, capacity_for(blocks_for(heap_.reserved_bytes())) * ref_type::shards, "allocator rings",
             fresh_elements::undefined),
      marks_(space_, blocks_for(heap_.reserved_bytes()), "allocator page marks", fresh_elements::zero),
      shards_(space_, ref_type::shards), counts_(space_, 1) {
    shards_.fill_bytes(0);
    grow_to(options.heap_bytes);
}

template <class Space, std::uint32_t PageBytes>
void page_queue<Space, PageBytes>::grow_to(std::uint64_t bytes) {
    bool const grown = heap_.grow_to(bytes, [&](std::uint64_t heap_bytes) {
        slots_.grow_to(capacity_for(blocks_for(heap_bytes)) * ref_type::shards);
        marks_.grow_to(blocks_for(heap_bytes));
    });
    if (!grown) return;
    std::uint64_t const wanted = blocks_for(heap_.heap_bytes());
    std::uint64_t const capacity = capacity_for(wanted);
    launch(space_, cover_threads(space_, ref_type::shards),
           page_queue_maintenance::settle_fresh<ref_type>{ref()});
    if (capacity == capacity_) {
        blocks_ = wanted;
        return;
    }
    drain();
    blocks_ = wanted;
    capacity_ = capacity;
    space_.fill(slots_.data(), 0xff,
                capacity * ref_type::shards * sizeof(std::uint32_t)); // page_ring_ref::empty
    refill();
}

template <class Space, std::uint32_t PageBytes>
void page_queue<Space, PageBytes>::trim() {
    if (blocks_ == 0) return;
    drain();
    refill();
}

template <class Space, std::uint32_t PageBytes>
audit_result page_queue<Space, PageBytes>::audit() {
    audit_result result;
    if (blocks_ == 0) return result;
    counts_.fill_bytes(0);
    clear_marks();
    launch(space_, cover_threads(space_, capacity_ * ref_type::shards),
           page_queue_maintenance::audit<ref_type>{ref(), marks_.data(), counts_.data()});
    page_queue_maintenance::audit_counts const found = counts_.to_host()[0];
    std::uint64_t const pages = blocks_ * ref_type::block_pages;
    auto const expect = [&](bool holds, std::uint64_t left, char const* equation, std::uint64_t right) {
        if (!holds)
            result.violations.push_back(std::string("page_queue: ") + equation + ": " + std::to_string(left) +
                                        " against " + std::to_string(right));
    };
    expect(found.misplaced_slots == 0, found.misplaced_slots, "slots filled outside [front, back) = 0", 0);
    expect(found.foreign_entries == 0, found.foreign_entries, "entries that name no page of theirs = 0", 0);
    expect(found.doubled_entries == 0, found.doubled_entries, "pages that are queued twice = 0", 0);
    expect(found.broken_rings == 0, found.broken_rings, "rings whose counters do not add up = 0", 0);
    std::uint64_t const free = found.fresh_pages + found.queued_pages;
    expect(free <= pages, free, "fresh + queued <= pages", pages);
    result.live_bytes = (pages - std::min(free, pages)) * PageBytes;
    result.free_bytes = std::min(free, pages) * PageBytes;
    return result;
}

template <class Space, std::uint32_t PageBytes>
void page_queue<Space, PageBytes>::clear_marks() {
    space_.fill(marks_.data(), 0, marks_.committed_bytes());
}

template <class Space, std::uint32_t PageBytes>
void page_queue<Space, PageBytes>::drain() {
    if (blocks_ == 0) return;
    clear_marks();
    launch(space_, cover_threads(space_, capacity_ * ref_type::shards),
           page_queue_maintenance::drain<ref_type>{ref(), marks_.data()});
}

template <class Space, std::uint32_t PageBytes>
void page_queue<Space, PageBytes>::refill() {
    launch(space_, cover_threads(space_, blocks_),
           page_queue_maintenance::refill<ref_type>{ref(), marks_.data()});
}

} // namespace rhizome::alloc
