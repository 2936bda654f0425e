// The contiguous layout: one page per vertex, neighbours ascending. It is the layout of ouroGraph (Winter et
// al., Ouroboros, ICS 2020, section 6.2).
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

/// The default layout. Up to three neighbours are in the vertex record (one with 64-bit ids, none if edges
/// have values); more are in one page. Neighbours ascend. A row that outgrows its page is copied to a larger
/// one. Needs an allocator that serves blocks of any size.
struct contiguous {
    /// The name of the layout in runtime::layouts().
    static constexpr char const* name = "contiguous";
    /// Whether neighbours ascend.
    static constexpr bool sorted = true;
    /// A small batch groups its arcs by counting them per row. It requests pages as if every arc were new: an
    /// upper bound. (A batch that sorts its arcs requests exactly what it fills.)
    static constexpr bool exact = false;
    /// Each row is one page, so the graph may move rows when it frees sparse chunks of the heap.
    static constexpr bool one_page_a_row = true;

    template <class Id, class Value>
    using format = row_format<Id, Value>;

    /// The largest request of this layout, in bytes: each row, however long, is one page. The allocator must
    /// serve it.
    template <class Id, class Value>
    static constexpr std::uint64_t
        largest_request_bytes = needed_of_allocators(format<Id, Value>::bytes_for(most_neighbours<Id>));

    /// The number of neighbours for which the batch requests a new page for this row; 0: the row needs no new
    /// page. `added`: arcs of the batch in this row, inserted or (Erasing) erased.
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

    /// Whether a tile of `lanes` lanes can merge the row in its registers.
    template <class Format>
    [[nodiscard]] static RZ_HD bool is_light(std::uint32_t degree, std::uint32_t arcs, std::uint32_t lanes) {
        return arcs <= lanes && degree <= Format::ids_per_load * lanes;
    }
    /// Whether a warp of `lanes` lanes merges the row; a block merges longer rows.
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
