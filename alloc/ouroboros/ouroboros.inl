// SPDX-License-Identifier: Apache-2.0
// The owner of an ouroboros: bodies of ouroboros.hpp.
#pragma once

namespace rhizome::alloc {

template <class Space, class... Instances>
combined_ouroboros<Space, Instances...>::combined_ouroboros(Space space, heap_options const& options)
    : space_(std::move(space)),
      queue_share_(options.queue_share != 0 ? options.queue_share : tuning::queue_share),
      shards_(options.shards), least_heap_bytes_(options.heap_bytes), heap_(space_, options, step_bytes),
      records_(space_, heap_.reserved_bytes() / base_bytes, "allocator chunk records", fresh_elements::zero),
      mask_(space_, mask_words(heap_.reserved_bytes() / base_bytes), "allocator chunk mask",
            fresh_elements::zero),
      state_(space_, 1), instances_{host_instance<Instances>(space_, *this)...}, counts_(space_, 1),
      side_(space_) {
    state_.fill_bytes(0);
    grow_to(options.heap_bytes);
    // Creates the second stream now: restock() must not fail.
    if (space_.tile_lanes(32) != 1 && ref().restock_groups() != 0) static_cast<void>(side_.space());
}

template <class Space, class... Instances>
void combined_ouroboros<Space, Instances...>::grow_to(std::uint64_t bytes) {
    bool reshaped = false;
    bool const grown = heap_.grow_to(bytes, [&](std::uint64_t heap_bytes) {
        come_to_rest();
        records_.grow_to(heap_bytes / base_bytes);
        mask_.grow_to(tree_words() + (heap_bytes / base_bytes + 63) / 64);
        for (host_tables& instance : instances_) {
            instance.next = instance.shape_for(heap_bytes, queue_share_, shards_);
            reshaped = reshaped || !instance.next.has_queues_of(instance.now);
            instance.words.grow_to(instance.words_in(instance.next));
        }
    });
    if (!grown) return;
    std::uint64_t const first_chunk = std::exchange(chunks_, heap_.heap_bytes() / base_bytes);
    maintenance::add_chunks<ref_type> const add{ref(), first_chunk, chunks_ - first_chunk};
    launch(space_, cover_threads(space_, chunks_ - first_chunk), add);
    if (reshaped && first_chunk != 0) drain();
    for (host_tables& instance : instances_)
        instance.now = instance.next;
    if (!reshaped) return;
    reset_and_sort_out();
    queue_marked_pages(plenty_of_chunks()); // where they were: no requeue() need follow
}

template <class Space, class... Instances>
void combined_ouroboros<Space, Instances...>::trim() {
    if (chunks_ == 0) return;
    come_to_rest();
    drain();
    reset_and_sort_out();
    queue_marked_pages(nothing_is_plenty);
}

template <class Space, class... Instances>
bool combined_ouroboros<Space, Instances...>::requeue() {
    if (chunks_ == 0) return true;
    come_to_rest();
    drain();
    reset_and_sort_out();
    queue_marked_pages(plenty_of_chunks());
    return static_cast<std::int64_t>(state_.to_host()[0].count) > plenty_of_chunks();
}

template <class Space, class... Instances>
std::uint64_t
combined_ouroboros<Space, Instances...>::withhold_sparse_chunks(std::uint64_t least_bytes,
                                                                std::uint64_t most_moved_bytes) {
    if (chunks_ == 0) return 0;
    std::vector<class_occupancy> found(all_classes());
    exec::buffer<Space, class_occupancy> classes(space_, found.size());
    classes.fill_bytes(0);
    come_to_rest();
    drain();
    reset_and_sort_out();
    launch(space_, cover_threads(space_, chunks_),
           maintenance::count_occupancy<ref_type>{ref(), chunks_, classes.data()});
    space_.copy_out(found.data(), classes.data(), classes.size_bytes());
    class_occupancy* next = found.data();
    std::uint64_t const bytes = (decide_withheld<Instances>(next, most_moved_bytes) + ...);
    bool const pays = bytes != 0 && bytes >= least_bytes;
    if (pays) {
        space_.copy_in(classes.data(), found.data(), classes.size_bytes());
        launch(space_, cover_threads(space_, chunks_),
               maintenance::withhold_chunks<ref_type>{ref(), chunks_, classes.data()});
    }
    queue_marked_pages(nothing_is_plenty);
    return pays ? bytes : 0;
}

template <class Space, class... Instances>
moved_chunks<Space> combined_ouroboros<Space, Instances...>::pack(std::uint64_t most_moved_bytes) {
    if (chunks_ == 0) return moved_chunks<Space>(space_);
    come_to_rest();
    drain();
    reset_and_sort_out();
    exec::buffer<Space, std::uint32_t> words(space_); // a word for each chunk, and room for as many moves
    chunk_move_plan plan;
    try { // nothing has moved yet
        words.discard_and_resize(chunks_ * (1 + sizeof(chunk_move) / sizeof(std::uint32_t)));
        plan = plan_moves(words.data(), most_moved_bytes);
    } catch (...) {
        queue_marked_pages(nothing_is_plenty);
        throw;
    }
    auto* const moves = reinterpret_cast<chunk_move*>(words.data() + chunks_);
    if (plan.moves() != 0) space_.fill(words.data(), 0xff, chunks_ * sizeof(std::uint32_t)); // `stayed`
    make_chunk_moves(plan.pages, moves, words.data());
    make_chunk_moves(plan.extents, moves, words.data());
    shrink_to(plan.end * base_bytes);
    queue_marked_pages(plenty_of_chunks());
    return {heap_.data(), base_bytes, std::move(words), plan.moves()};
}

/// Lists the headers of all chunks in `headers` and plans with them on the host. Throws out_of_memory, also
/// if the host has no memory for the plan.
template <class Space, class... Instances>
chunk_move_plan combined_ouroboros<Space, Instances...>::plan_moves(std::uint32_t* headers,
                                                                    std::uint64_t most_moved_bytes) {
    launch(space_, cover_threads(space_, chunks_),
           maintenance::list_headers<ref_type>{ref(), chunks_, headers});
    try {
        std::vector<std::uint32_t> listed(chunks_);
        space_.copy_out(listed.data(), headers, chunks_ * sizeof(std::uint32_t));
        return plan_chunk_moves(
            listed, tuning::packed_free_share, most_moved_bytes / base_bytes, [&](std::uint64_t end) {
                return heap_.shrunk_bytes(std::max(end * base_bytes, least_heap_bytes_)) / base_bytes;
            });
    } catch (std::bad_alloc const&) {
        throw exec::out_of_memory("host memory for the plan of a compaction", chunks_ * sizeof(std::uint32_t),
                                  0);
    }
}

template <class Space, class... Instances>
void combined_ouroboros<Space, Instances...>::make_chunk_moves(std::vector<chunk_move> const& moves,
                                                               chunk_move* in_space,
                                                               std::uint32_t* moved_to) {
    if (moves.empty()) return;
    space_.copy_in(in_space, moves.data(), moves.size() * sizeof(chunk_move));
    launch(space_, cover_tiles<32>(space_, moves.size()),
           maintenance::move_chunks<ref_type>{ref(), heap_.data(), in_space, moves.size(), moved_to});
}

/// Makes the heap as small as it can be with at least `bytes`. Precondition: all chunks beyond are free, and
/// the queues are empty, as after reset_and_sort_out().
template <class Space, class... Instances>
void combined_ouroboros<Space, Instances...>::shrink_to(std::uint64_t bytes) {
    std::uint64_t const left_bytes = heap_.shrunk_bytes(std::max(bytes, least_heap_bytes_));
    if (left_bytes >= heap_.heap_bytes()) return;
    std::uint64_t const left = left_bytes / base_bytes;
    launch(space_, cover_threads(space_, chunks_ - left),
           maintenance::remove_chunks<ref_type>{ref(), left, chunks_ - left});
    chunks_ = left;
    heap_.shrink_to(left_bytes);
    for (host_tables& instance : instances_) {
        shape const next = instance.shape_for(left_bytes, queue_share_, shards_);
        try {
            instance.words.grow_to(instance.words_in(next)); // fewer shards may have longer queues
        } catch (exec::out_of_memory const&) {
            continue; // the queues of the larger heap serve as well
        }
        instance.now = next;
    }
    reset_and_sort_out();
    for (host_tables& instance : instances_)
        instance.words.shrink_to(instance.words_in(instance.now));
    records_.shrink_to(chunks_);
    mask_.shrink_to(tree_words() + (chunks_ + 63) / 64);
}

template <class Space, class... Instances>
void combined_ouroboros<Space, Instances...>::restock(std::uint64_t requests) {
    if (space_.tile_lanes(32) == 1) return;
    auto const now = ref();
    if (now.restock_groups() == 0) return;
    if (maintained_) side_.awaits_work();
    maintained_ = false;
    launch(side_.space(), exec::cover_tiles<32>(space_, now.restock_groups()),
           maintenance::restock<ref_type>{now, requests});
    restocking_ = true;
}

template <class Space, class... Instances>
std::uint64_t combined_ouroboros<Space, Instances...>::table_bytes() const {
    std::uint64_t bytes = records_.committed_bytes() + mask_.committed_bytes() + state_.size_bytes() +
                          counts_.size_bytes() + heap_.spare_bytes();
    for (host_tables const& instance : instances_)
        bytes += instance.words.committed_bytes() + instance.shards.size_bytes();
    return bytes;
}

template <class Space, class... Instances>
std::uint64_t combined_ouroboros<Space, Instances...>::queue_words() const {
    std::uint64_t words = 0;
    for (host_tables const& instance : instances_)
        words += instance.words_in(instance.now);
    return words;
}

template <class Space, class... Instances>
audit_result combined_ouroboros<Space, Instances...>::audit() {
    come_to_rest();
    counts_.fill_bytes(0);
    launch(space_, cover_threads(space_, chunks_),
           maintenance::audit_chunks<ref_type>{ref(), chunks_, counts_.data()});
    launch(space_, cover_threads(space_, longest_pass()),
           maintenance::audit_shards<ref_type>{ref(), chunks_, counts_.data()});
    return result_of(counts_.to_host()[0], state_.to_host()[0]);
}

template <class Space, class... Instances>
template <class Instance>
auto combined_ouroboros<Space, Instances...>::shape_of(std::uint64_t heap_bytes, std::uint64_t queue_share,
                                                       std::uint32_t asked) -> shape {
    constexpr std::uint64_t classes = Instance::classes::count;
    std::uint64_t const chunks = heap_bytes / Instance::chunk_bytes;
    auto const few = std::clamp<std::uint64_t>(chunks / tuning::chunks_per_few, 1, tuning::few_shards);
    std::uint64_t const least = asked != 0 ? std::min(asked, tuning::shards_at_most) : few;
    std::uint64_t const most = asked != 0 ? least : tuning::shards_at_most;
    auto const shards = std::clamp<std::uint64_t>(chunks / (classes * tuning::chunks_per_shard), least, most);
    shape made;
    made.shards = static_cast<std::uint32_t>(std::bit_floor(shards));
    made.words_per_part = Instance::queue_policy::words_for(heap_bytes, queue_share, classes * made.shards,
                                                            Instance::chunk_bytes / sizeof(std::uint64_t));
    made.kept_chunks = tuning::kept_segments * (heap_bytes / base_bytes) / queue_share;
    return made;
}

template <class Space, class... Instances>
template <class Instance>
auto combined_ouroboros<Space, Instances...>::host_instance(Space& space, combined_ouroboros const& owner)
    -> host_tables {
    std::uint64_t const heap_bytes = owner.heap_.reserved_bytes();
    std::uint64_t const rings = std::uint64_t{Instance::classes::count} * tuning::shards_at_most;
    std::uint64_t words = 0;
    // Fewer shards have longer queues: takes the most words that a heap of any size up to the reserved one
    // may need.
    for (std::uint64_t shards = 1; shards <= tuning::shards_at_most; shards *= 2) {
        std::uint64_t const words_per_part = Instance::queue_policy::words_for(
            heap_bytes, owner.queue_share_, Instance::classes::count * shards,
            Instance::chunk_bytes / sizeof(std::uint64_t));
        words = std::max(words, words_per_part * Instance::word_parts * shards);
    }
    host_tables made{
        &shape_of<Instance>, Instance::word_parts,
        heap_table<Space, std::uint64_t>(space, words, "allocator queues", fresh_elements::undefined),
        exec::buffer<Space, shard_state>(space, rings)};
    made.shards.fill_bytes(0);
    return made;
}

template <class Space, class... Instances>
template <class Instance>
std::uint64_t combined_ouroboros<Space, Instances...>::decide_withheld(class_occupancy*& next,
                                                                       std::uint64_t& most_moved_bytes) {
    std::uint64_t chunks = 0;
    for (std::uint32_t c = 0; c < Instance::classes::count; ++c, ++next) {
        std::uint32_t const page_bytes = Instance::classes::bytes_of(c);
        chunks += next->decide(Instance::chunk_bytes / page_bytes, most_moved_bytes / page_bytes);
        most_moved_bytes -= next->moving * page_bytes;
    }
    return chunks * Instance::chunk_bytes;
}

template <class Space, class... Instances>
std::uint64_t combined_ouroboros<Space, Instances...>::longest_pass() const {
    std::uint64_t threads = tuning::shards_at_most;
    for (host_tables const& instance : instances_)
        threads = std::max(threads, instance.now.words_per_part);
    return threads;
}

template <class Space, class... Instances>
void combined_ouroboros<Space, Instances...>::drain() {
    launch(space_, cover_threads(space_, std::max(longest_pass(), chunks_)),
           maintenance::drain_queues<ref_type>{ref(), chunks_});
}

template <class Space, class... Instances>
void combined_ouroboros<Space, Instances...>::reset_and_sort_out() {
    // Drained slots are empty already; indices of removed segments must be cleared too.
    for (host_tables& instance : instances_)
        space_.fill(instance.words.data(), 0xff, instance.words_in(instance.now) * sizeof(std::uint64_t));
    launch(space_, cover_threads(space_, std::uint64_t{256} * tuning::shards_at_most),
           maintenance::reset_shards<ref_type>{ref()});
    launch(space_, cover_threads(space_, chunks_), maintenance::sort_out_chunks<ref_type>{ref(), chunks_});
}

template <class Space, class... Instances>
void combined_ouroboros<Space, Instances...>::queue_marked_pages(std::int64_t plenty) {
    launch(space_, cover_tiles<32>(space_, chunks_),
           maintenance::queue_marked_pages<ref_type>{ref(), chunks_, plenty});
}

template <class Space, class... Instances>
audit_result combined_ouroboros<Space, Instances...>::result_of(maintenance::audit_counts const& found,
                                                                chunk_store_state const& store) const {
    audit_result result;
    auto const expect_equal = [&](std::uint64_t left, std::uint64_t right, char const* equation) {
        if (left != right)
            result.violations.push_back(std::string("ouroboros: ") + equation + ": " + std::to_string(left) +
                                        " != " + std::to_string(right));
    };
    expect_equal(store.count, found.free_bits, "chunk count = free bits");
    expect_equal(store.given - store.taken, found.free_bits, "chunks given - taken = free bits");
    expect_equal(found.lost_runs, 0, "free runs of chunks that the tree over the mask does not know = 0");
    expect_equal(motion_ref::movers(store.searches), 0, "searches for extents under way = 0");
    expect_equal(found.free_with_header, 0, "free chunks with a header = 0");
    expect_equal(found.free_bits + found.page_chunks + found.queue_chunks + found.extent_chunks, chunks_,
                 "free + page + queue + extent chunks = chunks");
    expect_equal(found.torn_chunks, 0, "chunks whose parts are of different use = 0");
    expect_equal(found.foreign_entries, 0, "queue entries that name no page or chunk of their class = 0");
    expect_equal(found.doubled_entries, 0, "queue entries that are spilled as well = 0");
    expect_equal(found.foreign_marks, 0, "chunks with marks beyond their pages = 0");
    expect_equal(found.unlisted_marks, 0, "chunks with marked pages that are not flagged = 0");
    expect_equal(found.miscounted_marks, 0, "chunks that count other than their marks = 0");
    expect_equal(found.flagged_chunks, found.listed_chunks, "flagged chunks = chunks in lists and queues");
    expect_equal(found.foreign_listed, 0, "entries of lists that do not belong there = 0");
    expect_equal(found.expected_chunks, found.listed_chunks, "expected chunks = chunks in lists");
    expect_equal(found.broken_counters, 0, "queues whose counters do not add up = 0");
    expect_equal(found.broken_slots, 0, "slots that are not as the counters say = 0");
    expect_equal(found.queue_chunks, found.counted_segments, "queue chunks = installed - retired");
    expect_equal(store.segments, found.counted_segments, "segments of the heap = installed - retired");
    expect_equal(found.broken_segments, 0, "segments that their queue does not find = 0");
    std::uint64_t const free_page_bytes = found.queued_bytes + found.spilled_bytes + found.uncut_bytes;
    if (free_page_bytes > found.page_bytes)
        result.violations.push_back(
            "ouroboros: bytes of free pages <= bytes of pages: " + std::to_string(free_page_bytes) + " > " +
            std::to_string(found.page_bytes));
    result.live_bytes = found.page_bytes - free_page_bytes + found.extent_chunks * base_bytes;
    result.free_bytes = found.free_bits * base_bytes + free_page_bytes;
    result.marked_bytes = found.spilled_bytes;
    result.overhead_bytes = found.queue_chunks * base_bytes;
    return result;
}

} // namespace rhizome::alloc
