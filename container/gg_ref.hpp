// SPDX-License-Identifier: Apache-2.0
// The device side of gg_array.
#pragma once

#include <rhizome/container/concept.hpp>
#include <rhizome/container/insertion.hpp>
#include <rhizome/container/lf_vector.hpp>
#include <rhizome/container/runs.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>
#include <type_traits>

namespace rhizome::container {

/// The vectors of a gg_array, and the index over them.
/// Invariants after settle(): starts[v] is the number of elements in vectors below v; starts[vectors] is the
/// number of all elements.
template <class T>
struct gg_table {
    lf_vector<T>* vectors;
    std::uint64_t* starts; ///< count + 1 numbers
    std::uint32_t count;
    scaled_buckets sizes;
};

/// The ref of gg_array. Memory for new buckets comes from `Allocator`, the ref of an allocator. Valid until
/// the array is destroyed, or the owner of the allocator grows.
template <array_element T, class Allocator>
class gg_ref {
public:
    using value_type = T;

    RZ_HD gg_ref(gg_table<T> table, Allocator allocator) : table_(table), allocator_(allocator) {}

    /// As container/concept.hpp has it. All threads of a block insert into one vector: the blocks take the
    /// vectors in turn. Where the allocator refuses a bucket, its vector refuses the elements that have no
    /// place, until settle(), although other vectors may have room; what was inserted stays.
    template <insertion_policy Insertion, class Thread, class ElementOf>
    RZ_HD placement insert(Thread const& thread, typename Insertion::storage& storage, std::uint32_t count,
                           ElementOf&& element_of) const {
        count = insertion_count<Insertion>(count);
        std::uint32_t const number = thread.block().index() % table_.count;
        granted_share const share = insert_into<Insertion>(thread, storage, number, count, element_of);
        return {share.all.place + share.before, number, share.count, count - share.count};
    }

    /// As insert(), but elements that a vector refuses go on to the next vectors, until all of them have
    /// refused. So a block that inserts alone can use the whole heap. The elements of a thread can lie in
    /// several vectors: placed(first, placement) is called for each part, which holds the elements
    /// element_of(first), element_of(first + 1), ...; its placement::refused counts those not placed yet.
    /// Returns how many elements were refused. Cost: up to 1.25 times that of insert(), also where nothing is
    /// refused, and up to twice in kernels without a bound on their registers (docs/experiments.md,
    /// 2026-11-26); for each vector that is full, two barriers and one atomic more.
    template <insertion_policy Insertion, class Thread, class ElementOf, class Placed>
    RZ_HD std::uint32_t insert_anywhere(Thread const& thread, typename Insertion::storage& storage,
                                        std::uint32_t count, ElementOf&& element_of, Placed&& placed) const {
        // Threads that insert by themselves can be at different vectors: those must not claim together.
        using next_insertion =
            std::conditional_t<Insertion::whole_block, Insertion, detail::claim_alone<Insertion>>;
        count = insertion_count<Insertion>(count);
        std::uint32_t number = thread.block().index() % table_.count;
        std::uint32_t first = 0;
        auto const tell = [&](granted_share const& share) {
            if (share.count != 0)
                placed(first, placement{share.all.place + share.before, number, share.count,
                                        count - first - share.count});
            first += share.count;
        };
        granted_share share = insert_into<Insertion>(thread, storage, number, count, element_of);
        tell(share);
        // The same for all threads of the block where the policy is for whole blocks.
        for (std::uint32_t tried = 1; share.refused && tried < table_.count; ++tried) {
            number = number + 1 < table_.count ? number + 1 : 0;
            share = insert_into<next_insertion>(thread, storage, number, count - first,
                                                [&](std::uint32_t i) { return element_of(first + i); });
            tell(share);
        }
        return count - first;
    }

    [[nodiscard]] RZ_HD std::uint64_t size() const { return table_.starts[table_.count]; }
    [[nodiscard]] RZ_HD std::uint32_t vectors() const { return table_.count; }
    /// Cost: a binary search over the vectors.
    [[nodiscard]] RZ_HD T& operator[](std::uint64_t index) const {
        std::uint32_t const vector = vector_of(index);
        return at(vector, index - table_.starts[vector]);
    }
    [[nodiscard]] RZ_HD T& at(std::uint32_t vector, std::uint64_t place) const {
        return table_.vectors[vector].at(table_.sizes, place);
    }

    /// The part of a bucket that belongs to the share is one run.
    template <class Thread, class Function>
    RZ_HD void for_each_run(Thread const& thread, Function&& function) const {
        detail::block_share const share(thread.block(), size());
        if (share.begin == share.end) return;
        std::uint32_t vector = vector_of(share.begin);
        std::uint64_t index = share.begin;
        while (index < share.end) {
            std::uint64_t const start = table_.starts[vector];
            std::uint64_t const next = table_.starts[vector + 1];
            std::uint64_t const end = next < share.end ? next : share.end;
            while (index < end) {
                std::uint32_t const number = table_.sizes.bucket_of(index - start);
                std::uint64_t const within = index - start - table_.sizes.first_of(number);
                std::uint64_t const room = table_.sizes.room(number) - within;
                std::uint64_t const count = room < end - index ? room : end - index;
                function(array_run<T>{table_.vectors[vector].bucket[number] + within, index, count});
                index += count;
            }
            ++vector;
        }
    }
    template <class Thread, class Function>
    RZ_HD void for_each(Thread const& thread, Function&& function) const {
        for_each_run(thread,
                     [&](array_run<T> run) { detail::for_each_in_run<true>(thread.block(), run, function); });
    }
    template <class Thread, class Function>
    RZ_HD void read_each(Thread const& thread, Function&& function) const {
        for_each_run(
            thread, [&](array_run<T> run) { detail::for_each_in_run<false>(thread.block(), run, function); });
    }

private:
    template <class Insertion, class Thread, class ElementOf>
    RZ_HD granted_share insert_into(Thread const& thread, typename Insertion::storage& storage,
                                    std::uint32_t number, std::uint32_t count, ElementOf&& element_of) const {
        lf_vector<T>& vector = table_.vectors[number];
        granted_share const share = Insertion::place(thread, storage, count, [&](std::uint64_t wanted) {
            return vector.claim(thread, allocator_, table_.sizes, wanted);
        });
        std::uint32_t const left = share.all.run > share.before ? share.all.run - share.before : 0;
        std::uint32_t const side_by_side = share.count < left ? share.count : left;
        // No thread adds to a null pointer: `side_by_side` is 0 there.
        if (side_by_side != 0)
            detail::store_elements(static_cast<T*>(share.all.data) + share.before, side_by_side, element_of);
        // Places in the buckets after the first one of this claim.
        for (std::uint32_t i = side_by_side; i < share.count; ++i)
            vector.at(table_.sizes, share.all.place + share.before + i) = element_of(i);
        return share;
    }

    /// The last vector that starts at or before `index`: the one that holds it, since empty vectors start
    /// where the next one does.
    [[nodiscard]] RZ_HD std::uint32_t vector_of(std::uint64_t index) const {
        std::uint32_t low = 0;
        std::uint32_t high = table_.count;
        while (high - low > 1) {
            std::uint32_t const middle = low + (high - low) / 2;
            if (table_.starts[middle] <= index)
                low = middle;
            else
                high = middle;
        }
        return low;
    }

    gg_table<T> table_;
    Allocator allocator_;
};

} // namespace rhizome::container
