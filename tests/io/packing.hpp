// SPDX-License-Identifier: Apache-2.0
// Packs text, for tests of what unpacks it.
#pragma once

#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/filter/bzip2.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#ifdef RHIZOME_HAS_LZMA
#include <boost/iostreams/filter/lzma.hpp>
#endif
#ifdef RHIZOME_HAS_ZSTD
#include <boost/iostreams/filter/zstd.hpp>
#endif
#include <boost/iostreams/filtering_streambuf.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace rhizome::testing {

template <class Filter>
std::string pack(std::string const& text) {
    std::istringstream from(text);
    std::ostringstream to;
    boost::iostreams::filtering_streambuf<boost::iostreams::input> chain;
    chain.push(Filter());
    chain.push(from);
    boost::iostreams::copy(chain, to);
    return to.str();
}

inline std::string gzip(std::string const& text) { return pack<boost::iostreams::gzip_compressor>(text); }
inline std::string bzip2(std::string const& text) { return pack<boost::iostreams::bzip2_compressor>(text); }
#ifdef RHIZOME_HAS_LZMA
inline std::string xz(std::string const& text) { return pack<boost::iostreams::lzma_compressor>(text); }
#endif
#ifdef RHIZOME_HAS_ZSTD
inline std::string zstd(std::string const& text) { return pack<boost::iostreams::zstd_compressor>(text); }
#endif

/// A way to pack text that the installed Boost has.
struct packer {
    std::string name;
    std::string ending; ///< of the names of such files
    std::string magic;  ///< their first bytes
    std::string (*pack)(std::string const& text);
};

inline std::vector<packer> packers() {
    return {
        {"gzip", ".gz", "\x1f\x8b", gzip},
        {"bzip2", ".bz2", "BZh", bzip2},
#ifdef RHIZOME_HAS_ZSTD
        {"zstd", ".zst", "\x28\xb5\x2f\xfd", zstd},
#endif
#ifdef RHIZOME_HAS_LZMA
        {"xz", ".xz",
         "\xfd"
         "7zX",
         xz},
#endif
    };
}

} // namespace rhizome::testing
