// SPDX-License-Identifier: Apache-2.0
#include "packing.hpp"
#include "scratch_folder.hpp"

#include <rhizome/io/generate/random.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/update_stream.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <future>

using namespace rhizome;
using namespace rhizome::testing;
using io::operation;
using namespace std::chrono_literals;

namespace {

class update_stream : public ::testing::Test {
protected:
    scratch_folder folder;

    io::update_batch read(std::string const& text) const {
        io::update_batch batch;
        io::update_reader(folder.write("file", text)).next_batch(1000, batch);
        return batch;
    }
};

} // namespace

TEST_F(update_stream, reads_updates) {
    std::string const text = "# comment\n+ 0 1\n\n  - 4294967293 7  \r\n+\t2 3 -1.5e3\n + 1 1 0\n  # more";
    for (std::string const& content : {text, gzip(text), bzip2(text)}) {
        auto const batch = read(content);
        EXPECT_EQ(batch.updates, (std::vector<io::update>{{operation::insert, {0, 1}},
                                                          {operation::erase, {4294967293u, 7}},
                                                          {operation::insert, {2, 3}},
                                                          {operation::insert, {1, 1}}}));
        EXPECT_EQ(batch.weights, (std::vector<double>{1, 1, -1500, 0}));
        EXPECT_EQ(batch.first_weight_line, 5u);
    }
}

TEST_F(update_stream, cuts_batches_by_count) {
    std::string text;
    for (int i = 0; i < 10; ++i)
        text += "+ 0 " + std::to_string(i) + "\n# " + std::to_string(i) + "\n";
    io::update_reader reader(folder.write("file", text));
    io::update_batch batch;
    for (graph::vertex_id first : {0u, 4u}) {
        ASSERT_TRUE(reader.next_batch(4, batch));
        ASSERT_EQ(batch.size(), 4u);
        EXPECT_TRUE(batch.weights.empty());
        EXPECT_EQ(batch.updates[0].edge.target, first);
    }
    ASSERT_TRUE(reader.next_batch(4, batch));
    EXPECT_EQ(batch.size(), 2u);
    EXPECT_FALSE(reader.next_batch(4, batch));
    EXPECT_TRUE(batch.empty());
}

TEST_F(update_stream, names_what_is_damaged) {
    struct {
        std::string line;
        std::string column;
        std::string expected;
    } const cases[] = {
        {"* 1 2", "1", "found '*', expected an update"},
        {"1 2", "1", "found '1', expected an update"},
        {"+1 2", "1", "found '+1', expected an update"},
        {"+", "2", "found the end of the line, expected a vertex"},
        {"+ 1", "4", "found the end of the line, expected a vertex"},
        {"+ -1 2", "3", "found '-1', expected a vertex from 0 to 4294967293"},
        {"+ 1 4294967294", "5", "found '4294967294', expected a vertex"},
        {"+ 1 99999999999999999999", "5", "found '99999999999999999999', expected a vertex"},
        {"+ 1 x", "5", "found 'x', expected a vertex"},
        {"+ 1 2.5", "5", "found '2.5', expected a vertex"},
        {"+ 1 2 x", "7", "found 'x', expected a weight"},
        {"+ 1 2 nan", "7", "found 'nan', expected a weight"},
        {"+ 1 2 inf", "7", "found 'inf', expected a weight"},
        {"+ 1 2 1e999", "7", "found '1e999', expected a weight"},
        {"+ 1 2 3 4", "9", "found '4', expected the end of the line"},
        {"- 1 2 3", "7", "found '3', expected the end of the line"},
        {"- 1", "4", "found the end of the line, expected a vertex"},
        {std::string("+ 1 2\0", 6), "5", "found '2\\x00', expected a vertex"},
    };
    for (auto const& each : cases) {
        std::string const text = "# first\n+ 0 1\n" + each.line + "\n+ 0 1\n";
        std::string const message = message_of<io::parse_error>([&] { (void)read(text); });
        EXPECT_TRUE(message.starts_with(folder.path("file") + ":3:" + each.column + ": " + each.expected))
            << each.line << "\n got " << message << "\nwant " << each.expected;
    }
    std::string const packed = gzip("+ 0 1\n");
    EXPECT_NE(message_of<io::parse_error>([&] { (void)read(packed.substr(0, packed.size() - 1)); }), "");
}

TEST_F(update_stream, gives_out_what_has_arrived_in_a_pipe) {
    std::string const path = folder.path("pipe");
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    int const end = open(path.c_str(), O_RDWR | O_CLOEXEC); // both ends: it stays open
    ASSERT_GE(end, 0);
    auto const put = [&](std::string const& text) {
        ASSERT_EQ(write(end, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    };
    {
        put("+ 1 2\n+ 3");
        io::update_reader reader(path);
        io::update_batch batch;
        std::vector<io::update> got;
        auto const read_one = [&] {
            ASSERT_TRUE(reader.next_batch(1, batch));
            got.insert(got.end(), batch.updates.begin(), batch.updates.end());
        };
        auto first = std::async(std::launch::async, read_one);
        EXPECT_EQ(first.wait_for(10s), std::future_status::ready) << "waits for more than it was asked for";
        put(" 4\n- 5 6\n"); // also ends the wait of a reader that fails
        first.get();
        read_one();
        read_one();
        EXPECT_EQ(got,
                  (std::vector<io::update>{
                      {operation::insert, {1, 2}}, {operation::insert, {3, 4}}, {operation::erase, {5, 6}}}));
    } // would hang here if it waited for the end of the pipe
    close(end);
}

TEST_F(update_stream, joins_blocks_whatever_the_number_of_threads) {
    std::string text;
    std::vector<io::update> expected;
    std::vector<double> weights;
    io::random_source random(9);
    for (graph::vertex_id i = 0; i < 300'000; ++i) { // several blocks of a MiB
        bool const inserts = random.chance(0.7);
        auto const target = static_cast<graph::vertex_id>(random.below(1u << 31));
        bool const weighted = inserts && i > 150'000 && random.chance(0.5);
        text += (inserts ? "+ " : "- ") + std::to_string(i) + ' ' + std::to_string(target);
        text += weighted ? " 2.5\n" : "\n";
        if (random.chance(0.01)) text += "# comment\n\n";
        expected.push_back({inserts ? operation::insert : operation::erase, {i, target}});
        weights.push_back(weighted ? 2.5 : 1);
    }
    auto const first_weight = std::find(weights.begin(), weights.end(), 2.5) - weights.begin();
    auto const place = text.find("\n+ " + std::to_string(first_weight) + ' ');
    auto const weight_line = static_cast<std::uint64_t>(
        2 + std::count(text.begin(), text.begin() + static_cast<long>(place), '\n'));
    std::string const path = folder.write("file", text);
    for (unsigned const threads : {1u, 2u, 5u})
        for (std::size_t const count : {1000u, 77'777u, 1'000'000u}) {
            io::update_reader reader(path, {.threads = threads});
            io::update_batch batch;
            std::size_t at = 0;
            for (; reader.next_batch(count, batch); at += batch.size()) {
                ASSERT_LE(at + batch.size(), expected.size());
                ASSERT_TRUE(std::equal(batch.updates.begin(), batch.updates.end(),
                                       expected.begin() + static_cast<long>(at)));
                bool const names_any = std::any_of(weights.begin() + static_cast<long>(at),
                                                   weights.begin() + static_cast<long>(at + batch.size()),
                                                   [](double weight) { return weight == 2.5; });
                ASSERT_EQ(batch.first_weight_line != 0, names_any);
                ASSERT_EQ(batch.weights.empty(), !names_any);
                ASSERT_TRUE(std::equal(batch.weights.begin(), batch.weights.end(),
                                       weights.begin() + static_cast<long>(at)));
                if (names_any) {
                    ASSERT_EQ(batch.first_weight_line, weight_line);
                }
            }
            EXPECT_EQ(at, expected.size());
        }
}

TEST_F(update_stream, estimates_how_long_it_is) {
    std::string text;
    io::random_source random(2);
    for (int i = 0; i < 400'000; ++i)
        text += "+ " + std::to_string(random.below(1u << 31)) + " " + std::to_string(random.below(1u << 31)) +
                "\n";
    for (std::string const& content : {text, gzip(text)}) {
        io::update_reader reader(folder.write("file", content));
        io::update_batch batch;
        EXPECT_EQ(reader.estimated_updates(), 0u) << "nothing was read";
        ASSERT_TRUE(reader.next_batch(50'000, batch));
        auto const estimate = static_cast<double>(reader.estimated_updates());
        // The unpacked bytes of a packed file run behind those that were read.
        EXPECT_GT(estimate, 200'000);
        EXPECT_LT(estimate, 420'000);
    }
}

TEST_F(update_stream, gives_out_what_stands_before_damage) {
    std::string text;
    for (int i = 0; i < 200'000; ++i)
        text += "+ 0 " + std::to_string(i) + "\n";
    text += "+ 0 moon\n" + text;
    for (unsigned const threads : {1u, 3u}) {
        io::update_reader reader(folder.write("file", text), {.threads = threads});
        io::update_batch batch;
        std::size_t count = 0;
        std::string const message = message_of<io::parse_error>([&] {
            while (reader.next_batch(1000, batch))
                count += batch.size();
        });
        EXPECT_EQ(count, 200'000u);
        EXPECT_TRUE(message.starts_with(folder.path("file") + ":200001:5: found 'moon'")) << message;
    }
}

TEST_F(update_stream, reads_what_it_wrote) {
    std::vector<io::update> updates;
    for (graph::vertex_id i = 0; i < 100'000; ++i)
        updates.push_back({i % 3 == 0 ? operation::erase : operation::insert, {i * 40503u, i}});
    std::string const path = folder.path("written");
    io::update_writer writer(path);
    writer.comment("a comment");
    writer.append(updates);
    EXPECT_FALSE(std::filesystem::exists(path));
    writer.commit();
    io::update_batch batch;
    io::update_reader(path).next_batch(updates.size() + 1, batch);
    EXPECT_EQ(batch.updates, updates);
}
