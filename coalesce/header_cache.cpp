// SPDX-License-Identifier: Apache-2.0
#include "header_cache.hpp"

#include "toolkit.hpp"

#include <clang/Frontend/FrontendActions.h>
#include <clang/Serialization/ASTWriter.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/MD5.h>
#include <llvm/Support/Process.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace rhizome::coalesce {
namespace {

namespace files = std::filesystem;

// Bodies that the tool skips elsewhere are skipped here too.
class header_writer : public clang::PCHGenerator {
public:
    header_writer(clang::CompilerInstance& compiler, std::string const& output)
        : PCHGenerator(compiler.getPreprocessor(), compiler.getModuleCache(), output, "",
                       std::make_shared<clang::PCHBuffer>(), {}),
          output_(output) {}

    bool shouldSkipFunctionBody(clang::Decl* function) override { return is_host_body_of_library(*function); }
    void HandleTranslationUnit(clang::ASTContext& context) override {
        PCHGenerator::HandleTranslationUnit(context);
        if (!hasEmittedPCH()) return;
        std::ofstream file(output_, std::ios::binary);
        file.write(getPCH().data(), static_cast<std::streamsize>(getPCH().size()));
    }

private:
    std::string output_;
};

class precompile : public clang::ASTFrontendAction {
public:
    precompile(prepare_compiler const& prepare, std::string output)
        : prepare_(prepare), output_(std::move(output)) {}

    bool BeginSourceFileAction(clang::CompilerInstance& compiler) override {
        prepare_(compiler);
        return true;
    }
    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                          llvm::StringRef) override {
        return std::make_unique<header_writer>(compiler, output_);
    }
    clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }

private:
    prepare_compiler const& prepare_;
    std::string output_;
};

class precompile_factory : public clang::tooling::FrontendActionFactory {
public:
    precompile_factory(prepare_compiler const& prepare, std::string output)
        : prepare_(prepare), output_(std::move(output)) {}
    std::unique_ptr<clang::FrontendAction> create() override {
        return std::make_unique<precompile>(prepare_, output_);
    }

private:
    prepare_compiler const& prepare_;
    std::string output_;
};

// States of the tool and the arguments have different names. Where a header has changed, Clang refuses the
// precompiled one.
std::string name_of(std::vector<std::string> const& arguments, std::string const& command_folder) {
    llvm::MD5 all;
    auto const add = [&](std::string const& text) {
        all.update(text);
        all.update(llvm::StringRef("\0", 1));
    };
    add(RHIZOME_VERSION);
    add(files::absolute(command_folder).string());
    for (std::string const& one : arguments) {
        add(one);
        std::error_code none;
        files::path const named = llvm::StringRef(one).startswith("-I") ? one.substr(2) : one;
        if (named.is_relative() && files::exists(named, none)) add(files::current_path().string());
        auto const changed = files::last_write_time(one, none);
        if (!none) add(std::to_string(changed.time_since_epoch().count()));
    }
    llvm::MD5::MD5Result result;
    all.final(result);
    return std::string(result.digest().str()) + ".pch";
}

} // namespace

std::vector<std::string> with_cached_headers(std::string const& folder, std::string const& command_folder,
                                             std::vector<std::string> arguments,
                                             prepare_compiler const& prepare) {
    auto const include = std::find(arguments.begin(), arguments.end(), "-include");
    if (include == arguments.end() || include + 1 == arguments.end()) return arguments;
    // Headers that the user includes so may have kernels, and depend on the architecture.
    auto const is_forced = [](std::string const& one) {
        llvm::StringRef const text(one);
        return text.startswith("-include") || text.startswith("--include") || text.startswith("-imacros");
    };
    if (std::any_of(include + 2, arguments.end(), is_forced)) return arguments;
    std::error_code failed;
    files::path const path = files::absolute(folder) / name_of(arguments, command_folder);
    if (!files::exists(path, failed)) {
        files::create_directories(path.parent_path(), failed);
        std::string const made = path.string() + "." + std::to_string(llvm::sys::Process::getProcessId());
        std::vector<std::string> plain = arguments;
        std::string const header = *(include + 1);
        plain.erase(plain.begin() + (include - arguments.begin()),
                    plain.begin() + (include - arguments.begin()) + 2);
        clang::tooling::FixedCompilationDatabase const compilation(command_folder, plain);
        std::string const source = path.string() + ".cu"; // stays: the precompiled header names it
        if (!files::exists(source, failed)) {
            std::ofstream(made) << "#include \"" << header << "\"\n";
            files::create_hard_link(made, source, failed); // not over one of another process
            files::remove(made, failed);
        }
        clang::tooling::ClangTool tool(compilation, {source});
        tool.clearArgumentsAdjusters();
        precompile_factory factory(prepare, made);
        if (tool.run(&factory) != 0) return arguments;
        files::rename(made, path, failed);
        if (failed) return arguments;
    }
    *include = "-include-pch";
    *(include + 1) = path.string();
    return arguments;
}

void leave_out_cached_headers(clang::ASTContext& context) {
    std::vector<clang::Decl*> own;
    for (clang::Decl* one : context.getTranslationUnitDecl()->noload_decls())
        if (!one->isFromASTFile()) own.push_back(one);
    context.setTraversalScope(own);
}

} // namespace rhizome::coalesce
