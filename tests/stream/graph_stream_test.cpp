// SPDX-License-Identifier: Apache-2.0
// Streams against a reference that looks at all updates so far.
#include "../io/scratch_folder.hpp"
#include "scale.hpp"

#include <rhizome/exec/errors.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/runtime/catalogue.hpp>
#include <rhizome/stream/array_updates.hpp>
#include <rhizome/stream/file_updates.hpp>
#include <rhizome/stream/graph_stream.hpp>
#include <rhizome/stream/names.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace rhizome;
using graph::operation;

namespace {

/// A stream as columns. Vertices are what the stream calls them.
struct stream_columns {
    std::vector<operation> operations;
    std::vector<std::uint64_t> sources, targets;
    std::vector<std::int64_t> times; ///< ascending
    std::vector<double> weights;     ///< one per update, or none

    [[nodiscard]] std::size_t size() const { return sources.size(); }

    /// 'u v w t' below a header of KONECT, where a w of -1 erases.
    [[nodiscard]] std::string temporal_text() const {
        std::ostringstream text;
        text << "% sym dynamic\n";
        for (std::size_t i = 0; i < size(); ++i)
            text << sources[i] << ' ' << targets[i] << ' ' << (operations[i] == operation::insert ? 1 : -1)
                 << ' ' << times[i] << '\n';
        return text.str();
    }
    /// '+ u v w' and '- u v'.
    [[nodiscard]] std::string update_text() const {
        std::ostringstream text;
        for (std::size_t i = 0; i < size(); ++i) {
            bool const inserts = operations[i] == operation::insert;
            text << (inserts ? '+' : '-') << ' ' << sources[i] << ' ' << targets[i];
            if (inserts && !weights.empty()) text << ' ' << weights[i];
            text << '\n';
        }
        return text.str();
    }
};

/// Updates of `vertices` vertices, some of them beyond `known`; repeats, self-loops and erasures.
stream_columns random_columns(std::uint64_t seed, std::size_t count, std::uint32_t vertices) {
    std::mt19937_64 random(seed);
    stream_columns all;
    std::int64_t time = -50;
    for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t source = random() % vertices;
        std::uint64_t target = random() % 8 == 0 ? source : random() % vertices;
        if (i > 0 && random() % 3 == 0) { // what was named before
            std::size_t const former = random() % i;
            source = all.sources[former];
            target = all.targets[former];
            if (random() % 2 == 0) std::swap(source, target);
        }
        all.operations.push_back(random() % 3 == 0 ? operation::erase : operation::insert);
        all.sources.push_back(source);
        all.targets.push_back(target);
        all.times.push_back(time);
        time += static_cast<std::int64_t>(random() % 4);
    }
    return all;
}

/// What a stream makes of a graph, from its definition: all updates so far, one after the other.
struct reference_stream {
    stream_columns const& columns;
    bool directed = false;
    bool self_loops = true;
    bool grows_vertices = false;
    bool maps_names = false;
    std::uint64_t first_vertices = 0;
    std::set<graph::edge> first_edges = {};
    std::optional<stream::window_length> window = {};

    struct state {
        std::uint64_t vertices = 0;
        std::set<graph::edge> edges;
        std::map<graph::edge, double> weights; ///< of those that the stream inserted
        std::uint64_t rejected = 0;            ///< updates
        std::vector<std::string> names;        ///< also of vertices that only rejected updates name
    };

    [[nodiscard]] graph::edge in_one_order(graph::edge e) const {
        return directed || e.source <= e.target ? e : graph::edge{e.target, e.source};
    }
    /// After the first `count` updates, the last of which ends a batch.
    [[nodiscard]] state after(std::size_t count) const {
        struct last_update {
            bool inserts;
            std::int64_t time;
            std::uint64_t number;
            double weight;
        };
        state result;
        result.vertices = first_vertices;
        result.edges = first_edges;
        std::map<graph::edge, last_update> last;
        std::map<std::string, std::uint64_t> ids;
        auto const id_of = [&](std::uint64_t name) {
            if (!maps_names) return name;
            auto const [found, is_new] = ids.emplace(std::to_string(name), ids.size());
            if (is_new) result.names.push_back(found->first);
            return found->second;
        };
        std::uint64_t insertions = 0;
        for (std::size_t i = 0; i < count; ++i) {
            std::uint64_t const source = id_of(columns.sources[i]);
            std::uint64_t const target = id_of(columns.targets[i]);
            if (grows_vertices) result.vertices = std::max({result.vertices, source + 1, target + 1});
            if (std::max(source, target) >= result.vertices) {
                ++result.rejected;
                continue;
            }
            if (source == target && !self_loops) continue;
            bool const inserts = columns.operations[i] == operation::insert;
            insertions += inserts ? 1 : 0;
            graph::edge const edge =
                in_one_order({static_cast<graph::vertex_id>(source), static_cast<graph::vertex_id>(target)});
            last[edge] = {inserts, columns.times[i], insertions,
                          columns.weights.empty() ? 1 : columns.weights[i]};
        }
        for (auto const& [edge, update] : last) {
            bool present = update.inserts;
            if (window && window->counts_edges)
                present = present && update.number + window->length > insertions;
            else if (window)
                present = present &&
                          update.time + static_cast<std::int64_t>(window->length) > columns.times[count - 1];
            if (present) {
                result.edges.insert(edge);
                result.weights[edge] = update.weight;
            } else {
                result.edges.erase(edge);
            }
        }
        return result;
    }
};

std::vector<graph::edge> list_of(std::set<graph::edge> const& edges) { return {edges.begin(), edges.end()}; }

enum class source_kind { file, arrays, viewed_arrays, wide_arrays };

/// A space of this machine, and where the stream comes from.
struct stream_case {
    std::string space;
    source_kind source;

    [[nodiscard]] std::string name() const {
        constexpr char const* sources[] = {"file", "arrays", "viewed_arrays", "wide_arrays"};
        return space + "_" + sources[static_cast<int>(source)];
    }
    friend std::ostream& operator<<(std::ostream& out, stream_case const& each) { return out << each.name(); }
};

std::vector<stream_case> stream_cases() {
    std::vector<stream_case> cases;
    for (char const* const space : {"host", "simt"})
        for (source_kind const source :
             {source_kind::file, source_kind::arrays, source_kind::viewed_arrays, source_kind::wide_arrays})
            cases.push_back({space, source});
    return cases;
}

std::string name_of_case(::testing::TestParamInfo<stream_case> const& info) { return info.param.name(); }

class applied_streams : public ::testing::TestWithParam<stream_case> {
protected:
    [[nodiscard]] runtime::graph_choice choice(std::uint64_t vertices) const {
        runtime::graph_choice wanted;
        wanted.space = GetParam().space;
        wanted.vertices = vertices;
        return wanted;
    }
    /// The columns as a source. With `times`, a temporal one.
    [[nodiscard]] std::shared_ptr<stream::update_source>
    source_of(stream_columns const& columns, stream::batch_rule const& rule, bool times = true) {
        if (GetParam().source == source_kind::file) {
            std::string const name = "stream" + std::to_string(files_++);
            return std::make_shared<stream::file_updates>(
                folder_.write(name, times ? columns.temporal_text() : columns.update_text()), rule,
                io::update_reader_options{.format = times ? io::stream_format::temporal
                                                          : io::stream_format::updates});
        }
        stream::update_arrays arrays;
        arrays.operations = columns.operations;
        arrays.weights = columns.weights;
        if (times) arrays.times = columns.times;
        std::vector<std::uint32_t> sources(columns.size()), targets(columns.size());
        auto const narrow = [](std::uint64_t name) { return static_cast<std::uint32_t>(name); };
        std::transform(columns.sources.begin(), columns.sources.end(), sources.begin(), narrow);
        std::transform(columns.targets.begin(), columns.targets.end(), targets.begin(), narrow);
        arrays.edges = graph::edge_columns{sources, targets};
        if (GetParam().source == source_kind::wide_arrays)
            arrays.edges = graph::edge_columns{columns.sources, columns.targets};
        if (GetParam().source == source_kind::viewed_arrays) {
            auto const own = std::make_shared<stream_columns>(columns);
            arrays = {.edges = graph::edge_columns{own->sources, own->targets},
                      .operations = own->operations,
                      .times =
                          times ? std::span<std::int64_t const>(own->times) : std::span<std::int64_t const>(),
                      .weights = own->weights,
                      .owner = own};
        }
        return std::make_shared<stream::array_updates>(std::move(arrays), rule);
    }

    rhizome::testing::scratch_folder folder_;
    int files_ = 0;
};

void expect_state(runtime::any_graph& graph, reference_stream::state const& expected) {
    EXPECT_EQ(graph.vertex_count(), expected.vertices);
    EXPECT_EQ(graph.edge_count(), expected.edges.size());
    EXPECT_EQ(graph.all_edges(), list_of(expected.edges));
    EXPECT_EQ(graph.validate(), std::vector<std::string>());
}

/// Number of updates of the stream in the batch.
std::uint64_t own_updates(stream::applied_batch const& batch) { return batch.updates - batch.expired; }

} // namespace

TEST_P(applied_streams, leaves_after_each_batch_what_the_reference_has) {
    constexpr std::uint32_t vertices = 60;
    std::uint64_t const seeds = tests::scaled(8);
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        stream_columns const columns = random_columns(seed, 500, vertices + 3);
        for (int window = 0; window < 3; ++window) {
            SCOPED_TRACE("seed " + std::to_string(seed) + ", window " + std::to_string(window));
            reference_stream reference{.columns = columns,
                                       .directed = seed % 2 == 1,
                                       .self_loops = seed % 4 < 2,
                                       .grows_vertices = seed % 3 == 1,
                                       .first_vertices = seed % 3 == 1 ? seed : vertices};
            if (window > 0) reference.window = {window == 1, window == 1 ? 90u : 150u};
            runtime::graph_choice wanted = choice(reference.first_vertices);
            wanted.directed = reference.directed;
            wanted.self_loops = reference.self_loops;
            auto const graph = runtime::open_graph(wanted);
            if (reference.first_vertices == vertices) {
                reference.first_edges = {{0, 1}, {2, 7}, {5, 59}};
                graph->insert_edges(list_of(reference.first_edges));
            }
            stream::batch_rule const rule =
                seed % 2 == 0 ? stream::batch_rule{.batch_updates = 64} : stream::batch_rule{.time_step = 60};
            stream::graph_stream updates(*graph, source_of(columns, rule),
                                         {.window = reference.window,
                                          .grows_vertices = reference.grows_vertices,
                                          .self_loops = reference.self_loops});
            std::size_t done = 0;
            std::uint64_t rejected = 0;
            std::uint64_t expired = 0;
            stream::applied_batch batch;
            for (std::uint64_t number = 1; updates.next(batch); ++number) {
                done += own_updates(batch);
                rejected += batch.rejected();
                expired += batch.expired;
                EXPECT_EQ(batch.number, number);
                EXPECT_EQ(batch.updates, batch.superseded + batch.inserted.total() + batch.erased.total());
                EXPECT_EQ(batch.edges_after, graph->edge_count());
                EXPECT_EQ(batch.vertices_after, graph->vertex_count());
                EXPECT_EQ(updates.batches(), number);
                expect_state(*graph, reference.after(done));
                if (HasFailure()) return;
            }
            EXPECT_EQ(done, columns.size());
            EXPECT_EQ(updates.fraction_read(), 1);
            EXPECT_EQ(expired > 0, window > 0);
            if (reference.grows_vertices) {
                EXPECT_EQ(rejected, 0u);
            } else {
                EXPECT_GT(rejected, 0u) << "and no more than the reference, but for those superseded";
                EXPECT_LE(rejected, reference.after(done).rejected);
            }
        }
    }
}

TEST_P(applied_streams, gives_names_the_next_vertices) {
    stream_columns columns = random_columns(7, 400, 50);
    for (auto* const column : {&columns.sources, &columns.targets})
        for (std::uint64_t& name : *column)
            name = name * 7919 % 1009 + 100'000;
    for (bool const grows : {true, false}) {
        reference_stream const reference{.columns = columns,
                                         .grows_vertices = grows,
                                         .maps_names = true,
                                         .first_vertices = grows ? 0u : 20u};
        auto const graph = runtime::open_graph(choice(reference.first_vertices));
        auto const source = source_of(columns, {.batch_updates = 50});
        source->map_names({});
        if (grows) (void)source->first_batch(); // as a caller does that decides by it
        stream::graph_stream updates(*graph, source, {.grows_vertices = grows});
        std::size_t done = 0;
        for (stream::applied_batch batch; updates.next(batch);) {
            done += own_updates(batch);
            auto const expected = reference.after(done);
            expect_state(*graph, expected);
            io::vertex_names const& names = updates.names();
            ASSERT_EQ(names.size(), expected.names.size()) << "those of batches ahead are not among them";
            for (graph::vertex_id v = 0; v < names.size(); ++v)
                EXPECT_EQ(names.name(v), expected.names[v]);
        }
        EXPECT_EQ(updates.names(), source->names());
    }
}

TEST_P(applied_streams, tells_names_at_the_end_if_it_does_not_follow_them) {
    stream_columns const columns = random_columns(8, 100, 20);
    auto const graph = runtime::open_graph(choice(0));
    auto const source = source_of(columns, {.batch_updates = 50});
    source->map_names({});
    (void)source->first_batch(); // as a caller does that decides by it
    stream::graph_stream updates(*graph, source, {.grows_vertices = true, .follows_names = false});
    stream::applied_batch batch;
    ASSERT_TRUE(updates.next(batch));
    EXPECT_THROW((void)updates.names(), std::logic_error);
    while (updates.next(batch)) {
    }
    EXPECT_EQ(updates.names().size(), graph->vertex_count());
}

TEST_P(applied_streams, keeps_the_weights_of_the_last_insertions) {
    stream_columns columns = random_columns(9, 400, 40);
    for (std::size_t i = 0; i < columns.size(); ++i)
        columns.weights.push_back(static_cast<double>(i % 90));
    reference_stream const reference{.columns = columns, .first_vertices = 40};
    for (bool const keeps : {false, true}) {
        runtime::graph_choice wanted = choice(40);
        if (keeps) wanted.values = runtime::value_type::float64;
        auto const graph = runtime::open_graph(wanted);
        auto const source = source_of(columns, {.batch_updates = 70}, false);
        EXPECT_TRUE(source->first_batch_has_weights());
        stream::graph_stream updates(*graph, source);
        std::size_t done = 0;
        for (stream::applied_batch batch; updates.next(batch);)
            done += own_updates(batch);
        auto const expected = reference.after(done);
        expect_state(*graph, expected);
        std::vector<double> weights;
        for (auto const& [edge, weight] : expected.weights)
            weights.push_back(weight);
        EXPECT_EQ(graph->all_values(), keeps ? runtime::values(weights) : runtime::values());
    }
}

TEST_P(applied_streams, refuses_weights_if_asked_to) {
    stream_columns columns = random_columns(10, 30, 10);
    columns.weights.assign(columns.size(), 2.5);
    auto const graph = runtime::open_graph(choice(10));
    stream::applied_batch batch;
    stream::graph_stream updates(*graph, source_of(columns, {.batch_updates = 10}, false),
                                 {.refuses_weights = true, .instead_of_weights = "none here"});
    std::string const message = rhizome::testing::message_of<io::parse_error>([&] { updates.next(batch); });
    EXPECT_NE(message.find("found a weight, expected none here"), std::string::npos) << message;
    EXPECT_FALSE(updates.next(batch)) << "then comes the end";
    EXPECT_EQ(graph->edge_count(), 0u);
    stream::graph_stream others(*graph, source_of(columns, {.batch_updates = 10}, false));
    while (others.next(batch)) {
    }
    EXPECT_GT(graph->edge_count(), 0u) << "otherwise weights are left out";
}

TEST_P(applied_streams, steps_from_batch_to_batch_and_stops_in_the_middle) {
    stream_columns columns;
    for (std::uint64_t i = 0; i < 90; ++i) {
        columns.operations.push_back(operation::insert);
        columns.sources.push_back(i);
        columns.targets.push_back(i + 1);
        columns.times.push_back(static_cast<std::int64_t>(i));
    }
    auto const graph = runtime::open_graph(choice(0));
    auto updates = std::make_unique<stream::graph_stream>(*graph, source_of(columns, {.batch_updates = 10}),
                                                          stream::options{.grows_vertices = true});
    stream::applied_batch batch;
    ASSERT_TRUE(updates->next(batch));
    EXPECT_EQ(graph->edge_count(), 10u);
    EXPECT_EQ(graph->vertex_count(), 11u) << "batches ahead have not touched the graph";
    graph->erase_edges(std::vector<graph::edge>{{0, 1}}); // the caller's own change
    ASSERT_TRUE(updates->advance());
    ASSERT_TRUE(updates->advance()) << "it is not applied yet";
    EXPECT_EQ(updates->present().updates, 10u);
    EXPECT_EQ(graph->edge_count(), 9u);
    updates->apply(batch);
    EXPECT_EQ(batch.number, 2u);
    EXPECT_EQ(batch.edges_after, 19u);
    EXPECT_GT(updates->fraction_read(), 0);
    updates.reset(); // with seven batches to come
    EXPECT_EQ(graph->edge_count(), 19u);
    EXPECT_EQ(graph->validate(), std::vector<std::string>());
    stream::graph_stream again(*graph, source_of(columns, {.batch_updates = 50}), {.grows_vertices = true});
    while (again.next(batch)) {
    }
    EXPECT_EQ(batch.number, 2u);
    EXPECT_EQ(graph->edge_count(), 90u);
}

TEST_P(applied_streams, leaves_the_edges_before_a_batch_that_does_not_fit_and_tries_it_again) {
    bool const is_emulated = GetParam().space == "simt";
    if (is_emulated && GetParam().source != source_kind::arrays) return; // seconds each, and no difference
    // Batches of new edges only, so that an earlier one can be erased.
    std::uint64_t const vertices = is_emulated ? 300 : 1'000;
    std::size_t const batch_updates = is_emulated ? 500 : 4'000;
    stream_columns columns;
    for (std::uint64_t i = 0; i < 100 * batch_updates; ++i) {
        columns.operations.push_back(operation::insert);
        columns.sources.push_back(i % vertices);
        columns.targets.push_back((i % vertices + 1 + i / vertices) % vertices);
        columns.times.push_back(static_cast<std::int64_t>(i));
    }
    runtime::graph_choice wanted = choice(vertices);
    wanted.directed = true;
    wanted.heap_bytes = 64u << 10;
    wanted.memory_limit_bytes = is_emulated ? 512u << 10 : 2u << 20;
    auto const graph = runtime::open_graph(wanted);
    stream::graph_stream updates(*graph, source_of(columns, {.batch_updates = batch_updates}));
    stream::applied_batch batch;
    auto const fits = [&] {
        try {
            return updates.next(batch);
        } catch (exec::out_of_memory const&) {
            return false;
        }
    };
    std::uint64_t batches = 0;
    while (fits())
        ++batches;
    ASSERT_GT(batches, 1u);
    ASSERT_LT(batches, 100u) << "all fitted";
    EXPECT_EQ(graph->edge_count(), batches * batch_updates);
    EXPECT_FALSE(fits()) << "it does not fit now either";
    EXPECT_EQ(updates.batches(), batches);
    EXPECT_EQ(graph->edge_count(), batches * batch_updates) << "nothing of it was applied";
    std::vector<graph::edge> early;
    for (std::size_t i = 0; i + 1 < batches * batch_updates; ++i) {
        early.push_back({static_cast<graph::vertex_id>(columns.sources[i]),
                         static_cast<graph::vertex_id>(columns.targets[i])});
        if (early.size() < 200 && i + 2 < batches * batch_updates) continue;
        EXPECT_EQ(graph->erase_edges(early).applied, early.size()) << "those before the batch are there";
        early.clear();
    }
    EXPECT_EQ(graph->edge_count(), 1u);
    ASSERT_TRUE(updates.next(batch));
    EXPECT_EQ(batch.number, batches + 1);
    EXPECT_EQ(batch.inserted.applied, batch_updates);
    EXPECT_EQ(graph->edge_count(), batch_updates + 1);
    EXPECT_EQ(graph->validate(), std::vector<std::string>());
    // What was copied before the failure has gone: no later batch inserts it instead of its own edges.
    std::uint64_t later = 0;
    for (; fits(); ++later)
        ASSERT_EQ(batch.inserted.applied, batch_updates);
    EXPECT_GT(later, 0u);
    EXPECT_EQ(graph->edge_count(), (later + 1) * batch_updates + 1);
}

TEST_P(applied_streams, refuses_windows_that_cannot_be) {
    stream_columns const columns = random_columns(11, 20, 5);
    auto const graph = runtime::open_graph(choice(5));
    auto const open = [&](stream::window_length window, bool times) {
        stream::graph_stream const updates(*graph, source_of(columns, {}, times), {.window = window});
    };
    EXPECT_THROW(open({false, 10}, false), std::invalid_argument);
    EXPECT_THROW(open({true, 0}, true), std::invalid_argument);
    EXPECT_NO_THROW(open({true, 10}, false));
}

TEST_P(applied_streams, estimates_the_heap_that_it_will_need) {
    stream_columns const columns = random_columns(12, 2'000, 100);
    auto const source = source_of(columns, {.batch_updates = 500});
    std::uint64_t const all = stream::heap_bytes_ahead(*source, {}, true, 0);
    EXPECT_GT(all, 2'000 / 2 * sizeof(graph::vertex_id));
    EXPECT_LT(all, 2'000 * 2 * sizeof(graph::vertex_id));
    EXPECT_NEAR(static_cast<double>(stream::heap_bytes_ahead(*source, {}, false, 4)),
                4 * static_cast<double>(all), 4)
        << "twice the arcs, twice the bytes";
    EXPECT_LT(stream::heap_bytes_ahead(*source, stream::window_length{true, 10}, true, 0), all);
}

INSTANTIATE_TEST_SUITE_P(everywhere, applied_streams, ::testing::ValuesIn(stream_cases()), name_of_case);

TEST(names_of_a_stream, are_any_words_of_a_file) {
    rhizome::testing::scratch_folder const folder;
    auto const source = std::make_shared<stream::file_updates>(
        folder.write("words", "ann bob 1\nbob 7 2\n7 carl 3\n"), stream::batch_rule{.batch_updates = 1},
        io::update_reader_options{.format = io::stream_format::temporal});
    source->map_names(stream::numbers_from(6, 2)); // 6 and 7
    runtime::graph_choice wanted;
    wanted.space = "host";
    wanted.vertices = 2;
    auto const graph = runtime::open_graph(wanted);
    stream::graph_stream updates(*graph, source, {.grows_vertices = true});
    std::vector<std::vector<std::string>> const expected{
        {"6", "7", "ann", "bob"}, {"6", "7", "ann", "bob"}, {"6", "7", "ann", "bob", "carl"}};
    stream::applied_batch batch;
    for (auto const& names : expected) {
        ASSERT_TRUE(updates.next(batch));
        ASSERT_EQ(updates.names().size(), names.size());
        for (graph::vertex_id v = 0; v < names.size(); ++v)
            EXPECT_EQ(updates.names().name(v), names[v]);
    }
    EXPECT_FALSE(updates.next(batch));
    EXPECT_EQ(graph->all_edges(), (std::vector<graph::edge>{{1, 3}, {1, 4}, {2, 3}}));
}
