// SPDX-License-Identifier: Apache-2.0
// The source line of a call in a kernel: lanes meet by it, reports name it.
#pragma once

#include <cstdint>
#include <cstring>

namespace rhizome::exec::emulator {

/// A source line, taken as a default argument: `void f(call_site at = call_site::here())`.
struct call_site {
    char const* file = "";
    std::uint32_t line = 0;

    // Not std::source_location: clang++ 14 has none.
    static constexpr call_site here(char const* file = __builtin_FILE(),
                                    std::uint32_t line = __builtin_LINE()) {
        return {file, line};
    }

    /// Compares file names as text, since one header may be compiled into several object files.
    [[nodiscard]] bool operator==(call_site const& other) const {
        return line == other.line && (file == other.file || std::strcmp(file, other.file) == 0);
    }
};

} // namespace rhizome::exec::emulator
