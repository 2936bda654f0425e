// SPDX-License-Identifier: Apache-2.0
#include "scratch_folder.hpp"

#include <rhizome/io/output_file.hpp>
#include <rhizome/io/parse_error.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace rhizome;
using namespace rhizome::testing;

TEST(output_file, appears_with_commit_only) {
    scratch_folder const folder;
    std::string const path = folder.write("file", "old");
    {
        io::output_file file(path);
        file.write("half");
        EXPECT_EQ(text_of(path), "old");
    }
    EXPECT_EQ(text_of(path), "old");
    EXPECT_EQ(folder.file_count(), 1);
    {
        io::output_file file(path);
        file.write("new");
        file.commit();
    }
    EXPECT_EQ(text_of(path), "new");
    EXPECT_EQ(folder.file_count(), 1);
}

TEST(output_file, keeps_permissions_and_follows_links) {
    scratch_folder const folder;
    std::string const path = folder.write("file", "old");
    ASSERT_EQ(chmod(path.c_str(), 0640), 0);
    std::filesystem::create_symlink(path, folder.path("link"));
    io::output_file file(folder.path("link"));
    file.write("new");
    file.commit();
    EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
    EXPECT_EQ(text_of(path), "new");
    EXPECT_EQ(static_cast<int>(std::filesystem::status(path).permissions()), 0640);
}

TEST(output_file, reports_what_it_cannot_do) {
    scratch_folder const folder;
    EXPECT_NE(message_of<io::file_error>([&] {
                  io::output_file file(folder.path("no/folder"));
              }).find("cannot create"),
              std::string::npos);
    EXPECT_NE(message_of<io::file_error>([&] { io::output_file file(folder.path(".")); }).find("cannot open"),
              std::string::npos);
    EXPECT_NE(message_of<io::file_error>([&] {
                  io::output_file file("/dev/full");
                  file.write("text");
              }).find("/dev/full: cannot write"),
              std::string::npos);
}
