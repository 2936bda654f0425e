// SPDX-License-Identifier: Apache-2.0
// rhizome-coalesce: finds allocation calls that all threads of a block or warp reach with the same size, and
// rewrites them to static coalescing. README.md.
#include "command_line.hpp"
#include "conditions.hpp"
#include "diff.hpp"
#include "header_cache.hpp"
#include "program.hpp"
#include "registry.hpp"
#include "report.hpp"
#include "restore.hpp"
#include "rewrite.hpp"
#include "toolkit.hpp"
#include "written.hpp"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/SemaDiagnostic.h>
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
cl::list<std::string> inputs(cl::Positional, cl::OneOrMore, cl::desc("SOURCE..."), cl::cat(category));
cl::opt<std::string> database("p",
                              cl::desc("Take the commands of the sources from FOLDER/compile_commands.json"),
                              cl::value_desc("FOLDER"), cl::cat(category));
cl::opt<std::string>
    cuda_path("cuda-path",
              cl::desc("The CUDA Toolkit whose headers are read; default: CUDA_PATH, CUDA_HOME, that "
                       "of nvcc, /usr/local/cuda; none: declarations of the tool's own"),
              cl::value_desc("FOLDER|none"), cl::cat(category));
cl::opt<std::string>
    header_cache("header-cache",
                 cl::desc("Keep CUDA's headers there, as Clang has read them, for the next sources"),
                 cl::value_desc("FOLDER"), cl::cat(category));
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
    cl::desc("Rhizome's kernels: how deallocate finds the memory that threads share; default: what the "
             "allocator has"),
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

// How a source is read.
struct setting {
    compile_command command;
    std::optional<toolkit> cuda; ///< nothing: the declarations in `stub`
    std::string stub;
};

bool write_file(std::string const& path, std::string const& content) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << content;
    file.close();
    if (!file) std::cerr << "rhizome-coalesce: cannot write " << path << "\n";
    return !file.fail();
}

// One way in which nvcc compiles a source.
struct way {
    std::optional<unsigned> architecture; ///< of device code; nothing: host code
    bool tries_all = false;               ///< other ways are tried too: __CUDA_ARCH__ is no doubt
};

// What one reading of a source finds.
struct outcome {
    std::string before; ///< the file
    std::string plain;  ///< as it was before the tool rewrote it
    std::string after;
    source_report found;
    std::vector<std::string> host_side; ///< kernels, and what the launches say of them
    bool depends_on_architecture = false;
    bool has_foreign_release = false; ///< a free of device code cannot be rewritten
    bool rewrites = false;            ///< an allocation call, or new and delete
};

class consumer : public clang::ASTConsumer {
public:
    consumer(clang::CompilerInstance& compiler, setting const& around, way const& how,
             restored_source const& source, outcome& made)
        : compiler_(compiler), around_(around), how_(how), source_(source), made_(made) {}

    void HandleTranslationUnit(clang::ASTContext& context) override {
        if (context.getDiagnostics().hasErrorOccurred())
            return; // the tree is not whole; the caller reports it
        leave_out_cached_headers(context);
        program whole = read_program(context);
        if (context.getLangOpts().CUDA) note_doubts(context, whole);
        plan_options options;
        options.wanted = wanted_scope;
        options.whole_program = whole_program || dynamic;
        options.dynamic = dynamic;
        options.several_files = inputs.size() > 1;
        options.stated = {one_dimensional, nothing_waits};
        plan const made = make_plan(context, whole, options);
        made_.found =
            report_of(context.getSourceManager(), made, source_, std::filesystem::current_path().string());
        std::optional<text::bookkeeping> stated;
        if (kept.getNumOccurrences() > 0) stated = kept;
        made_.after = rewritten(context, made, stated, options.several_files && options.whole_program);
        made_.has_foreign_release = made.has_foreign_release;
        made_.rewrites = made.uses_dynamic || std::any_of(made.decisions.begin(), made.decisions.end(),
                                                          [](decision const& one) { return one.rewritten; });
        for (clang::FunctionDecl const* kernel : whole.kernels) {
            std::string name;
            llvm::raw_string_ostream out(name);
            kernel->getNameForDiagnostic(out, context.getPrintingPolicy(), true);
            out << (whole.one_dimensional.count(kernel) != 0 ? " in rows" : "");
            made_.host_side.push_back(out.str());
        }
        std::sort(made_.host_side.begin(), made_.host_side.end());
    }

    bool shouldSkipFunctionBody(clang::Decl* function) override { return is_host_body_of_library(*function); }

private:
    // A condition that nvcc may decide otherwise for device code leaves all calls alone.
    void note_doubts(clang::ASTContext& context, program& whole) const {
        known_macros known;
        known.versions = around_.cuda.has_value();
        known.options = around_.command.is_whole;
        known.architecture = how_.tries_all;
        macro_doubts const found =
            find_doubts(context, compiler_.getPreprocessor(), known, [this](llvm::StringRef path) {
                return !path.startswith(RHIZOME_COALESCE_HEADERS) &&
                       origin_of(path, around_.cuda, around_.stub) == header_origin::program;
            });
        made_.depends_on_architecture = found.architecture.has_value();
        if (!found.compiler) return;
        whole.host_only_condition = found.compiler->where;
        whole.host_only_macro = found.compiler->macro;
    }

    clang::CompilerInstance& compiler_;
    setting const& around_;
    way const& how_;
    restored_source const& source_;
    outcome& made_;
};

void prepare(clang::CompilerInstance& compiler, setting const& around, way const& how) {
    if (around.command.is_cuda) read_cuda_headers(compiler, around.cuda, around.stub, how.architecture);
}

class action : public clang::ASTFrontendAction {
public:
    action(setting const& around, way const& how, restored_source const& source, outcome& made)
        : around_(around), how_(how), source_(source), made_(made) {}

    bool BeginSourceFileAction(clang::CompilerInstance& compiler) override {
        prepare(compiler, around_, how_);
        return true;
    }
    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                          llvm::StringRef) override {
        return std::make_unique<consumer>(compiler, around_, how_, source_, made_);
    }

private:
    setting const& around_;
    way const& how_;
    restored_source const& source_;
    outcome& made_;
};

class action_factory : public clang::tooling::FrontendActionFactory {
public:
    action_factory(setting const& around, way const& how, restored_source const& source, outcome& made)
        : around_(around), how_(how), source_(source), made_(made) {}
    std::unique_ptr<clang::FrontendAction> create() override {
        return std::make_unique<action>(around_, how_, source_, made_);
    }

private:
    setting const& around_;
    way const& how_;
    restored_source const& source_;
    outcome& made_;
};

std::string stub_folder() {
    std::error_code none;
    std::filesystem::path const self = std::filesystem::read_symlink("/proc/self/exe", none);
    std::filesystem::path const installed =
        self.parent_path().parent_path() / RHIZOME_COALESCE_INSTALLED_STUB;
    return std::filesystem::exists(installed, none) ? installed.string() : RHIZOME_COALESCE_STUB;
}

// nvcc takes launches with spaces in the brackets, `kernel << <1, 2> >> ()`, as some editors format them;
// Clang does not.
class spaced_brackets {
public:
    explicit spaced_brackets(std::string const& source) : text_(source) {
        if (source.find("<< <") == std::string::npos) return;
        for (std::string_view const bracket : {"<<<", ">>>"}) {
            std::string const spaced{bracket[0], bracket[0], ' ', bracket[0]};
            std::string const joined = std::string(bracket) + " ";
            for (std::size_t at = 0; (at = text_.find(spaced, at)) != std::string::npos; at += 4)
                text_.replace(at, 4, joined);
        }
        for (std::size_t at = 0; at + 3 <= text_.size(); ++at)
            if (is_bracket(text_, at)) {
                was_spaced_.push_back(source.compare(at, 3, text_, at, 3) != 0);
                at += 2;
            }
    }

    std::string const& joined() const { return text_; }

    // Brackets stay in their order, whatever is rewritten between them.
    std::string restore(std::string rewritten) const {
        std::size_t number = 0;
        for (std::size_t at = 0; at + 3 <= rewritten.size(); ++at) {
            if (!is_bracket(rewritten, at)) continue;
            if (number < was_spaced_.size() && was_spaced_[number] && at + 3 < rewritten.size())
                std::swap(rewritten[at + 2], rewritten[at + 3]);
            ++number;
            at += 2;
        }
        return rewritten;
    }

private:
    static bool is_bracket(std::string const& text, std::size_t at) {
        return text.compare(at, 3, "<<<") == 0 || text.compare(at, 3, ">>>") == 0;
    }

    std::string text_;
    std::vector<bool> was_spaced_;
};

std::string read_file(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// @return nothing: the source, or what it became, does not parse; that has been said
std::optional<outcome> read_source(std::string const& path, setting const& around, way const& how) {
    std::vector<std::string> arguments = {"-Wno-everything", "-fsyntax-only",
                                          std::string("-resource-dir=") + RHIZOME_COALESCE_RESOURCES};
    std::vector<std::string> const language = around.command.is_cuda
                                                  ? cuda_arguments(around.cuda, around.stub)
                                                  : std::vector<std::string>{"-x", "c++", "-std=c++20"};
    arguments.insert(arguments.end(), language.begin(), language.end());
    // Headers of rewritten sources lie beside the stub once they are installed.
    if (around.command.is_cuda)
        for (char const* argument : {"-isystem", RHIZOME_COALESCE_HEADERS, "-DRHIZOME_COALESCE_READS"})
            arguments.emplace_back(argument);
    arguments.insert(arguments.end(), around.command.arguments.begin(), around.command.arguments.end());
    std::string const folder = around.command.folder.empty() ? "." : around.command.folder;
    clang::tooling::FixedCompilationDatabase const compilation(folder, arguments);
    std::string const before = read_file(path);
    restored_source source{before, before, false, {}};
    if (around.command.is_cuda) source = restore(before);
    spaced_brackets const brackets(source.text);
    std::string const absolute = std::filesystem::absolute(path).string();
    outcome made;
    auto const reads = [&](clang::tooling::CompilationDatabase const& with, clang::DiagnosticConsumer* tell) {
        made = {};
        clang::tooling::ClangTool tool(with, {path});
        tool.clearArgumentsAdjusters();
        tool.mapVirtualFile(absolute, brackets.joined());
        if (tell != nullptr) tool.setDiagnosticConsumer(tell);
        action_factory factory(around, how, source, made);
        return tool.run(&factory) == 0;
    };
    std::vector<std::string> quick = arguments;
    if (around.command.is_cuda && !header_cache.empty())
        quick = with_cached_headers(header_cache, folder, arguments, [&](clang::CompilerInstance& compiler) {
            prepare(compiler, around, {});
        });
    clang::tooling::FixedCompilationDatabase const with_cache(folder, quick);
    // What does not parse with the cache may do so without: a header has changed, or a file is damaged.
    clang::DiagnosticConsumer nothing; // counts errors, and prints none
    bool const is_quick = quick != arguments && reads(with_cache, &nothing);
    if (!is_quick && !reads(compilation, nullptr)) {
        std::cerr << "rhizome-coalesce: " << path << " does not parse; nothing is rewritten\n";
        return {};
    }
    if (made.after != brackets.joined() &&
        !check_written(is_quick ? with_cache : compilation, path, made.after,
                       [&](clang::CompilerInstance& compiler) { prepare(compiler, around, how); })) {
        std::cerr << "rhizome-coalesce: " << path
                  << ": the rewritten source does not parse; nothing is rewritten\n";
        return {};
    }
    made.before = before;
    made.plain = source.text;
    made.after = brackets.joined() == source.text ? made.after : brackets.restore(std::move(made.after));
    return made;
}

// Reads the source in each way in which nvcc compiles it for one command. If these differ in what is
// rewritten, no call is.
std::optional<outcome> read_in_all_ways(std::string const& path, setting const& around) {
    if (!around.command.is_cuda) return read_source(path, around, {});
    if (kept.getNumOccurrences() > 0) {
        std::cerr << "rhizome-coalesce: " << path
                  << " is a CUDA source: --bookkeeping is for Rhizome's kernels; nothing is rewritten\n";
        return {};
    }
    std::vector<unsigned> all = around.command.architectures;
    if (all.empty()) all = architectures(around.cuda);
    auto const read = [&](std::optional<unsigned> architecture, bool tries_all) {
        return read_source(path, around, {architecture, tries_all});
    };
    std::optional<outcome> first = read(all.back(), true);
    if (!first || !first->depends_on_architecture) return first;
    std::optional<outcome> const host = read({}, true);
    bool agree = host && host->host_side == first->host_side;
    for (std::size_t i = 0; agree && i + 1 < all.size(); ++i) {
        std::optional<outcome> const other = read(all[i], true);
        agree = other && other->after == first->after && other->host_side == first->host_side;
    }
    return agree ? first : read(all.back(), false);
}

std::optional<outcome> read_for_all_commands(std::string const& path,
                                             std::vector<compile_command> const& commands) {
    std::optional<toolkit> cuda;
    if (cuda_path != "none") cuda = find_toolkit(cuda_path);
    std::optional<outcome> all;
    for (compile_command const& command : commands) {
        std::optional<outcome> one = read_in_all_ways(path, {command, cuda, stub_folder()});
        if (!one) return {};
        if (all && all->after != one->after) {
            std::cerr << "rhizome-coalesce: " << path
                      << " is compiled by several commands, for which it would be rewritten in different "
                         "ways; nothing is "
                         "rewritten\n";
            return {};
        }
        if (!all) all = std::move(one);
    }
    return all;
}

// In a whole program, a pointer of one file may reach the frees of all others. If no call of it is rewritten,
// no free is.
bool may_rewrite_program(std::vector<std::pair<std::string, outcome>>& all) {
    bool const rewrites =
        std::any_of(all.begin(), all.end(), [](auto const& one) { return one.second.rewrites; });
    for (auto& [path, made] : all) {
        if (!rewrites) made.after = made.plain;
        if (!rewrites || !made.has_foreign_release) continue;
        std::cerr << "rhizome-coalesce: " << path
                  << " has a free that cannot be rewritten, which may get pointers of the other files; "
                     "nothing is rewritten\n";
        return false;
    }
    return true;
}

bool emit(std::string const& path, outcome const& made) {
    if (dry_run)
        std::cout << unified_diff(path, made.before, made.after);
    else if (in_place)
        return made.after == made.before || write_file(path, made.after);
    else if (!output.empty())
        return write_file(output, made.after);
    else
        std::cout << made.after;
    return true;
}

// @return what is wrong with the options
char const* wrong_options() {
    if (static_cast<int>(in_place) + static_cast<int>(dry_run) + static_cast<int>(check) +
            static_cast<int>(!output.empty()) >
        1)
        return "give one of -o, --in-place, --dry-run and --check";
    if (inputs.size() > 1 && !in_place && !dry_run && !check)
        return "several sources: give --in-place, --dry-run or --check";
    if (!cuda_path.empty() && cuda_path != "none" && !find_toolkit(cuda_path))
        return "--cuda-path: no cuda_runtime_api.h there";
    return nullptr;
}

int run(int argc, char const** argv) {
    cl::HideUnrelatedOptions(category);
    cl::SetVersionPrinter([](llvm::raw_ostream& out) { out << "rhizome-coalesce " RHIZOME_VERSION "\n"; });
    char const** const end = std::find(argv, argv + argc, std::string_view("--"));
    std::vector<std::string> const compiler_arguments(end == argv + argc ? end : end + 1, argv + argc);
    cl::ParseCommandLineOptions(static_cast<int>(end - argv), argv,
                                "rhizome-coalesce [options] SOURCE... [-- ARGUMENTS OF NVCC]: rewrites "
                                "allocation calls that all threads reach to static coalescing\n");
    if (char const* wrong = wrong_options(); wrong != nullptr) {
        std::cerr << "rhizome-coalesce: " << wrong << "\n";
        return 1;
    }
    if (!known_file.empty())
        if (auto const wrong = read_known_functions(known_file)) {
            std::cerr << "rhizome-coalesce: " << *wrong << "\n";
            return 1;
        }
    std::vector<std::pair<std::string, outcome>> all;
    for (std::string const& path : inputs) {
        if (!std::filesystem::is_regular_file(path)) {
            std::cerr << "rhizome-coalesce: no such file: " << path << "\n";
            return 1;
        }
        std::vector<compile_command> commands;
        try {
            if (database.empty())
                commands.push_back(read_command(path, compiler_arguments));
            else
                commands = commands_of(database, path);
        } catch (std::exception const& error) {
            std::cerr << "rhizome-coalesce: " << error.what() << "\n";
            return 1;
        }
        if (commands.empty()) {
            std::cerr << "rhizome-coalesce: " << database << "/compile_commands.json has no command for "
                      << path << "\n";
            return 1;
        }
        std::optional<outcome> made = read_for_all_commands(path, commands);
        if (!made) return 1;
        all.emplace_back(path, std::move(*made));
    }
    if (inputs.size() > 1 && (whole_program || dynamic) && !may_rewrite_program(all)) return 1;
    bool succeeds = true;
    bool changes = false;
    std::vector<source_report> reports;
    for (auto const& [path, made] : all) {
        std::cerr << made.found.text();
        reports.push_back(made.found);
        changes = changes || made.after != made.before;
    }
    if (!sarif_file.empty() && !write_file(sarif_file, sarif(reports))) return 1;
    if (check) return changes ? 3 : 0;
    for (auto const& [path, made] : all)
        succeeds = emit(path, made) && succeeds;
    return succeeds ? 0 : 1;
}

} // namespace
} // namespace rhizome::coalesce

int main(int argc, char const** argv) { return rhizome::coalesce::run(argc, argv); }
