// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/packed_file.hpp>
#include <rhizome/io/parse_error.hpp>

#include <boost/iostreams/filter/bzip2.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#ifdef RHIZOME_HAS_LZMA
#include <boost/iostreams/filter/lzma.hpp>
#endif
#ifdef RHIZOME_HAS_ZSTD
#include <boost/iostreams/filter/zstd.hpp>
#endif

#include <algorithm>
#include <array>
#include <exception>
#include <ios>
#include <utility>

namespace rhizome::io {
namespace {

struct ending {
    std::string_view text;
    packing how;
};
constexpr std::array endings{ending{".gz", packing::gzip}, ending{".bz2", packing::bzip2},
                             ending{".zst", packing::zstd}, ending{".xz", packing::xz}};

packing ending_of(std::string_view path) {
    for (ending const& each : endings)
        if (path.ends_with(each.text)) return each.how;
    return packing::none;
}

/// The target of the packed bytes. It keeps the first error, because Boost's filters drop errors when they
/// are closed.
struct packed_bytes {
    output_file* file;
    std::exception_ptr failure;

    void write(std::string_view bytes) {
        if (failure) return;
        try {
            file->write(bytes);
        } catch (...) {
            failure = std::current_exception();
        }
    }
    void rethrow() const {
        if (failure) std::rethrow_exception(failure);
    }
};

/// A sink that refers to the target, because Boost copies its sinks.
struct sink {
    using char_type = char;
    using category = boost::iostreams::sink_tag;

    packed_bytes* to;

    std::streamsize write(char const* bytes, std::streamsize count) {
        to->write({bytes, static_cast<std::size_t>(count)});
        return count;
    }
};

} // namespace

packing packing_by_name(std::string const& path) {
    for (std::string_view const other : {".lzma", ".lz4", ".lzo", ".Z", ".zip", ".7z"})
        if (path.ends_with(other))
            throw file_error(path, std::string("cannot write files that end in ").append(other) +
                                       "; .gz, .bz2, .zst and .xz are compressed, others plain");
    packing const how = ending_of(path);
#ifndef RHIZOME_HAS_ZSTD
    if (how == packing::zstd)
        throw file_error(path, "cannot write files that end in .zst: Boost.Iostreams was built without zstd");
#endif
#ifndef RHIZOME_HAS_LZMA
    if (how == packing::xz)
        throw file_error(path, "cannot write files that end in .xz: Boost.Iostreams was built without xz");
#endif
    return how;
}

std::string without_packing(std::string const& path) {
    for (ending const& each : endings)
        if (path.ends_with(each.text)) return path.substr(0, path.size() - each.text.size());
    return path;
}

struct packed_file::packer {
    packer(output_file& file, packing how) : bytes{&file, nullptr} {
        constexpr std::streamsize block_bytes = std::streamsize{1} << 16;
        if (how == packing::gzip) chain.push(boost::iostreams::gzip_compressor(), block_bytes);
        if (how == packing::bzip2) chain.push(boost::iostreams::bzip2_compressor(), block_bytes);
#ifdef RHIZOME_HAS_ZSTD
        if (how == packing::zstd) chain.push(boost::iostreams::zstd_compressor(), block_bytes);
#endif
#ifdef RHIZOME_HAS_LZMA
        if (how == packing::xz) chain.push(boost::iostreams::lzma_compressor(), block_bytes);
#endif
        chain.push(sink{&bytes}, block_bytes);
    }

    packed_bytes bytes;
    boost::iostreams::filtering_streambuf<boost::iostreams::output>
        chain; ///< closed before `bytes` is destroyed
};

packed_file::packed_file(std::string const& path) : file_(path) {
    packing const how = packing_by_name(path);
    if (how != packing::none) packer_ = std::make_unique<packer>(file_, how);
}

packed_file::~packed_file() {
    // Without commit(), what the filter still holds must not reach a device or pipe that is written directly.
    if (packer_ && !packer_->bytes.failure)
        packer_->bytes.failure = std::make_exception_ptr(std::runtime_error("dropped"));
}

void packed_file::write(std::string_view text) {
    if (!packer_) {
        file_.write(text);
        return;
    }
    packer_->chain.sputn(text.data(), static_cast<std::streamsize>(text.size()));
    packer_->bytes.rethrow();
}

void packed_file::commit() {
    if (packer_) {
        packer_->chain.reset();
        packer_->bytes.rethrow();
    }
    file_.commit();
}

} // namespace rhizome::io
