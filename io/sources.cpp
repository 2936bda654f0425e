// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/input.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/zstd_frames.hpp>

#include <boost/iostreams/filter/bzip2.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#ifdef RHIZOME_HAS_LZMA
#include <boost/iostreams/filter/lzma.hpp>
#endif
#ifdef RHIZOME_HAS_ZSTD
#include <boost/iostreams/filter/zstd.hpp>
#endif
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ios>
#include <stdexcept>

namespace rhizome::io {
namespace {

/// A file, or standard input. Its first bytes can be inspected before they are read.
class plain_source : public byte_source {
public:
    explicit plain_source(std::string const& path) : path_(path) {
        file_ = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (file_ < 0) throw file_error(path, std::string("cannot open: ") + std::strerror(errno));
        struct stat status {};
        if (fstat(file_, &status) == 0 && S_ISREG(status.st_mode))
            size_ = static_cast<double>(status.st_size);
        is_plain_ = file_ != STDIN_FILENO && size_ > 0;
        if (size_ <= 0) cancelled_ = eventfd(0, EFD_CLOEXEC);
        try {
            while (head_size_ < sizeof head_) {
                std::size_t const got = read_file(head_ + head_size_, sizeof head_ - head_size_);
                if (got == 0) break;
                head_size_ += got;
            }
        } catch (...) {
            close();
            throw;
        }
    }
    plain_source(plain_source const&) = delete;
    plain_source& operator=(plain_source const&) = delete;
    ~plain_source() override { close(); }

    [[nodiscard]] bool starts_with(std::string_view magic) const { return head().starts_with(magic); }
    /// A zstd file may begin with a frame to be skipped, of which there are sixteen kinds.
    [[nodiscard]] bool starts_with_zstd() const {
        constexpr std::string_view skipped = "\x2a\x4d\x18";
        return starts_with("\x28\xb5\x2f\xfd") ||
               (head_size_ == sizeof head_ && (head_[0] & 0xf0) == 0x50 && head().substr(1) == skipped);
    }

    std::size_t read(char* to, std::size_t size) override {
        std::size_t got = std::min(size, head_size_ - head_given_);
        std::memcpy(to, head_ + head_given_, got);
        head_given_ += got;
        if (got == 0) got = read_file(to, size);
        given_ += static_cast<double>(got);
        return got;
    }

    [[nodiscard]] double fraction_read() const override {
        return size_ > 0 ? std::min(1.0, given_ / size_) : -1.0;
    }

    [[nodiscard]] int descriptor() const override { return is_plain_ ? file_ : -1; }

    void cancel() override {
        if (cancelled_ >= 0) (void)eventfd_write(cancelled_, 1);
    }

private:
    [[nodiscard]] std::string_view head() const { return {head_, head_size_}; }

    /// Waits until the file can be read. Returns false if that was cancelled.
    [[nodiscard]] bool can_read() const {
        if (cancelled_ < 0) return true;
        pollfd waited[] = {{file_, POLLIN, 0}, {cancelled_, POLLIN, 0}};
        while (poll(waited, 2, -1) < 0 && errno == EINTR)
            continue;
        return waited[1].revents == 0;
    }

    /// Returns what has arrived in a pipe, without waiting for more.
    std::size_t read_file(char* to, std::size_t size) {
        for (;;) {
            if (!can_read()) return 0;
            ssize_t const got = ::read(file_, to, size);
            if (got >= 0) return static_cast<std::size_t>(got);
            if (errno != EINTR) throw file_error(path_, std::string("cannot read: ") + std::strerror(errno));
        }
    }

    void close() {
        if (file_ != STDIN_FILENO) ::close(file_);
        if (cancelled_ >= 0) ::close(cancelled_);
    }

    std::string path_;
    int file_ = -1;
    int cancelled_ = -1; ///< an event, for files that a read may wait for
    char head_[4] = {};
    std::size_t head_size_ = 0;
    std::size_t head_given_ = 0;
    double size_ = 0;
    double given_ = 0;
    bool is_plain_ = false;
};

/// A plain_source as an input for Boost's filters.
class packed_bytes {
public:
    using char_type = char;
    using category = boost::iostreams::source_tag;

    /// `frames` follows the bytes of a zstd file; nullptr: the filter itself notices where a file is cut.
    packed_bytes(plain_source& file, zstd_frames* frames) : file_(&file), frames_(frames) {}

    std::streamsize read(char* to, std::streamsize size) {
        std::size_t const got = file_->read(to, static_cast<std::size_t>(size));
        if (frames_ != nullptr) {
            frames_->take({to, got});
            if (got == 0 && !frames_->is_whole()) throw std::runtime_error("cut");
        }
        return got == 0 ? -1 : static_cast<std::streamsize>(got);
    }

private:
    plain_source* file_;
    zstd_frames* frames_;
};

/// A compressed file. `Filter` is Boost's decompressor.
template <class Filter>
class unpacking_source : public byte_source {
public:
    unpacking_source(std::unique_ptr<plain_source> file, char const* format, bool is_zstd = false)
        : file_(std::move(file)), format_(format) {
        // At damage, the filter loses what it has unpacked into its block. Small blocks keep the line number
        // in the message close to the damage.
        constexpr std::streamsize unpacked_block_bytes = 1 << 13;
        constexpr std::streamsize packed_block_bytes = 1 << 16;
        chain_.push(Filter(), unpacked_block_bytes);
        chain_.push(packed_bytes(*file_, is_zstd ? &frames_ : nullptr), packed_block_bytes);
    }

    std::size_t read(char* to, std::size_t size) override {
        try {
            if (chain_.in_avail() <= 0 && chain_.sgetc() == std::char_traits<char>::eof()) return 0;
            auto const most = static_cast<std::streamsize>(size);
            return static_cast<std::size_t>(chain_.sgetn(to, std::min(most, chain_.in_avail())));
        } catch (file_error const&) {
            throw;
        } catch (std::exception const&) { // the messages of the filters are "gzip error" and the like
            throw std::runtime_error(std::string("a truncated or damaged ") + format_ + " stream");
        }
    }

    void cancel() override { file_->cancel(); }

    [[nodiscard]] double fraction_read() const override { return file_->fraction_read(); }

private:
    std::unique_ptr<plain_source> file_;
    char const* format_;
    zstd_frames frames_;
    boost::iostreams::filtering_streambuf<boost::iostreams::input> chain_;
};

} // namespace

std::unique_ptr<byte_source> open_source(std::string const& path) {
    auto file = std::make_unique<plain_source>(path);
    if (file->starts_with("\x1f\x8b"))
        return std::make_unique<unpacking_source<boost::iostreams::gzip_decompressor>>(std::move(file),
                                                                                       "gzip");
    if (file->starts_with("BZh"))
        return std::make_unique<unpacking_source<boost::iostreams::bzip2_decompressor>>(std::move(file),
                                                                                        "bzip2");
    if (file->starts_with_zstd())
#ifdef RHIZOME_HAS_ZSTD
        return std::make_unique<unpacking_source<boost::iostreams::zstd_decompressor>>(std::move(file),
                                                                                       "zstd", true);
#else
        throw file_error(path, "is compressed by zstd, and Boost.Iostreams was built without it");
#endif
    if (file->starts_with("\xfd"
                          "7zX"))
#ifdef RHIZOME_HAS_LZMA
        return std::make_unique<unpacking_source<boost::iostreams::lzma_decompressor>>(std::move(file), "xz");
#else
        throw file_error(path, "is compressed by xz, and Boost.Iostreams was built without it");
#endif
    return file;
}

} // namespace rhizome::io
