// SPDX-License-Identifier: Apache-2.0
#include "toolkit.hpp"

#include <clang/AST/Attr.h>
#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaDiagnostic.h>
#include <llvm/Support/Program.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace rhizome::coalesce {
namespace {

namespace files = std::filesystem;

std::optional<toolkit> toolkit_in(files::path const& folder) {
    std::error_code none;
    for (char const* below : {"include", "targets/x86_64-linux/include", "targets/sbsa-linux/include", "."}) {
        files::path const include = folder / below;
        std::ifstream header(include / "cuda_runtime_api.h");
        for (std::string line; std::getline(header, line);) {
            std::size_t const at = line.find("#define CUDART_VERSION");
            if (at == std::string::npos) continue;
            toolkit found;
            found.include = files::canonical(include, none).string();
            found.version = static_cast<unsigned>(std::strtoul(line.c_str() + at + 22, nullptr, 10));
            if (found.version != 0) return found;
        }
    }
    return {};
}

// The headers of Debian's packages of CUDA lie among all others.
bool is_name_of_cuda(llvm::StringRef relative) {
    for (llvm::StringRef const start : {"crt/",
                                        "cub/",
                                        "thrust/",
                                        "nv/",
                                        "cuda",
                                        "cooperative_groups",
                                        "curand",
                                        "cublas",
                                        "cufft",
                                        "cusparse",
                                        "cusolver",
                                        "device_",
                                        "driver_",
                                        "host_config",
                                        "host_defines",
                                        "library_types",
                                        "math_constants",
                                        "math_functions",
                                        "mma.h",
                                        "sm_",
                                        "surface_",
                                        "texture_",
                                        "vector_functions",
                                        "vector_types",
                                        "builtin_types",
                                        "channel_descriptor",
                                        "common_functions"})
        if (relative.startswith(start)) return true;
    return false;
}

bool lies_in(llvm::StringRef path, llvm::StringRef folder) {
    return path.consume_front(folder) && (folder.endswith("/") || path.startswith("/"));
}

// The C library, and headers of libstdc++ that overload its functions. In the other headers of libstdc++,
// classes have virtual functions, which a program overrides for the host alone.
bool declares_c_functions(llvm::StringRef path) {
    auto const [folder, name] = path.rsplit('/');
    if (folder.contains("/c++/"))
        return name == "cmath" || name == "cstdlib" || name == "std_abs.h" || name == "math.h" ||
               name == "stdlib.h";
    return folder == "/usr/include" || folder.startswith("/usr/include/bits") ||
           folder.startswith("/usr/include/sys") || folder.contains("-linux-gnu");
}

class header_reader : public clang::PPCallbacks {
public:
    header_reader(clang::CompilerInstance& compiler, std::optional<toolkit> found, std::string stub,
                  std::optional<unsigned> architecture)
        : compiler_(compiler), found_(std::move(found)), stub_(std::move(stub)), architecture_(architecture),
          name_(compiler.getPreprocessor().getIdentifierInfo("__CUDA_ARCH__")) {}

    void FileChanged(clang::SourceLocation where, FileChangeReason, clang::SrcMgr::CharacteristicKind,
                     clang::FileID) override {
        clang::SourceManager const& sources = compiler_.getSourceManager();
        clang::FileEntry const* file = sources.getFileEntryForID(sources.getFileID(where));
        if (file == nullptr) return; // what the command line defines
        llvm::StringRef const path =
            file->tryGetRealPathName().empty() ? file->getName() : file->tryGetRealPathName();
        header_origin const origin = origin_of(path, found_, stub_);
        share(found_ && origin == header_origin::standard && declares_c_functions(path));
        define_architecture(where, origin == header_origin::program);
    }

private:
    void share(bool shares) {
        if (shares == shares_ || !compiler_.hasSema()) return;
        shares_ = shares;
        if (shares)
            compiler_.getSema().PushForceCUDAHostDevice();
        else
            compiler_.getSema().PopForceCUDAHostDevice();
    }

    void define_architecture(clang::SourceLocation where, bool defines) {
        if (!architecture_ || defines == defines_) return;
        defines_ = defines;
        clang::Preprocessor& preprocessor = compiler_.getPreprocessor();
        if (!defines) {
            void* const place = preprocessor.getPreprocessorAllocator().Allocate(
                sizeof(clang::UndefMacroDirective), alignof(clang::UndefMacroDirective));
            preprocessor.appendMacroDirective(name_, new (place) clang::UndefMacroDirective(where));
            return;
        }
        if (value_ == nullptr) {
            value_ = preprocessor.AllocateMacroInfo(where);
            clang::Token token;
            token.startToken();
            token.setKind(clang::tok::numeric_constant);
            preprocessor.CreateString(std::to_string(*architecture_), token);
            value_->AddTokenToBody(token);
        }
        preprocessor.appendDefMacroDirective(name_, value_);
    }

    clang::CompilerInstance& compiler_;
    std::optional<toolkit> found_;
    std::string stub_;
    std::optional<unsigned> architecture_;
    clang::IdentifierInfo* name_;
    clang::MacroInfo* value_ = nullptr;
    bool shares_ = false;
    bool defines_ = false;
};

} // namespace

std::optional<toolkit> find_toolkit(std::string const& wanted) {
    if (!wanted.empty()) return toolkit_in(wanted);
    for (char const* variable : {"CUDA_PATH", "CUDA_HOME"})
        if (char const* folder = std::getenv(variable); folder != nullptr && *folder != '\0')
            if (auto found = toolkit_in(folder)) return found;
    if (auto const nvcc = llvm::sys::findProgramByName("nvcc")) {
        std::error_code none;
        if (auto found = toolkit_in(files::canonical(*nvcc, none).parent_path().parent_path())) return found;
    }
    for (char const* folder : {"/usr/local/cuda", "/opt/cuda"})
        if (auto found = toolkit_in(folder)) return found;
    return {};
}

std::vector<std::string> cuda_arguments(std::optional<toolkit> const& found, std::string const& stub) {
    std::vector<std::string> arguments = {
        "-x",         "cuda",         "--cuda-host-only", "-nocudainc",
        "-nocudalib", "-D__CUDACC__", "-D__NVCC__",       "-Wno-unknown-cuda-version"};
    if (!found) {
        arguments.insert(arguments.end(), {"-isystem", stub, "-include", stub + "/rhizome_cuda_stub.h"});
        return arguments;
    }
    std::string const major = std::to_string(found->major()), minor = std::to_string(found->minor());
    arguments.insert(arguments.end(),
                     {"-nobuiltininc", "-isystem", std::string(RHIZOME_COALESCE_RESOURCES) + "/include",
                      "-Xclang", "-fcuda-allow-variadic-functions", "-D__CUDACC_VER_MAJOR__=" + major,
                      "-D__CUDACC_VER_MINOR__=" + minor, "-D__CUDACC_VER_BUILD__=0",
                      "-D__CUDA_API_VER_MAJOR__=" + major, "-D__CUDA_API_VER_MINOR__=" + minor, "-isystem",
                      found->include, "-isystem", found->include + "/cccl", "-include",
                      stub + "/toolkit/rhizome_cuda_toolkit.h"});
    return arguments;
}

std::vector<unsigned> architectures(std::optional<toolkit> const& found) {
    unsigned const least = !found || found->major() < 11 ? 200
                           : found->major() == 11        ? 350
                           : found->major() == 12        ? 500
                                                         : 750;
    std::vector<unsigned> all;
    for (unsigned const one :
         {200u, 210u, 300u, 320u, 350u, 370u, 500u, 520u,  530u,  600u,  610u,  620u,  700u, 720u,
          750u, 800u, 860u, 870u, 880u, 890u, 900u, 1000u, 1010u, 1030u, 1100u, 1200u, 1210u})
        if (one >= least) all.push_back(one);
    return all;
}

header_origin origin_of(llvm::StringRef path, std::optional<toolkit> const& found, std::string const& stub) {
    if (lies_in(path, stub)) return header_origin::toolkit;
    if (found && lies_in(path, found->include)) {
        bool const among_others = llvm::StringRef(found->include) == "/usr/include";
        if (!among_others || is_name_of_cuda(path.drop_front(found->include.size() + 1)))
            return header_origin::toolkit;
    }
    bool const is_standard = lies_in(path, RHIZOME_COALESCE_RESOURCES) || lies_in(path, "/usr/include") ||
                             path.contains("/include/c++/") || lies_in(path, "/usr/lib");
    return is_standard ? header_origin::standard : header_origin::program;
}

void read_cuda_headers(clang::CompilerInstance& compiler, std::optional<toolkit> const& found,
                       std::string const& stub, std::optional<unsigned> architecture) {
    if (found) {
        // nvcc warns of what Clang takes for errors: a function for both sides that calls one of the device,
        // and declarations of one function that name its sides in different ways.
        for (unsigned const error : {clang::diag::err_ref_bad_target, clang::diag::err_cuda_ovl_target})
            compiler.getDiagnostics().setSeverity(error, clang::diag::Severity::Ignored, {});
    }
    compiler.getPreprocessor().addPPCallbacks(
        std::make_unique<header_reader>(compiler, found, stub, architecture));
    compiler.getFrontendOpts().SkipFunctionBodies = true; // those that is_host_body_of_library() names
}

bool is_host_body_of_library(clang::Decl const& function) {
    if (!function.getASTContext().getSourceManager().isInSystemHeader(function.getLocation())) return false;
    clang::Decl const* const one = function.getAsFunction();
    auto const* const device = one == nullptr ? nullptr : one->getAttr<clang::CUDADeviceAttr>();
    return one != nullptr && !one->hasAttr<clang::CUDAGlobalAttr>() &&
           (device == nullptr || device->isImplicit());
}

} // namespace rhizome::coalesce
