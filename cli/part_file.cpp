// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/part_file.hpp>
#include <rhizome/io/output_file.hpp>
#include <rhizome/io/parse_error.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

namespace rhizome::cli {
namespace {

/// Whether the path still leads to the open file: another process may have renamed or removed it.
bool is_at(int descriptor, std::string const& path) {
    struct stat open_one {};
    struct stat named {};
    return fstat(descriptor, &open_one) == 0 && stat(path.c_str(), &named) == 0 &&
           open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino;
}

int lock_file(std::string const& path) {
    for (;;) {
        // Without O_CLOEXEC: if this process is killed, the program that it started goes on writing, and the
        // lock must last as long.
        int const descriptor = open(path.c_str(), O_RDWR | O_CREAT, 0666); // NOLINT: POSIX
        if (descriptor < 0) throw io::file_error(path, std::string("cannot write: ") + std::strerror(errno));
        if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
            int const why = errno;
            close(descriptor);
            throw io::file_error(path, why == EWOULDBLOCK
                                           ? "another process is downloading it"
                                           : std::string("cannot lock: ") + std::strerror(why));
        }
        if (is_at(descriptor, path)) return descriptor;
        close(descriptor);
    }
}

} // namespace

part_file::part_file(std::string path) : path_(std::move(path)), descriptor_(lock_file(path_)) {}

part_file::~part_file() {
    std::error_code ignored; // of an empty file nothing is lost
    if (is_at(descriptor_, path_) && bytes() == 0) {
        std::filesystem::remove(note(), ignored);
        if (std::filesystem::is_regular_file(path_, ignored)) std::filesystem::remove(path_, ignored);
    }
    close(descriptor_);
}

std::uint64_t part_file::bytes() const {
    std::error_code none; // devices have no size
    auto const found = std::filesystem::file_size(path_, none);
    return none ? 0 : found;
}

void part_file::expect(std::string const& url) {
    std::ifstream noted(note());
    std::string before;
    std::getline(noted, before);
    if (noted && before == url) return;
    if (bytes() != 0) clear();
    io::output_file to(note());
    to.write(url + "\n");
    to.commit();
}

void part_file::clear() const { std::filesystem::resize_file(path_, 0); }

void part_file::become(std::string const& target) const {
    // The note first: without it, no later call resumes the file.
    std::filesystem::remove(note());
    std::filesystem::rename(path_, target);
}

void part_file::remove() const {
    std::filesystem::remove(note());
    std::filesystem::remove(path_);
}

} // namespace rhizome::cli
