// Ouroboros, the owner: pages from queues, chunks from a mask, large requests from extents, and one heap that
// grows.
#pragma once

#include <rhizome/alloc/concept.hpp>
#include <rhizome/alloc/heap_memory.hpp>
#include <rhizome/alloc/ouroboros/audit.hpp>
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
#include <string>
#include <utility>
#include <vector>

namespace rhizome::alloc {

/// One or more instances over one heap, on one space (Ouroboros, sections 3 to 5 and Algorithm 7). A request
/// goes to the first instance whose largest class holds it; larger requests go to the extents. The chunks of
/// an instance are whole multiples of the smallest chunks. Memory: the heap; about 1 % of it for chunk
/// records (a bit per 16-byte page); and for each instance with array queues 1/queue_share of it for their
/// rings. Virtualized queues take chunks of the heap, and virtual array queues also less than half a percent
/// of it beside it.
template <class Space, class... Instances>
class combined_ouroboros {
public:
    using space_type = Space;
    using ref_type = ouroboros_ref<Instances...>;

    /// Throws out_of_memory where the heap or its tables cannot be had.
    explicit combined_ouroboros(Space space, heap_options const& options = {});

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

    /// Rounds up to whole steps, and to the largest chunks.
    void grow_to(std::uint64_t bytes);

    /// Makes chunks whose pages are all free usable for every size again. Cost: a pass over queues and
    /// records.
    void trim();
    /// As trim(); also puts the free pages of other chunks into queues, as long as 1/16 of the heap's chunks
    /// is free. Pages that a trim or a growth leaves marked cost the threads that get them more, so call this
    /// while no request waits for chunks. Returns false if no more than 1/16 was free, so that pages have
    /// stayed marked: a larger heap would help. Waits.
    [[nodiscard]] bool requeue();

    /// Takes chunks with few live pages out of use, as many as other chunks of the class have free pages for.
    /// Afterwards ref().is_withheld() tells which blocks to move, ref().allocate() gives them new places, and
    /// ref().leave_withheld() gives the old ones back. trim() ends the withholding and frees the chunks that
    /// are empty. No other kernel may use the allocator meanwhile. Returns the bytes of the withheld chunks.
    /// If these are fewer than `least_bytes`, returns 0 and withholds nothing; the state is then as after
    /// trim(). Throws out_of_memory before it changes anything. Cost: that of trim(), and two passes over the
    /// records. Waits.
    [[nodiscard]] std::uint64_t withhold_sparse_chunks(std::uint64_t least_bytes);

    /// Brings pages for `requests` requests of the sizes that were requested before, and room for as many to
    /// come back, so that these need not wait for chunks. Runs beside the space's work and beside
    /// allocations; the owner's next operation waits for it. Takes chunks only if the heap has plenty. Does
    /// something only for queues of pages, and not on a host, whose threads wait for nothing. Returns at
    /// once.
    void restock(std::uint64_t requests);

    [[nodiscard]] std::uint64_t heap_bytes() const { return heap_.heap_bytes(); }
    [[nodiscard]] std::uint64_t table_bytes() const;
    /// A word in the memory of the space: bytes of pages that came back and were marked because no chunk
    /// could be had for their entries, counted each time, since the last trim() or requeue().
    [[nodiscard]] std::uint64_t* spilled_bytes() const {
        return const_cast<std::uint64_t*>(&state_.data()->spilled_bytes);
    }
    /// A word in the memory of the space: chunks that are free for every size; less while allocations run.
    [[nodiscard]] std::uint64_t* free_chunks() const {
        return const_cast<std::uint64_t*>(&state_.data()->count);
    }
    /// Words of the queues' own memory, of all shards of all instances: entries of array queues, and segments
    /// that virtualized array-hierarchy queues can name.
    [[nodiscard]] std::uint64_t queue_words() const;

    [[nodiscard]] audit_result audit();

private:
    using record = typename ref_type::record;
    static constexpr std::uint64_t base_bytes = ref_type::base_bytes;
    static constexpr std::int64_t nothing_is_plenty = std::numeric_limits<std::int64_t>::max();
    static constexpr std::uint64_t step_bytes =
        base_bytes * std::max(tuning::chunks_per_step, ref_type::most_span);

    /// The numbers that depend on the heap's size.
    struct shape {
        std::uint64_t words_a_part = 0;
        std::uint32_t shards = 0;
        std::uint64_t kept_chunks = 0;
        [[nodiscard]] bool has_queues_of(shape const& other) const {
            return words_a_part == other.words_a_part && shards == other.shards;
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
            return of.words_a_part * of.shards * word_parts;
        }
        [[nodiscard]] instance_tables tables() const {
            return {const_cast<shard_state*>(shards.data()), words.data(), now.words_a_part, now.shards,
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
    /// their bytes.
    template <class Instance>
    [[nodiscard]] static std::uint64_t decide_withheld(class_occupancy*& next);
    /// The number of size classes of all instances.
    [[nodiscard]] static constexpr std::size_t all_classes() {
        return (std::size_t{Instances::classes::count} + ...);
    }
    [[nodiscard]] std::uint64_t longest_pass() const;
    /// Orders later work of the space after restocking, and later restocking after that work.
    void come_to_rest() {
        if (restocking_) side_.work_awaits();
        restocking_ = false;
        maintained_ = true;
    }
    void drain();
    void reset_and_sort_out();
    /// `plenty`: the number of free chunks above which some may become segments of queues.
    void queue_marked_pages(std::int64_t plenty);

    [[nodiscard]] audit_result result_of(maintenance::audit_counts const& found,
                                         chunk_store_state const& store) const;

    Space space_;
    std::uint64_t queue_share_;
    std::uint32_t shards_; ///< asked for; 0: by the heap's size
    heap_memory<Space> heap_;
    heap_table<Space, record> records_;
    heap_table<Space, std::uint64_t> mask_; ///< behind the tree over it
    exec::buffer<Space, chunk_store_state> state_;
    std::array<host_tables, sizeof...(Instances)> instances_;
    exec::buffer<Space, maintenance::audit_counts> counts_; ///< kept, so that an audit needs no memory
    std::uint64_t chunks_ = 0;
    bool restocking_ = false;     ///< in progress beside the space's work, which does not wait for it yet
    bool maintained_ = true;      ///< the space has work that restocking does not wait for yet
    exec::side_lane<Space> side_; ///< destroyed first: it waits for restocking
};

/// One instance over a heap of its own: the six allocators of the paper are
/// {page, chunk} x {array_queue, virtual_array_queue, virtual_linked_queue}.
template <class Space, class Granularity = page, class Queue = array_queue,
          class Classes = power_of_two_classes<>, std::uint32_t ChunkBytes = 8192>
using ouroboros = combined_ouroboros<Space, instance<Granularity, Queue, Classes, ChunkBytes>>;

} // namespace rhizome::alloc

#include <rhizome/alloc/ouroboros/ouroboros.inl>

#if defined(RHIZOME_COMPILED) // the library is linked, and holds common allocators compiled
#include <rhizome/alloc/compiled.hpp>
#endif
