// SPDX-License-Identifier: Apache-2.0
// Batches that are applied in pieces and refused midway: what was applied is undone, whatever the batch holds
// and however little memory is left.
#include "comparison.hpp"
#include "edge_list.hpp"

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/graph/dynamic_graph.hpp>
#include <rhizome/graph/tuning.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace rhizome::tests::of_undoing {
namespace {

using space_type = exec::host_space;
template <class Layout, class Value>
using scarce_graph = graph::dynamic_graph<space_type, Layout, graph::default_allocator<space_type>, Value>;

space_type limited(std::uint64_t limit_bytes) {
    return make_space<space_type>({.threads = 1, .memory_limit_bytes = limit_bytes});
}

/// Random edges, a third of which are one edge, and some of these its mirror.
edge_list with_repeats(std::uint64_t count, std::uint64_t vertices, std::uint64_t seed) {
    edge_list edges = random_edges(count, vertices, seed);
    for (std::size_t i = 0; i < edges.size(); i += 3)
        edges[i] = i % 2 == 0 ? edges[0] : graph::edge{edges[0].target, edges[0].source};
    return edges;
}

/// Inserts or erases a batch that is refused. Edges `in_space` lie outside of the budget, as memory of the
/// caller's own does. `changes`: nullptr, or lists, which must stay as they are.
template <class Graph>
std::string refusal_of(Graph& tested, edge_list const& edges, bool erasing, bool in_space,
                       typename Graph::changes_type* changes = nullptr) {
    std::uint64_t const listed = changes == nullptr ? 0 : changes->size();
    std::vector<double> values(Graph::has_values && !erasing ? edges.size() : 0, 0.5);
    std::span<graph::edge const> const batch(edges);
    try {
        if (in_space) {
            auto other = make_space<space_type>();
            exec::buffer<space_type, graph::edge> const placed(other, batch);
            exec::buffer<space_type, double> const placed_values(other, std::span<double const>(values));
            if (erasing)
                tested.erase_edges_in_space(placed.data(), edges.size(), changes);
            else if constexpr (Graph::has_values)
                tested.insert_edges_in_space(placed.data(), placed_values.data(), edges.size(), changes);
            else
                tested.insert_edges_in_space(placed.data(), edges.size(), changes);
        } else if (erasing) {
            tested.erase_edges(batch, changes);
        } else if constexpr (Graph::has_values) {
            tested.insert_edges(batch, values, changes);
        } else {
            tested.insert_edges(batch, changes);
        }
    } catch (exec::out_of_memory const& error) {
        if (changes != nullptr) {
            EXPECT_EQ(changes->size(), listed);
        }
        return error.what();
    }
    return "";
}

template <class Layout, class Value>
unsigned refusals_of_repeats(bool directed, bool in_space) {
    std::uint64_t const vertices = 5'000;
    std::uint64_t const count = 15'000;
    unsigned refusals = 0;
    for (std::uint64_t const left : {75'000u, 150'000u, 300'000u}) {
        SCOPED_TRACE("left " + std::to_string(left) + (directed ? ", directed" : "") +
                     (in_space ? ", in the space" : ""));
        auto space = limited(4u << 20);
        graph::graph_options const options{.vertices = vertices, .directed = directed};
        scarce_graph<Layout, Value> tested(space, options);
        basic_reference_graph<Value> reference(options);
        typename scarce_graph<Layout, Value>::changes_type changes(make_space<space_type>()); // other memory
        bool const listing = left == 300'000;
        apply_to_both(tested, reference, random_edges(count, vertices, 1), false);
        tested.release_scratch();
        exec::buffer<space_type, std::byte> const rest(space, space.budget().available_bytes() - left);
        auto batch = with_repeats(count, vertices, left);
        auto const some = random_edges(count / 8, vertices, 1); // present
        std::copy(some.begin(), some.end(), batch.begin() + 10);
        std::string const refusal = refusal_of(tested, batch, false, in_space, listing ? &changes : nullptr);
        if (refusal.empty()) continue;
        ++refusals;
        EXPECT_NE(refusal.find("graph unchanged"), std::string::npos) << refusal;
        expect_same(tested, reference);
        if (::testing::Test::HasFailure()) break;
    }
    return refusals;
}

TEST(undone_pieces, of_a_batch_with_an_edge_many_times_leave_the_graph_unchanged) {
    for (bool const directed : {false, true})
        for (bool const in_space : {false, true}) {
            EXPECT_GT((refusals_of_repeats<graph::contiguous, void>(directed, in_space)), 0u);
            EXPECT_GT((refusals_of_repeats<graph::contiguous, double>(directed, in_space)), 0u);
        }
}

/// Scratch of which another program takes a part: blocks are small from the start, so that batches are
/// applied in pieces, and from an allocation on nothing is left. What the graph had set aside remains its
/// own.
class shared_scratch : public exec::memory_resource {
public:
    static constexpr std::uint64_t most_bytes = 48u << 10; ///< of a block

    /// `set_aside_bytes`: of the block that is set aside for undoing. `number`: of the first allocation that
    /// finds nothing left, counted from that block.
    void arm(std::uint64_t set_aside_bytes, unsigned number) {
        set_aside_bytes_ = set_aside_bytes;
        number_ = number;
        seen_ = 0;
        credit_bytes_ = 0;
        set_aside_ = nullptr;
    }
    void disarm() { set_aside_bytes_ = 0; }
    [[nodiscard]] bool ran_out() const { return seen_ > number_; }

    [[nodiscard]] void* allocate(std::uint64_t bytes, void*) override {
        if (set_aside_bytes_ == 0) return take(bytes);
        if (set_aside_ == nullptr && seen_ == 0 && bytes == set_aside_bytes_) {
            ++seen_;
            return set_aside_ = take(bytes);
        }
        if (bytes > most_bytes) return nullptr;
        if (seen_ != 0) ++seen_;
        if (!ran_out()) return take(bytes);
        if (bytes > credit_bytes_) return nullptr;
        credit_bytes_ -= bytes;
        void* const place = take(bytes);
        credited_.insert(place);
        return place;
    }
    void deallocate(void* pointer, std::uint64_t bytes, void*) noexcept override {
        if (pointer == set_aside_ || credited_.erase(pointer) != 0) credit_bytes_ += bytes;
        if (pointer == set_aside_) set_aside_ = nullptr;
        ::operator delete (pointer, std::align_val_t{256});
    }

private:
    static void* take(std::uint64_t bytes) { return ::operator new (bytes, std::align_val_t{256}); }

    std::uint64_t set_aside_bytes_ = 0;
    unsigned number_ = 0;
    unsigned seen_ = 0;
    std::uint64_t credit_bytes_ = 0;
    void* set_aside_ = nullptr;
    std::set<void*> credited_;
};

/// Appends repeats of an edge, in a piece that is not the first to be applied. They are in one piece, which
/// is refused.
void repeat_an_edge(edge_list& batch) {
    edge_list by_hash = batch;
    std::sort(by_hash.begin(), by_hash.end(), [](graph::edge const& left, graph::edge const& right) {
        return graph::batch::piece::hash_of(left) < graph::batch::piece::hash_of(right);
    });
    batch.insert(batch.end(), shared_scratch::most_bytes / 16, by_hash[by_hash.size() * 3 / 4]);
}

/// Runs out of scratch at different points of a batch. `limit_bytes`: 0, or what the space has for scratch.
template <class Layout, class Value>
void expect_undone_or_completed(bool erasing, bool in_space, std::uint64_t limit_bytes) {
    std::uint64_t const vertices = 1'000;
    std::uint64_t const count = 2'000;
    unsigned runs = 0;
    for (unsigned number = 2; number < 400; number += 1 + number / 8) {
        SCOPED_TRACE("from allocation " + std::to_string(number) + (erasing ? ", erasing" : "") +
                     (in_space ? ", in the space" : ""));
        shared_scratch scratch;
        auto space = limited(64u << 20);
        graph::graph_options const options{.vertices = vertices, .scratch = &scratch};
        scarce_graph<Layout, Value> tested(space, options);
        basic_reference_graph<Value> reference(options);
        apply_to_both(tested, reference, random_edges(2 * count, vertices, 1), false);
        tested.release_scratch();
        auto batch = random_edges(count, vertices, 2);
        auto const some = random_edges(count / 2, vertices, 1); // present
        std::copy(some.begin(), some.end(), batch.begin());
        if (!erasing) repeat_an_edge(batch);
        std::string refusal;
        {
            std::uint64_t const rest = limit_bytes == 0 ? 0 : space.budget().available_bytes() - limit_bytes;
            exec::buffer<space_type, std::byte> const held(space, rest);
            scratch.arm(limit_bytes == 0 ? graph::tuning::most_undo_bytes : graph::tuning::least_undo_bytes,
                        number);
            refusal = refusal_of(tested, batch, erasing, in_space);
        }
        runs += scratch.ran_out() ? 1 : 0;
        scratch.disarm();
        if (erasing) {
            EXPECT_EQ(refusal, "") << "what was set aside is enough to go on";
            reference.apply(batch, true);
        } else {
            EXPECT_NE(refusal.find("graph unchanged"), std::string::npos) << refusal;
        }
        expect_same(tested, reference);
        if (::testing::Test::HasFailure()) return;
        if (!scratch.ran_out()) break;
    }
    EXPECT_GE(runs, erasing ? 2u : 10u) << "the scratch was to run out in the middle of batches";
}

TEST(undone_pieces, leave_the_graph_unchanged_with_the_memory_that_was_set_aside) {
    for (bool const in_space : {false, true}) {
        expect_undone_or_completed<graph::contiguous, void>(false, in_space, 0);
        expect_undone_or_completed<graph::contiguous, double>(false, in_space, 0);
        expect_undone_or_completed<graph::buckets<>, double>(false, in_space, 0);
    }
}

TEST(undone_pieces, need_no_more_than_the_least_that_is_set_aside) {
    std::uint64_t const limit_bytes = graph::tuning::least_scratch_bytes;
    expect_undone_or_completed<graph::contiguous, void>(false, false, limit_bytes);
    expect_undone_or_completed<graph::contiguous, double>(false, false, limit_bytes);
    expect_undone_or_completed<graph::buckets<>, double>(false, false, limit_bytes);
}

TEST(undone_pieces, of_an_erasure_are_not_undone_but_completed) {
    for (bool const in_space : {false, true}) {
        expect_undone_or_completed<graph::contiguous, void>(true, in_space, 0);
        expect_undone_or_completed<graph::contiguous, double>(true, in_space, 0);
    }
}

/// Queries hold the memory that the batch needs.
TEST(undone_pieces, are_none_of_a_batch_with_a_decision_which_is_tried_again) {
    std::uint64_t const vertices = 1'000;
    auto space = limited(64u << 20);
    scarce_graph<graph::contiguous, void> tested(space, {.vertices = vertices});
    auto const batch = random_edges(10'000, vertices, 1);
    static_cast<void>(tested.has_edges(random_edges(200'000, vertices, 2)));
    exec::buffer<space_type, std::byte> const rest(space, space.budget().available_bytes() - 100'000);
    unsigned asked = 0;
    auto const decide = [&] {
        ++asked;
        return true;
    };
    auto const report = tested.insert_edges_in_space_if(batch.data(), batch.size(), decide);
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(asked, 1u);
    EXPECT_EQ(report->applied, tested.edge_count());
    expect_valid(tested);
}

/// So little memory that the batch goes in pieces: the edge with an unknown id is in one of the later ones.
TEST(undone_pieces, of_a_batch_with_an_unknown_id) {
    std::uint64_t const vertices = 5'000;
    unsigned refusals = 0;
    for (std::uint64_t const left : {40'000u, 60'000u, 100'000u, 200'000u, 400'000u}) {
        auto space = limited(16u << 20);
        graph::graph_options const options{.vertices = vertices, .refuses_unknown_ids = true};
        scarce_graph<graph::contiguous, void> tested(space, options);
        reference_graph reference(options);
        apply_to_both(tested, reference, random_edges(20'000, vertices, 3), false);
        tested.release_scratch();
        std::uint64_t const available = space.budget().available_bytes();
        ASSERT_TRUE(space.budget().try_charge(available - left));
        for (bool const erasing : {false, true}) {
            edge_list batch = random_edges(15'000, vertices, 5);
            batch[7'000].target = static_cast<graph::vertex_id>(vertices);
            try {
                static_cast<void>(erasing ? tested.erase_edges(batch) : tested.insert_edges(batch));
                ADD_FAILURE() << "not refused";
            } catch (std::out_of_range const&) {
                ++refusals;
            } catch (exec::out_of_memory const&) { // refused for another reason first
            }
        }
        space.budget().refund(available - left);
        expect_same(tested, reference);
        expect_valid(tested);
    }
    EXPECT_GT(refusals, 2u);
}

} // namespace
} // namespace rhizome::tests::of_undoing
