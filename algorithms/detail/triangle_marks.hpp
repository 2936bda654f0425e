// SPDX-License-Identifier: Apache-2.0
// Triangles of a graph whose rows are sorted and short, for spaces where one thread walks each row.
#pragma once

#include <rhizome/algorithms/detail/rows.hpp>
#include <rhizome/algorithms/detail/triangle_total.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/graph/neighbour_range.hpp>
#include <rhizome/graph/rows.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// A set of ids of which no two have the same place, so that a look at one place tells whether an id is in
/// it. Places are a power of two of words.
class id_marks {
public:
    RZ_HD id_marks(graph::vertex_id* words, std::uint32_t count) : words_(words), mask_(count - 1) {
        for (std::uint32_t i = 0; i < count; ++i)
            words_[i] = no_vertex;
    }
    /// Returns false, and changes nothing, if another id has its place.
    [[nodiscard]] RZ_HD bool insert(graph::vertex_id id) const {
        graph::vertex_id& place = words_[id & mask_];
        if (place != no_vertex) return false;
        place = id;
        return true;
    }
    RZ_HD void erase(graph::vertex_id id) const { words_[id & mask_] = no_vertex; }
    [[nodiscard]] RZ_HD bool contain(graph::vertex_id id) const { return words_[id & mask_] == id; }

private:
    static constexpr graph::vertex_id no_vertex = graph::no_vertex; // greater than any id
    graph::vertex_id* words_;
    graph::vertex_id mask_;
};

/// For each vertex v: triangles v < u < w, by u in the row of v and w in the rows of v and of u. A thread
/// that meets a row that is too long stops, since the count is then of no use. Mispredicted branches cost
/// most, so vertices are sorted without branches, one strip at a time: those without two greater neighbours,
/// those with two, which may close one triangle, and the others.
template <class View, std::uint32_t Words>
struct count_by_marks {
    static_assert(View::sorted && graph::range_of_rows<graph::out_rows<View>>::contiguous &&
                  (Words & (Words - 1)) == 0);
    static constexpr std::uint32_t strip = tuning::triangle_strip_rows;
    struct shared {
        exec::block_sum_storage<std::uint64_t> sums;
        graph::vertex_id marks[Words];
        graph::vertex_id pairs[strip];
        graph::vertex_id others[strip];
    };
    View view;
    triangle_total* total;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        static_assert(Thread::prefers_runs);
        auto& storage = thread.block().storage();
        id_marks const marks(storage.marks, Words);
        std::uint64_t found = 0;
        bool is_over = false;
        std::uint64_t const vertices = view.vertex_count();
        exec::for_each_item(thread, (vertices + strip - 1) / strip, [&](std::uint64_t i) {
            if (is_over) return;
            sorted const kinds = sort(i * strip, vertices, storage);
            is_over = kinds.longest > tuning::triangle_light_degree;
            if (is_over) {
                thread.device(total->long_rows).fetch_add(1, exec::order::relaxed);
                return;
            }
            for (std::uint32_t k = 0; k < kinds.pairs; ++k)
                found += closes(storage.pairs[k]) ? 1 : 0;
            for (std::uint32_t k = 0; k < kinds.others; ++k)
                found += count_above(storage.others[k], marks);
        });
        total->add(thread, storage.sums, found);
    }

private:
    struct sorted {
        std::uint64_t longest; ///< row
        std::uint32_t pairs;
        std::uint32_t others;
    };

    /// Vertices without neighbours are processed too; they have no greater neighbours.
    [[nodiscard]] RZ_HD sorted sort(std::uint64_t first, std::uint64_t vertices, shared& storage) const {
        sorted kinds{};
        std::uint64_t const end = first + strip < vertices ? first + strip : vertices;
        std::uint32_t several = 0;
        for (std::uint64_t i = first; i < end; ++i) {
            auto const v = static_cast<graph::vertex_id>(i);
            auto const row = view.neighbours(v);
            std::uint64_t const size = row.size();
            kinds.longest = size > kinds.longest ? size : kinds.longest;
            storage.pairs[several] = v;
            several += size != 0 ? is_greater<2>(row, v) : 0;
        }
        for (std::uint32_t k = 0; k < several; ++k) {
            graph::vertex_id const v = storage.pairs[k];
            std::uint32_t const more = is_greater<3>(view.neighbours(v), v);
            storage.others[kinds.others] = v;
            storage.pairs[kinds.pairs] = v; // does not overwrite an entry that is still to be read
            kinds.others += more;
            kinds.pairs += 1 - more;
        }
        return kinds;
    }

    /// 1 if the Count-th neighbour from the end is greater than v; 0 if it is not, or if there are fewer.
    /// Precondition: there is a neighbour.
    template <std::uint32_t Count>
    [[nodiscard]] static RZ_HD std::uint32_t is_greater(graph::neighbour_range const& row,
                                                        graph::vertex_id v) {
        std::uint64_t const size = row.size();
        graph::vertex_id const there = row[size < Count ? 0 : size - Count];
        return static_cast<std::uint32_t>(there > v) & static_cast<std::uint32_t>(size >= Count);
    }

    /// Whether the last two neighbours of a vertex are neighbours of each other.
    [[nodiscard]] RZ_HD bool closes(graph::vertex_id v) const {
        auto const row = view.neighbours(v);
        graph::vertex_id const w = *(row.end() - 1);
        auto const other = view.neighbours(*(row.end() - 2));
        constexpr std::uint32_t few = id_window::width;
        if (other.size() > few) return has(other, w);
        bool found = false;
        for (std::uint32_t k = 0; k < few; ++k) {
            // Place 0 if there is no k-th neighbour: there is one neighbour. Of `k < size ? k : 0` the
            // compiler makes a branch.
            std::uint64_t const there = std::uint64_t{0} - static_cast<std::uint64_t>(k < other.size());
            found |= other.begin()[k & there] == w;
        }
        return found;
    }

    [[nodiscard]] static RZ_HD bool has(graph::neighbour_range const& row, graph::vertex_id id) {
        graph::vertex_id const* at = row.end();
        while (at != row.begin() && *(at - 1) > id)
            --at;
        return at != row.begin() && *(at - 1) == id;
    }

    [[nodiscard]] RZ_HD std::uint64_t count_above(graph::vertex_id v, id_marks const& marks) const {
        auto const row = view.neighbours(v);
        graph::vertex_id const* first = row.end();
        bool fits = true;
        for (; first != row.begin() && *(first - 1) > v && fits; --first)
            fits = marks.insert(*(first - 1));
        if (!fits) ++first; // the one whose place was taken
        std::uint64_t const found = fits ? count_marked(first, row.end(), marks) : 0;
        for (graph::vertex_id const* at = first; at != row.end(); ++at)
            marks.erase(*at);
        return fits ? found : count_merged(v, row);
    }

    /// Counts among the greater neighbours of each of these, which are marked.
    [[nodiscard]] RZ_HD std::uint64_t count_marked(graph::vertex_id const* from, graph::vertex_id const* to,
                                                   id_marks const& marks) const {
        std::uint64_t found = 0;
        for (; from != to; ++from) {
            graph::vertex_id const u = *from;
            auto const other = view.neighbours(u);
            for (graph::vertex_id const* at = other.end(); at != other.begin() && *(at - 1) > u; --at)
                found += marks.contain(*(at - 1)) ? 1 : 0;
        }
        return found;
    }

    [[nodiscard]] RZ_HD std::uint64_t count_merged(graph::vertex_id v,
                                                   graph::neighbour_range const& row) const {
        std::uint64_t found = 0;
        for (graph::vertex_id const* u = row.end(); u != row.begin() && *(u - 1) > v; --u) {
            auto const other = view.neighbours(*(u - 1));
            graph::vertex_id const* own = row.end();
            graph::vertex_id const* its = other.end();
            while (own != u && its != other.begin()) {
                graph::vertex_id const a = *(own - 1);
                graph::vertex_id const b = *(its - 1);
                found += a == b ? 1 : 0;
                own -= a >= b ? 1 : 0;
                its -= b >= a ? 1 : 0;
            }
        }
        return found;
    }
};

} // namespace rhizome::algorithms::detail
