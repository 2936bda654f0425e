// SPDX-License-Identifier: Apache-2.0
// What other processes do between the moment when a download's file is opened and the one when it is locked.
#include "../io/scratch_folder.hpp"

#include <rhizome/cli/part_file.hpp>
#include <rhizome/cli/tool.hpp>
#include <rhizome/io/parse_error.hpp>

#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <utility>

using rhizome::cli::part_file;
using rhizome::testing::message_of;
using rhizome::testing::scratch_folder;
using rhizome::testing::text_of;

namespace {
std::function<void()> before_next_lock; ///< what another process does
} // namespace

/// The program's own flock(), which takes the place of that of the C library.
extern "C" int flock(int descriptor, int operation) noexcept {
    if (auto const now = std::exchange(before_next_lock, nullptr)) now();
    return static_cast<int>(syscall(SYS_flock, descriptor, operation));
}

TEST(part_file, is_the_file_of_its_name_if_another_process_gave_its_own_away) {
    scratch_folder const folder;
    std::string const path = folder.path("a.gz.part");
    std::string const target = folder.path("a.gz");
    before_next_lock = [&] { std::filesystem::rename(folder.write("a.gz.part", "whole"), target); };
    part_file const mine(path);
    EXPECT_FALSE(before_next_lock);
    EXPECT_TRUE(std::filesystem::exists(path));
    EXPECT_EQ(mine.bytes(), 0u);
    EXPECT_EQ(text_of(target), "whole");
    EXPECT_EQ(message_of<rhizome::io::file_error>([&] { part_file const other(path); }),
              path + ": another process is downloading it");
}

TEST(part_file, goes_with_its_note_if_no_byte_came) {
    scratch_folder const folder;
    std::string const path = folder.path("a.gz.part");
    {
        part_file part(path);
        part.expect("http://a/b");
        EXPECT_EQ(text_of(path + ".url"), "http://a/b\n");
    }
    EXPECT_EQ(folder.file_count(), 0);
    (void)folder.write("a.gz.part", "some");
    (void)folder.write("a.gz.part.url", "http://a/b\n");
    {
        part_file part(path);
        part.expect("http://a/b");
        EXPECT_EQ(part.bytes(), 4u);
    }
    EXPECT_EQ(folder.file_count(), 2);
    part_file part(path);
    part.expect("http://a/c");
    EXPECT_EQ(part.bytes(), 0u);
}

TEST(part_file, is_not_downloaded_if_another_process_has_just_finished_it) {
    scratch_folder const folder;
    before_next_lock = [&] { (void)folder.write("facebook_combined.txt.gz", "whole"); };
    ::testing::internal::CaptureStdout();
    int const exit_code = rhizome::cli::run_tool(
        {"fetch", "facebook_combined", "--to", folder.path(""), "--url", "http://127.0.0.1:1/a.gz"});
    std::string const said = ::testing::internal::GetCapturedStdout();
    EXPECT_FALSE(before_next_lock);
    EXPECT_EQ(exit_code, 0);
    EXPECT_NE(said.find("is there already"), std::string::npos) << said;
    EXPECT_EQ(text_of(folder.path("facebook_combined.txt.gz")), "whole");
    EXPECT_EQ(folder.file_count(), 1);
}
