// Packs text, for tests of what unpacks it.
#pragma once

#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/filter/bzip2.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>

#include <sstream>
#include <string>

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

} // namespace rhizome::testing
