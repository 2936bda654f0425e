// The contiguous layout: one page per vertex, neighbours ascending (OuroGraph: Ouroboros, section 6.2).
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/batch/contiguous_programs.hpp>
#include <rhizome/graph/batch/merge/contiguous_merge.hpp>
#include <rhizome/graph/format/row_format.hpp>
#include <rhizome/graph/format/vertex_record.hpp>
#include <rhizome/graph/limits.hpp>
#include <rhizome/graph/tuning.hpp>

#include <cstdint>

namespace rhizome::graph {

struct contiguous {
    static constexpr char const* name = "contiguous";
    static constexpr bool sorted = true;
    /// Where arcs are counted, a batch asks for the most that it may need.
    static constexpr bool exact = false;
    /// Rows can be moved to other pages one by one.
    static constexpr bool one_page_a_row = true;

    template <class Id, class Value>
    using format = row_format<Id, Value>;

    /// An allocator must serve requests of so many bytes: each row, however long, is one page.
    template <class Id, class Value>
    static constexpr std::uint64_t
        largest_request_bytes = needed_of_allocators(format<Id, Value>::bytes_for(most_neighbours<Id>));

    /// For how many neighbours a batch with `added` arcs of a row obtains a page; 0: it obtains none.
    template <class Format, bool Erasing, class AllocatorRef>
    [[nodiscard]] static RZ_HD std::uint64_t
    wanted(AllocatorRef const& allocator, typename Format::record_type const& record, std::uint32_t added) {
        bool const has_page = !Format::is_inline(record.degree);
        if constexpr (Erasing) {
            if (!has_page || added >= record.degree) return 0;
            std::uint32_t const left = record.degree - added;
            if (Format::is_inline(left)) return 0;
            std::uint64_t const held = allocator.usable_bytes(Format::bytes_for(record.capacity()));
            std::uint64_t const roomy = std::uint64_t{left} + left / tuning::kept_share;
            return allocator.usable_bytes(Format::bytes_for(roomy)) < held ? left : 0;
        } else {
            std::uint64_t const needed = std::uint64_t{record.degree} + added;
            return needed > (has_page ? record.capacity() : Format::inline_ids) ? needed : 0;
        }
    }

    /// Whether a tile of so many lanes can merge a row in its registers.
    template <class Format>
    [[nodiscard]] static RZ_HD bool is_light(std::uint32_t degree, std::uint32_t arcs, std::uint32_t lanes) {
        return arcs <= lanes && degree <= Format::ids_per_load * lanes;
    }
    /// Whether a warp of so many lanes suffices for a row.
    [[nodiscard]] static RZ_HD bool is_middling(std::uint32_t degree, std::uint32_t arcs,
                                                std::uint32_t lanes) {
        return arcs <= lanes && degree <= tuning::heavy_degree;
    }

    template <class Format, bool Erasing>
    using light_merge = contiguous_light_merge<Format, Erasing>;
    template <class Format, bool Erasing>
    using merge = contiguous_merge<Format, Erasing>;

    template <class Format, bool Erasing>
    using programs = batch::contiguous_programs<contiguous, Format, Erasing>;
};

} // namespace rhizome::graph
