// SPDX-License-Identifier: Apache-2.0
// Saves that do not come to their end.
#include "store_fixture.hpp"

#include <rhizome/io/parse_error.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <string>

namespace rhizome::testing {

TEST_F(store, is_written_whole_or_not_at_all) {
    auto const head = io::store_header{.vertices = 2, .edges = 1};
    folder.write("file.rhz", "precious");
    EXPECT_THROW(
        {
            io::store_writer writer(path, head);
            writer.offsets(numbers{0, 1});
            writer.commit(); // an offset and a target lack
        },
        std::logic_error);
    EXPECT_THROW(io::store_writer(path, head).targets(ids{1}), std::logic_error);
    io::store_header const erasing{.vertices = 2, .edges = 1, .erased = 1}; // as wide as targets
    EXPECT_THROW(io::store_writer(path, erasing).targets(ids{1}), std::logic_error);
    EXPECT_THROW(io::store_writer(path, head).offsets(numbers{0, 1, 1, 1}), std::logic_error);
    EXPECT_THROW(io::store_writer(path, {.vertices = 1, .value_bytes = 4}), std::invalid_argument);
    EXPECT_THROW(io::store_writer(path, {.vertices = 1, .value_type = "int"}), std::invalid_argument);
    EXPECT_THROW(
        io::store_writer(path, {.vertices = 1, .value_bytes = 4, .value_type = std::string(40, 'x')}),
        std::invalid_argument);
    EXPECT_THROW(io::store_writer(path, {.in_arcs = true}), std::invalid_argument);
    EXPECT_THROW(io::store_writer(path, {.vertices = 1, .erased = 2}), std::invalid_argument);
    EXPECT_EQ(text_of(path), "precious");
    EXPECT_EQ(folder.file_count(), 1);
}

TEST_F(store, stays_the_old_one_when_the_disk_is_full) {
    folder.write("file.rhz", "precious");
    io::graph_file large = sample();
    large.vertex_count = 1'000'000;
    // What write() meets on a full disk, it meets at this limit.
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit const little{100'000, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
    std::string const said = message_of<io::file_error>([&] { io::write_stored_graph(path, large); });
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, handler);
    expect_part(said, "file.rhz: cannot write");
    EXPECT_EQ(text_of(path), "precious");
    EXPECT_EQ(folder.file_count(), 1);
    expect_part(message_of<io::file_error>([&] { io::write_stored_graph("/dev/full", large); }), "/dev/full");
    EXPECT_EQ(io::write_stored_graph(path, large), 7u);
    EXPECT_EQ(read_all(path), large.edges);
}

TEST_F(store, stays_the_old_one_when_the_process_is_killed) {
    folder.write("file.rhz", "precious");
    int const nameless = open(folder.path("").c_str(), O_WRONLY | O_TMPFILE, 0600); // NOLINT: POSIX
    pid_t const child = fork();
    if (child == 0) {
        io::store_writer writer(path, {.vertices = 100'000, .edges = 0});
        writer.offsets(numbers(50'000, 0));
        raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(text_of(path), "precious");
    if (nameless < 0) GTEST_SKIP() << "this file system has no files without names: one is left over";
    close(nameless);
    EXPECT_EQ(folder.file_count(), 1);
}

} // namespace rhizome::testing
