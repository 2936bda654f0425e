// SPDX-License-Identifier: Apache-2.0
// Where the contiguous layout puts a row that a batch has changed.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/batch/arrays.hpp>

#include <cstdint>

namespace rhizome::graph {

/// The record of a changed row, and the page that it no longer needs: its old one, the one obtained for it,
/// or none; never both.
template <class Format>
struct contiguous_target {
    using id_type = typename Format::id_type;
    using record_type = typename Format::record_type;

    id_type* ids;
    record_type record; ///< ids in the record itself are not written yet
    id_type* unused_page;
    std::uint32_t unused_capacity;
    bool moves;    ///< to memory other than where the row was
    bool had_wish; ///< the slice has a page

    /// For a row of `degree` neighbours after the batch. `place` is where its record lies, `record` a copy of
    /// that.
    template <bool Erasing>
    [[nodiscard]] static RZ_HD contiguous_target of(record_type* place, record_type const& record,
                                                    batch::slice const& own, std::uint32_t degree) {
        bool const had_page = !Format::is_inline(record.degree);
        auto* const reserved = static_cast<id_type*>(own.page);
        if (Format::is_inline(degree)) {
            record_type inside{};
            inside.degree = degree;
            return {place->ids,
                    inside,
                    had_page ? record.page() : reserved,
                    had_page ? record.capacity() : own.capacity,
                    had_page,
                    reserved != nullptr};
        }
        bool const fits = had_page && degree <= record.capacity();
        bool const takes = reserved != nullptr && degree <= own.capacity &&
                           (Erasing || !fits || own.merger == batch::merger::blocks);
        if (takes)
            return {reserved,
                    record_type::of(reserved, own.capacity, degree),
                    had_page ? record.page() : nullptr,
                    had_page ? record.capacity() : 0,
                    true,
                    true};
        return {record.page(), record_type::of(record.page(), record.capacity(), degree),
                reserved,      own.capacity,
                false,         reserved != nullptr};
    }

    [[nodiscard]] RZ_HD auto* values() const { return Format::values_of(ids, record.capacity()); }

    /// Writes the record, when all ids are in place. Called by one lane.
    RZ_HD void commit(record_type* place, batch::slice& own) const {
        if (Format::is_inline(record.degree))
            place->degree = record.degree;
        else
            *place = record;
        if (!had_wish && unused_page == nullptr) return; // as it is: one write less for most rows
        own.page = unused_page;
        own.capacity = unused_capacity;
    }
};

} // namespace rhizome::graph
