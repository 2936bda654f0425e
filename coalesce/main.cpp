// SPDX-License-Identifier: Apache-2.0
// rhizome-coalesce: finds allocation calls that all threads of a block or warp reach with the same size, and
// rewrites them to static coalescing. README.md.
#include "diff.hpp"
#include "program.hpp"
#include "registry.hpp"
#include "report.hpp"
#include "restore.hpp"
#include "rewrite.hpp"
#include "written.hpp"

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
cl::opt<bool> check("check", cl::desc("Write nothing; exit status 3 where the source could be rewritten"),
                    cl::cat(category));
cl::opt<std::string> sarif_file("sarif",
                                cl::desc("Write what became of each call to this file, as SARIF 2.1.0"),
                                cl::value_desc("FILE"), cl::cat(category));
cl::opt<std::string> known_file("known-functions",
                                cl::desc("Read from this file what functions without a visible body do"),
                                cl::value_desc("FILE"), cl::cat(category));
cl::opt<bool> dynamic("dynamic",
                      cl::desc("Calls that are left alone, new and delete go to alloc::coalescing, in all "
                               "files of the program"),
                      cl::cat(category));
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

bool write_file(std::string const& path, std::string const& content) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << content;
    file.close();
    if (!file) std::cerr << "rhizome-coalesce: cannot write " << path << "\n";
    return !file.fail();
}

// What one run over a source finds.
struct outcome {
    source_report found;
    std::string after; ///< the rewritten source
    bool is_cuda = false;
};

class consumer : public clang::ASTConsumer {
public:
    consumer(program& conditions, restored_source const& source, std::string const& folder, outcome& made)
        : conditions_(conditions), source_(source), folder_(folder), made_(made) {}

    void HandleTranslationUnit(clang::ASTContext& context) override {
        if (context.getDiagnostics().hasErrorOccurred())
            return; // the tree is not whole; the caller reports it
        program whole = read_program(context);
        whole.host_only_condition = conditions_.host_only_condition;
        whole.host_only_macro = conditions_.host_only_macro;
        plan_options options;
        options.wanted = wanted_scope;
        options.whole_program = whole_program || dynamic;
        options.dynamic = dynamic;
        options.stated = {one_dimensional, nothing_waits};
        plan const made = make_plan(context, whole, options);
        made_.found = report_of(context.getSourceManager(), made, source_, folder_);
        made_.after = rewritten(context, made, kept, kept.getNumOccurrences() > 0);
        made_.is_cuda = context.getLangOpts().CUDA;
    }

private:
    program& conditions_;
    restored_source const& source_;
    std::string const& folder_;
    outcome& made_;
};

class action : public clang::ASTFrontendAction {
public:
    action(restored_source const& source, std::string const& folder, outcome& made)
        : source_(source), folder_(folder), made_(made) {}

    bool BeginSourceFileAction(clang::CompilerInstance& compiler) override {
        compiler.getPreprocessor().addPPCallbacks(
            std::make_unique<condition_watch>(compiler.getSourceManager(), conditions_));
        return true;
    }
    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&,
                                                          llvm::StringRef) override {
        return std::make_unique<consumer>(conditions_, source_, folder_, made_);
    }

private:
    restored_source const& source_;
    std::string const& folder_;
    outcome& made_;
    program conditions_;
};

class action_factory : public clang::tooling::FrontendActionFactory {
public:
    action_factory(restored_source const& source, std::string const& folder, outcome& made)
        : source_(source), folder_(folder), made_(made) {}
    std::unique_ptr<clang::FrontendAction> create() override {
        return std::make_unique<action>(source_, folder_, made_);
    }

private:
    restored_source const& source_;
    std::string const& folder_;
    outcome& made_;
};

bool is_cuda_source(std::string const& path) { return std::filesystem::path(path).extension() == ".cu"; }

std::string stub_folder() {
    std::error_code none;
    std::filesystem::path const self = std::filesystem::read_symlink("/proc/self/exe", none);
    std::filesystem::path const installed =
        self.parent_path().parent_path() / RHIZOME_COALESCE_INSTALLED_STUB;
    return std::filesystem::exists(installed, none) ? installed.string() : RHIZOME_COALESCE_STUB;
}

// Analyses the source; returns the exit status.
int rewrite_source(std::string const& path, std::vector<std::string> const& arguments) {
    std::ifstream stream(path, std::ios::binary);
    std::string const before{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    std::string const folder = std::filesystem::current_path().string();
    clang::tooling::FixedCompilationDatabase const compilation(".", arguments);
    restored_source source{before, before, false, {}};
    if (is_cuda_source(path)) source = restore(before);
    outcome made;
    clang::tooling::ClangTool tool(compilation, {path});
    tool.clearArgumentsAdjusters();
    std::string const absolute = std::filesystem::absolute(path).string();
    tool.mapVirtualFile(absolute, source.text);
    action_factory factory(source, folder, made);
    if (tool.run(&factory) != 0) {
        std::cerr << "rhizome-coalesce: " << path << " does not parse; nothing is rewritten\n";
        return 1;
    }
    if (made.after != source.text && !check_written(compilation, path, made.after)) {
        std::cerr << "rhizome-coalesce: " << path
                  << ": the rewritten source does not parse; nothing is rewritten\n";
        return 1;
    }
    std::cerr << made.found.text();
    if (!sarif_file.empty() && !write_file(sarif_file, sarif({made.found}))) return 1;
    if (check) return made.after != before ? 3 : 0;
    if (dry_run)
        std::cout << unified_diff(path, before, made.after);
    else if (in_place)
        return made.after == before || write_file(path, made.after) ? 0 : 1;
    else if (!output.empty())
        return write_file(output, made.after) ? 0 : 1;
    else
        std::cout << made.after;
    return 0;
}

int run(int argc, char const** argv) {
    cl::HideUnrelatedOptions(category);
    cl::SetVersionPrinter([](llvm::raw_ostream& out) { out << "rhizome-coalesce " RHIZOME_VERSION "\n"; });
    char const** const end = std::find(argv, argv + argc, std::string_view("--"));
    std::vector<std::string> const compiler_arguments(end == argv + argc ? end : end + 1, argv + argc);
    cl::ParseCommandLineOptions(static_cast<int>(end - argv), argv,
                                "rhizome-coalesce [options] SOURCE [-- COMPILER ARGUMENTS]: rewrites "
                                "allocation calls that all threads reach to static coalescing\n");
    if (static_cast<int>(in_place) + static_cast<int>(dry_run) + static_cast<int>(check) +
            static_cast<int>(!output.empty()) >
        1) {
        std::cerr << "rhizome-coalesce: give one of -o, --in-place, --dry-run and --check\n";
        return 1;
    }
    if (!std::filesystem::is_regular_file(input.getValue())) {
        std::cerr << "rhizome-coalesce: no such file: " << input.getValue() << "\n";
        return 1;
    }
    if (!known_file.empty())
        if (auto const wrong = read_known_functions(known_file)) {
            std::cerr << "rhizome-coalesce: " << *wrong << "\n";
            return 1;
        }
    std::vector<std::string> arguments = {"-w", "-fsyntax-only",
                                          std::string("-resource-dir=") + RHIZOME_COALESCE_RESOURCES};
    if (is_cuda_source(input)) {
        std::string const stub = stub_folder();
        for (char const* argument : {"-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib",
                                     "-std=c++17", "-D__CUDACC__", "-D__NVCC__", "-Wno-unknown-cuda-version"})
            arguments.emplace_back(argument);
        arguments.insert(arguments.end(), {"-isystem", stub, "-include", stub + "/rhizome_cuda_stub.h"});
        // Headers of rewritten sources lie beside the stub once they are installed.
        arguments.insert(arguments.end(), {"-isystem", RHIZOME_COALESCE_HEADERS, "-DRHIZOME_COALESCE_READS"});
    } else {
        arguments.insert(arguments.end(), {"-x", "c++", "-std=c++20"});
    }
    arguments.insert(arguments.end(), compiler_arguments.begin(), compiler_arguments.end());
    return rewrite_source(input, arguments);
}

} // namespace
} // namespace rhizome::coalesce

int main(int argc, char const** argv) { return rhizome::coalesce::run(argc, argv); }
