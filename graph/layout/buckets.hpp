// Rows in buckets, each twice as large as the one before (LFVector, as GGArray, section III, uses it).
#pragma once

#include <rhizome/container/bucket_arithmetic.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/graph/batch/chained_programs.hpp>
#include <rhizome/graph/format/chained_format.hpp>
#include <rhizome/graph/limits.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace rhizome::graph {

/// Neighbours in the order in which they were inserted. A bucket never moves. New neighbours are appended;
/// the last neighbour takes the place of an erased one. The record has the address of the newest bucket.
/// Behind the neighbours and values of each bucket stand the addresses of all buckets before it, so that any
/// neighbour is one step away. For that, a row of d neighbours takes about 8 log^2(d) / 2 bytes instead of a
/// table of fixed size.
template <std::uint32_t FirstIds = 4>
struct buckets {
    static_assert(std::has_single_bit(FirstIds) && FirstIds >= 4, "a bucket is read 16 bytes at a time");

    static constexpr char const* name = "buckets";
    static constexpr bool sorted = false;
    /// The batch judges its arcs before it asks for memory, so it asks for exactly the pages that it fills.
    static constexpr bool exact = true;

    template <class Id, class Value>
    struct format : chained_format<format<Id, Value>, Id, Value> {
        using types = row_types<Id, Value>;
        using typename types::value_type;
        using arithmetic = container::doubling_buckets<std::uint32_t, FirstIds>;

        static constexpr std::uint32_t least_room = FirstIds; ///< of any bucket
        [[nodiscard]] static RZ_HD constexpr std::uint32_t room(std::uint32_t number) {
            return arithmetic::room(number);
        }
        [[nodiscard]] static RZ_HD constexpr std::uint64_t bytes(std::uint32_t number) {
            return (directory_offset(number) + number * sizeof(void*) + 15) / 16 * 16;
        }
        [[nodiscard]] static RZ_HD std::uint32_t first_of(std::uint32_t number) {
            return arithmetic::first_of(number);
        }
        [[nodiscard]] static RZ_HD constexpr std::uint32_t page_of(std::uint32_t index) {
            return arithmetic::bucket_of(index);
        }

        [[nodiscard]] static RZ_HD value_type* values(Id* bucket, std::uint32_t number) {
            return reinterpret_cast<value_type*>(reinterpret_cast<std::byte*>(bucket) +
                                                 types::values_offset(room(number)));
        }
        [[nodiscard]] static RZ_HD Id* older(Id* bucket, std::uint32_t number) {
            return directory(bucket, number)[number - 1];
        }
        [[nodiscard]] static RZ_HD Id* find(Id* newest, std::uint32_t last, std::uint32_t number) {
            return number == last ? newest : directory(newest, last)[number];
        }
        template <class Group>
        static RZ_HD void link(Group const& group, std::uint64_t const* buckets, std::uint32_t count,
                               std::uint32_t first, Id* newest) {
            if (group.rank() != 0) return; // a few dozen words at most, and each bucket's come from the one
                                           // before
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

    /// An allocator must serve requests of so many bytes: the last bucket of the longest row.
    template <class Id, class Value>
    static constexpr std::uint64_t largest_request_bytes =
        needed_of_allocators(format<Id, Value>::bytes(format<Id, Value>::page_of(most_neighbours<Id> - 1)));

    template <class Format, bool Erasing>
    using programs = batch::chained_programs<Format, Erasing>;
};

} // namespace rhizome::graph
