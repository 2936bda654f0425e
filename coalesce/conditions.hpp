// SPDX-License-Identifier: Apache-2.0
#pragma once
// Macros that nvcc and its host compiler define otherwise than the tool does, and what of a source depends on
// them.
//
// The texts of the source and of the program's headers are read as tokens, also the parts that a condition
// leaves out. A group (#if to #endif) whose condition names such a macro, or a macro that is defined in such
// a group or by such a macro, matters if anything but host code may depend on it:
// - It matters not if it has nothing but #error, #warning, #pragma and #include of a header of the toolkit or
// of the
//   standard libraries.
// - A macro that it defines is followed to where its name stands.
// - It matters not within the body of a host function, if it starts no kernel and names no template or device
// function.
#include <clang/AST/ASTContext.h>
#include <clang/Lex/Preprocessor.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rhizome::coalesce {

/// What of the macros the tool knows.
struct known_macros {
    bool versions = false;     ///< those of CUDA: its own headers were read
    bool options = false;      ///< those that options of nvcc define: the whole command line is known
    bool architecture = false; ///< __CUDA_ARCH__: each of its values is analysed
};

/// Does nvcc define `name` otherwise than the tool does, or may it?
bool may_differ(llvm::StringRef name, known_macros const& known);

/// A place of the source that depends on such a macro.
struct doubt {
    clang::SourceLocation where;
    std::string macro;
};

/// What depends on macros.
struct macro_doubts {
    std::optional<doubt> compiler;     ///< on one that the tool does not know
    std::optional<doubt> architecture; ///< on __CUDA_ARCH__ alone
};

/// @param is_of_program is this file one of the program's own?
/// @return the first places where device code may depend on macros that may differ
macro_doubts find_doubts(clang::ASTContext& context, clang::Preprocessor& preprocessor,
                         known_macros const& known,
                         std::function<bool(llvm::StringRef path)> const& is_of_program);

} // namespace rhizome::coalesce
