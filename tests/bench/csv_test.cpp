// SPDX-License-Identifier: Apache-2.0
// Tables as text: what is written is read again.
#include "../io/scratch_folder.hpp"

#include <rhizome/bench/harness/csv.hpp>
#include <rhizome/io/parse_error.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace rhizome;
using namespace rhizome::bench;

TEST(csv, survives_quotes_and_line_breaks) {
    rhizome::testing::scratch_folder const folder;
    std::vector<std::vector<std::string>> const records{
        {"a", "", "b c"}, {"", ""}, {"x,y", "\"", "\"\"z", "two\nlines\r\n\n# three", " "}};
    std::string text = "# not this\n";
    for (auto const& each : records)
        text += csv_line(each) + "\n";
    csv_reader file(folder.write("a.csv", text));
    std::vector<std::string> fields;
    for (auto const& each : records) {
        ASSERT_TRUE(file.next(fields));
        EXPECT_EQ(fields, each);
    }
    EXPECT_EQ(file.line(), 6u);
    EXPECT_FALSE(file.next(fields));
    for (char const* damaged : {"a,\"b\n", "a,\"b\"c\n"})
        EXPECT_THROW((void)csv_reader(folder.write("damaged.csv", damaged)).next(fields), io::parse_error);
}
