// SPDX-License-Identifier: Apache-2.0
#include "conditions.hpp"

#include "program.hpp"

#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/HeaderSearch.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Support/FileSystem.h>

#include <set>

namespace rhizome::coalesce {
namespace {

constexpr char const* arch_macro = "__CUDA_ARCH__";

bool is_compiler_macro(llvm::StringRef name) {
    static llvm::StringSet<> const names = {
#include "compiler_macros.inc"
    };
    return names.contains(name);
}

// Families of which compilers add members. A program may have such a name of its own.
bool is_of_compiler_family(llvm::StringRef name) {
    for (llvm::StringRef const start :
         {"__GNUC",   "__clang",   "__CLANG",      "__llvm",     "__LLVM",    "__cpp_",  "__has_",
          "__GCC_",   "__GXX_",    "__CUDA_",      "__CUDACC_",  "__NVCC_",   "__NV_",   "__EDG",
          "__STDC_",  "__STDCPP_", "__SANITIZE_",  "__OPTIMIZE", "__OPENCL_", "__OBJC",  "__ICC",
          "__INTEL_", "__PGI",     "__NVCOMPILER", "__HIP",      "__MINGW",   "__ibmxl", "__SSE",
          "__AVX",    "__AMX",     "__FMA",        "__tune_",    "__k8"})
        if (name.startswith(start)) return true;
    return false;
}

bool is_version_of_cuda(llvm::StringRef name) {
    return name == "CUDART_VERSION" || name == "CUDA_VERSION" || name == "THRUST_VERSION" ||
           name == "CUB_VERSION" || name.endswith("_VER_MAJOR__") || name.endswith("_VER_MINOR__") ||
           name.startswith("CCCL_") || name.startswith("CUDART_") || name == "__CUDART_API_VERSION";
}

bool is_option_of_nvcc(llvm::StringRef name) {
    return name == "__CUDACC_RDC__" || name == "__CUDACC_DEBUG__" || name == "__CUDACC_EXTENDED_LAMBDA__" ||
           name == "__CUDACC_RELAXED_CONSTEXPR__" || name == "__CUDACC_EWP__";
}

struct word {
    std::string name;
    unsigned offset;
    clang::tok::TokenKind before; // the token in front of it
};

// A directive, or a line of code.
struct line {
    enum kind : std::uint8_t {
        code,
        opens,
        other_branch,
        closes,
        defines,
        undefines,
        includes,
        harmless,
        other
    };
    kind is = code;
    std::string name; // of a macro that is defined; of an included file
    bool angled = false;
    bool launches = false; // has <<<
    unsigned offset = 0;
    std::vector<word> words;
};

struct text {
    clang::FileID file;
    std::vector<line> lines;
};

line::kind kind_of(llvm::StringRef directive) {
    if (directive == "if" || directive == "ifdef" || directive == "ifndef") return line::opens;
    if (directive.startswith("el")) return line::other_branch;
    if (directive == "endif") return line::closes;
    if (directive == "define") return line::defines;
    if (directive == "undef") return line::undefines;
    if (directive.startswith("include") || directive == "import") return line::includes;
    if (directive == "error" || directive == "warning" || directive == "pragma" || directive == "line")
        return line::harmless;
    return line::other;
}

text read_text(clang::SourceManager const& sources, clang::LangOptions const& language, clang::FileID file) {
    text whole{file, {}};
    llvm::Optional<llvm::MemoryBufferRef> const buffer = sources.getBufferOrNone(file);
    if (!buffer) return whole;
    clang::Lexer lexer(file, *buffer, sources, language);
    clang::tok::TokenKind before = clang::tok::unknown;
    unsigned in_directive = 0; // tokens of the directive read so far, and one
    for (clang::Token token;;) {
        lexer.LexFromRawLexer(token);
        if (token.is(clang::tok::eof)) break;
        if (token.isAtStartOfLine()) {
            in_directive = token.is(clang::tok::hash) ? 1 : 0;
            whole.lines.emplace_back();
            whole.lines.back().offset = sources.getFileOffset(token.getLocation());
            before = clang::tok::unknown;
            if (in_directive != 0) continue;
        }
        if (whole.lines.empty()) continue;
        line& last = whole.lines.back();
        if (token.is(clang::tok::lesslessless)) last.launches = true;
        if (token.is(clang::tok::raw_identifier)) {
            llvm::StringRef const name = token.getRawIdentifier();
            if (in_directive == 1) {
                last.is = kind_of(name);
                if (name == "else" || name == "endif") in_directive = 0;
            } else if (in_directive == 2 && (last.is == line::defines || last.is == line::undefines)) {
                last.name = name.str();
            } else {
                last.words.push_back({name.str(), sources.getFileOffset(token.getLocation()), before});
            }
        }
        if (last.is == line::includes && in_directive == 2) {
            last.angled = token.is(clang::tok::less);
            llvm::StringRef rest(sources.getCharacterData(token.getLocation()));
            rest = rest.split('\n').first.rtrim("\r \t");
            if (rest.size() > 2)
                last.name = rest.drop_front().take_until([](char c) { return c == '>' || c == '"'; }).str();
        }
        if (in_directive != 0) ++in_directive;
        before = token.getKind();
    }
    return whole;
}

// What of the program the doubts may reach.
struct code_map : clang::RecursiveASTVisitor<code_map> {
    struct body {
        unsigned begin, end;
        bool is_host;
    };

    explicit code_map(clang::SourceManager const& sources_) : sources(sources_) {}

    bool shouldVisitLambdaBody() const { return true; }
    bool is_of_program(clang::Decl const& declared) const {
        return files.count(sources.getFileID(sources.getExpansionLoc(declared.getLocation()))) != 0;
    }
    bool VisitFunctionDecl(clang::FunctionDecl* function) {
        if (!is_of_program(*function)) return true;
        bool const device = in_device_code(*function);
        bool const in_template = function->getDescribedFunctionTemplate() != nullptr ||
                                 function->isTemplateInstantiation() || function->isDependentContext();
        if (device || in_template || function->isConstexpr()) sensitive.insert(function->getNameAsString());
        if (device && in_template) has_device_templates = true;
        if (!function->doesThisDeclarationHaveABody()) return true;
        clang::SourceRange const range = function->getBody()->getSourceRange();
        if (range.getBegin().isMacroID() || range.getEnd().isMacroID()) return true;
        auto const [file, begin] = sources.getDecomposedLoc(range.getBegin());
        bodies[file].push_back(
            {begin, sources.getFileOffset(range.getEnd()), !device && !function->isConstexpr()});
        return true;
    }
    bool VisitClassTemplateDecl(clang::ClassTemplateDecl* one) {
        if (!is_of_program(*one)) return true;
        sensitive.insert(one->getNameAsString());
        return true;
    }

    // In the body of a host function, and in none of device code within it.
    bool in_host_code(clang::FileID file, unsigned begin, unsigned end) const {
        auto const found = bodies.find(file);
        bool inside = false;
        if (found == bodies.end()) return false;
        for (body const& one : found->second) {
            if (one.end < begin || one.begin > end) continue;
            if (!one.is_host || one.begin > begin || one.end < end) return false;
            inside = true;
        }
        return inside;
    }

    clang::SourceManager const& sources;
    std::set<clang::FileID> files; // of the program
    std::map<clang::FileID, std::vector<body>> bodies;
    std::set<std::string> sensitive;
    bool has_device_templates = false;
};

// A macro in doubt, and whether __CUDA_ARCH__ is all that it depends on.
struct origin {
    std::string macro;
    bool arch_alone;
};

class doubt_finder {
public:
    doubt_finder(clang::ASTContext& context, clang::Preprocessor& preprocessor, known_macros const& known,
                 std::function<bool(llvm::StringRef)> const& is_of_program)
        : context_(context), preprocessor_(preprocessor), sources_(context.getSourceManager()), known_(known),
          is_of_program_(is_of_program), code_(sources_) {}

    macro_doubts run() {
        read_files();
        for (text const& one : texts_)
            for (line const& at : one.lines)
                if (at.is == line::defines) own_.insert(at.name);
        for (bool grows = true; grows;) { // a doubt passes from macro to macro
            std::size_t const before = doubted_.size();
            for (text const& one : texts_)
                spread(one);
            grows = doubted_.size() != before;
        }
        if (!mentions_doubt()) return {};
        for (text const& one : texts_)
            code_.files.insert(one.file);
        code_.TraverseDecl(context_.getTranslationUnitDecl());
        for (text const& one : texts_)
            judge(one);
        return found_;
    }

private:
    void read_files() {
        std::set<clang::FileEntry const*> seen;
        auto const add = [&](clang::FileID id) {
            clang::FileEntry const* file = sources_.getFileEntryForID(id);
            if (file == nullptr || !seen.insert(file).second) return;
            llvm::StringRef const path =
                file->tryGetRealPathName().empty() ? file->getName() : file->tryGetRealPathName();
            if (is_of_program_(path)) texts_.push_back(read_text(sources_, context_.getLangOpts(), id));
        };
        add(sources_.getMainFileID());
        for (unsigned i = 0; i < sources_.local_sloc_entry_size(); ++i) {
            clang::SrcMgr::SLocEntry const& entry = sources_.getLocalSLocEntry(i);
            if (entry.isFile())
                add(sources_.getFileID(clang::SourceLocation::getFromRawEncoding(entry.getOffset())));
        }
    }

    std::optional<origin> origin_of(llvm::StringRef name) const {
        if (auto const found = doubted_.find(name.str()); found != doubted_.end()) return found->second;
        if (name == arch_macro) return origin{arch_macro, known_.architecture};
        bool const is_own =
            own_.count(name.str()) != 0 && !is_compiler_macro(name) && !is_version_of_cuda(name);
        if (!is_own && may_differ(name, known_)) return origin{name.str(), false};
        return {};
    }

    static void join(std::optional<origin>& all, std::optional<origin> const& one) {
        if (one && (!all || (all->arch_alone && !one->arch_alone))) all = one;
    }

    std::optional<origin> origin_in(line const& at) const {
        std::optional<origin> all;
        for (word const& one : at.words)
            join(all, origin_of(one.name));
        return all;
    }

    // A group that is open at some line.
    struct group {
        std::optional<origin> from;
        unsigned begin = 0;
        std::size_t first_line = 0;
    };

    void doubt_macro(std::string const& name, std::optional<origin> const& from) {
        if (!from) return;
        auto const [place, is_new] = doubted_.try_emplace(name, *from);
        if (!is_new && place->second.arch_alone && !from->arch_alone) place->second = *from;
    }

    void spread(text const& whole) {
        std::vector<std::optional<origin>> open;
        std::optional<origin> around;
        auto const settle = [&] {
            around = {};
            for (auto const& one : open)
                join(around, one);
        };
        for (line const& at : whole.lines) {
            if (at.is == line::opens) open.push_back(origin_in(at));
            if (at.is == line::other_branch && !open.empty()) join(open.back(), origin_in(at));
            if (at.is == line::closes && !open.empty()) open.pop_back();
            settle();
            if (at.is != line::defines && at.is != line::undefines) continue;
            std::optional<origin> from = around;
            join(from, origin_in(at));
            doubt_macro(at.name, from);
        }
    }

    bool mentions_doubt() const {
        for (text const& one : texts_)
            for (line const& at : one.lines)
                if (origin_in(at)) return true;
        return false;
    }

    bool is_known_header(line const& at) const {
        if (!at.angled) return false;
        clang::HeaderSearch const& search = preprocessor_.getHeaderSearchInfo();
        for (auto folder = search.search_dir_begin(); folder != search.search_dir_end(); ++folder) {
            std::string const path = (folder->getName() + "/" + at.name).str();
            llvm::SmallString<256> real;
            if (!llvm::sys::fs::real_path(path, real)) return !is_of_program_(real);
        }
        return false;
    }

    // Why the lines of a group matter, or that they do not.
    bool matters(text const& whole, std::size_t from, std::size_t to) const {
        bool has_code = false;
        for (std::size_t i = from; i < to; ++i) {
            line const& at = whole.lines[i];
            if (at.is == line::other) return true;
            if (at.is == line::includes && !is_known_header(at)) return true;
            has_code = has_code || at.is == line::code;
        }
        if (!has_code) return false;
        if (!code_.in_host_code(whole.file, whole.lines[from].offset, whole.lines[to].offset)) return true;
        for (std::size_t i = from; i < to; ++i) {
            if (whole.lines[i].is != line::code) continue;
            if (whole.lines[i].launches) return true;
            for (word const& one : whole.lines[i].words)
                if (code_.sensitive.count(one.name) != 0) return true;
        }
        return false;
    }

    void note(text const& whole, unsigned offset, origin const& from) {
        std::optional<doubt>& place = from.arch_alone ? found_.architecture : found_.compiler;
        if (!place)
            place =
                doubt{sources_.getLocForStartOfFile(whole.file).getLocWithOffset(static_cast<int>(offset)),
                      from.macro};
    }

    void judge(text const& whole) {
        std::vector<group> open;
        for (std::size_t i = 0; i < whole.lines.size(); ++i) {
            line const& at = whole.lines[i];
            if (at.is == line::opens) {
                open.push_back({origin_in(at), at.offset, i});
            } else if (at.is == line::other_branch && !open.empty()) {
                join(open.back().from, origin_in(at));
            } else if (at.is == line::closes && !open.empty()) {
                group const closed = open.back();
                open.pop_back();
                if (closed.from && matters(whole, closed.first_line + 1, i))
                    note(whole, closed.begin, *closed.from);
            } else if (at.is == line::code) {
                judge_code(whole, at);
            }
        }
    }

    // Names in doubt outside of conditions.
    void judge_code(text const& whole, line const& at) {
        for (word const& one : at.words) {
            std::optional<origin> const from = origin_of(one.name);
            if (!from || one.before == clang::tok::period || one.before == clang::tok::arrow) continue;
            bool const is_harmless =
                code_.in_host_code(whole.file, one.offset, one.offset) && !code_.has_device_templates;
            if (!is_harmless) note(whole, one.offset, *from);
        }
    }

    clang::ASTContext& context_;
    clang::Preprocessor& preprocessor_;
    clang::SourceManager const& sources_;
    known_macros known_;
    std::function<bool(llvm::StringRef)> const& is_of_program_;
    code_map code_;
    std::vector<text> texts_;
    std::set<std::string> own_; // macros that the program defines
    std::map<std::string, origin> doubted_;
    macro_doubts found_;
};

} // namespace

bool may_differ(llvm::StringRef name, known_macros const& known) {
    if (is_version_of_cuda(name)) return !known.versions;
    if (is_option_of_nvcc(name)) return !known.options;
    if (name == "__CUDACC__" || name == "__NVCC__") return false; // both define them
    if (name == "__has_include" || name == "__has_include_next") return false;
    return is_compiler_macro(name) || is_of_compiler_family(name);
}

macro_doubts find_doubts(clang::ASTContext& context, clang::Preprocessor& preprocessor,
                         known_macros const& known,
                         std::function<bool(llvm::StringRef path)> const& is_of_program) {
    return doubt_finder(context, preprocessor, known, is_of_program).run();
}

} // namespace rhizome::coalesce
