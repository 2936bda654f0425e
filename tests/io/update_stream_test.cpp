#include "packing.hpp"
#include "scratch_folder.hpp"

#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/update_stream.hpp>

#include <gtest/gtest.h>

using namespace rhizome;
using namespace rhizome::testing;
using io::operation;

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
    std::string const text = "# comment\n+ 0 1\n\n  - 4294967294 7  \r\n+\t2 3 -1.5e3\n + 1 1 0\n  # more";
    for (std::string const& content : {text, gzip(text), bzip2(text)}) {
        auto const batch = read(content);
        EXPECT_EQ(batch.updates, (std::vector<io::update>{{operation::insert, {0, 1}},
                                                          {operation::erase, {4294967294u, 7}},
                                                          {operation::insert, {2, 3}},
                                                          {operation::insert, {1, 1}}}));
        EXPECT_EQ(batch.weights, (std::vector<double>{1, 1, -1500, 0}));
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
        EXPECT_EQ(batch.weights.size(), 4u);
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
        std::string expected;
    } const cases[] = {
        {"* 1 2", "found '*', expected an update"},
        {"1 2", "found '1', expected an update"},
        {"+1 2", "found '+1', expected an update"},
        {"+", "found the end of the line, expected a vertex"},
        {"+ 1", "found the end of the line, expected a vertex"},
        {"+ -1 2", "found '-1', expected a vertex from 0 to 4294967294"},
        {"+ 1 4294967295", "found '4294967295', expected a vertex"},
        {"+ 1 99999999999999999999", "found '99999999999999999999', expected a vertex"},
        {"+ 1 x", "found 'x', expected a vertex"},
        {"+ 1 2.5", "found '2.5', expected a vertex"},
        {"+ 1 2 x", "found 'x', expected a weight"},
        {"+ 1 2 nan", "found 'nan', expected a weight"},
        {"+ 1 2 inf", "found 'inf', expected a weight"},
        {"+ 1 2 1e999", "found '1e999', expected a weight"},
        {"+ 1 2 3 4", "found '4', expected the end of the line"},
        {"- 1 2 3", "found '3', expected the end of the line"},
        {"- 1", "found the end of the line, expected a vertex"},
        {std::string("+ 1 2\0", 6), "found '2\\x00', expected a vertex"},
    };
    for (auto const& each : cases) {
        std::string const text = "# first\n+ 0 1\n" + each.line + "\n+ 0 1\n";
        std::string const message = message_of<io::parse_error>([&] { (void)read(text); });
        EXPECT_TRUE(message.starts_with(folder.path("file") + ":3: " + each.expected))
            << each.line << "\n got " << message << "\nwant " << each.expected;
    }
    std::string const packed = gzip("+ 0 1\n");
    EXPECT_NE(message_of<io::parse_error>([&] { (void)read(packed.substr(0, packed.size() - 1)); }), "");
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
