// SPDX-License-Identifier: Apache-2.0
// The steps of shortest paths.
#pragma once

#include <rhizome/algorithms/detail/delta_choice.hpp>
#include <rhizome/algorithms/detail/path_steps.hpp>
#include <rhizome/algorithms/detail/sssp_memory.hpp>
#include <rhizome/algorithms/detail/sssp_state.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

enum class sssp_step : std::uint8_t {
    none,
    fill,    ///< no vertex is reached; counts arcs and samples weights
    sources, ///< lists the sources
    search,  ///< all blocks expand near vertices, list marked ones, or take vertices from the pile
    narrow,  ///< one block does both, again and again
    write,   ///< distances; lists all reached vertices if their arcs are to be looked at
    parents, ///< each vertex looks for successors that are farther away
    relist,  ///< lists all vertices that have a parent
    level,   ///< the same for successors that are as far away, which arcs of weight 0 make
};

/// Shortest paths as a program of exec::run_steps().
template <class View>
struct sssp_program : path_steps<View> {
    using base = path_steps<View>;
    using base::view, base::state, base::sources, base::source_count, base::distances, base::parents,
        base::words, base::memory, base::searcher, base::finder;
    using typename base::id_type, typename base::metric, typename base::word_type;

    sssp_outcome* outcome;

    struct progress {
        sssp_search search; ///< behind the search, `near` are the listed vertices
        std::uint32_t number;
        std::uint32_t reached;
        std::uint32_t missing; ///< vertices without a parent, or the number of sources
        sssp_step kind;
    };

    [[nodiscard]] RZ_HD progress begin() const { return {}; }

    [[nodiscard]] RZ_HD bool next(progress& now) const {
        if (now.kind == sssp_step::none) {
            now.kind = sssp_step::fill;
            return true;
        }
        ++now.number;
        sssp_round const& left = state->ring[now.number % 4];
        switch (now.kind) {
        case sssp_step::fill:
            base::choose_delta(now.search, left);
            now.kind = sssp_step::sources;
            return true;
        case sssp_step::sources:
            if (state->dead_source != 0) return false;
            now.missing = static_cast<std::uint32_t>(left.vertices);
            now.search.near = left.found.near;
            now.search.limit = metric::raised(metric::word_of({}), now.search.delta);
            now.search.number = 1;
            return choose(now, now.search.near.vertices() != 0);
        case sssp_step::search:
            return choose(now, searcher().advance(now.search, left.found));
        case sssp_step::narrow:
            now.search = left.search;
            return choose(now, searcher().has_work(now.search));
        case sssp_step::write:
            now.reached = static_cast<std::uint32_t>(left.vertices);
            now.missing = now.reached - now.missing;
            now.search.near = left.found.near;
            now.kind = sssp_step::parents;
            return looks_at_arcs(now);
        case sssp_step::parents:
            now.kind = sssp_step::relist;
            return parents != nullptr && now.missing != left.vertices && state->too_far == 0;
        default:
            now.search.near = left.found.near;
            now.kind = sssp_step::level;
            return now.search.near.vertices() != 0;
        }
    }

    RZ_HD void finish(progress const& now) const {
        outcome->report = {now.reached, now.search.rounds,
                           now.search.delta / static_cast<double>(1u << now.search.doublings)};
        outcome->refused_arc = state->refused_arc;
        outcome->refused = now.search.refused ? 1u : 0u;
        outcome->dead_source = state->dead_source;
        outcome->too_far = state->too_far;
    }

    [[nodiscard]] RZ_HD std::uint64_t items(progress const& now) const {
        switch (now.kind) {
        case sssp_step::narrow:
            return 1;
        case sssp_step::sources:
            return source_count;
        case sssp_step::search:
            return base::search_items(now.search);
        case sssp_step::parents:
        case sssp_step::level:
            return now.search.near.arcs;
        default:
            return view.vertex_count();
        }
    }

    template <class Thread>
    RZ_HD void step(Thread const& thread, progress const& now) const {
        sssp_round& left = state->ring[(now.number + 1) % 4];
        if (thread.rank() == 0) state->ring[(now.number + 2) % 4] = {};
        auto const device = [&](auto& word) { return thread.device(word); };
        switch (now.kind) {
        case sssp_step::fill:
            fill(thread, left);
            return;
        case sssp_step::sources:
            begin_at_sources(thread, left, device);
            return;
        case sssp_step::search:
            searcher().move(thread, false, now.search, left.found, device);
            return;
        case sssp_step::narrow:
            searcher().narrow(thread, now.search, left);
            return;
        case sssp_step::write:
            write(thread, now, left, device);
            return;
        case sssp_step::parents:
            finder().find_parents(thread, now.number, now.search.near, left);
            return;
        case sssp_step::relist:
            finder().relist(thread, now.number, left, device);
            return;
        default:
            finder().find_level(thread, now.number, now.search.near, left, device);
        }
    }

private:
    [[nodiscard]] RZ_HD bool choose(progress& now, bool goes_on) const {
        if (now.search.refused) return false;
        now.kind = !goes_on                              ? sssp_step::write
                   : searcher().fits_a_block(now.search) ? sssp_step::narrow
                                                         : sssp_step::search;
        return true;
    }
    [[nodiscard]] RZ_HD bool looks_at_arcs(progress const& now) const {
        return parents != nullptr || now.search.overflows;
    }

    template <class Thread>
    RZ_HD void fill(Thread const& thread, sssp_round& left) const {
        std::uint64_t const vertices = view.vertex_count();
        std::uint64_t const stride = sampling_stride(vertices);
        sampled_sums sums;
        exec::for_each_item(thread, vertices, [&](std::uint64_t i) {
            auto const v = static_cast<id_type>(i);
            words[v] = metric::unreached_word();
            memory().stamps()[v] = 0;
            memory().in_pile()[v] = 0;
            if (parents != nullptr) parents[v] = graph::no_vertex_of<id_type>;
            sums.add_row(view.degree(v));
            if (i % stride == 0) sums.add_weights(memory(), v);
        });
        sums.leave(thread, left);
    }

    template <class Thread, class Access>
    RZ_HD void begin_at_sources(Thread const& thread, sssp_round& left, Access const& device) const {
        std::uint64_t arcs = 0;
        std::uint64_t different = 0;
        exec::for_each_item(thread, source_count, [&](std::uint64_t i) {
            id_type const source = sources[i];
            if (!base::check_source(thread, source)) return;
            word_type const zero = metric::word_of({});
            // Relaxed: barriers publish what threads leave to others.
            if (thread.device(words[source]).exchange(zero, exec::order::relaxed) == zero) return;
            if (parents != nullptr) parents[source] = source;
            ++different;
            std::uint64_t const degree = view.degree(source);
            arcs += degree;
            memory().frontiers().put(thread, source, degree, memory().list_of(1), left.found.near, device);
        });
        add_by_warp(thread, left.found.near.arcs, arcs, device);
        add_by_warp(thread, left.vertices, different, device);
    }

    template <class Thread, class Access>
    RZ_HD void write(Thread const& thread, progress const& now, sssp_round& left,
                     Access const& device) const {
        std::uint64_t reached = 0;
        std::uint64_t arcs = 0;
        exec::for_each_item(thread, view.vertex_count(), [&](std::uint64_t i) {
            auto const v = static_cast<id_type>(i);
            distances[v] = metric::distance_at(words[v]);
            if (words[v] == metric::unreached_word()) return;
            ++reached;
            if (!looks_at_arcs(now)) return;
            std::uint64_t const degree = view.degree(v);
            arcs += degree;
            memory().frontiers().put(thread, v, degree, memory().list_of(now.number + 1), left.found.near,
                                     device);
        });
        add_by_warp(thread, left.vertices, reached, device);
        add_by_warp(thread, left.found.near.arcs, arcs, device);
    }
};

} // namespace rhizome::algorithms::detail
