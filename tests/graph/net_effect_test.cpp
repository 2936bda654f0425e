// SPDX-License-Identifier: Apache-2.0
// The net effect of updates in the memory of a space, against a map.
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/graph/net_effect.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace rhizome::tests {
namespace {

using graph::operation;
using update_list = std::vector<graph::update>;

/// Updates of few edges, in both directions, and of some ids of no vertices.
update_list random_updates(std::size_t count, std::uint32_t vertices, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    auto const id = [&] {
        auto const drawn = static_cast<std::uint32_t>(random() % (vertices + 1));
        return drawn == vertices ? graph::no_vertex : drawn;
    };
    update_list updates;
    for (std::size_t i = 0; i < count; ++i) {
        graph::vertex_id const source = id();
        updates.push_back({random() % 2 == 0 ? operation::insert : operation::erase, {source, id()}});
    }
    return updates;
}

struct expected_lists {
    std::vector<graph::edge> insertions;
    std::vector<graph::edge> deletions; ///< from the last to the first
};

expected_lists net_effect_of(update_list const& updates, bool directed) {
    std::map<graph::edge, std::size_t> last;
    for (std::size_t i = 0; i < updates.size(); ++i) {
        graph::edge edge = updates[i].edge;
        if (!directed && edge.source > edge.target) std::swap(edge.source, edge.target);
        last[edge] = i;
    }
    std::vector<std::size_t> places;
    for (auto const& [edge, place] : last)
        places.push_back(place);
    std::sort(places.begin(), places.end());
    expected_lists lists;
    for (std::size_t const place : places)
        (updates[place].operation == operation::insert ? lists.insertions : lists.deletions)
            .push_back(updates[place].edge);
    std::reverse(lists.deletions.begin(), lists.deletions.end());
    return lists;
}

template <class Space>
std::vector<graph::edge> list_on_host(Space& space, graph::edge const* edges, std::uint64_t count) {
    std::vector<graph::edge> list(count);
    if (count != 0) space.copy_out(list.data(), edges, count * sizeof(graph::edge));
    return list;
}

template <class Space>
class net_effect_in : public space_test {
protected:
    static void expect_effect(Space& space, graph::net_effect<Space>& effect, update_list const& updates,
                              bool directed) {
        exec::buffer<Space, graph::update> const placed(space, updates);
        graph::net_edges const net = effect.reduce(placed.data(), updates.size(), directed);
        expected_lists const expected = net_effect_of(updates, directed);
        EXPECT_TRUE(list_on_host(space, net.insertions, net.insertion_count) == expected.insertions);
        EXPECT_TRUE(list_on_host(space, net.deletions, net.deletion_count) == expected.deletions);
        EXPECT_EQ(net.superseded, updates.size() - expected.insertions.size() - expected.deletions.size());
    }
};
TYPED_TEST_SUITE(net_effect_in, all_spaces, space_names);

TYPED_TEST(net_effect_in, is_that_of_the_last_update_of_each_edge) {
    auto space = make_space<TypeParam>();
    graph::net_effect<TypeParam> effect(space);
    for (bool const directed : {false, true})
        for (std::size_t const count : {std::size_t{1}, std::size_t{2}, std::size_t{33}, std::size_t{700},
                                        std::size_t{work<TypeParam>(100'000, 3'000)}})
            for (std::uint32_t const vertices : {2u, 40u, 4'000u}) {
                SCOPED_TRACE(::testing::Message() << count << " updates of " << vertices << " vertices"
                                                  << (directed ? ", directed" : ""));
                this->expect_effect(space, effect, random_updates(count, vertices, count + vertices),
                                    directed);
            }
}

TYPED_TEST(net_effect_in, may_be_one_list_alone_or_none) {
    auto space = make_space<TypeParam>();
    graph::net_effect<TypeParam> effect(space);
    this->expect_effect(space, effect, {{operation::insert, {1, 2}}, {operation::insert, {2, 1}}}, true);
    this->expect_effect(space, effect, {{operation::insert, {1, 2}}, {operation::erase, {2, 1}}}, false);
    graph::net_edges const none = effect.reduce(nullptr, 0, true);
    EXPECT_EQ(none.insertion_count + none.deletion_count + none.superseded, 0u);
}

TYPED_TEST(net_effect_in, is_refused_without_memory_and_formed_later) {
    update_list const updates = random_updates(2'000, 100, 5);
    std::uint64_t refusals = 0;
    for (std::uint64_t limit = 32u << 10; refusals == 0 || limit < (1u << 20); limit += 24u << 10) {
        auto space = make_space<TypeParam>({.memory_limit_bytes = limit});
        graph::net_effect<TypeParam> effect(space);
        exec::buffer<TypeParam, graph::update> const placed(space, updates);
        try {
            (void)effect.reduce(placed.data(), updates.size(), true);
        } catch (exec::out_of_memory const&) {
            ++refusals;
        }
        this->expect_effect(space, effect, random_updates(20, 7, 3), true);
    }
    EXPECT_GT(refusals, 0u);
}

} // namespace
} // namespace rhizome::tests
