// SPDX-License-Identifier: Apache-2.0
#pragma once
// Command lines of nvcc, as arguments of Clang.
#include <optional>
#include <string>
#include <vector>

namespace rhizome::coalesce {

/// How one source is compiled.
struct compile_command {
    std::string folder;                 ///< paths are relative to it; empty: the current one
    std::vector<std::string> arguments; ///< of Clang, without those that say where CUDA's headers are
    bool is_cuda = false;
    bool is_whole = false; ///< the command is that of a compilation, not only a part of its options
    std::vector<unsigned> architectures; ///< as __CUDA_ARCH__; empty: any
};

/// @param path of the source: its name tells the language, unless the arguments have -x
/// @param arguments of nvcc or of Clang, by any spelling that nvcc takes. What is for the device compiler,
/// the assembler or the linker is left out. What is for the host compiler (-Xcompiler) is kept if it defines
/// or includes something.
compile_command read_command(std::string const& path, std::vector<std::string> const& arguments);

/// @param folder has compile_commands.json, as CMake or bear write it
/// @return the commands for `path`: one, or several if it is compiled more than once
/// @throws std::runtime_error there is no such file, or it cannot be read
std::vector<compile_command> commands_of(std::string const& folder, std::string const& path);

} // namespace rhizome::coalesce
