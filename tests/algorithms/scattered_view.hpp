// SPDX-License-Identifier: Apache-2.0
// A view whose neighbours neither lie side by side nor ascend, and some of whose vertex ids are dead.
#pragma once

#include "oracles.hpp"

#include <rhizome/exec/buffer.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace rhizome::tests {

/// Neighbours in pages of three, anywhere.
class scattered_range {
public:
    using id_type = graph::vertex_id;
    static constexpr bool contiguous = false;
    static constexpr std::uint64_t page_ids = 3;

    class iterator {
    public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = graph::vertex_id;
        using difference_type = std::ptrdiff_t;
        using pointer = void;
        using reference = value_type;

        RZ_HD iterator(scattered_range const* range, std::uint64_t i) : range_(range), i_(i) {}
        [[nodiscard]] RZ_HD value_type operator*() const { return range_->at(i_); }
        RZ_HD iterator& operator++() {
            ++i_;
            return *this;
        }
        [[nodiscard]] RZ_HD bool operator==(iterator const& other) const { return i_ == other.i_; }
        [[nodiscard]] RZ_HD bool operator!=(iterator const& other) const { return i_ != other.i_; }

    private:
        scattered_range const* range_;
        std::uint64_t i_;
    };

    RZ_HD scattered_range(graph::vertex_id const* ids, std::uint64_t const* pages, std::uint64_t size)
        : ids_(ids), pages_(pages), size_(size) {}

    [[nodiscard]] RZ_HD std::uint64_t size() const { return size_; }
    [[nodiscard]] RZ_HD graph::vertex_id at(std::uint64_t i) const {
        return ids_[pages_[i / page_ids] * page_ids + i % page_ids];
    }
    [[nodiscard]] RZ_HD iterator begin() const { return {this, 0}; }
    [[nodiscard]] RZ_HD iterator end() const { return {this, size_}; }

    template <class Group, class Function>
    RZ_HD void for_each(Group const& group, std::uint64_t first, std::uint64_t last,
                        Function&& function) const {
        for (std::uint64_t i = first + group.rank(); i < last; i += group.size())
            function(i, at(i));
    }

private:
    graph::vertex_id const* ids_;
    std::uint64_t const* pages_;
    std::uint64_t size_;
};

/// One direction of the arcs.
struct scattered_rows {
    graph::vertex_id const* ids;
    std::uint64_t const* pages;
    std::uint64_t const* first_page; ///< of a vertex
    std::uint32_t const* sizes;

    [[nodiscard]] RZ_HD scattered_range operator()(graph::vertex_id v) const {
        return {ids, pages + first_page[v], sizes[v]};
    }
};

struct scattered_view {
    static constexpr bool sorted = false;
    using id_type = graph::vertex_id;
    scattered_rows out;
    scattered_rows in;
    std::uint32_t const* live;
    std::uint64_t vertices;
    std::uint64_t live_vertices;
    bool is_symmetric;
    bool in_arcs;

    [[nodiscard]] RZ_HD std::uint64_t vertex_count() const { return vertices; }
    [[nodiscard]] RZ_HD std::uint64_t live_vertex_count() const { return live_vertices; }
    [[nodiscard]] RZ_HD bool is_live(graph::vertex_id v) const { return live[v] != 0; }
    [[nodiscard]] RZ_HD bool symmetric() const { return is_symmetric; }
    [[nodiscard]] RZ_HD bool has_in_arcs() const { return in_arcs || is_symmetric; }
    [[nodiscard]] RZ_HD std::uint32_t degree(graph::vertex_id v) const { return out.sizes[v]; }
    [[nodiscard]] RZ_HD scattered_range neighbours(graph::vertex_id v) const { return out(v); }
    [[nodiscard]] RZ_HD scattered_range in_neighbours(graph::vertex_id v) const { return in(v); }
};
static_assert(graph::graph_view<scattered_view>);

/// A graph with a dead id before each vertex whose number is a multiple of `dead_every`; 0: none is dead.
template <class Space>
class scattered_graph {
public:
    scattered_graph(Space const& space, plain_graph const& graph, std::uint64_t dead_every, bool symmetric,
                    bool in_arcs)
        : place_(places(graph.vertices, dead_every)),
          ids_(graph.vertices == 0 ? 0 : place_.back() + std::uint64_t{1}), out_(space, *this, graph, false),
          in_(space, *this, graph, true), live_(space, live_flags()), live_count_(graph.vertices),
          symmetric_(symmetric), in_arcs_(in_arcs) {}

    [[nodiscard]] scattered_view view() const {
        return {out_.rows(), in_.rows(), live_.data(), ids_, live_count_, symmetric_, in_arcs_};
    }
    /// The id of a vertex of the plain graph.
    [[nodiscard]] graph::vertex_id id_of(std::uint64_t v) const { return place_[v]; }

private:
    static std::vector<graph::vertex_id> places(std::uint64_t vertices, std::uint64_t dead_every) {
        std::vector<graph::vertex_id> made;
        graph::vertex_id next = 0;
        for (std::uint64_t v = 0; v < vertices; ++v) {
            if (dead_every != 0 && v % dead_every == 0) ++next;
            made.push_back(next++);
        }
        return made;
    }
    [[nodiscard]] std::vector<std::uint32_t> live_flags() const {
        std::vector<std::uint32_t> flags(ids_, 0u);
        for (auto const id : place_)
            flags[id] = 1;
        return flags;
    }

    class side {
    public:
        side(Space const& space, scattered_graph const& whole, plain_graph const& graph, bool reversed)
            : side(space, lay_out(whole, graph, reversed)) {}
        [[nodiscard]] scattered_rows rows() const {
            return {ids_.data(), pages_.data(), first_page_.data(), sizes_.data()};
        }

    private:
        struct arrays {
            std::vector<graph::vertex_id> ids;
            std::vector<std::uint64_t> pages, first_page;
            std::vector<std::uint32_t> sizes;
        };
        side(Space const& space, arrays const& a)
            : ids_(space, a.ids), pages_(space, a.pages), first_page_(space, a.first_page),
              sizes_(space, a.sizes) {}

        static arrays lay_out(scattered_graph const& whole, plain_graph const& graph, bool reversed) {
            std::vector<std::vector<graph::vertex_id>> rows(whole.ids_);
            for (auto const [source, target] : graph.arcs)
                rows[whole.place_[reversed ? target : source]].push_back(
                    whole.place_[reversed ? source : target]);
            arrays a;
            for (auto const& row : rows) {
                a.first_page.push_back(a.pages.size());
                a.sizes.push_back(static_cast<std::uint32_t>(row.size()));
                for (std::size_t i = 0; i < row.size(); i += scattered_range::page_ids)
                    a.pages.push_back(a.pages.size());
            }
            // Later rows in earlier pages, and each row from its end.
            a.ids.resize(a.pages.size() * scattered_range::page_ids + 1);
            for (auto& page : a.pages)
                page = a.pages.size() - 1 - page;
            for (std::size_t v = 0; v < rows.size(); ++v)
                for (std::size_t i = 0; i < rows[v].size(); ++i)
                    a.ids[a.pages[a.first_page[v] + i / scattered_range::page_ids] *
                              scattered_range::page_ids +
                          i % scattered_range::page_ids] = rows[v][rows[v].size() - 1 - i];
            a.pages.push_back(0); // an array has an element
            return a;
        }

        exec::buffer<Space, graph::vertex_id> ids_;
        exec::buffer<Space, std::uint64_t> pages_, first_page_;
        exec::buffer<Space, std::uint32_t> sizes_;
    };

    std::vector<graph::vertex_id> place_;
    std::uint64_t ids_;
    side out_;
    side in_;
    exec::buffer<Space, std::uint32_t> live_;
    std::uint64_t live_count_;
    bool symmetric_;
    bool in_arcs_;
};

} // namespace rhizome::tests
