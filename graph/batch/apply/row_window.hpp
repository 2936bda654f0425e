// SPDX-License-Identifier: Apache-2.0
// A few neighbours of a row in the registers of one lane, while they move.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/format/row_format.hpp>

#include <cstdint>

namespace rhizome::graph {

/// Neighbours `first` to first + width - 1 of a row, as far as there are any, from `stop` on.
template <class Format>
class row_window {
    using id_type = typename Format::id_type;
    using record_type = typename Format::record_type;
    using value_type = typename Format::value_type;

public:
    static constexpr std::uint32_t width = Format::ids_per_load;

    row_window() = default; ///< of no neighbours
    RZ_HD row_window(record_type const* place, record_type const& record, std::uint32_t first,
                     std::uint32_t stop)
        : first_(first) {
        std::uint32_t const degree = record.degree;
        end_ = degree < first ? 0 : degree - first < width ? degree - first : width;
        begin_ = stop <= first ? 0 : stop - first < width ? stop - first : width;
        if (begin_ >= end_) {
            begin_ = end_ = 0;
            return;
        }
        if (Format::is_inline(degree)) {
            for (std::uint32_t k = 0; k < width && k < record_type::ids_at_most; ++k)
                ids_[k] = place->ids[k];
        } else if (!Format::has_values || first + width <= record.capacity()) {
            // One load: a page ends at the end of a window, or later.
            load const all = *reinterpret_cast<load const*>(record.page() + first);
            for (std::uint32_t k = 0; k < width; ++k)
                ids_[k] = all.ids[k];
        } else {
            // Behind the last ids are values, which another lane may be writing.
            for (std::uint32_t k = 0; k < width; ++k)
                if (holds(k)) ids_[k] = record.page()[first + k];
        }
    }

    [[nodiscard]] RZ_HD std::uint32_t count_below(id_type target) const {
        std::uint32_t count = 0;
        for (std::uint32_t k = 0; k < width; ++k)
            count += holds(k) && ids_[k] < target ? 1 : 0;
        return count;
    }
    [[nodiscard]] RZ_HD bool contains(id_type target) const {
        bool found = false;
        for (std::uint32_t k = 0; k < width; ++k)
            found = found || (holds(k) && ids_[k] == target);
        return found;
    }

    /// Notes that the row gets or loses the target.
    template <bool Erasing>
    RZ_HD void apply(id_type target) {
        for (std::uint32_t k = 0; k < width; ++k) {
            shift_[k] += target < ids_[k] ? 1 : 0;
            if (Erasing && target == ids_[k]) gone_ |= 1u << k;
        }
    }
    /// The same from the list of places where the row changes, ascending.
    template <bool Erasing>
    RZ_HD void apply(std::uint32_t const* places, std::uint32_t count) {
        if (begin_ >= end_) return;
        // Inserting: places not greater than the neighbour's; erasing: smaller ones.
        std::uint32_t low = 0;
        for (std::uint32_t high = count; low < high;) {
            std::uint32_t const middle = low + (high - low) / 2;
            if (Erasing ? places[middle] < first_ : places[middle] <= first_)
                low = middle + 1;
            else
                high = middle;
        }
        for (std::uint32_t k = 0; k < width; ++k) { // a constant number of rounds keeps all in registers
            if (k >= end_) break;
            if (!Erasing) low = first_beyond(places, low, count, first_ + k);
            shift_[k] = low;
            if (Erasing && low < count && places[low] == first_ + k) {
                gone_ |= 1u << k;
                ++low;
            }
        }
    }

    RZ_HD void load_values(record_type const& record) {
        if constexpr (Format::has_values) {
            if (begin_ >= end_) return;
            value_type const* const values = Format::values_of(record.page(), record.capacity()) + first_;
            for (std::uint32_t k = 0; k < width; ++k)
                if (holds(k)) values_[k] = values[k];
        }
    }
    /// Gives the neighbour at `place` of the row another value, if the window has it.
    RZ_HD void replace_value(std::uint32_t place, value_type const& value) {
        for (std::uint32_t k = 0; k < width; ++k)
            if (holds(k) && first_ + k == place) values_[k] = value;
    }
    /// Writes the neighbours that move to their new places in the target row.
    template <bool Erasing, class Target>
    RZ_HD void store(Target const& target) const {
        for (std::uint32_t k = 0; k < width; ++k) {
            if (!holds(k) || (gone_ >> k & 1) != 0 || !(target.moves || shift_[k] != 0)) continue;
            std::uint32_t const to = Erasing ? first_ + k - shift_[k] : first_ + k + shift_[k];
            target.ids[to] = ids_[k];
            if constexpr (Format::has_values) target.values()[to] = values_[k];
        }
    }

private:
    struct alignas(16) load {
        id_type ids[width];
    };
    /// The first of places[low, count) that is greater than `place`. Cost: logarithmic in its distance from
    /// low, since a batch may put any number of arcs between two neighbours.
    [[nodiscard]] static RZ_HD std::uint32_t first_beyond(std::uint32_t const* places, std::uint32_t low,
                                                          std::uint32_t count, std::uint32_t place) {
        std::uint32_t step = 1;
        while (low < count && places[low] <= place) {
            std::uint32_t const ahead = count - low > step ? low + step : count;
            if (ahead == count || places[ahead] > place) return upper_bound(places, low, ahead, place);
            low = ahead;
            step *= 2;
        }
        return low;
    }
    [[nodiscard]] static RZ_HD std::uint32_t upper_bound(std::uint32_t const* places, std::uint32_t low,
                                                         std::uint32_t high, std::uint32_t place) {
        while (low < high) {
            std::uint32_t const middle = low + (high - low) / 2;
            if (places[middle] <= place)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }
    [[nodiscard]] RZ_HD bool holds(std::uint32_t k) const { return k >= begin_ && k < end_; }

    std::uint32_t first_ = 0;
    std::uint32_t begin_ = 0; ///< of `width`
    std::uint32_t end_ = 0;
    std::uint32_t gone_ = 0;
    id_type ids_[width] = {};
    std::uint32_t shift_[width] = {};
    value_type values_[width] = {};
};

} // namespace rhizome::graph
