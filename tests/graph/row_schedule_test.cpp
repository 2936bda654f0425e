// SPDX-License-Identifier: Apache-2.0
// Every arc of the chosen vertices is walked exactly once, by groups that take a limited share each.
#include "cases.hpp"
#include "edge_list.hpp"

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/row_schedule.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace rhizome::tests {
namespace {

#if defined(__CUDACC__)
using schedule_cases =
    ::testing::Types<graph_case<graph::contiguous, ouroboros_default, void, exec::cuda_space>>;
#else
using schedule_cases =
    ::testing::Types<graph_case<graph::contiguous, ouroboros_default, void, exec::host_space>,
                     graph_case<graph::contiguous, ouroboros_default, void, exec::simt_space>,
                     graph_case<small_buckets, catalogued::ouroboros_page_array, void, exec::simt_space>>;
#endif

/// Counts how often each arc, given by row and place, is walked, and notes the longest share of a group.
template <class Rows, class Schedule>
struct count_walks {
    using id_type = typename Rows::id_type;
    Rows rows;
    Schedule schedule;
    std::uint64_t const* first_arc; ///< of each vertex
    std::uint32_t* walks;           ///< one an arc
    std::uint32_t* calls;           ///< one a vertex: groups that were given a part of its row
    std::uint32_t* out_of_bounds;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        graph::for_each_row_piece(
            thread, rows, schedule,
            [&](auto const& group, id_type v, auto const& row, std::uint64_t begin, std::uint64_t end) {
                if (group.rank() == 0) {
                    thread.device(calls[v]).fetch_add(1u, exec::order::relaxed);
                    if (begin >= end || end > row.size() || end - begin > graph::tuning::piece_arcs)
                        thread.device(*out_of_bounds).fetch_add(1u, exec::order::relaxed);
                }
                row.for_each(group, begin, end, [&](std::uint64_t i, id_type) {
                    thread.device(walks[first_arc[v] + i]).fetch_add(1u, exec::order::relaxed);
                });
            });
    }
};

template <class Case>
class row_schedules : public space_test {
protected:
    using space_type = typename Case::space;
    using graph_type = typename Case::graph_type;
    using id_type = graph::vertex_id;

    /// Degrees around the lengths at which rows are cut, among many short ones; in the order of a shuffle.
    row_schedules() {
        for (std::uint64_t const degree : {127u, 128u, 129u, 511u, 512u, 513u, 1024u, 1025u, 1337u})
            degrees_.push_back(degree);
        std::mt19937_64 random(11);
        while (degrees_.size() < 1400)
            degrees_.push_back(random() % 3 == 0 ? 0 : random() % 6);
        std::shuffle(degrees_.begin(), degrees_.end(), random);
        offsets_.push_back(0);
        for (std::uint64_t const degree : degrees_)
            offsets_.push_back(offsets_.back() + degree);
    }

    [[nodiscard]] graph_type build(bool reversed) const {
        edge_list edges;
        for (id_type v = 0; v < degrees_.size(); ++v)
            for (id_type i = 0; i < degrees_[v]; ++i) {
                id_type const other = (v + i) % static_cast<id_type>(degrees_.size());
                edges.push_back(reversed ? graph::edge{other, v} : graph::edge{v, other});
            }
        graph_type graph(make_space<space_type>(),
                         {.vertices = degrees_.size(), .directed = true, .in_arcs = reversed});
        graph.insert_edges(edges);
        return graph;
    }

    /// `times`: how often each vertex is chosen.
    template <class Rows, class Chosen>
    void expect_walked(space_type space, Rows const& rows, Chosen const& chosen,
                       std::vector<std::uint32_t> const& times) {
        graph::row_scheduler<space_type> scheduler(space);
        graph::row_totals found{};
        auto const schedule = scheduler.plan(space, rows, chosen, &found);
        exec::buffer<space_type, std::uint64_t> const first_arc(space, offsets_);
        exec::buffer<space_type, std::uint32_t> walks(space, offsets_.back());
        exec::buffer<space_type, std::uint32_t> calls(space, degrees_.size());
        exec::buffer<space_type, std::uint32_t> out_of_bounds(space, 1);
        for (auto* const counts : {&walks, &calls, &out_of_bounds})
            counts->fill_bytes(0);
        using schedule_type = std::remove_cvref_t<decltype(schedule)>;
        launch(space, cover_rows(space, schedule),
               count_walks<Rows, schedule_type>{rows, schedule, first_arc.data(), walks.data(), calls.data(),
                                                out_of_bounds.data()});
        std::vector<std::uint32_t> expected_walks;
        std::vector<std::uint32_t> expected_calls;
        std::uint64_t arcs = 0;
        std::uint64_t pieces = 0;
        for (std::size_t v = 0; v < degrees_.size(); ++v) {
            expected_walks.insert(expected_walks.end(), degrees_[v], times[v]);
            std::uint64_t const of_row = degrees_[v] > 128 ? (degrees_[v] + 511) / 512 : 0;
            expected_calls.push_back(times[v] * static_cast<std::uint32_t>(degrees_[v] == 0 ? 0
                                                                           : of_row == 0    ? 1
                                                                                            : of_row));
            arcs += times[v] * degrees_[v];
            pieces += times[v] * of_row;
        }
        EXPECT_TRUE(walks.to_host() == expected_walks);
        EXPECT_TRUE(calls.to_host() == expected_calls);
        EXPECT_EQ(out_of_bounds.to_host()[0], 0u);
        EXPECT_EQ(found.arcs, arcs);
        EXPECT_EQ(found.pieces, pieces);
        EXPECT_EQ(schedule.piece_count, pieces);
    }
    template <class Rows>
    void expect_list(space_type space, Rows const& rows, std::vector<id_type> const& ids) {
        std::vector<std::uint32_t> times(degrees_.size(), 0);
        for (id_type const v : ids)
            ++times[v];
        exec::buffer<space_type, id_type> const listed(space, std::span<id_type const>(ids));
        expect_walked(space, rows, graph::listed_vertices<id_type>{listed.data(), ids.size()}, times);
    }
    template <class Rows>
    void expect_mask(space_type space, Rows const& rows, std::vector<std::uint32_t> times,
                     std::uint64_t count) {
        std::vector<std::uint32_t> bits((times.size() + 31) / 32, 0);
        for (std::size_t v = 0; v < times.size(); ++v)
            bits[v / 32] |= times[v] << (v % 32);
        bits.back() |= ~std::uint32_t{0} << 31; // past the last vertex
        std::fill(times.begin() + static_cast<std::ptrdiff_t>(count), times.end(), 0u);
        exec::buffer<space_type, std::uint32_t> const mask(space, bits);
        expect_walked(space, rows, graph::masked_vertices<id_type>{mask.data(), count}, times);
    }

    std::vector<std::uint64_t> degrees_;
    std::vector<std::uint64_t> offsets_;
};
TYPED_TEST_SUITE(row_schedules, schedule_cases, named_types);

TYPED_TEST(row_schedules, walk_all_rows_once) {
    for (bool const reversed : {false, true}) {
        auto graph = this->build(reversed);
        using view = typename TypeParam::graph_type::view_type;
        graph::all_vertices<graph::vertex_id> const all{this->degrees_.size()};
        std::vector<std::uint32_t> const once(this->degrees_.size(), 1);
        if (reversed)
            this->expect_walked(graph.space(), graph::in_rows<view>{graph.view()}, all, once);
        else
            this->expect_walked(graph.space(), graph::out_rows<view>{graph.view()}, all, once);
    }
}

TYPED_TEST(row_schedules, walk_the_rows_of_a_list_as_often_as_it_names_them) {
    auto graph = this->build(false);
    graph::out_rows<typename TypeParam::graph_type::view_type> const rows{graph.view()};
    std::mt19937_64 random(3);
    auto const vertices = static_cast<graph::vertex_id>(this->degrees_.size());
    this->expect_list(graph.space(), rows, {});
    std::vector<graph::vertex_id> hubs;
    for (graph::vertex_id v = 0; v < vertices; ++v)
        if (this->degrees_[v] > 128) hubs.push_back(v);
    this->expect_list(graph.space(), rows, hubs);
    for (std::uint64_t const count : {1u, 31u, 33u, 700u, 2000u}) {
        std::vector<graph::vertex_id> ids;
        for (std::uint64_t i = 0; i < count; ++i)
            ids.push_back(static_cast<graph::vertex_id>(random() % vertices));
        this->expect_list(graph.space(), rows, ids); // with repeats
        std::sort(ids.begin(), ids.end());
        ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
        std::shuffle(ids.begin(), ids.end(), random);
        this->expect_list(graph.space(), rows, ids);
    }
}

TYPED_TEST(row_schedules, walk_the_rows_of_a_mask_once) {
    auto graph = this->build(false);
    graph::out_rows<typename TypeParam::graph_type::view_type> const rows{graph.view()};
    std::mt19937_64 random(4);
    std::size_t const vertices = this->degrees_.size();
    ASSERT_NE(vertices % 32, 0u);
    this->expect_mask(graph.space(), rows, std::vector<std::uint32_t>(vertices, 0), vertices);
    this->expect_mask(graph.space(), rows, std::vector<std::uint32_t>(vertices, 1), vertices);
    this->expect_mask(graph.space(), rows, std::vector<std::uint32_t>(vertices, 1), 333);
    for (std::uint32_t const one_in : {2u, 50u}) {
        std::vector<std::uint32_t> chosen;
        for (std::size_t v = 0; v < vertices; ++v)
            chosen.push_back(random() % one_in == 0 || (one_in == 50 && this->degrees_[v] > 128) ? 1 : 0);
        this->expect_mask(graph.space(), rows, chosen, vertices);
    }
}

} // namespace
} // namespace rhizome::tests
