// SPDX-License-Identifier: Apache-2.0
// GraphBolt's streams and temporal edge lists.
#include "packing.hpp"
#include "scratch_folder.hpp"

#include <rhizome/io/generate/random.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/update_stream.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

using namespace rhizome;
using namespace rhizome::testing;
using io::operation;
using io::stream_format;

namespace {

class stream_formats : public ::testing::Test {
protected:
    scratch_folder folder;

    io::update_batch read(std::string const& text, io::update_reader_options const& options = {}) const {
        io::update_batch batch;
        io::update_reader(folder.write("file", text), options).next_batch(1'000'000, batch);
        return batch;
    }
    stream_format recognised(std::string const& text) const {
        return io::update_reader(folder.write("file", text)).format();
    }
};

} // namespace

TEST_F(stream_formats, are_recognised_by_content) {
    EXPECT_EQ(recognised("# comment\n\n+ 0 1\n"), stream_format::updates);
    EXPECT_EQ(recognised("\xef\xbb\xbf- 0 1"), stream_format::updates);
    EXPECT_EQ(recognised("% comment\r\na 0 1\r\n"), stream_format::graphbolt);
    EXPECT_EQ(recognised("d 0 1\n"), stream_format::graphbolt);
    EXPECT_EQ(recognised("# Directed graph\n# src dst time\n1 2 3\n"), stream_format::temporal);
    EXPECT_EQ(recognised(gzip("% sym positive\n1 2 1 3\n")), stream_format::temporal);
    EXPECT_EQ(recognised("% asym\n1 2\n"), stream_format::temporal);
    EXPECT_EQ(recognised("1 2\n"), stream_format::updates) << "an edge without a time";
    EXPECT_EQ(recognised(""), stream_format::updates);
    EXPECT_EQ(recognised("moon\n"), stream_format::updates);
    std::string const many_comments(3'000'000, '#'); // longer than a block
    EXPECT_EQ(recognised(many_comments + "\n1 2 3\n"), stream_format::temporal);
    for (std::string const& name : io::stream_format_names())
        EXPECT_EQ(io::stream_format_name(io::stream_format_named(name).value()), name);
    EXPECT_FALSE(io::stream_format_named("metis"));
}

TEST_F(stream_formats, hold_graphbolt_streams) {
    auto const batch = read("a 0 1\nd 1 0\n# comment\na\t4 5 2.5\r\n");
    EXPECT_EQ(batch.updates,
              (std::vector<io::update>{
                  {operation::insert, {0, 1}}, {operation::erase, {1, 0}}, {operation::insert, {4, 5}}}));
    EXPECT_EQ(batch.weights, (std::vector<double>{1, 1, 2.5}));
    EXPECT_TRUE(batch.times.empty());
}

TEST_F(stream_formats, hold_temporal_lists_of_snap) {
    auto const batch = read("# a b t\n0 1 -5\n2 3 -5 0.5\n1 1 7");
    EXPECT_EQ(batch.updates,
              (std::vector<io::update>{
                  {operation::insert, {0, 1}}, {operation::insert, {2, 3}}, {operation::insert, {1, 1}}}));
    EXPECT_EQ(batch.times, (std::vector<std::int64_t>{-5, -5, 7}));
    EXPECT_EQ(batch.weights, (std::vector<double>{1, 0.5, 1}));
    EXPECT_EQ(batch.first_weight_line, 3u);
}

TEST_F(stream_formats, hold_temporal_lists_of_konect) {
    auto batch = read("% asym posweighted\n% 3 4 4\n1 2 2.5 10\n2 3 1 11\n");
    EXPECT_EQ(batch.times, (std::vector<std::int64_t>{10, 11}));
    EXPECT_EQ(batch.weights, (std::vector<double>{2.5, 1}));
    batch = read("% sym unweighted\n1 2 1 10\n2 3 1 11\n");
    EXPECT_EQ(batch.times, (std::vector<std::int64_t>{10, 11}));
    EXPECT_TRUE(batch.weights.empty());
}

TEST_F(stream_formats, are_sorted_by_time_first) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        io::random_source random(seed);
        std::size_t const count = seed % 2 == 0 ? 1000 : 100'000; // several blocks
        std::multimap<std::int64_t, io::update> in_order;         // equal times keep their order
        std::multimap<std::int64_t, double> weights;
        std::string text;
        for (std::size_t i = 0; i < count; ++i) {
            auto const time = static_cast<std::int64_t>(random.below(5000)) - 2500;
            auto const source = static_cast<graph::vertex_id>(i);
            bool const weighted = seed > 2 && i > count / 2 && random.chance(0.5);
            text += std::to_string(i) + " 7 " + std::to_string(time) + (weighted ? " 2\n" : "\n");
            in_order.emplace(time, io::update{operation::insert, {source, 7}});
            weights.emplace(time, weighted ? 2.0 : 1.0);
        }
        for (unsigned const threads : {1u, 3u}) {
            auto const batch = read(text, {.threads = threads});
            ASSERT_EQ(batch.size(), count);
            std::size_t i = 0;
            for (auto const& [time, update] : in_order) {
                ASSERT_EQ(batch.times[i], time);
                ASSERT_EQ(batch.updates[i++], update);
            }
            if (seed > 2) {
                i = 0;
                for (auto const& [time, weight] : weights)
                    ASSERT_EQ(batch.weights[i++], weight);
            }
        }
    }
}

TEST_F(stream_formats, must_ascend_where_that_was_said) {
    std::string text = "# times\n";
    for (int i = 0; i < 200'000; ++i)
        text += "0 1 " + std::to_string(i / 2) + "\n";
    io::update_reader_options const sorted{.is_sorted = true};
    EXPECT_EQ(read(text, sorted).size(), 200'000u);
    std::string const late = text + "5 6 99998\n" + text;
    auto const message = message_of<io::parse_error>([&] { (void)read(late, sorted); });
    EXPECT_TRUE(message.starts_with(folder.path("file") +
                                    ":200002:5: found '99998', expected a time of at least 99999"))
        << message;
    // Between two blocks: the first line of a block goes back.
    std::string block;
    while (block.size() < (1u << 20))
        block += "10 11 5000\n";
    auto const lines = std::count(block.begin(), block.end(), '\n');
    while (block.size() < 3u << 20)
        block += "10 11 4999\n";
    auto const between = message_of<io::parse_error>([&] { (void)read(block, sorted); });
    EXPECT_NE(between.find(":" + std::to_string(lines + 1) + ":"), std::string::npos) << between;
    EXPECT_NE(between.find("4999"), std::string::npos) << between;
}

TEST_F(stream_formats, are_cut_by_time_steps) {
    // 0 to 9, 10 to 19, ... from the first time on; no batch for a step without updates.
    io::update_reader reader(
        folder.write("file", "1 1 105\n1 2 114\n1 3 115\n1 4 104\n1 5 139\n1 6 139\n1 7 144\n"));
    io::update_batch batch;
    std::vector<std::vector<std::int64_t>> steps;
    while (reader.next_time_step(10, 100, batch))
        steps.push_back(batch.times);
    EXPECT_EQ(steps, (std::vector<std::vector<std::int64_t>>{{104, 105}, {114, 115}, {139, 139}, {144}}));
    io::update_reader again(folder.path("file"));
    steps.clear();
    while (again.next_time_step(1'000'000, 3, batch))
        steps.push_back(batch.times);
    EXPECT_EQ(steps.size(), 3u) << "at most three updates";
    io::update_reader without(folder.write("file", "+ 1 2\n"));
    EXPECT_NE(
        message_of<io::file_error>([&] { (void)without.next_time_step(1, 9, batch); }).find("without times"),
        std::string::npos);
    // The last step ends beyond all numbers.
    io::update_reader far(folder.write("file", "1 2 -9223372036854775808\n1 2 9223372036854775807\n"));
    steps.clear();
    while (far.next_time_step(9'223'372'036'854'775'807, 9, batch))
        steps.push_back(batch.times);
    EXPECT_EQ(steps.size(), 2u);
}

TEST_F(stream_formats, name_what_is_damaged) {
    struct {
        std::string text;
        std::string expected;
    } const cases[] = {
        {"a 0 1\n+ 0 1\n", ":2:1: found '+', expected an update 'a u v [w]' or 'd u v'"},
        {"a 0 1\nd 0 1 x\n", ":2:7: found 'x', expected a weight, a finite number"},
        {"a 0 1\nd 0 1 2 3\n", ":2:9: found '3', expected the end of the line after the weight"},
        {"+ 0 1\n- 0 1 2\n", ":2:7: found '2', expected the end of the line after the edge to erase"},
        {"a 0\n", ":1:4: found the end of the line, expected a vertex"},
        {"ab 0 1\n", ":1:1: found 'ab', expected an update '+ u v [w]' or '- u v'"},
        {"1 2\n", ":1:1: found '1', expected an update '+ u v [w]' or '- u v'"},
        {"1 2 3\n1 2\n", ":2:4: found the end of the line, expected a time from"},
        {"1 2 3\n1 2 3.5s\n", ":2:5: found '3.5s', expected a time from"},
        {"1 2 3\n1 2 1e99\n", ":2:5: found '1e99', expected a time from"},
        {"1 2 3\n1 2 nan\n", ":2:5: found 'nan', expected a time from"},
        {"1 2 3\n1 2 3 x\n", ":2:7: found 'x', expected a weight, a finite number"},
        {"1 2 3 4 5\n", ":1:9: found '5', expected the end of the line after 'u v t w'"},
        {"1 2 3\nalice bob 4\n", ":2:1: found 'alice', expected a vertex from 0"},
        {"1 2 9223372036854775808\n", ":1:5: found '9223372036854775808', expected a time from"},
        {"% sym positive\n1 2 1\n", ":2:6: found the end of the line, expected a time"},
        {"% sym positive\n1 2 1 5 6\n", ":2:9: found '6', expected the end of the line after 'u v w t'"},
        {"% bip unweighted\n1 2 1 5\n", ":1: found a bipartite network of KONECT"},
        {std::string("\xff\xfe+\0", 4), ":1:1: found the byte order mark of UTF-16"},
    };
    for (auto const& each : cases) {
        std::string const message = message_of<io::parse_error>([&] { (void)read(each.text); });
        EXPECT_TRUE(message.starts_with(folder.path("file") + each.expected))
            << each.text << "\n got " << message << "\nwant " << each.expected;
    }
    EXPECT_NE(message_of<io::parse_error>([&] { (void)read("1 2 3\n", {.format = stream_format::updates}); }),
              "");
    EXPECT_TRUE(read("\n# nothing\n", {.format = stream_format::temporal}).empty());
}

TEST_F(stream_formats, map_names_in_the_order_of_their_first_appearance) {
    // More than one block; 64-bit numbers, from some line on text.
    for (bool const has_text : {false, true}) {
        io::random_source random(4);
        std::vector<std::string> names;
        std::map<std::string, graph::vertex_id> ids{{"zero", 0}};
        if (!has_text) ids = {{"0", 0}};
        std::vector<graph::edge> expected;
        std::string text;
        for (int i = 0; i < 100'000; ++i) {
            auto const name = [&] {
                std::string word = std::to_string(18'446'744'073'709'000'000u + random.below(5000));
                if (has_text && i > 50'000 && random.chance(0.3))
                    word = "v" + std::to_string(random.below(300));
                return word;
            };
            std::string const source = name();
            std::string const target = name();
            auto const u = ids.emplace(source, static_cast<graph::vertex_id>(ids.size())).first->second;
            auto const v = ids.emplace(target, static_cast<graph::vertex_id>(ids.size())).first->second;
            expected.push_back({u, v});
            text += source + " " + target + " " + std::to_string(i) + "\n";
        }
        io::vertex_names first;
        (void)first.find_or_add(std::string_view(has_text ? "zero" : "0"));
        for (unsigned const threads : {1u, 3u}) {
            io::update_reader reader(folder.write("file", text), {.threads = threads});
            reader.map_names(first);
            io::update_batch batch;
            reader.next_batch(1'000'000, batch);
            ASSERT_EQ(batch.size(), expected.size());
            for (std::size_t i = 0; i < expected.size(); ++i)
                ASSERT_EQ(batch.updates[i].edge, expected[i]) << i;
            ASSERT_EQ(reader.names().size(), ids.size());
            for (auto const& [name, id] : ids)
                ASSERT_EQ(reader.names().name(id), name);
        }
    }
    io::update_reader reader(folder.write("file", "+ a b\n- b c\n+ a\n"));
    reader.map_names({});
    io::update_batch batch;
    ASSERT_TRUE(reader.next_batch(2, batch));
    EXPECT_EQ(batch.updates,
              (std::vector<io::update>{{operation::insert, {0, 1}}, {operation::erase, {1, 2}}}));
    EXPECT_NE(message_of<io::parse_error>([&] {
                  (void)reader.next_batch(1, batch);
              }).find(":3:4: found the end of the line, expected the name of a vertex"),
              std::string::npos);
}

TEST_F(stream_formats, number_names_in_the_order_of_times) {
    // Each part is one block; the later one has the earlier times.
    std::string text;
    for (int i = 0; i < 60'000; ++i)
        text += "n" + std::to_string(i) + " old " + std::to_string(70'000 - i) + "\n";
    for (bool const has_text : {false, true}) {
        std::string const list = has_text ? text : "5 6 20\n1 2 10\n1 7 15\n6 9 30\n";
        for (unsigned const threads : {1u, 3u}) {
            io::update_reader reader(folder.write("file", list),
                                     {.format = stream_format::temporal, .threads = threads});
            io::vertex_names first;
            (void)first.find_or_add(std::string_view(has_text ? "old" : "9"));
            reader.map_names(std::move(first));
            io::update_batch batch;
            graph::vertex_id next = 1;
            while (reader.next_batch(1, batch))
                for (graph::vertex_id const v :
                     {batch.updates[0].edge.source, batch.updates[0].edge.target}) {
                    ASSERT_LE(v, next) << "a vertex was skipped";
                    next = std::max(next, v + 1);
                }
            ASSERT_EQ(reader.names().size(), next);
            if (has_text) {
                EXPECT_EQ(reader.names().name(0), "old");
                EXPECT_EQ(reader.names().name(1), "n59999");
                EXPECT_EQ(reader.names().name(60'000), "n0");
            } else {
                std::vector<std::string> names;
                for (graph::vertex_id v = 0; v < next; ++v)
                    names.push_back(reader.names().name(v));
                EXPECT_EQ(names, (std::vector<std::string>{"9", "1", "2", "7", "5", "6"}));
            }
        }
    }
}

TEST_F(stream_formats, erase_edges_of_dynamic_networks) {
    auto const batch = read("% asym dynamic\n1 2 1 100\n1 2 -1 120\n2 3 +1 110\n");
    EXPECT_EQ(batch.updates,
              (std::vector<io::update>{
                  {operation::insert, {1, 2}}, {operation::insert, {2, 3}}, {operation::erase, {1, 2}}}));
    EXPECT_TRUE(batch.weights.empty()) << "1 and -1 are no weights";
    auto const signed_edge = read("% asym signed\n1 2 -1 100\n");
    EXPECT_EQ(signed_edge.updates[0].operation, operation::insert);
    EXPECT_EQ(signed_edge.weights, std::vector<double>{-1});
    EXPECT_EQ(message_of<io::parse_error>([&] { (void)read("% sym dynamic\n1 2 1 100\n1 2 0.5 120\n"); }),
              folder.path("file") + ":3:5: found '0.5', expected 1 (the edge appears) or -1 (it disappears), "
                                    "as the network is dynamic");
}

TEST_F(stream_formats, keep_what_was_found_after_an_error) {
    io::update_reader reader(folder.write("file", "% bip unweighted\n1 2 1 5\n"));
    for (int i = 0; i < 2; ++i)
        EXPECT_NE(message_of<io::parse_error>([&] { (void)reader.format(); }), "") << i;
    // The header says nothing to a reader of another format.
    EXPECT_EQ(read("% bip of a cave\n+ 1 2\n", {.format = stream_format::updates}).size(), 1u);
    EXPECT_NE(message_of<io::parse_error>(
                  [&] { (void)read("% bip unweighted\n1 2 1 5\n", {.format = stream_format::temporal}); }),
              "");
}

TEST_F(stream_formats, have_the_columns_that_a_header_names) {
    // As io::formats::edge_list writes it: the weight stands before the time.
    auto batch = read("# Nodes: 3 Edges: 3\n# source target weight time\n0 1 5 1000000000\n1 2 6 2000000000\n"
                      "0 2 7 1500000000\n");
    EXPECT_EQ(batch.times, (std::vector<std::int64_t>{1'000'000'000, 1'500'000'000, 2'000'000'000}));
    EXPECT_EQ(batch.weights, (std::vector<double>{5, 7, 6}));
    for (std::string const header :
         {"# time to from\n", "time to from\n", "# a\n\n  # Time\tTO\tFrom\n# made by hand\n",
          "# time,to,from\n# comment\ntime to from\n", "% a comment\nt v u\n"}) {
        batch = read(header + "7 1 2\n6 3 4\n");
        EXPECT_EQ(batch.times, (std::vector<std::int64_t>{6, 7})) << header;
        EXPECT_EQ(batch.updates,
                  (std::vector<io::update>{{operation::insert, {4, 3}}, {operation::insert, {2, 1}}}))
            << header;
    }
    EXPECT_TRUE(read("source target time\n").empty());
    batch = read("# source target note time\n1 2 x 3\n");
    EXPECT_EQ(batch.times, (std::vector<std::int64_t>{3}));
    EXPECT_TRUE(batch.weights.empty());
    batch = read("% sym positive\n% source target time weight\n1 2 30 4\n");
    EXPECT_EQ(batch.times, (std::vector<std::int64_t>{30}));
    EXPECT_EQ(batch.weights, (std::vector<double>{4}));
    // Names of vertices keep their order: the source comes first.
    io::update_reader reader(folder.write("file", "# target source time\nbob alice 3\n"));
    reader.map_names({});
    ASSERT_TRUE(reader.next_batch(1, batch));
    EXPECT_EQ(reader.names().name(0), "alice");
    EXPECT_EQ(batch.updates, (std::vector<io::update>{{operation::insert, {0, 1}}}));
    // Other formats have no columns, and an edge is no header.
    EXPECT_EQ(read("# source target weight\n+ 1 2 3\n").size(), 1u);
    EXPECT_EQ(read("# source target weight\na 1 2 3\n").size(), 1u);
    io::update_reader edge(folder.write("file", "source target 3\n"), {.format = stream_format::temporal});
    edge.map_names({});
    EXPECT_TRUE(edge.next_batch(1, batch));
}

TEST_F(stream_formats, are_no_lists_whose_header_names_no_times) {
    auto const message = [&](std::string const& text) {
        return message_of<io::parse_error>([&] { (void)read(text); });
    };
    std::string const found =
        ": found a list of edges whose header names no column 'time', expected an update "
        "stream, or a list with times";
    EXPECT_EQ(message("# Nodes: 2 Edges: 1\n# source target weight\n0 1 5\n"),
              folder.path("file") + ":3" + found);
    EXPECT_EQ(message("source target\n0 1\n"), folder.path("file") + ":1" + found);
    EXPECT_EQ(message("# source target\n0 1\n"), folder.path("file") + ":2" + found);
    for (std::string const list : {"source,target,weight,time\n0,1,5,6\n", "6,2,4,1289241911.72836\n"})
        EXPECT_EQ(message(list), folder.path("file") +
                                     ":1: found columns with ',' between them, expected spaces or "
                                     "tabs between the columns of a stream");
    EXPECT_EQ(message("# source target time\n0 1 5\n0 1 5 6\n"),
              folder.path("file") + ":3:7: found '6', expected the end of the line after 3 columns");
    EXPECT_EQ(message("time source target\n\n5 0 x\n"),
              folder.path("file") +
                  ":3:5: found 'x', expected a vertex from 0 to 4294967293; --map-ids takes names");
}

TEST_F(stream_formats, take_times_with_fractions_and_exponents) {
    io::update_batch batch;
    for (bool const is_sorted : {false, true}) {
        io::update_reader reader(
            folder.write("file", "1 2 -0.5\n1 3 1.5e1\n1 4 +15.999999999999999999\n1 5 16.0\n"),
            {.is_sorted = is_sorted});
        ASSERT_TRUE(reader.next_batch(9, batch));
        EXPECT_EQ(batch.times, (std::vector<std::int64_t>{-1, 15, 15, 16}));
        EXPECT_EQ(reader.rounded_times(), 2u);
    }
    io::update_reader konect(folder.write("file", "% sym positive\n1 2 1 885635999.999997\n1 3 1 5.5\n"));
    ASSERT_TRUE(konect.next_batch(9, batch));
    EXPECT_EQ(batch.times, (std::vector<std::int64_t>{5, 885'635'999}));
    EXPECT_EQ(konect.rounded_times(), 2u);
}

TEST_F(stream_formats, ignore_the_weights_of_deletions_of_graphbolt) {
    auto const batch = read("a 0 1 3\nd 0 1 3\nd 1 2\n");
    EXPECT_EQ(batch.updates,
              (std::vector<io::update>{
                  {operation::insert, {0, 1}}, {operation::erase, {0, 1}}, {operation::erase, {1, 2}}}));
    EXPECT_EQ(batch.weights, (std::vector<double>{3, 1, 1}));
}
