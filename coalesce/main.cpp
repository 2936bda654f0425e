// SPDX-License-Identifier: Apache-2.0
// rhizome-coalesce: finds allocation calls that all threads of a block or warp reach with the same size, and
// rewrites them to static coalescing. README.md.
#include "diff.hpp"
#include "program.hpp"
#include "rewrite.hpp"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Tooling/CompilationDatabase.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/CommandLine.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string_view>

namespace rhizome::coalesce {
namespace {

namespace cl = llvm::cl;

cl::OptionCategory category("rhizome-coalesce");
cl::opt<std::string> input(cl::Positional, cl::Required, cl::desc("SOURCE"), cl::cat(category));
cl::opt<std::string> output("o", cl::desc("Write the rewritten source to this file"), cl::value_desc("FILE"),
                            cl::cat(category));
cl::opt<bool> in_place("in-place", cl::desc("Overwrite the source"), cl::cat(category));
cl::opt<bool> dry_run("dry-run", cl::desc("Write nothing; print a diff"), cl::cat(category));
cl::opt<scope_choice>
    wanted_scope("scope", cl::desc("Which threads share a block of memory"),
                 cl::init(scope_choice::automatic),
                 cl::values(clEnumValN(scope_choice::automatic, "auto",
                                       "Block where all threads of a block reach the call, else warp"),
                            clEnumValN(scope_choice::block, "block", "Blocks only"),
                            clEnumValN(scope_choice::warp, "warp", "Warps only")),
                 cl::cat(category));
cl::opt<text::bookkeeping> kept(
    "bookkeeping",
    cl::desc(
        "How free finds the memory that threads share; default: header, or what Rhizome's allocator has"),
    cl::init(text::bookkeeping::header),
    cl::values(clEnumValN(text::bookkeeping::header, "header", "By a header in front of each thread's part"),
               clEnumValN(text::bookkeeping::table, "table", "By a table; parts lie side by side")),
    cl::cat(category));
cl::opt<bool> whole_program("whole-program",
                            cl::desc("No other file has device code that frees pointers of this one"),
                            cl::cat(category));
cl::opt<bool> one_dimensional("one-dimensional-blocks", cl::desc("All blocks have y = z = 1"),
                              cl::cat(category));
cl::opt<bool> nothing_waits(
    "assume-nothing-waits",
    cl::desc("No thread waits for another one but at barriers; calls without a visible body do not wait"),
    cl::cat(category));

// nvcc compiles device code apart, with __CUDA_ARCH__ defined; the tool sees one pass.
class condition_watch : public clang::PPCallbacks {
public:
    condition_watch(clang::SourceManager& sources, program& found) : sources_(sources), found_(found) {}

    void Ifdef(clang::SourceLocation where, clang::Token const& name,
               clang::MacroDefinition const&) override {
        look(where, name);
    }
    void Ifndef(clang::SourceLocation where, clang::Token const& name,
                clang::MacroDefinition const&) override {
        look(where, name);
    }
    void Elifdef(clang::SourceLocation where, clang::Token const& name,
                 clang::MacroDefinition const&) override {
        look(where, name);
    }
    void Elifndef(clang::SourceLocation where, clang::Token const& name,
                  clang::MacroDefinition const&) override {
        look(where, name);
    }
    void If(clang::SourceLocation where, clang::SourceRange condition, ConditionValueKind) override {
        look(where, condition);
    }
    void Elif(clang::SourceLocation where, clang::SourceRange condition, ConditionValueKind,
              clang::SourceLocation) override {
        look(where, condition);
    }

private:
    static constexpr char const* names[] = {"__CUDA_ARCH", "__clang__", "__CUDA__", "__CUDACC_VER",
                                            "__CUDACC_DEBUG"};

    void look(clang::SourceLocation where, clang::Token const& name) {
        if (name.getIdentifierInfo() != nullptr) look_in(where, name.getIdentifierInfo()->getName());
    }
    void look(clang::SourceLocation where, clang::SourceRange condition) {
        bool is_broken = false;
        char const* const begin = sources_.getCharacterData(condition.getBegin(), &is_broken);
        if (is_broken) return look_in(where, names[0]);
        look_in(where, llvm::StringRef(begin).split('\n').first);
    }
    void look_in(clang::SourceLocation where, llvm::StringRef condition) {
        if (sources_.isInSystemHeader(where) || found_.host_only_condition.isValid()) return;
        for (char const* name : names)
            if (condition.contains(name)) {
                found_.host_only_condition = where;
                found_.host_only_macro = name;
            }
    }

    clang::SourceManager& sources_;
    program& found_;
};

std::string place_of(clang::SourceManager const& sources, clang::SourceLocation where) {
    clang::PresumedLoc const place = sources.getPresumedLoc(sources.getExpansionLoc(where));
    if (place.isInvalid()) return "?";
    return std::string(place.getFilename()) + ":" + std::to_string(place.getLine()) + ":" +
           std::to_string(place.getColumn());
}

bool write_file(std::string const& path, std::string const& content) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << content;
    file.close();
    if (!file) std::cerr << "rhizome-coalesce: cannot write " << path << "\n";
    return !file.fail();
}

class consumer : public clang::ASTConsumer {
public:
    explicit consumer(program& conditions) : conditions_(conditions) {}

    void HandleTranslationUnit(clang::ASTContext& context) override {
        if (context.getDiagnostics().hasErrorOccurred())
            return; // the tree is not whole; the caller reports it
        program whole = read_program(context);
        whole.host_only_condition = conditions_.host_only_condition;
        whole.host_only_macro = conditions_.host_only_macro;
        plan_options options;
        options.wanted = wanted_scope;
        options.whole_program = whole_program;
        options.stated = {one_dimensional, nothing_waits};
        plan const made = make_plan(context, whole, options);
        report(context.getSourceManager(), made);
        emit(context, made);
    }

private:
    static void report(clang::SourceManager const& sources, plan const& made) {
        std::size_t count = 0;
        for (decision const& one : made.decisions) {
            std::string line = place_of(sources, one.where) + ": ";
            if (one.rewritten) {
                ++count;
                line += one.covers == scope::block ? "rewritten (block): " : "rewritten (warp): ";
            } else {
                line += "left alone: ";
            }
            line += one.reason;
            if (one.rewritten && one.by_argument) line += ", where the caller of its function says so";
            if (one.because.isValid()) line += " (" + place_of(sources, one.because) + ")";
            std::cerr << line << "\n";
        }
        std::cerr << "rhizome-coalesce: " << count << " of " << made.decisions.size()
                  << " allocation calls rewritten\n";
    }

    static void emit(clang::ASTContext& context, plan const& made) {
        clang::SourceManager const& sources = context.getSourceManager();
        std::string const before = sources.getBufferData(sources.getMainFileID()).str();
        std::string const after = rewritten(context, made, kept, kept.getNumOccurrences() > 0);
        if (dry_run)
            std::cout << unified_diff(input, before, after);
        else if (in_place)
            failed = (after != before && !write_file(input, after)) || failed;
        else if (!output.empty())
            failed = !write_file(output, after) || failed;
        else
            std::cout << after;
    }

    program& conditions_;

public:
    static inline bool failed = false;
};

class action : public clang::ASTFrontendAction {
public:
    bool BeginSourceFileAction(clang::CompilerInstance& compiler) override {
        compiler.getPreprocessor().addPPCallbacks(
            std::make_unique<condition_watch>(compiler.getSourceManager(), conditions_));
        return true;
    }
    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&,
                                                          llvm::StringRef) override {
        return std::make_unique<consumer>(conditions_);
    }

private:
    program conditions_;
};

std::string stub_folder() {
    std::error_code none;
    std::filesystem::path const self = std::filesystem::read_symlink("/proc/self/exe", none);
    std::filesystem::path const installed =
        self.parent_path().parent_path() / RHIZOME_COALESCE_INSTALLED_STUB;
    return std::filesystem::exists(installed, none) ? installed.string() : RHIZOME_COALESCE_STUB;
}

int run(int argc, char const** argv) {
    cl::HideUnrelatedOptions(category);
    char const** const end = std::find(argv, argv + argc, std::string_view("--"));
    std::vector<std::string> const compiler_arguments(end == argv + argc ? end : end + 1, argv + argc);
    cl::ParseCommandLineOptions(static_cast<int>(end - argv), argv,
                                "rhizome-coalesce [options] SOURCE [-- COMPILER ARGUMENTS]: rewrites "
                                "allocation calls that all threads reach to static coalescing\n");
    if (static_cast<int>(in_place) + static_cast<int>(dry_run) + static_cast<int>(!output.empty()) > 1) {
        std::cerr << "rhizome-coalesce: give one of -o, --in-place and --dry-run\n";
        return 1;
    }
    if (!std::filesystem::is_regular_file(input.getValue())) {
        std::cerr << "rhizome-coalesce: no such file: " << input.getValue() << "\n";
        return 1;
    }
    std::vector<std::string> arguments = {"-w", "-fsyntax-only",
                                          std::string("-resource-dir=") + RHIZOME_COALESCE_RESOURCES};
    if (std::filesystem::path(input.getValue()).extension() == ".cu") {
        std::string const stub = stub_folder();
        for (char const* argument : {"-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib",
                                     "-std=c++17", "-D__CUDACC__", "-D__NVCC__", "-Wno-unknown-cuda-version"})
            arguments.emplace_back(argument);
        arguments.insert(arguments.end(), {"-isystem", stub, "-include", stub + "/rhizome_cuda_stub.h"});
    } else {
        arguments.insert(arguments.end(), {"-x", "c++", "-std=c++20"});
    }
    arguments.insert(arguments.end(), compiler_arguments.begin(), compiler_arguments.end());
    clang::tooling::FixedCompilationDatabase const compilation(".", arguments);
    clang::tooling::ClangTool tool(compilation, {input.getValue()});
    tool.clearArgumentsAdjusters();
    if (tool.run(clang::tooling::newFrontendActionFactory<action>().get()) != 0) {
        std::cerr << "rhizome-coalesce: " << input.getValue() << " does not parse; nothing is rewritten\n";
        return 1;
    }
    return consumer::failed ? 1 : 0;
}

} // namespace
} // namespace rhizome::coalesce

int main(int argc, char const** argv) { return rhizome::coalesce::run(argc, argv); }
