// SPDX-License-Identifier: Apache-2.0
#pragma once
// How CUDA's own headers are found, and how Clang 14 reads them, whatever their version.
//
// Clang's wrapper headers for CUDA know toolkits up to 11.5 and need files that CUDA 12 removed. Instead,
// Clang reads the headers as a host compiler in CUDA mode does, with four differences, made by
// stub/rhizome_cuda_toolkit.h and `read_cuda_headers`:
// - All functions of the C and C++ standard libraries count as `__host__ __device__`, so that the
//   declarations that the toolkit adds to them (math, malloc, printf) declare the same functions.
// - __CUDA_ARCH__ is defined in the program's files and in no other one. Headers of the toolkit then take
//   the code that a host compiler can read; its functions are known by name (known_calls.hpp).
// - `__noinline__` is empty, because libstdc++ writes it as an attribute.
// - Functions of <cmath> are not constexpr.
#include <clang/Frontend/CompilerInstance.h>

#include <optional>
#include <string>
#include <vector>

namespace rhizome::coalesce {

/// Where a header comes from.
enum class header_origin : std::uint8_t {
    program,  ///< the source, its headers, and those of other libraries
    standard, ///< the C and C++ libraries, and the compiler's own
    toolkit   ///< CUDA's, and the declarations that stand for them
};

/// A CUDA Toolkit.
struct toolkit {
    std::string include;  ///< the folder that has cuda_runtime.h
    unsigned version = 0; ///< as CUDART_VERSION: 13000 is 13.0

    unsigned major() const { return version / 1000; }
    unsigned minor() const { return version % 1000 / 10; }
};

/// @param wanted a folder of a toolkit, or empty: CUDA_PATH, CUDA_HOME, that of nvcc in PATH,
/// /usr/local/cuda
/// @return the first of these that has cuda_runtime.h; nothing: none has
std::optional<toolkit> find_toolkit(std::string const& wanted);

/// @return arguments of Clang for CUDA sources
/// @param found nothing: the declarations in `stub` stand for CUDA's
std::vector<std::string> cuda_arguments(std::optional<toolkit> const& found, std::string const& stub);

/// All architectures that nvcc of `found` compiles for, as __CUDA_ARCH__; of all toolkits if there is none.
std::vector<unsigned> architectures(std::optional<toolkit> const& found);

/// @param path of a file that was read
header_origin origin_of(llvm::StringRef path, std::optional<toolkit> const& found, std::string const& stub);

/// Lets `compiler` read CUDA's headers as described above.
/// @param architecture the value of __CUDA_ARCH__ in the program's files; nothing: host code, in which it is
/// not defined
void read_cuda_headers(clang::CompilerInstance& compiler, std::optional<toolkit> const& found,
                       std::string const& stub, std::optional<unsigned> architecture);

/// Device code never runs the body of `function`: it is in a header of a library, and its text does not say
/// `__device__`. Clang reads the bodies of constexpr functions all the same. Half of the time of a source
/// without many lines goes into such bodies.
bool is_host_body_of_library(clang::Decl const& function);

} // namespace rhizome::coalesce
