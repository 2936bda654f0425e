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

output_file::output_file(std::string const& path) : path_(path), target_(path) {
    std::error_code error;
    auto const resolved = std::filesystem::weakly_canonical(path, error);
    if (!error && std::filesystem::is_symlink(path, error)) target_ = resolved.string();
    struct stat status {};
    bool const exists = stat(target_.c_str(), &status) == 0;
    if (exists && !S_ISREG(status.st_mode)) {
        descriptor_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC); // NOLINT: POSIX
        if (descriptor_ < 0) fail("cannot open for writing");
        return;
    }
    // A name of our own: two processes that write the same file must not share it.
    for (unsigned attempt = 0; descriptor_ < 0; ++attempt) {
        temporary_ = target_ + ".partial-" + std::to_string(getpid()) + "-" + std::to_string(attempt);
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
            fail("cannot write");
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

void output_file::commit() {
    // Some file systems report a full disk only here.
    if (!temporary_.empty() && fsync(descriptor_) != 0) fail("cannot write");
    int const descriptor = descriptor_;
    if (!temporary_.empty() && std::rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot replace");
    descriptor_ = -1;
    if (close(descriptor) != 0) fail("cannot write");
}

void output_file::fail(char const* what) const {
    throw file_error(path_, std::string(what) + ": " + std::strerror(errno));
}

} // namespace rhizome::io
