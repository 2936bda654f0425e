// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the tool tells of a source: a line per allocation call, a line per kernel, SARIF.
#include "plan.hpp"
#include "restore.hpp"

#include <string>
#include <vector>

namespace rhizome::coalesce {

/// A place in a file. The path is relative to the working folder where it lies below it.
struct file_place {
    std::string path;
    unsigned line = 0;
    unsigned column = 0;

    std::string text() const; ///< path:line:column
};

/// What became of one allocation call.
struct call_report {
    file_place where;
    char const* rule; ///< block, warp, dynamic, left-alone
    std::string reason;
    std::string because_text; ///< " (path:line:column)", or empty
    file_place because;
};

/// The calls that one kernel reaches, as numbers in source_report::calls.
struct kernel_report {
    file_place where;
    std::string name;
    std::vector<std::size_t> calls;
};

struct source_report {
    std::vector<call_report> calls;
    std::vector<kernel_report> kernels;

    std::string text() const;
};

/// @param folder the working folder
source_report report_of(clang::SourceManager const& sources, plan const& made, restored_source const& source,
                        std::string const& folder);

/// One document of SARIF 2.1.0 for all sources.
std::string sarif(std::vector<source_report> const& all);

} // namespace rhizome::coalesce
