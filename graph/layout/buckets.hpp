// SPDX-License-Identifier: Apache-2.0
// Rows in buckets, each twice as large as the one before: the LFVector (Dechev, Pirkelbauer and Stroustrup,
// Lock-free Dynamically Resizable Arrays, OPODIS 2006), as GGArray uses it (Meneses, Navarro and Ferrada,
// SCCC 2022, section III).
#pragma once

#include <rhizome/container/bucket_arithmetic.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/graph/layout/chained/chained_format.hpp>
#include <rhizome/graph/layout/chained/chained_steps.hpp>
#include <rhizome/graph/limits.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace rhizome::graph {

/// Neighbours in buckets: arrays of which each is twice as large as the one before. A bucket never moves. New
/// neighbours are appended; erasing one moves the last neighbour into its place. The vertex's record in the
/// vertex table has the address of the newest bucket. Behind the neighbours and values of each bucket are the
/// addresses of all buckets before it, so that the bucket of any neighbour is found with one load. For a row
/// of d neighbours these addresses take about 4 (log2 d)^2 bytes. (GGArray has a table of fixed size per row
/// instead.)
template <std::uint32_t FirstIds = 4>
struct buckets {
    static_assert(std::has_single_bit(FirstIds) && FirstIds >= 4, "a bucket is read 16 bytes at a time");

    /// The name of the layout in runtime::layouts().
    static constexpr char const* name = "buckets";
    /// Whether neighbours ascend.
    static constexpr bool sorted = false;
    /// A batch searches for each of its arcs before it requests pages, so it requests exactly the pages that
    /// it fills.
    static constexpr bool exact = true;

    template <class Id, class Value>
    struct format : chained_format<format<Id, Value>, Id, Value> {
        using types = row_types<Id, Value>;
        using typename types::value_type;
        using arithmetic = container::doubling_buckets<std::uint32_t, FirstIds>;

        static constexpr std::uint32_t least_room = FirstIds; ///< of any bucket
        /// How many neighbours bucket `number` holds.
        [[nodiscard]] static RZ_HD constexpr std::uint32_t room(std::uint32_t number) {
            return arithmetic::room(number);
        }
        /// Bytes to request for bucket `number`.
        [[nodiscard]] static RZ_HD constexpr std::uint64_t bytes(std::uint32_t number) {
            return (directory_offset(number) + number * sizeof(void*) + 15) / 16 * 16;
        }
        /// The number of the first neighbour in bucket `number`.
        [[nodiscard]] static RZ_HD std::uint32_t first_of(std::uint32_t number) {
            return arithmetic::first_of(number);
        }
        /// The bucket of neighbour `index`.
        [[nodiscard]] static RZ_HD constexpr std::uint32_t page_of(std::uint32_t index) {
            return arithmetic::bucket_of(index);
        }

        /// Where the values of a bucket begin.
        [[nodiscard]] static RZ_HD value_type* values(Id* bucket, std::uint32_t number) {
            return reinterpret_cast<value_type*>(reinterpret_cast<std::byte*>(bucket) +
                                                 types::values_offset(room(number)));
        }
        /// The bucket before bucket `number`, which is at `bucket`.
        [[nodiscard]] static RZ_HD Id* older(Id* bucket, std::uint32_t number) {
            return directory(bucket, number)[number - 1];
        }
        /// Bucket `number` of a row whose newest bucket has number `last`. Cost: at most one load.
        [[nodiscard]] static RZ_HD Id* find(Id* newest, std::uint32_t last, std::uint32_t number) {
            return number == last ? newest : directory(newest, last)[number];
        }
        /// Writes the addresses of older buckets into buckets[0, count), with the numbers from `first` on,
        /// which follow `newest`. Called by all lanes of a group.
        template <class Group>
        static RZ_HD void link(Group const& group, std::uint64_t const* buckets, std::uint32_t count,
                               std::uint32_t first, Id* newest) {
            // One lane copies: a few dozen addresses at most, and those of each bucket are copied from the
            // bucket before it.
            if (group.rank() != 0) return;
            for (std::uint32_t i = 0; i < count; ++i) {
                auto* const bucket = reinterpret_cast<Id*>(buckets[i]);
                std::uint32_t const number = first + i;
                for (std::uint32_t earlier = 0; earlier + 1 < number; ++earlier)
                    directory(bucket, number)[earlier] = directory(newest, number - 1)[earlier];
                if (number != 0) directory(bucket, number)[number - 1] = newest;
                newest = bucket;
            }
        }

    private:
        [[nodiscard]] static RZ_HD constexpr std::uint64_t directory_offset(std::uint32_t number) {
            std::uint64_t const end = types::values_offset(room(number)) + room(number) * types::value_bytes;
            return (end + sizeof(void*) - 1) / sizeof(void*) * sizeof(void*);
        }
        [[nodiscard]] static RZ_HD Id** directory(Id* bucket, std::uint32_t number) {
            return reinterpret_cast<Id**>(reinterpret_cast<std::byte*>(bucket) + directory_offset(number));
        }
    };

    /// The largest request of this layout, in bytes: the last bucket of the longest row. The allocator must
    /// serve it.
    template <class Id, class Value>
    static constexpr std::uint64_t largest_request_bytes =
        needed_of_allocators(format<Id, Value>::bytes(format<Id, Value>::page_of(most_neighbours<Id> - 1)));

    template <class Format, bool Erasing>
    using steps = batch::chained_steps<Format, Erasing>;
};

} // namespace rhizome::graph
