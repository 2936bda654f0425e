// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/output_file.hpp>
#include <rhizome/io/parse_error.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace rhizome::io {

bool is_standard_output(std::string const& path) {
    return path == "-" || path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

output_file::output_file(std::string const& path) : path_(path == "-" ? "<stdout>" : path), target_(path) {
    if (is_standard_output(path)) {
        direct_ = true;
        descriptor_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0); // NOLINT: POSIX
        if (descriptor_ < 0) fail("cannot open for writing");
        return;
    }
    std::error_code error;
    auto const resolved = std::filesystem::weakly_canonical(path, error);
    if (!error && std::filesystem::is_symlink(path, error)) target_ = resolved.string();
    struct stat status {};
    bool const exists = stat(target_.c_str(), &status) == 0;
    if (exists && !S_ISREG(status.st_mode)) {
        direct_ = true;
        descriptor_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC); // NOLINT: POSIX
        if (descriptor_ < 0) fail("cannot open for writing");
        return;
    }
    open_without_name();
    while (descriptor_ < 0) {
        temporary_ = next_name();
        descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); // NOLINT
        if (descriptor_ < 0 && errno != EEXIST) fail("cannot create");
    }
    if (exists) (void)fchmod(descriptor_, status.st_mode & 07777); // a replaced file keeps its permissions
}

output_file::~output_file() {
    if (descriptor_ < 0) return;
    close(descriptor_);
    if (!temporary_.empty()) unlink(temporary_.c_str());
}

void output_file::write(std::string_view bytes) {
    while (!bytes.empty()) {
        ssize_t const written = ::write(descriptor_, bytes.data(), bytes.size());
        if (written < 0) {
            if (errno == EINTR) continue;
            if (errno == EPIPE) throw closed_pipe(path_);
            fail("cannot write");
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

void output_file::commit() {
    if (!direct_) {
        // Some file systems report a full disk only here.
        if (fsync(descriptor_) != 0) fail("cannot write");
        if (temporary_.empty()) give_name();
        if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot replace");
    }
    int const descriptor = descriptor_;
    descriptor_ = -1;
    if (close(descriptor) != 0) fail("cannot write");
    if (!direct_) sync_folder();
}

std::string output_file::folder() const {
    std::string const parent = std::filesystem::path(target_).parent_path().string();
    return parent.empty() ? "." : parent;
}

/// A name with the process id, because two processes may write the same file.
std::string output_file::next_name() {
    return target_ + ".partial-" + std::to_string(getpid()) + "-" + std::to_string(names_++);
}

void output_file::open_without_name() {
    descriptor_ = open(folder().c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666); // NOLINT: POSIX
    if (descriptor_ < 0) return;
    // Giving the file its name later needs /proc.
    std::string const link = "/proc/self/fd/" + std::to_string(descriptor_);
    if (access(link.c_str(), F_OK) == 0) return;
    close(descriptor_);
    descriptor_ = -1;
}

void output_file::give_name() {
    std::string const link = "/proc/self/fd/" + std::to_string(descriptor_);
    for (;;) {
        std::string const name = next_name();
        if (linkat(AT_FDCWD, link.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
            temporary_ = name;
            return;
        }
        if (errno != EEXIST) fail("cannot create");
    }
}

/// Forces the folder to the disk, because the new name is part of it.
void output_file::sync_folder() const {
    int const descriptor = open(folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); // NOLINT: POSIX
    if (descriptor < 0) return; // the folder can be written but not read
    int const result = fsync(descriptor);
    int const why = errno;
    close(descriptor);
    errno = why;
    if (result != 0 && why != EINVAL)
        fail("cannot write its folder"); // EINVAL: folders cannot be synced there
}

void output_file::fail(char const* what) const {
    throw file_error(path_, std::string(what) + ": " + std::strerror(errno));
}

} // namespace rhizome::io
