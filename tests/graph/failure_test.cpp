// SPDX-License-Identifier: Apache-2.0
// The n-th allocation, or the n-th launch, copy, fill or wait of an operation fails, for every n. What is
// left is then a graph as it was, or one with the whole operation, reported, or one that says that it is
// broken. A graph that was refused memory is never broken.
#include "comparison.hpp"
#include "edge_list.hpp"
#include "failing_space.hpp"

#include <rhizome/alloc/decorators/failing.hpp>
#include <rhizome/exec/errors.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::tests::of_failures {
namespace {

using edges = std::vector<graph::edge>;
using ids = std::vector<graph::vertex_id>;

/// Small, so that large batches have few arcs.
exec::simt_space small_emulator() {
    return exec::simt_space({.concurrency_threads = 64, .max_block_threads = 64});
}
exec::host_space one_thread() { return exec::host_space({.threads = 1}); }

/// Refuses every page until something is done for it.
enum class scarce_until : std::uint8_t { plenty, trimmed, grown, never };
template <class Space>
class scarce_allocator : public alloc::failing<graph::default_allocator<Space>> {
    using base = alloc::failing<graph::default_allocator<Space>>;

public:
    using base::base;

    void make_scarce(scarce_until end) {
        end_ = end;
        if (end == scarce_until::plenty)
            base::fail_never();
        else
            base::fail_from(1);
    }
    void trim() {
        base::trim();
        if (end_ == scarce_until::trimmed) base::fail_never();
    }
    void grow_to(std::uint64_t bytes) {
        base::grow_to(bytes);
        if (end_ == scarce_until::grown) base::fail_never();
    }

private:
    scarce_until end_ = scarce_until::plenty;
};

template <class Base, Base (*Make)(), class Layout, class Value>
struct subject {
    using space = failing_space<Base>;
    using allocator = scarce_allocator<space>;
    using graph_type = graph::dynamic_graph<space, Layout, allocator, Value>;
    using reference_type = basic_reference_graph<Value>;
    static space make() { return space(Make()); }
};
using emulated = subject<exec::simt_space, small_emulator, graph::contiguous, void>;
using with_values = subject<exec::simt_space, small_emulator, graph::contiguous, std::int32_t>;
using in_buckets = subject<exec::host_space, one_thread, graph::buckets<>, std::int32_t>;

constexpr graph::vertex_id vertices = 40;

/// `per_row` edges from each of the first rows.
edges fan(graph::vertex_id rows, graph::vertex_id per_row, graph::vertex_id first) {
    edges all;
    for (graph::vertex_id v = 0; v < rows; ++v)
        for (graph::vertex_id k = 0; k < per_row; ++k)
            all.push_back({v, (v + first + k) % vertices});
    return all;
}

template <class Subject>
class failures : public ::testing::Test {
protected:
    using graph_type = typename Subject::graph_type;
    using reference_type = typename Subject::reference_type;
    using operation = std::function<void(graph_type&, reference_type&)>;

    /// Prepares a graph, then has each call of `act` fail in turn.
    struct scenario {
        graph::graph_options kind = {.vertices = vertices, .heap_bytes = heap_bytes};
        operation prepare = nothing;
        operation act;
        bool always_refused = false; ///< for lack of memory, even where nothing fails
    };
    static constexpr std::uint64_t heap_bytes = 512u << 10;
    static void nothing(graph_type&, reference_type&) {}

    static operation insert(edges const& batch) {
        return [batch](graph_type& tested, reference_type& reference) {
            apply_to_both(tested, reference, batch, false);
        };
    }
    static operation erase(edges const& batch) {
        return [batch](graph_type& tested, reference_type& reference) {
            apply_to_both(tested, reference, batch, true);
        };
    }
    /// The same with lists of changes, which stay empty if the batch fails.
    static operation apply_listed(edges const& batch, bool erasing) {
        return [batch, erasing](graph_type& tested, reference_type& reference) {
            typename graph_type::changes_type changes(tested.space());
            std::vector<typename reference_type::value_type> values;
            graph::batch_report got;
            try {
                if (erasing) {
                    got = tested.erase_edges(batch, &changes);
                } else if constexpr (graph_type::has_values) {
                    values.assign(batch.size(), 3);
                    got = tested.insert_edges(batch, values, &changes);
                } else {
                    got = tested.insert_edges(batch, &changes);
                }
            } catch (...) {
                EXPECT_EQ(changes.size(), 0u);
                throw;
            }
            EXPECT_EQ(got, reference.apply(batch, erasing, values));
            EXPECT_EQ(changes.size(), got.applied + got.updated);
        };
    }
    static operation erase_vertices(ids const& names) {
        return [names](graph_type& tested, reference_type& reference) {
            auto const got = tested.erase_vertices(names);
            EXPECT_EQ(got, reference.erase_vertices(names));
        };
    }
    static operation both(operation const& first, operation const& second) {
        return [first, second](graph_type& tested, reference_type& reference) {
            first(tested, reference);
            second(tested, reference);
        };
    }

    void expect_whole_or_broken(scenario const& of) {
        for (failure const how :
             {failure::out_of_memory_once, failure::out_of_memory_on, failure::launch_refused,
              failure::call_refused, failure::call_done, failure::lost})
            expect_whole_or_broken(of, how);
    }
    void expect_whole_or_broken(scenario const& of, failure how) {
        constexpr std::uint64_t stride = sanitized ? 5 : 1; // checked code takes minutes
        std::uint64_t number = 1;
        while (fail(of, how, number) && !::testing::Test::HasFailure())
            number += number < 8 ? 1 : stride;                              // a tiny batch makes few calls
        std::uint64_t const least = how == failure::launch_refused ? 1 : 3; // failures
        EXPECT_TRUE(number > least || is_of_memory(how) || how == failure::none) << "hardly anything failed";
    }
    static void expect_same_edges(graph_type& tested, reference_type const& reference) {
        for (std::string const& violation : tested.validate())
            ADD_FAILURE() << violation;
        EXPECT_EQ(tested.vertex_count(), reference.vertices());
        EXPECT_EQ(tested.live_vertex_count(), reference.live_vertices());
        EXPECT_EQ(tested.edge_count(), reference.edges().size());
        auto const view = tested.view();
        edges found;
        for (graph::vertex_id v = 0; v < view.vertex_count(); ++v) {
            EXPECT_EQ(view.is_live(v), reference.is_live(v)) << v;
            for (graph::vertex_id const target : view.neighbours(v))
                found.push_back({v, target});
        }
        std::sort(found.begin(), found.end());
        edges expected;
        for (auto const& [arc, value] : reference.arcs())
            expected.push_back(arc);
        EXPECT_TRUE(found == expected) << "the arcs differ";
    }
    std::uint64_t broken_graphs = 0;
    std::uint64_t unchanged_graphs = 0;
    std::uint64_t refusals = 0;        ///< of memory, by plan
    std::uint64_t reported_graphs = 0; ///< whole, although something failed

private:
    static bool is_of_memory(failure how) {
        return how == failure::out_of_memory_once || how == failure::out_of_memory_on;
    }
    /// One run. Whether the plan came to its failure.
    bool fail(scenario const& of, failure how, std::uint64_t number) {
        SCOPED_TRACE("failure " + std::to_string(static_cast<int>(how)) + " at number " +
                     std::to_string(number));
        graph_type tested(Subject::make(), of.kind);
        reference_type reference(of.kind);
        of.prepare(tested, reference);
        bool const of_memory = is_of_memory(how);
        bool done = false;
        bool failed = false;
        tested.space().plan().arm(how, number);
        try {
            of.act(tested, reference);
            failed = tested.space().plan().disarm();
            done = true;
            EXPECT_FALSE(of.always_refused);
        } catch (exec::out_of_memory const&) {
            failed = tested.space().plan().disarm();
            EXPECT_TRUE(of_memory || of.always_refused);
            if (!of.always_refused) ++refusals;
        } catch (exec::launch_refused const&) {
            failed = tested.space().plan().disarm();
            EXPECT_EQ(how, failure::launch_refused);
        } catch (space_failed const&) {
            failed = tested.space().plan().disarm();
            EXPECT_FALSE(of_memory || how == failure::launch_refused);
        }
        tested.space().plan().refuse_larger_than(~std::uint64_t{0});
        tested.space().plan().refuse_launches(0);
        auto const found = tested.validate();
        if (found.size() == 1 && found[0].find("broke off") != std::string::npos) {
            EXPECT_FALSE(of_memory) << "memory was refused, and the graph is broken for it";
            EXPECT_TRUE(failed);
            expect_no_more(tested);
            ++broken_graphs;
            return failed;
        }
        expect_same_edges(tested, reference);
        tested.allocator().make_scarce(scarce_until::plenty);
        if (!done) {
            ++unchanged_graphs;
            if (!of.always_refused) of.act(tested, reference);
        } else if (failed) {
            ++reported_graphs;
        }
        insert(fan(vertices, 2, 11))(tested, reference);
        expect_same_edges(tested, reference);
        return failed;
    }

    /// Changes and questions alike say that the graph is broken. None answers from rows that are undefined.
    static void expect_no_more(graph_type& tested) {
        EXPECT_TRUE(tested.broken());
        edges const few{{1, 2}};
        edges const many(graph::tuning::tiny_query + 1, {1, 2});
        ids const one{1};
        std::vector<typename reference_type::value_type> const values(many.size());
        for (edges const& batch : {few, many}) {
            expect_refusal([&] {
                if constexpr (graph_type::has_values)
                    tested.insert_edges(batch, std::span(values).first(batch.size()));
                else
                    tested.insert_edges(batch);
            });
            expect_refusal([&] { tested.erase_edges(batch); });
            expect_refusal([&] { tested.erase_edges(tested.stage(batch)); });
            expect_refusal([&] { static_cast<void>(tested.has_edges(batch)); });
            if constexpr (graph_type::has_values)
                expect_refusal([&] { static_cast<void>(tested.edge_values(batch)); });
            expect_refusal([&] { static_cast<void>(tested.degrees(ids(batch.size(), 1))); });
            expect_refusal([&] { static_cast<void>(tested.neighbours_of(ids(batch.size(), 1))); });
            std::vector<std::uint8_t> present(batch.size());
            expect_refusal([&] { tested.has_edges_in_space(batch.data(), batch.size(), present.data()); });
        }
        std::uint32_t degree = 0;
        std::uint64_t offsets[2] = {};
        expect_refusal([&] { tested.degrees_in_space(one.data(), 1, &degree); });
        expect_refusal([&] { static_cast<void>(tested.neighbour_offsets_in_space(one.data(), 1, offsets)); });
        expect_refusal([&] { tested.erase_vertices(one); });
        expect_refusal([&] { static_cast<void>(tested.insert_vertices(1)); });
        expect_refusal([&] { tested.add_vertices(1); });
        expect_refusal([&] { static_cast<void>(tested.view()); });
        expect_refusal([&] { static_cast<void>(tested.snapshot()); });
        expect_refusal([&] { static_cast<void>(tested.row_places()); });
        expect_refusal([&] { static_cast<void>(tested.memory()); });
        expect_refusal([&] { tested.compact(); });
        EXPECT_EQ(tested.validate().size(), 1u);
    }
    template <class Call>
    static void expect_refusal(Call const& call) {
        try {
            call();
            ADD_FAILURE() << "a call that uses a broken graph";
        } catch (std::logic_error const& error) {
            EXPECT_NE(std::string(error.what()).find("broke off midway"), std::string::npos) << error.what();
        }
    }
};
using subjects = ::testing::Types<emulated, in_buckets>;
struct subject_names {
    template <class Subject>
    static std::string GetName(int) {
        return std::string(Subject::graph_type::layout_type::name) + "_on_" +
               std::string(Subject::space::name) + (Subject::graph_type::has_values ? "_with_values" : "");
    }
};
TYPED_TEST_SUITE(failures, subjects, subject_names);

TYPED_TEST(failures, of_small_batches) {
    auto const before = this->insert(fan(vertices, 5, 1));
    this->expect_whole_or_broken({.prepare = before, .act = this->insert({{0, 20}, {1, 21}, {2, 22}})});
    this->expect_whole_or_broken({.prepare = before, .act = this->erase({{0, 1}, {1, 2}, {2, 20}})});
    this->expect_whole_or_broken(
        {.prepare = before, .act = this->apply_listed({{0, 20}, {1, 21}, {0, 1}}, false)});
    this->expect_whole_or_broken(
        {.prepare = before, .act = this->apply_listed({{0, 1}, {1, 2}, {2, 20}}, true)});
    EXPECT_GT(this->broken_graphs, 0u);
    EXPECT_GT(this->unchanged_graphs, 0u);
}

/// The launch of a tiny batch is refused. The batch is applied all the same.
TYPED_TEST(failures, of_resources_for_launches_of_tiny_batches) {
    using test = TestFixture;
    if constexpr (std::is_same_v<typename TypeParam::graph_type::layout_type, graph::contiguous>) {
        graph::graph_options const kind{.vertices = vertices, .heap_bytes = test::heap_bytes};
        for (graph::vertex_id const rows : {3u, 35u}) // with 35, several blocks
            for (bool const erasing : {false, true}) {
                SCOPED_TRACE(rows);
                typename test::graph_type tested(TypeParam::make(), kind);
                typename test::reference_type reference(kind);
                this->insert(fan(vertices, 5, 1))(tested, reference);
                for (graph::vertex_id round = 0; round < 3; ++round) // several blocks leave counts behind
                    apply_to_both(tested, reference, fan(35, 1, 6 + round), false);
                tested.space().plan().refuse_launches(1);
                apply_to_both(tested, reference, fan(rows, 1, erasing ? 7 : 12), erasing);
                EXPECT_EQ(tested.space().plan().launches_to_refuse(), 0u);
                test::expect_same_edges(tested, reference);
                for (graph::vertex_id round = 0; round < 4; ++round) {
                    apply_to_both(tested, reference, fan(35, 1, 10 + round), round % 2 == 1);
                    test::expect_same_edges(tested, reference);
                }
            }
    }
}

/// The launch that brings pages beside a batch is refused. The batch was applied, and the graph is whole.
TYPED_TEST(failures, of_resources_for_launches_beside_tiny_batches) {
    using test = TestFixture;
    if constexpr (std::is_same_v<typename TypeParam::graph_type::layout_type, graph::contiguous>) {
        typename test::graph_type tested(TypeParam::make(),
                                         {.vertices = vertices, .heap_bytes = test::heap_bytes});
        std::uint64_t refused = 0;
        std::uint64_t const arcs = fan(3, 1, 1).size();
        for (std::uint64_t brought = 0; brought < 2 * graph::tuning::tiny_restocked_arcs; brought += arcs) {
            tested.space().plan().refuse_launches(1, 1); // that of the batch is the first one
            tested.insert_edges(fan(3, 1, 1));
            refused += 1 - tested.space().plan().launches_to_refuse();
            ASSERT_FALSE(tested.broken());
        }
        tested.space().plan().refuse_launches(0);
        EXPECT_GE(refused, 1u);
        EXPECT_TRUE(tested.validate().empty());
    }
}

/// The blocks of a tiny batch do not run at once, so that some may begin late and read the edges. If a launch
/// of the usual steps is then refused, the call waits for those blocks: afterwards the caller may free the
/// edges.
TEST(failure, of_a_batch_whose_blocks_may_begin_late_waits_for_them) {
    exec::simt_options options;
    options.tuning.resident_blocks = 1;
    emulated::graph_type tested(emulated::space(exec::simt_space(options)), {.vertices = vertices});
    tested.insert_edges(fan(vertices, 5, 1));
    edges const batch = fan(vertices, 2, 7);
    tested.space().plan().refuse_launches(1, 1); // that of the tiny batch is the first one
    EXPECT_THROW(tested.insert_edges_in_space(batch.data(), batch.size()), exec::launch_refused)
        << "the blocks have met";
    EXPECT_TRUE(tested.space().plan().has_waited());
}

/// A query whose launch is refused says so, and the next one is answered.
TYPED_TEST(failures, of_resources_for_launches_of_queries) {
    typename TestFixture::graph_type tested(TypeParam::make(), {.vertices = vertices});
    tested.space().plan().refuse_launches(1);
    EXPECT_THROW(static_cast<void>(tested.has_edges(edges{{1, 2}})), exec::launch_refused);
    EXPECT_EQ(tested.has_edges(edges{{1, 2}}), std::vector<std::uint8_t>{0});
    EXPECT_FALSE(tested.broken());
}

TYPED_TEST(failures, of_large_batches) {
    auto const first = fan(vertices, 6, 1);
    this->expect_whole_or_broken({.act = this->insert(first)});
    this->expect_whole_or_broken({.prepare = this->insert(first), .act = this->insert(fan(vertices, 6, 9))});
    this->expect_whole_or_broken(
        {.prepare = this->insert(first), .act = this->apply_listed(fan(vertices, 6, 9), false)});
    this->expect_whole_or_broken({.prepare = this->insert(first), .act = this->erase(fan(vertices, 4, 3))});
    EXPECT_GT(this->refusals, 0u);
    EXPECT_GT(this->broken_graphs, 0u);
    EXPECT_GT(this->unchanged_graphs, 0u);
}

/// Pages are refused, so that the batch has the heap trimmed and grown; its free pages are queued anew.
TYPED_TEST(failures, of_trimming_and_growth) {
    auto const batch = this->insert(fan(vertices, 3, 9));
    for (scarce_until const end : {scarce_until::trimmed, scarce_until::grown, scarce_until::never}) {
        bool const refused = end == scarce_until::never;
        graph::graph_options kind{.vertices = vertices, .heap_bytes = TestFixture::heap_bytes};
        if (refused) kind.reserve_bytes = kind.heap_bytes;
        this->expect_whole_or_broken({.kind = kind,
                                      .prepare =
                                          [&](auto& tested, auto& reference) {
                                              this->insert(fan(vertices, 4, 1))(tested, reference);
                                              tested.allocator().make_scarce(end);
                                          },
                                      .act = batch,
                                      .always_refused = refused});
    }
    EXPECT_GT(this->reported_graphs, 0u) << "what follows a batch that trimmed was to fail";
}

TYPED_TEST(failures, of_vertices) {
    auto const before = this->insert(fan(vertices, 4, 1));
    auto const gone = this->both(before, this->erase_vertices({3, 5, 8}));
    for (bool const directed : {false, true}) {
        graph::graph_options const kind{
            .vertices = vertices, .directed = directed, .heap_bytes = TestFixture::heap_bytes};
        this->expect_whole_or_broken(
            {.kind = kind, .prepare = before, .act = this->erase_vertices({1, 2, 17, 99})});
    }
    this->expect_whole_or_broken({.prepare = gone, .act = this->erase_vertices({1, 2, 3})});
    this->expect_whole_or_broken({.prepare = gone, .act = [](auto& tested, auto& reference) {
                                      auto const names = tested.insert_vertices(6000);
                                      EXPECT_EQ(names.size(), 6000u);
                                      for (graph::vertex_id const name : names)
                                          EXPECT_FALSE(reference.is_live(name));
                                      reference.insert_vertices(names);
                                  }});
    EXPECT_GT(this->refusals, 0u);
    EXPECT_GT(this->broken_graphs, 0u);
}

/// The chunks of the rows lie in the part of the heap that was added last, and rows in too large pages.
TYPED_TEST(failures, of_compaction) {
    if constexpr (std::is_same_v<typename TypeParam::graph_type::layout_type, graph::contiguous>) {
        graph::graph_options const kind{.vertices = vertices, .heap_bytes = 64u << 10};
        auto const before = [&](auto& tested, auto& reference) {
            tested.allocator().grow_to(TestFixture::heap_bytes);
            this->insert(fan(vertices, 20, 1))(tested, reference);
            this->erase(fan(vertices, 8, 1))(tested, reference);
        };
        this->expect_whole_or_broken({.kind = kind, .prepare = before, .act = [](auto& tested, auto&) {
                                          graph::compaction_report const report = tested.compact();
                                          EXPECT_GT(report.moved_bytes, 0u);
                                          EXPECT_GT(report.returned_bytes, 0u);
                                      }});
        EXPECT_GT(this->refusals, 0u);
        EXPECT_GT(this->broken_graphs, 0u);
        EXPECT_GT(this->unchanged_graphs, 0u);
    } else { // other layouts do nothing
        this->expect_whole_or_broken({.prepare = this->insert(fan(vertices, 20, 1)),
                                      .act =
                                          [](auto& tested, auto&) {
                                              EXPECT_FALSE(tested.can_compact());
                                              EXPECT_EQ(tested.compact(), graph::compaction_report{});
                                              EXPECT_EQ(tested.memory().compactable_bytes, 0u);
                                          }},
                                     failure::none);
    }
}

TYPED_TEST(failures, of_questions) {
    auto const before = this->both(this->insert(fan(vertices, 4, 1)), this->erase_vertices({3, 5, 8}));
    this->expect_whole_or_broken({.prepare = before, .act = [](auto& tested, auto& reference) {
                                      auto const copy = tested.snapshot();
                                      EXPECT_EQ(copy.targets.size(), reference.arcs().size());
                                  }});
    this->expect_whole_or_broken({.prepare = before, .act = [](auto& tested, auto&) {
                                      for (std::string const& found : tested.validate())
                                          EXPECT_NE(found.find("out of memory"), std::string::npos) << found;
                                  }});
    EXPECT_EQ(this->broken_graphs, 0u);
}

/// Its own rows: they change nothing.
TYPED_TEST(failures, of_rows_that_are_inserted) {
    this->expect_whole_or_broken(
        {.prepare = this->insert(fan(vertices, 4, 1)), .act = [](auto& tested, auto& reference) {
             auto const copy = tested.snapshot();
             graph::batch_report report;
             if constexpr (std::remove_reference_t<decltype(tested)>::has_values)
                 report = tested.insert_rows_in_space(copy.view(), copy.values.data());
             else
                 report = tested.insert_rows_in_space(copy.view());
             EXPECT_EQ(report.total(), reference.edges().size());
             EXPECT_EQ(report.applied, 0u);
         }});
}

/// Each allocation of a batch is refused in turn, those of primitives included, which allocate here as a
/// device's do: what the batch has written by then must not be lost.
template <class Subject>
class refused_allocations : public failures<Subject> {
protected:
    using typename failures<Subject>::graph_type;
    using typename failures<Subject>::reference_type;
    using typename failures<Subject>::operation;
    static constexpr graph::vertex_id many = 540; ///< rows: pages of one size for all are requested in bulk
    /// `per_row` edges from each of the first rows.
    static edges spokes(graph::vertex_id rows, graph::vertex_id per_row, graph::vertex_id first) {
        edges all;
        for (graph::vertex_id v = 0; v < rows; ++v)
            for (graph::vertex_id k = 0; k < per_row; ++k)
                all.push_back({v, (v + first + k) % many});
        return all;
    }
    static operation without_scratch(operation const& before) {
        return [before](graph_type& tested, reference_type& reference) {
            before(tested, reference);
            tested.release_scratch();
        };
    }
    static std::vector<graph::graph_options> kinds() {
        std::vector<graph::graph_options> all;
        for (graph::page_requests const pages : {graph::page_requests::lane_wise, graph::page_requests::bulk})
            for (bool const directed : {false, true})
                all.push_back({.vertices = many,
                               .directed = directed,
                               .in_arcs = directed,
                               .heap_bytes = 2u << 20,
                               .pages = pages});
        return all;
    }
    /// A batch with a decision, which lies in memory that the space reads.
    static operation decided(edges const& batch, bool erasing) {
        return [batch, erasing](graph_type& tested, reference_type& reference) {
            std::vector<typename reference_type::value_type> values;
            if (graph_type::has_values && !erasing) values.resize(batch.size(), 7);
            std::function<bool()> const agree = [] { return true; };
            std::optional<graph::batch_report> got;
            if (erasing)
                got = tested.erase_edges_in_space_if(batch.data(), batch.size(), agree);
            else if constexpr (graph_type::has_values)
                got = tested.insert_edges_in_space_if(batch.data(), values.data(), batch.size(), agree);
            else
                got = tested.insert_edges_in_space_if(batch.data(), batch.size(), agree);
            ASSERT_TRUE(got.has_value());
            EXPECT_EQ(*got, reference.apply(batch, erasing, values));
        };
    }
    void expect_whole(graph::graph_options const& kind, operation const& prepare, operation const& act) {
        for (failure const how : {failure::out_of_memory_once, failure::out_of_memory_on})
            this->expect_whole_or_broken({.kind = kind, .prepare = prepare, .act = act}, how);
    }
};
using refused_subjects = ::testing::Types<emulated, with_values, in_buckets>;
TYPED_TEST_SUITE(refused_allocations, refused_subjects, subject_names);

TYPED_TEST(refused_allocations, lose_no_edge_of_a_counted_batch) {
    auto const before = this->without_scratch(this->insert(this->spokes(this->many, 3, 1)));
    auto const more = this->spokes(this->many - 1, 1, 9); // one more edge would be sorted
    auto const less = this->spokes(this->many - 1, 1, 2);
    for (graph::graph_options const& kind : this->kinds()) {
        this->expect_whole(kind, before, this->insert(more));
        this->expect_whole(kind, before, this->erase(less));
        this->expect_whole(kind, before, this->decided(more, false));
        this->expect_whole(kind, before, this->decided(less, true));
    }
    EXPECT_EQ(this->broken_graphs, 0u);
    EXPECT_GT(this->refusals, 0u);
    EXPECT_GT(this->reported_graphs, 0u) << "no batch did without what was refused";
}

TYPED_TEST(refused_allocations, lose_no_edge_of_a_sorted_batch) {
    auto const first = this->spokes(this->many, 2, 1);
    auto const before = this->insert(first);
    auto const more = this->spokes(this->many, 2, 9);
    for (graph::graph_options const& kind : this->kinds()) {
        this->expect_whole(kind, this->nothing, before);
        this->expect_whole(kind, this->nothing, this->decided(first, false));
        this->expect_whole(kind, before, this->insert(more));
        this->expect_whole(kind, before, this->erase(first));
        this->expect_whole(kind, before, this->decided(more, false));
        this->expect_whole(kind, before, this->decided(first, true));
    }
    EXPECT_EQ(this->broken_graphs, 0u);
    EXPECT_GT(this->refusals, 0u);
}

TYPED_TEST(refused_allocations, lose_no_edge_of_erased_vertices) {
    ids gone;
    for (graph::vertex_id v = 0; v < this->many; v += 3)
        gone.push_back(v);
    for (graph::graph_options const& kind : this->kinds())
        this->expect_whole(kind, this->insert(this->spokes(this->many, 3, 1)), this->erase_vertices(gone));
    EXPECT_EQ(this->broken_graphs, 0u);
}

/// Blocks of scratch are small, so that the batch is applied in pieces; one of its allocations is refused.
TYPED_TEST(refused_allocations, lose_no_edge_of_a_batch_in_pieces) {
    auto const first = this->spokes(this->many, 2, 1);
    auto const more = this->spokes(this->many, 1, 9);
    auto const with_small_blocks = [&](auto& tested, auto& reference) {
        this->without_scratch(this->insert(first))(tested, reference);
        tested.space().plan().refuse_larger_than(12u << 10);
    };
    for (graph::graph_options const& kind : this->kinds()) {
        for (auto const& act : {this->insert(more), this->erase(first)})
            this->expect_whole_or_broken({.kind = kind, .prepare = with_small_blocks, .act = act},
                                         failure::out_of_memory_once);
    }
    EXPECT_EQ(this->broken_graphs, 0u);
    EXPECT_GT(this->reported_graphs, 0u);
}

/// Each launch of a batch is refused in turn, as a device may do for lack of resources. The graph is then as
/// it was, or has the whole batch, or refuses all that follows.
template <class Subject>
class refused_launches : public refused_allocations<Subject> {
protected:
    using typename failures<Subject>::operation;

    void expect_whole_or_refusing(graph::graph_options const& kind, operation const& prepare,
                                  operation const& act) {
        this->expect_whole_or_broken({.kind = kind, .prepare = prepare, .act = act}, failure::launch_refused);
    }
};
TYPED_TEST_SUITE(refused_launches, refused_subjects, subject_names);

/// A batch that would take one launch takes the usual steps, since that launch is refused. One of theirs is
/// refused, too.
TYPED_TEST(refused_launches, of_a_small_batch_leave_no_wrong_rows) {
    auto const before = [&](auto& tested, auto& reference) {
        this->insert(fan(vertices, 5, 1))(tested, reference);
        if (!std::is_same_v<typename TypeParam::graph_type::layout_type, graph::contiguous>) return;
        tested.space().plan().refuse_launches(1);
    };
    edges const more{{0, 20}, {1, 21}, {2, 22}, {0, 1}};
    edges const less{{0, 1}, {1, 2}, {2, 20}};
    graph::graph_options const kind{.vertices = vertices, .heap_bytes = TestFixture::heap_bytes};
    for (typename TestFixture::operation const& act :
         {this->insert(more), this->erase(less), this->apply_listed(more, false),
          this->apply_listed(less, true), this->both(this->insert(more), this->erase(less))})
        this->expect_whole_or_refusing(kind, before, act);
    EXPECT_GT(this->broken_graphs, 0u);
}

TYPED_TEST(refused_launches, of_a_large_batch_leave_no_wrong_rows) {
    auto const first = this->spokes(this->many, 3, 1);
    auto const loaded = this->insert(first);
    auto const counted_more = this->spokes(this->many - 1, 1, 9);
    auto const counted_less = this->spokes(this->many - 1, 1, 2);
    auto const sorted_more = this->spokes(this->many, 2, 9);
    auto const sorted_less = this->spokes(this->many, 2, 2);
    for (graph::graph_options const& kind : this->kinds()) {
        this->expect_whole_or_refusing(kind, this->nothing, loaded);
        for (edges const& batch : {counted_more, sorted_more}) {
            this->expect_whole_or_refusing(kind, loaded, this->insert(batch));
            this->expect_whole_or_refusing(kind, loaded, this->decided(batch, false));
        }
        for (edges const& batch : {counted_less, sorted_less}) {
            this->expect_whole_or_refusing(kind, loaded, this->erase(batch));
            this->expect_whole_or_refusing(kind, loaded, this->decided(batch, true));
        }
        this->expect_whole_or_refusing(kind, loaded,
                                       this->both(this->insert(sorted_more), this->erase(counted_less)));
    }
    EXPECT_GT(this->broken_graphs, 0u);
}

/// A page that no row has is found, although there is no memory for looking at the neighbours.
TEST(failure, leaves_what_validation_has_found) {
    in_buckets::graph_type tested(in_buckets::make(), {.vertices = vertices});
    tested.insert_edges(fan(vertices, 4, 1), std::vector<std::int32_t>(std::size_t{4} * vertices));
    exec::host_thread<exec::no_shared> const thread(0, 1, nullptr);
    ASSERT_NE(tested.allocator().ref().allocate(thread, 64), nullptr);
    ASSERT_EQ(tested.validate().size(), 1u);
    tested.space().plan().arm(failure::out_of_memory_on, 1);
    auto const found = tested.validate();
    EXPECT_TRUE(tested.space().plan().disarm());
    ASSERT_EQ(found.size(), 2u);
    EXPECT_NE(found[0].find("neighbours could not be checked"), std::string::npos) << found[0];
    EXPECT_NE(found[0].find("out of memory"), std::string::npos) << found[0];
    EXPECT_NE(found[1].find("bytes of rows' pages"), std::string::npos) << found[1];
}

/// Columns of 64 bits.
struct wide_columns {
    std::vector<std::uint64_t> sources;
    std::vector<std::uint64_t> targets;

    explicit wide_columns(edges const& batch) {
        for (graph::edge const& edge : batch) {
            sources.push_back(edge.source);
            targets.push_back(edge.target);
        }
    }
    [[nodiscard]] graph::edge_columns<std::uint64_t> view() const { return {sources, targets}; }
};

TYPED_TEST(failures, of_columns) {
    this->expect_whole_or_broken(
        {.prepare = this->insert(fan(vertices, 4, 1)), .act = [](auto& tested, auto& reference) {
             edges const batch = fan(40, 2, 2);
             auto const got = tested.erase_edges(wide_columns(batch).view());
             EXPECT_EQ(got, reference.apply(batch, true));
         }});
    EXPECT_GT(this->refusals, 0u);
}

TYPED_TEST(failures, of_staged_batches) {
    this->expect_whole_or_broken(
        {.prepare = this->insert(fan(vertices, 4, 1)), .act = [](auto& tested, auto& reference) {
             edges const batch = fan(3, 2, 2);
             auto const staged = tested.stage(batch);
             auto const got = tested.erase_edges(staged);
             EXPECT_EQ(got, reference.apply(batch, true));
         }});
}

TYPED_TEST(failures, of_staged_columns) {
    this->expect_whole_or_broken(
        {.prepare = this->insert(fan(vertices, 4, 1)), .act = [](auto& tested, auto& reference) {
             edges const batch = fan(3, 2, 2);
             auto const staged = tested.stage(wide_columns(batch).view());
             auto const got = tested.erase_edges(staged);
             EXPECT_EQ(got, reference.apply(batch, true));
         }});
    EXPECT_GT(this->refusals, 0u);
}

} // namespace
} // namespace rhizome::tests::of_failures
