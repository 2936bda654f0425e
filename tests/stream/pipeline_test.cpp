// SPDX-License-Identifier: Apache-2.0
// Batches of a stream, read and copied ahead.
#include "../io/scratch_folder.hpp"

#include <rhizome/exec/errors.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/runtime/catalogue.hpp>
#include <rhizome/stream/array_updates.hpp>
#include <rhizome/stream/batch_pipeline.hpp>
#include <rhizome/stream/file_updates.hpp>
#include <rhizome/stream/graph_stream.hpp>
#include <rhizome/stream/one_ahead.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace rhizome;
using namespace rhizome::stream;

namespace {

/// Until it holds, or for ten seconds.
template <class Condition>
[[nodiscard]] bool comes_true(Condition const& condition) {
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

class pipeline : public ::testing::Test {
protected:
    /// A stream of this text in batches of so many updates.
    std::shared_ptr<update_source> stream(std::string const& text, std::size_t batch_updates) const {
        return std::make_shared<file_updates>(folder.write("a.updates", text), batch_rule{batch_updates});
    }

    rhizome::testing::scratch_folder folder;
};

} // namespace

TEST(one_ahead, gives_items_in_their_order_and_then_the_end) {
    int made = 0;
    one_ahead<int> items([&](int& item) {
        item = ++made;
        return made <= 100;
    });
    int item = 0;
    for (int expected = 1; expected <= 100; ++expected) {
        ASSERT_TRUE(items.next(item));
        ASSERT_EQ(item, expected);
    }
    EXPECT_FALSE(items.next(item));
    EXPECT_FALSE(items.next(item)) << "the end stays";
    EXPECT_FALSE(items.has_next());
}

TEST(one_ahead, makes_one_and_not_two) {
    std::atomic<int> made = 0;
    one_ahead<int> items([&](int& item) {
        item = ++made;
        return true;
    });
    ASSERT_TRUE(comes_true([&] { return items.has_next(); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(made, 1);
    int item = 0;
    EXPECT_TRUE(items.next(item));
    EXPECT_TRUE(comes_true([&] { return items.has_next(); })) << "while the first is in use";
    EXPECT_EQ(made, 2);
}

TEST(one_ahead, throws_in_the_place_of_the_item) {
    int made = 0;
    one_ahead<int> items([&](int& item) {
        item = ++made;
        if (made == 3) throw std::runtime_error("the third");
        return true;
    });
    int item = 0;
    EXPECT_TRUE(items.next(item));
    EXPECT_TRUE(items.next(item));
    EXPECT_EQ(item, 2);
    EXPECT_THROW(items.next(item), std::runtime_error);
    EXPECT_FALSE(items.next(item)) << "then comes the end";
    EXPECT_FALSE(items.next(item));
    EXPECT_FALSE(items.has_next());
    EXPECT_EQ(made, 3) << "it was asked again after it had thrown";
}

TEST(one_ahead, does_not_wait_for_what_never_comes) {
    auto const never = std::make_shared<std::promise<void>>();
    auto const done = std::make_shared<std::promise<void>>();
    {
        one_ahead<int> const items([never, done](int&) {
            never->get_future().wait();
            done->set_value();
            return false;
        });
        EXPECT_FALSE(items.has_next());
    } // would hang here
    never->set_value();
    done->get_future().wait();
}

TEST_F(pipeline, copies_each_list_while_the_one_before_is_applied) {
    auto const session = runtime::open_graph({.vertices = 5});
    batch_reader reader(stream("+ 0 1\n+ 1 2\n- 3 4\n+ 2 3\n- 0 1\n", 3), {});
    batch_pipeline batches(*session, reader);
    auto const staged_edges = [&] { return session->memory().scratch_bytes / sizeof(graph::edge); };

    ASSERT_TRUE(batches.next());
    EXPECT_EQ(batches.present().updates, 3u);
    batches.prepare(batch_list::insertions);
    EXPECT_EQ(staged_edges(), 2u + 1u) << "its deletions come next";
    EXPECT_EQ(batches.apply(batch_list::insertions).applied, 2u);
    EXPECT_EQ(staged_edges(), 1u);
    ASSERT_TRUE(comes_true([&] { return reader.has_next(); }));
    batches.prepare(batch_list::deletions);
    EXPECT_EQ(staged_edges(), 1u + 1u) << "the insertions of the next batch come next";
    EXPECT_EQ(batches.apply(batch_list::deletions).without_effect, 1u);
    EXPECT_EQ(staged_edges(), 1u);

    ASSERT_TRUE(batches.next());
    EXPECT_EQ(batches.present().updates, 2u);
    batches.prepare(batch_list::insertions);
    EXPECT_EQ(batches.apply(batch_list::insertions).applied, 1u);
    batches.prepare(batch_list::deletions);
    EXPECT_EQ(batches.apply(batch_list::deletions).applied, 1u);
    EXPECT_EQ(staged_edges(), 0u);
    EXPECT_FALSE(batches.next());
    EXPECT_EQ(session->edge_count(), 2u);
}

TEST_F(pipeline, gives_up_what_is_copied_ahead_before_a_batch_is_refused) {
    // 32 bytes an edge in this session: three fit, if nothing is copied ahead.
    runtime::graph_choice options;
    options.memory_limit_bytes = 96;
    options.vertices = 9;
    auto const session = runtime::open_graph(options);
    batch_reader reader(stream("+ 0 1\n+ 1 2\n+ 2 3\n+ 3 4\n+ 4 5\n", 1), {});
    batch_pipeline batches(*session, reader);
    for (int number = 1; number <= 3; ++number) {
        ASSERT_TRUE(batches.next());
        ASSERT_TRUE(comes_true([&] { return reader.has_next(); }));
        batches.prepare(batch_list::insertions);
        EXPECT_EQ(session->memory().scratch_bytes, 2 * sizeof(graph::edge));
        EXPECT_EQ(batches.apply(batch_list::insertions).applied, 1u) << number;
        EXPECT_EQ(session->memory().scratch_bytes, number < 3 ? sizeof(graph::edge) : 0u);
    }
    ASSERT_TRUE(batches.next());
    batches.prepare(batch_list::insertions);
    EXPECT_THROW(batches.apply(batch_list::insertions), exec::out_of_memory);
    EXPECT_EQ(session->edge_count(), 3u);
}

TEST_F(pipeline, leaves_the_net_effect_to_the_space) {
    runtime::graph_choice options;
    options.space = "simt";
    options.vertices = 5;
    auto const session = runtime::open_graph(options);
    batch_reader reader(stream("+ 0 1\n+ 1 2\n- 0 1\n+ 3 4\n- 1 2\n+ 0 2\n", 4), {.reduces = false});
    batch_pipeline batches(*session, reader);
    ASSERT_TRUE(batches.next());
    batches.reduce();
    EXPECT_EQ(batches.size(batch_list::insertions), 2u);
    EXPECT_EQ(batches.size(batch_list::deletions), 1u);
    EXPECT_EQ(batches.superseded(), 1u);
    for (batch_list const list : {batch_list::insertions, batch_list::deletions}) {
        batches.prepare(list);
        auto const report = batches.apply(list);
        EXPECT_EQ(report.applied, list == batch_list::insertions ? 2u : 0u);
    }
    ASSERT_TRUE(batches.next());
    batches.reduce();
    EXPECT_EQ(batches.superseded(), 0u);
    batches.prepare(batch_list::insertions);
    EXPECT_EQ(batches.apply(batch_list::insertions).applied, 1u);
    batches.prepare(batch_list::deletions);
    EXPECT_EQ(batches.apply(batch_list::deletions).applied, 1u);
    EXPECT_FALSE(batches.next());
    EXPECT_EQ(session->all_edges(), (std::vector<graph::edge>{{0, 2}, {3, 4}}));
}

TEST_F(pipeline, forms_the_net_effect_on_the_host_if_the_space_lacks_memory) {
    // Nothing is staged beyond the limit, and an insertion takes 32 bytes: so two updates cannot be staged,
    // and one can be inserted.
    runtime::graph_choice options;
    options.space = "simt";
    options.vertices = 5;
    options.memory_limit_bytes = 3 * sizeof(graph::update) - 1;
    auto const session = runtime::open_graph(options);
    batch_reader reader(stream("+ 0 1\n- 0 1\n+ 2 3\n- 2 3\n", 3), {.reduces = false});
    batch_pipeline batches(*session, reader);
    std::uint64_t superseded = 0;
    while (batches.next()) {
        batches.reduce();
        superseded += batches.superseded();
        for (batch_list const list : {batch_list::insertions, batch_list::deletions}) {
            if (batches.size(list) == 0) continue;
            batches.prepare(list);
            (void)batches.apply(list);
        }
    }
    EXPECT_EQ(superseded, 1u);
    EXPECT_EQ(session->edge_count(), 0u);
}

TEST_F(pipeline, throws_what_the_reader_throws_after_the_batches_before) {
    auto const session = runtime::open_graph({.vertices = 5});
    batch_reader reader(stream("+ 0 1\n+ 1 2\n+ 1\n", 1), {});
    batch_pipeline batches(*session, reader);
    for (int number = 0; number < 2; ++number) {
        ASSERT_TRUE(batches.next());
        batches.prepare(batch_list::insertions);
        EXPECT_EQ(batches.apply(batch_list::insertions).applied, 1u);
        std::this_thread::sleep_for(std::chrono::milliseconds(number * 20)); // the error may be known by now
    }
    EXPECT_THROW(batches.next(), io::parse_error);
    EXPECT_FALSE(batches.next()) << "then comes the end";
    EXPECT_THROW(file_updates(folder.path("nowhere"), {}), io::file_error);
}

TEST_F(pipeline, makes_weights_values_of_the_graph) {
    std::string const text = "+ 0 1 7\n+ 1 2\n+ 2 3 -1\n";
    reduced_batch batch;
    for (runtime::value_type const type : runtime::value_types) {
        batch_reader reader(stream(text, 3), {.weights = stream_weights::keep, .values = type});
        ASSERT_TRUE(reader.next(batch));
        runtime::values_view const values = batch.insertion_values();
        ASSERT_EQ(values.size(), 3u);
        switch (type) {
        case runtime::value_type::none:
            break; // such a graph keeps none
        case runtime::value_type::float32:
            EXPECT_EQ(values.as<float>()[0], 7.0f);
            break;
        case runtime::value_type::float64:
            EXPECT_EQ(values.as<double>()[1], 1.0);
            break;
        case runtime::value_type::int32:
            EXPECT_EQ(values.as<std::int32_t>()[2], -1);
            break;
        case runtime::value_type::int64:
            EXPECT_EQ(values.as<std::int64_t>()[2], -1);
            break;
        }
    }
    batch_reader whole(stream("+ 0 1 0.5\n", 1),
                       {.weights = stream_weights::keep, .values = runtime::value_type::int32});
    EXPECT_THROW(whole.next(batch), io::file_error) << "no whole number";
}

TEST_F(pipeline, forgets_what_it_copied_before_a_failure) {
    // A limit for 37 arcs, at 16 bytes each, and for 50 updates in the space, at 12 bytes each. The third
    // batch is reduced on the host, as its 60 updates do not fit.
    runtime::graph_choice options;
    options.space = "simt";
    options.vertices = 40;
    options.directed = true;
    options.memory_limit_bytes = 600;
    auto const session = runtime::open_graph(options);
    std::vector<graph::edge> filling;
    for (graph::vertex_id v = 0; v < 32; ++v)
        filling.push_back({v, 39});
    for (std::size_t i = 0; i < filling.size(); ++i)
        session->insert_edges(std::span(filling).subspan(i, 1));
    std::vector<std::uint32_t> sources{0, 1, 2, 3, 4}, targets{10, 11, 12, 13, 14};
    std::vector<std::int64_t> times{0, 0, 0, 0, 1};
    sources.resize(65, 8);
    targets.resize(65, 9);
    times.resize(65, 2);
    graph_stream updates(*session,
                         std::make_shared<array_updates>(
                             update_arrays{.edges = graph::edge_columns{sources, targets}, .times = times},
                             batch_rule{.time_step = 1}));
    applied_batch batch;
    EXPECT_THROW(updates.next(batch), exec::out_of_memory);
    session->erase_edges(filling);
    for (std::uint64_t const inserted : {4u, 1u, 1u}) {
        ASSERT_TRUE(updates.next(batch));
        EXPECT_EQ(batch.inserted.applied, inserted) << batch.number;
    }
    EXPECT_FALSE(updates.next(batch));
    EXPECT_EQ(session->all_edges(),
              (std::vector<graph::edge>{{0, 10}, {1, 11}, {2, 12}, {3, 13}, {4, 14}, {8, 9}}));
}
