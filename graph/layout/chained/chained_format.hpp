// SPDX-License-Identifier: Apache-2.0
// Rows that lie in several pages, linked ones or buckets: how they are read.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/format/row_types.hpp>
#include <rhizome/graph/format/vertex_record.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace rhizome::graph {

/// How many pages a row of `degree` has.
template <class Format>
[[nodiscard]] RZ_HD std::uint32_t pages_of_row(std::uint32_t degree) {
    return degree == 0 ? 0 : Format::page_of(degree - 1) + 1;
}

/// Calls function(page, number, first of the page, begin, end) for each page that holds some of the elements
/// `first` to `last` - 1 of a row, newest page first. The page holds the elements `begin` to `end` - 1 of
/// them.
template <class Format, class Id, class Function>
RZ_HD void for_each_page_of_range(Id* newest, std::uint32_t degree, std::uint64_t first, std::uint64_t last,
                                  Function&& function) {
    if (first >= last) return;
    auto const lowest = static_cast<std::uint32_t>(first);
    auto end = static_cast<std::uint32_t>(last);
    std::uint32_t number = Format::page_of(end - 1);
    Id* page = Format::find(newest, pages_of_row<Format>(degree) - 1, number);
    for (;; --number) {
        std::uint32_t const start = Format::first_of(number);
        function(page, number, start, start < lowest ? lowest : start, end);
        if (start <= lowest) return;
        end = start;
        page = Format::older(page, number);
    }
}

/// The elements of one row: its ids or its values, which Part finds in a page. Elements are numbered in the
/// order in which they are stored. Iteration goes from the newest page to the oldest.
template <class Format, class Part>
class chained_range {
    using page_id = typename Format::id_type;

public:
    using id_type = typename Part::type;
    static constexpr bool contiguous = false;

    RZ_HD chained_range(page_id* newest, std::uint32_t degree) : newest_(newest), degree_(degree) {}

    [[nodiscard]] RZ_HD std::uint64_t size() const { return degree_; }
    /// Cost: that of finding the page.
    [[nodiscard]] RZ_HD id_type operator[](std::uint64_t i) const {
        auto const index = static_cast<std::uint32_t>(i);
        std::uint32_t const number = Format::page_of(index);
        page_id* const page = Format::find(newest_, pages_of_row<Format>(degree_) - 1, number);
        return Part::of(page, number)[index - Format::first_of(number)];
    }

    class iterator {
    public:
        using value_type = id_type;
        using difference_type = std::ptrdiff_t;
        using iterator_category = std::forward_iterator_tag;

        iterator() = default;
        RZ_HD iterator(page_id* page, std::uint32_t end) : page_(page), end_(end) {
            if (end_ == 0) return;
            number_ = Format::page_of(end_ - 1);
            index_ = Format::first_of(number_);
        }
        [[nodiscard]] RZ_HD id_type operator*() const {
            return Part::of(page_, number_)[index_ - Format::first_of(number_)];
        }
        RZ_HD iterator& operator++() {
            if (++index_ != end_) return *this;
            end_ = Format::first_of(number_);
            index_ = end_;
            if (number_ == 0) return *this;
            page_ = Format::older(page_, number_);
            --number_;
            index_ = Format::first_of(number_);
            return *this;
        }
        RZ_HD iterator operator++(int) {
            iterator const before = *this;
            ++*this;
            return before;
        }
        [[nodiscard]] RZ_HD friend bool operator==(iterator const& left, iterator const& right) {
            return left.index_ == right.index_ && left.end_ == right.end_;
        }

    private:
        page_id* page_ = nullptr;
        std::uint32_t number_ = 0;
        std::uint32_t index_ = 0;
        std::uint32_t end_ = 0; ///< of the elements in the page
    };
    [[nodiscard]] RZ_HD iterator begin() const { return {newest_, degree_}; }
    [[nodiscard]] RZ_HD iterator end() const { return {nullptr, 0}; }

    /// Calls function(i, element) for elements number `first` to `last` - 1, each by one lane of a group. All
    /// lanes of the group call this.
    template <class Group, class Function>
    RZ_HD void for_each(Group const& group, std::uint64_t first, std::uint64_t last,
                        Function&& function) const {
        for_each_page_of_range<Format>(newest_, degree_, first, last,
                                       [&](page_id* page, std::uint32_t number, std::uint32_t start,
                                           std::uint32_t begin, std::uint32_t end) {
                                           auto const* const elements = Part::of(page, number);
                                           for (std::uint32_t i = begin + group.rank(); i < end;
                                                i += group.size())
                                               function(std::uint64_t{i}, elements[i - start]);
                                       });
    }

private:
    page_id* newest_;
    std::uint32_t degree_;
};

namespace detail {
template <class Format>
struct ids_of_page {
    using type = typename Format::id_type;
    [[nodiscard]] static RZ_HD type* of(type* page, std::uint32_t) { return page; }
};
template <class Format>
struct values_of_page {
    using type = typename Format::value_type;
    [[nodiscard]] static RZ_HD type* of(typename Format::id_type* page, std::uint32_t number) {
        return Format::values(page, number);
    }
};
} // namespace detail

/// What formats with several pages per row have in common.
template <class Format, class Id, class Value>
struct chained_format : row_types<Id, Value> {
    static constexpr bool sorted = false;
    static constexpr std::uint32_t inline_ids = 0;
    using range_type = chained_range<Format, detail::ids_of_page<Format>>;
    using value_range = chained_range<Format, detail::values_of_page<Format>>;

    [[nodiscard]] static RZ_HD range_type neighbours(vertex_record<Id> const*,
                                                     vertex_record<Id> const& record) {
        return {record.page(), record.degree};
    }
    /// Calls function(page, bytes asked for) for each page of a row; the function may give the page back.
    template <class Function>
    static RZ_HD void for_each_page(vertex_record<Id> const& record, Function&& function) {
        Id* page = record.page();
        for (std::uint32_t number = pages_of_row<Format>(record.degree); number-- != 0 && page != nullptr;) {
            Id* const next = number == 0 ? nullptr : Format::older(page, number);
            function(page, Format::bytes(number));
            page = next;
        }
    }
    /// Whether the record contradicts itself about its pages.
    [[nodiscard]] static RZ_HD bool is_overfull(vertex_record<Id> const& record) {
        return record.capacity() != pages_of_row<Format>(record.degree);
    }
    [[nodiscard]] static RZ_HD bool is_inline(std::uint64_t degree) { return degree == 0; }
    [[nodiscard]] static RZ_HD value_range values_of_row(vertex_record<Id> const& record) {
        return {record.page(), record.degree};
    }
    /// Calls function(i, id, value) for edges number `first` to `last` - 1 of a row, each by one lane of a
    /// group.
    template <class Group, class Function>
    static RZ_HD void for_each_edge(vertex_record<Id> const*, vertex_record<Id> const& record,
                                    Group const& group, std::uint64_t first, std::uint64_t last,
                                    Function&& function) {
        for_each_page_of_range<Format>(
            record.page(), record.degree, first, last,
            [&](Id* page, std::uint32_t number, std::uint32_t start, std::uint32_t begin, std::uint32_t end) {
                auto const* const values = Format::values(page, number);
                for (std::uint32_t i = begin + group.rank(); i < end; i += group.size())
                    function(std::uint64_t{i}, page[i - start], values[i - start]);
            });
    }
};

} // namespace rhizome::graph
