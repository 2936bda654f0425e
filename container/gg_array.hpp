// SPDX-License-Identifier: Apache-2.0
// gg_array: an array that grows inside kernels.
#pragma once

#include <rhizome/alloc/concept.hpp>
#include <rhizome/container/concept.hpp>
#include <rhizome/container/gg_kernels.hpp>
#include <rhizome/container/gg_ref.hpp>
#include <rhizome/container/runs.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/sizes.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::container {

/// The shape of a gg_array.
struct gg_array_options {
    /// Number of vectors. Blocks take the vectors in turn: if a launch has at most as many blocks as the
    /// array has vectors, no two blocks use the same counter.
    std::uint32_t vectors = 512;
    /// Elements of the first bucket of each vector; a power of two.
    std::uint64_t first_bucket = 1024;
};

/// An array that grows inside kernels, without the host: vectors of buckets that double in size, and an index
/// over the vectors (Meneses, GGArray - A Dynamically Growable GPU Array, section 3.1). Buckets come from the
/// allocator `heap`, which may serve other users too: any allocator of alloc/ that serves blocks as large as
/// the largest bucket. It holds at most about twice the memory of its elements, and the first buckets.
///
/// Memory: 396 bytes per vector, from the space, beside the buckets. flatten() without argument and to_host()
/// take memory of the space for all elements, and throw exec::out_of_memory. The heap must stay where it is
/// while the array lives.
template <class Space, array_element T, alloc::allocator_owner Heap>
class gg_array {
    using allocator_ref = typename Heap::ref_type;
    static_assert(allocator_ref::traits::alignment_bytes >= 16, "runs move in accesses of 16 bytes");

public:
    using space_type = Space;
    using value_type = T;
    using ref_type = gg_ref<T, allocator_ref>;

    /// An empty array without buckets. `heap` outlives the array. Throws exec::out_of_memory, and
    /// std::invalid_argument for 0 vectors, or a first bucket whose size is not a power of two.
    gg_array(Space space, Heap& heap, gg_array_options const& options = {})
        : space_(std::move(space)), heap_(&heap), shape_(checked(options)), vectors_(space_, options.vectors),
          starts_(space_, std::uint64_t{options.vectors} + 1), buckets_before_(space_, options.vectors),
          totals_(space_, 1) {
        vectors_.fill_bytes(0);
        starts_.fill_bytes(0);
        totals_.fill_bytes(0);
    }
    gg_array(gg_array&& other) noexcept
        : space_(other.space_), heap_(std::exchange(other.heap_, nullptr)), shape_(other.shape_),
          vectors_(std::move(other.vectors_)), starts_(std::move(other.starts_)),
          buckets_before_(std::move(other.buckets_before_)), totals_(std::move(other.totals_)) {}
    gg_array& operator=(gg_array&&) = delete;
    /// Gives all buckets back to the heap.
    ~gg_array() {
        if (heap_ == nullptr) return;
        try {
            shrink_to(0);
        } catch (...) { // the device is unusable, and its memory with it
        }
    }

    /// A ref for kernels. Valid until the heap's owner grows.
    [[nodiscard]] ref_type ref() const { return {table(), heap_->ref()}; }

    /// Recomputes the index over the vectors, takes back claims that were refused, and lets vectors that were
    /// refused a bucket ask again. Cost: a launch of one block.
    void settle() { settle_for(0); }
    /// The number of elements. Settles and waits.
    [[nodiscard]] std::uint64_t size() {
        settle();
        std::uint64_t size = 0;
        space_.copy_out(&size, starts_.data() + shape_.vectors, sizeof size);
        return size;
    }
    /// The number of elements for which the buckets have room. Settles and waits.
    [[nodiscard]] std::uint64_t capacity() {
        settle();
        return totals_.to_host()[0].capacity;
    }

    /// Adds buckets until each vector has room for size / vectors() elements. The host does not wait: what
    /// the heap refuses is missing in capacity(). Cost: three launches, of which one has a warp for each
    /// vector.
    void request_capacity(std::uint64_t size) {
        settle();
        std::uint64_t const each = places_each(size);
        launch(space_, cover_tiles<32>(space_, shape_.vectors),
               detail::grow_vectors<T, allocator_ref>{table(), heap_->ref(), each, buckets_before_.data()});
        settle_for(each);
    }
    /// As request_capacity(). Waits. Throws exec::out_of_memory if a vector would have less room: the heap
    /// then has the new buckets back, and the capacity is as before. (A `bump` takes nothing back.)
    void reserve(std::uint64_t size) {
        request_capacity(size);
        detail::gg_totals const totals = totals_.to_host()[0];
        if (totals.short_vectors == 0) return;
        launch(space_, cover_threads(space_, shape_.vectors),
               detail::drop_growth<T, allocator_ref>{table(), heap_->ref(), buckets_before_.data()});
        throw exec::out_of_memory("gg_array", exec::bytes_of<T>(size), totals.capacity * sizeof(T),
                                  " in buckets; the heap refused buckets of " +
                                      std::to_string(totals.short_vectors) + " of " +
                                      std::to_string(shape_.vectors) + " vectors");
    }
    /// Drops the elements from index `size` on, and gives the buckets that hold no element back to the heap.
    /// The host does not wait.
    void shrink_to(std::uint64_t size) {
        settle();
        launch(space_, cover_threads(space_, shape_.vectors),
               detail::shrink_vectors<T, allocator_ref>{table(), heap_->ref(), size});
        settle();
    }

    /// Copies the elements, in the order of their indices, to `out`: room for size() of them in the memory of
    /// the space. The host does not wait. Cost: two launches.
    void flatten(T* out) {
        settle();
        launch(space_, full_grid(space_), detail::copy_elements<ref_type>{ref(), out});
    }
    /// The elements side by side, in memory of the space. Waits. Throws exec::out_of_memory.
    [[nodiscard]] exec::buffer<Space, T> flatten() {
        exec::buffer<Space, T> elements(space_, size());
        if (elements.size() != 0) flatten(elements.data());
        return elements;
    }
    /// Copies the elements to host memory. Waits. Throws exec::out_of_memory, because it first copies them
    /// side by side in the space.
    [[nodiscard]] std::vector<T> to_host() { return flatten().to_host(); }

    /// The number of vectors: gg_array_options::vectors.
    [[nodiscard]] std::uint32_t vectors() const { return shape_.vectors; }
    /// The allocator that buckets come from.
    [[nodiscard]] Heap& heap() const { return *heap_; }

    /// One line per broken invariant (container/lf_vector.hpp, container/gg_ref.hpp); empty: sound. No kernel
    /// may use the array meanwhile. Settles and waits.
    [[nodiscard]] std::vector<std::string> audit();

private:
    struct shape {
        std::uint32_t vectors;
        std::uint32_t first_shift;
    };

    [[nodiscard]] static shape checked(gg_array_options const& options) {
        if (options.vectors == 0)
            throw std::invalid_argument("gg_array_options::vectors is 0, expected at least 1");
        if (!std::has_single_bit(options.first_bucket))
            throw std::invalid_argument("gg_array: the first bucket has " +
                                        std::to_string(options.first_bucket) +
                                        " elements, which is no power of two");
        return {options.vectors, static_cast<std::uint32_t>(std::countr_zero(options.first_bucket))};
    }
    [[nodiscard]] std::uint64_t places_each(std::uint64_t size) const {
        return size / shape_.vectors + (size % shape_.vectors != 0 ? 1 : 0);
    }
    [[nodiscard]] gg_table<T> table() const {
        return {const_cast<lf_vector<T>*>(vectors_.data()), const_cast<std::uint64_t*>(starts_.data()),
                shape_.vectors, scaled_buckets(shape_.first_shift)};
    }
    void settle_for(std::uint64_t wanted_capacity) {
        launch(space_, cover_blocks(space_, 1, 256),
               detail::settle_vectors<T>{table(), totals_.data(), wanted_capacity});
    }

    Space space_;
    Heap* heap_; ///< nullptr: moved from
    shape shape_;
    exec::buffer<Space, lf_vector<T>> vectors_;
    exec::buffer<Space, std::uint64_t> starts_;
    exec::buffer<Space, std::uint32_t> buckets_before_; ///< [vector], before the last request_capacity()
    exec::buffer<Space, detail::gg_totals> totals_;
};

template <class Space, array_element T, alloc::allocator_owner Heap>
std::vector<std::string> gg_array<Space, T, Heap>::audit() {
    // Before settling, which would repair some of it.
    std::vector<lf_vector<T>> const vectors = vectors_.to_host();
    std::vector<std::string> violations;
    scaled_buckets const sizes(shape_.first_shift);
    std::vector<std::uint64_t> expected_starts(1, 0);
    for (std::uint32_t v = 0; v < shape_.vectors; ++v) {
        std::uint64_t const word = vectors[v].word;
        std::string const name = "gg_array: vector " + std::to_string(v) + ": ";
        if ((word & vector_word::growing) != 0) violations.push_back(name + "growing while no kernel runs");
        std::uint32_t const buckets = vector_word::buckets(word);
        if (buckets > lf_vector<T>::most_buckets)
            violations.push_back(name + std::to_string(buckets) + " buckets");
        std::uint64_t const capacity = sizes.capacity_of(buckets);
        if (vector_word::claimed(word) > capacity && (word & vector_word::closed) == 0)
            violations.push_back(name + std::to_string(vector_word::claimed(word)) + " claimed of " +
                                 std::to_string(capacity) + " and not closed");
        for (std::uint32_t b = 0; b < std::min(buckets, lf_vector<T>::most_buckets); ++b)
            if (vectors[v].bucket[b] == nullptr)
                violations.push_back(name + "bucket " + std::to_string(b) + " is missing");
        expected_starts.push_back(expected_starts.back() + std::min(vector_word::claimed(word), capacity));
    }
    settle();
    std::vector<std::uint64_t> const starts = starts_.to_host();
    for (std::size_t v = 0; v < starts.size(); ++v)
        if (starts[v] != expected_starts[v])
            violations.push_back("gg_array: starts[" + std::to_string(v) + "] is " +
                                 std::to_string(starts[v]) + ", but the vectors before hold " +
                                 std::to_string(expected_starts[v]) + " elements");
    return violations;
}

} // namespace rhizome::container
