// Erasing vertices: which edges they have.
#pragma once

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/dead_vertices.hpp>
#include <rhizome/graph/tuning.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <utility>

namespace rhizome::graph::batch {

/// Sets or clears the bits of vertices.
template <class Id>
struct mark_vertices {
    std::uint32_t* bits;
    Id const* ids; ///< each once
    std::uint64_t count;
    bool dead;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            auto const word = thread.device(bits[ids[i] / 32]);
            std::uint32_t const bit = 1u << (ids[i] % 32);
            // relaxed: nobody looks before the next kernel
            if (dead)
                word.fetch_or(bit, exec::order::relaxed);
            else
                word.fetch_and(~bit, exec::order::relaxed);
        });
    }
};

/// sizes[i] = edges that the vertex ids[i] has, out and in.
template <class View>
struct count_vertex_edges {
    View view;
    typename View::id_type const* ids;
    std::uint64_t count;
    std::uint64_t* sizes; ///< count + 1; the last is 0

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count + 1, [&](std::uint64_t i) {
            std::uint64_t size = 0;
            if (i < count) {
                size = view.degree(ids[i]);
                if (!view.symmetric()) size += view.in_neighbours(ids[i]).size();
            }
            sizes[i] = size;
        });
    }
};

template <class View>
struct list_vertex_edges {
    using id_type = typename View::id_type;

    View view;
    id_type const* ids;
    std::uint64_t count;
    std::uint64_t const* first; ///< sizes, scanned
    basic_edge<id_type>* edges;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        exec::for_each_group_item(warp, count, [&](std::uint64_t i) {
            id_type const v = ids[i];
            auto const out = view.neighbours(v);
            basic_edge<id_type>* const to = edges + first[i];
            out.for_each(warp, 0, out.size(), [&](std::uint64_t k, id_type target) { to[k] = {v, target}; });
            if (view.symmetric()) return;
            auto const in = view.in_neighbours(v);
            std::uint64_t const before = out.size();
            in.for_each(warp, 0, in.size(), [&](std::uint64_t k, id_type source) {
                to[before + k] = {source, v};
            });
        });
    }
};

/// Where nobody knows who leads to a vertex: all edges with a marked end. List = false: adds their number to
/// *cursor; true: lists them.
template <class View, bool List>
struct sweep_edges {
    using id_type = typename View::id_type;

    View view;
    std::uint32_t const* marked; ///< a bit a vertex
    std::uint64_t* cursor;
    basic_edge<id_type>* edges;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const tile = thread.tile(exec::width<tuning::row_tile>);
        std::uint64_t found = 0;
        exec::for_each_group_item(tile, view.vertex_count(), [&](std::uint64_t i) {
            auto const v = static_cast<id_type>(i);
            bool const all = is_dead(marked, v);
            auto const row = view.neighbours(v);
            row.for_each(tile, 0, row.size(), [&](std::uint64_t, id_type target) {
                if (!all && !is_dead(marked, target)) return;
                if constexpr (List)
                    edges[thread.device(*cursor).fetch_add(1, exec::order::relaxed)] = {v, target};
                else
                    ++found;
            });
        });
        if constexpr (!List) exec::add_to_total(thread, *cursor, found);
    }
};

/// Lists the edges of vertices in the memory of the space, each once or more.
template <class Space, class View>
class vertex_arcs {
public:
    using id_type = typename View::id_type;

    vertex_arcs(Space space, exec::workspace<Space>& scratch, View const& view)
        : space_(space), scratch_(scratch), view_(view), sizes_(space), marked_(space),
          edges_(std::move(space)) {}

    /// ids[0, count) lie in the space, each once. How many edges() there are. Throws out_of_memory. Waits.
    std::uint64_t of(id_type const* ids, std::uint64_t count) {
        return view_.has_in_arcs() ? of_rows(ids, count) : of_sweep(ids, count);
    }
    [[nodiscard]] basic_edge<id_type> const* edges() const { return edges_.data(); }

private:
    std::uint64_t of_rows(id_type const* ids, std::uint64_t count) {
        sizes_.discard_and_resize(count + 1);
        launch(space_, cover_threads(space_, count + 1),
               count_vertex_edges<View>{view_, ids, count, sizes_.data()});
        exclusive_scan(space_, scratch_, sizes_.data(), sizes_.data(), count + 1);
        std::uint64_t const total = read(sizes_.data() + count);
        edges_.discard_and_resize(total);
        launch(space_, cover_threads(space_, count * 32),
               list_vertex_edges<View>{view_, ids, count, sizes_.data(), edges_.data()});
        return total;
    }
    std::uint64_t of_sweep(id_type const* ids, std::uint64_t count) {
        sizes_.discard_and_resize(1);
        marked_.discard_and_resize((view_.vertex_count() + 31) / 32);
        marked_.fill_bytes(0);
        sizes_.fill_bytes(0);
        launch(space_, cover_threads(space_, count),
               mark_vertices<id_type>{marked_.data(), ids, count, true});
        auto const shape = exec::cover_tiles<tuning::row_tile>(space_, view_.vertex_count());
        launch(space_, shape, sweep_edges<View, false>{view_, marked_.data(), sizes_.data(), nullptr});
        std::uint64_t const total = read(sizes_.data());
        edges_.discard_and_resize(total);
        sizes_.fill_bytes(0);
        launch(space_, shape, sweep_edges<View, true>{view_, marked_.data(), sizes_.data(), edges_.data()});
        return total;
    }
    [[nodiscard]] std::uint64_t read(std::uint64_t const* word) {
        std::uint64_t value = 0;
        space_.copy_out(&value, word, sizeof(value));
        return value;
    }

    Space space_;
    exec::workspace<Space>& scratch_;
    View view_;
    exec::buffer<Space, std::uint64_t> sizes_;
    exec::buffer<Space, std::uint32_t> marked_;
    exec::buffer<Space, basic_edge<id_type>> edges_;
};

} // namespace rhizome::graph::batch
