// SPDX-License-Identifier: Apache-2.0
// The host side of ouroboros. Small requests get pages (queues per size class), larger ones runs of chunks
// (extents). Terms: alloc/README.md, and README.md of this folder.
#pragma once

#include <rhizome/alloc/concept.hpp>
#include <rhizome/alloc/heap_memory.hpp>
#include <rhizome/alloc/moved_chunks.hpp>
#include <rhizome/alloc/ouroboros/audit.hpp>
#include <rhizome/alloc/ouroboros/chunk_move_plan.hpp>
#include <rhizome/alloc/ouroboros/chunk_moves.hpp>
#include <rhizome/alloc/ouroboros/device.hpp>
#include <rhizome/alloc/ouroboros/maintenance.hpp>
#include <rhizome/alloc/size_classes.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/side_lane.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::alloc {

/// An allocator of one or more instances that share one heap (Winter et al., Ouroboros, ICS 2020, sections 3
/// to 5 and Algorithm 7). An instance is a set of size classes with its own kind of queue and its own chunk
/// size (instance.hpp). The first instance whose largest class holds a request serves it. Requests that are
/// larger than all classes get extents. The chunk size of each instance is a multiple of the smallest chunk
/// size.
///
/// Memory: the heap; about 1 % of its size for chunk records (a bit per 16-byte page); and, per instance with
/// array queues, 1/queue_share of the heap's size for the queues. Virtualized queues store their entries in
/// chunks of the heap. Virtual array queues also need a table outside the heap, of less than 0.5 % of the
/// heap's size.
template <class Space, class... Instances>
class combined_ouroboros {
public:
    using space_type = Space;
    using ref_type = ouroboros_ref<Instances...>;

    /// Makes the allocator with a heap of options.heap_bytes. Throws out_of_memory if there is no memory or
    /// address space for the heap or its tables.
    explicit combined_ouroboros(Space space, heap_options const& options = {});

    /// A ref for kernels. Valid until the next grow_to(). Does not wait.
    [[nodiscard]] ref_type ref() const {
        typename ref_type::tables tables;
        for (std::size_t i = 0; i < instances_.size(); ++i)
            tables.of[i] = instances_[i].tables();
        return {{heap_.data(),
                 chunk_store_ref(const_cast<chunk_store_state*>(state_.data()), mask_.data(),
                                 mask_.data() + tree_words(), (chunks_ + 63) / 64),
                 records_.data()},
                tables};
    }

    /// Makes the heap at least `bytes` large, rounded up to a multiple of 8 of the smallest chunks (or of the
    /// largest chunk, if that is more). Throws out_of_memory; the heap is then unchanged. Older refs become
    /// invalid in both cases, and no kernel may use the allocator meanwhile. The host waits only where a
    /// short table moves (heap_table). If the queues must change their size, it costs as much as trim().
    void grow_to(std::uint64_t bytes);

    /// Makes chunks whose pages are all free usable for every size again. No kernel may use the allocator
    /// meanwhile. Cost: a pass over queues and records.
    void trim();
    /// Calls trim(), and then puts the free pages of chunks that are still in use into queues, as long as
    /// more than 1/16 of the heap's chunks are free. trim() and grow_to() only mark free pages in their
    /// chunks, where requests find them more slowly; call requeue() between batches to queue them. Returns
    /// false if at most 1/16 of the chunks were free. Some pages then stay marked, and a larger heap would
    /// make requests faster. Waits.
    [[nodiscard]] bool requeue();

    /// Takes chunks with few live pages out of use (withholds them), so that their pages can be moved to
    /// other chunks. It withholds as many as possible while the other chunks of the class keep a free page
    /// for each live page of the withheld chunks. Afterwards the caller moves each block for which
    /// ref().is_withheld() is true: ref().allocate() returns the new block, and ref().leave_withheld() gives
    /// the old one back. trim() ends the withholding and frees the chunks that are empty. No other kernel
    /// may use the allocator meanwhile.
    ///
    /// `most_moved_bytes`: at most so many bytes of pages have to be moved. Returns the bytes of the withheld
    /// chunks. If these are fewer than `least_bytes`, returns 0 and withholds nothing; the state is then as
    /// after trim(). Throws out_of_memory before it changes anything. Cost: that of trim(), and two passes
    /// over the records. Waits.
    [[nodiscard]] std::uint64_t
    withhold_sparse_chunks(std::uint64_t least_bytes,
                           std::uint64_t most_moved_bytes = std::numeric_limits<std::uint64_t>::max());

    /// Moves chunks from the end of the heap into free chunks below, extents included, and gives the memory
    /// at the end back to the device or the operating system. The heap does not become smaller than it was at
    /// the start (heap_options::heap_bytes), and keeps a free chunk for every 64 in use, if so many are free.
    /// Copies at most `most_moved_bytes`. Older refs become invalid, and no kernel may use the allocator
    /// meanwhile.
    ///
    /// Returns where the chunks are now: the caller replaces the address of each live block by
    /// ref().now(address). The caller must do this for every live block: the old addresses are free.
    /// Afterwards the state is that after requeue(). Throws out_of_memory if the space or the host has no
    /// memory for the plan; no block has moved then, and the state is that after trim().
    ///
    /// Scratch: 12 bytes for each chunk of the heap (0.15 % of it). Cost: that of trim() twice, a pass over
    /// the chunks on the host, and reading and writing the chunks that move. Waits; if memory is given back,
    /// for all work of the device.
    [[nodiscard]] moved_chunks<Space>
    pack_chunks(std::uint64_t most_moved_bytes) requires(ref_type::most_span == 1) {
        return pack(most_moved_bytes);
    }

    /// Prepares free pages for the next `requests` requests in the size classes used so far, and queue space
    /// for as many freed pages. Later requests then need not divide new chunks into pages. Runs concurrently
    /// with the space's work and with allocations. Later operations of the owner are ordered after it; the
    /// host does not wait. Takes only a small share of the free chunks. Does nothing on the host space, nor
    /// for instances whose queues hold chunks.
    void restock(std::uint64_t requests);

    /// The size of the heap in bytes.
    [[nodiscard]] std::uint64_t heap_bytes() const { return heap_.heap_bytes(); }
    /// Bytes outside the heap: chunk records, chunk mask, arrays of the queues, counters, and memory that was
    /// committed beyond the end of the heap because commits are rounded up.
    [[nodiscard]] std::uint64_t table_bytes() const;
    /// A word in the memory of the space: bytes of pages that threads freed but could only mark, because no
    /// chunk was free for the queue entry. A page that is marked twice in this way counts twice. trim() and
    /// requeue() set the word to 0.
    [[nodiscard]] std::uint64_t* spilled_bytes() const {
        return const_cast<std::uint64_t*>(&state_.data()->spilled_bytes);
    }
    /// A word in the memory of the space: the number of free chunks. Read it as std::int64_t: while
    /// allocations run it may be too low, even negative.
    [[nodiscard]] std::uint64_t* free_chunks() const {
        return const_cast<std::uint64_t*>(&state_.data()->count);
    }
    /// The length of the queues' own arrays in 64-bit words, summed over all shards of all instances: one
    /// word per entry of array queues, and one per possible segment of virtual array queues.
    [[nodiscard]] std::uint64_t queue_words() const;

    /// Checks the invariants with two kernels over all chunks and queues. No kernel may use the allocator
    /// meanwhile. Allocates nothing. Waits.
    [[nodiscard]] audit_result audit();

private:
    using record = typename ref_type::record;
    static constexpr std::uint64_t base_bytes = ref_type::base_bytes;
    static constexpr std::int64_t nothing_is_plenty = std::numeric_limits<std::int64_t>::max();
    static constexpr std::uint64_t step_bytes =
        base_bytes * std::max(tuning::chunks_per_step, ref_type::most_span);

    /// The numbers that depend on the heap's size.
    struct shape {
        std::uint64_t words_per_part = 0;
        std::uint32_t shards = 0;
        std::uint64_t kept_chunks = 0;
        [[nodiscard]] bool has_queues_of(shape const& other) const {
            return words_per_part == other.words_per_part && shards == other.shards;
        }
    };
    /// One instance.
    struct host_tables {
        shape (*shape_for)(std::uint64_t heap_bytes, std::uint64_t queue_share, std::uint32_t shards);
        std::uint32_t word_parts; ///< of each shard
        heap_table<Space, std::uint64_t> words;
        exec::buffer<Space, shard_state> shards;
        shape now{};
        shape next{};

        [[nodiscard]] std::uint64_t words_in(shape const& of) const {
            return of.words_per_part * of.shards * word_parts;
        }
        [[nodiscard]] instance_tables tables() const {
            return {const_cast<shard_state*>(shards.data()), words.data(), now.words_per_part, now.shards,
                    now.kept_chunks};
        }
    };

    template <class Instance>
    static shape shape_of(std::uint64_t heap_bytes, std::uint64_t queue_share, std::uint32_t asked);
    template <class Instance>
    static host_tables host_instance(Space& space, combined_ouroboros const& owner);

    /// The tree over the mask lies before the mask, sized for the largest possible heap.
    [[nodiscard]] static std::uint64_t tree_words_of(std::uint64_t reserved_chunks) {
        return free_runs_ref::tree_words((reserved_chunks + 63) / 64);
    }
    [[nodiscard]] static std::uint64_t mask_words(std::uint64_t reserved_chunks) {
        return tree_words_of(reserved_chunks) + (reserved_chunks + 63) / 64;
    }
    [[nodiscard]] std::uint64_t tree_words() const {
        return tree_words_of(heap_.reserved_bytes() / base_bytes);
    }
    /// Decides for the classes of one instance, which begin at `next`, which chunks are withheld. Returns
    /// their bytes, and takes the bytes that have to be moved off `most_moved_bytes`.
    template <class Instance>
    [[nodiscard]] static std::uint64_t decide_withheld(class_occupancy*& next,
                                                       std::uint64_t& most_moved_bytes);
    /// The number of size classes of all instances.
    [[nodiscard]] static constexpr std::size_t all_classes() {
        return (std::size_t{Instances::classes::count} + ...);
    }
    [[nodiscard]] std::uint64_t longest_pass() const;
    /// Orders later work of the space after restocking, and the next restocking after that work.
    void come_to_rest() {
        if (restocking_) side_.work_awaits();
        restocking_ = false;
        maintained_ = true;
    }
    [[nodiscard]] moved_chunks<Space> pack(std::uint64_t most_moved_bytes);
    [[nodiscard]] chunk_move_plan plan_moves(std::uint32_t* headers, std::uint64_t most_moved_bytes);
    void make_chunk_moves(std::vector<chunk_move> const& moves, chunk_move* in_space,
                          std::uint32_t* moved_to);
    void shrink_to(std::uint64_t bytes);
    void drain();
    void reset_and_sort_out();
    /// `plenty`: the number of free chunks above which some may become segments of queues.
    void queue_marked_pages(std::int64_t plenty);
    /// The number of free chunks above which requeue() makes segments of queues.
    [[nodiscard]] std::int64_t plenty_of_chunks() const {
        return static_cast<std::int64_t>(chunks_ / tuning::requeue_share);
    }

    [[nodiscard]] audit_result result_of(maintenance::audit_counts const& found,
                                         chunk_store_state const& store) const;

    Space space_;
    std::uint64_t queue_share_;
    std::uint32_t shards_; ///< asked for; 0: by the heap's size
    std::uint64_t least_heap_bytes_;
    heap_memory<Space> heap_;
    heap_table<Space, record> records_;
    heap_table<Space, std::uint64_t> mask_; ///< the tree over the mask, then the mask
    exec::buffer<Space, chunk_store_state> state_;
    std::array<host_tables, sizeof...(Instances)> instances_;
    exec::buffer<Space, maintenance::audit_counts> counts_; ///< kept, so that an audit needs no memory
    std::uint64_t chunks_ = 0;
    bool restocking_ = false;     ///< a restock() was launched; work of the space is not ordered after it yet
    bool maintained_ = true;      ///< the space has work after which restocking is not ordered yet
    exec::side_lane<Space> side_; ///< destroyed first: it waits for restocking
};

} // namespace rhizome::alloc

#include <rhizome/alloc/ouroboros/ouroboros.inl>

#if defined(RHIZOME_COMPILED) // the library is linked, and holds common allocators compiled
#include <rhizome/alloc/compiled.hpp>
#endif
