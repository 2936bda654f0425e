// All compactors that the conformance suite runs: a new one joins by one line.
#pragma once

#include <rhizome/compaction/select.hpp>

#include <spaces.hpp>

#include <string>

namespace rhizome::tests {

struct default_compactor {
    static std::string name() { return "default"; }
    template <class Space>
    using on = compaction::compactor<Space>;
};

using compactor_list = type_list<default_compactor>;

/// A compactor on a space.
template <class Space, class Kind>
struct compactor_case {
    using space = Space;
    using kind = Kind;
    using type = typename Kind::template on<Space>;
    static std::string name() { return std::string(Space::name) + "_" + Kind::name(); }
};

} // namespace rhizome::tests
