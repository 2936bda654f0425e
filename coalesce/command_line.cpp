// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <clang/Tooling/JSONCompilationDatabase.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace rhizome::coalesce {
namespace {

using llvm::StringRef;

struct nvcc_option {
    char const* name;
    char const* short_name;
    bool has_value;
};

constexpr nvcc_option options[] = {
#include "nvcc_options.inc"
};

nvcc_option const* find_option(StringRef name) {
    for (nvcc_option const& one : options)
        if (name == one.name || name == one.short_name) return &one;
    return nullptr;
}

std::vector<std::string> split(StringRef text, char const* separators) {
    std::vector<std::string> parts;
    std::string part;
    char quote = '\0';
    bool is_escaped = false, any = false;
    for (char const c : text) {
        if (is_escaped) {
            part += c;
            is_escaped = false;
        } else if (c == '\\' && quote != '\'') {
            is_escaped = any = true;
        } else if (quote != '\0') {
            if (c == quote)
                quote = '\0';
            else
                part += c;
        } else if (c == '"' || c == '\'') {
            quote = c;
            any = true;
        } else if (StringRef(separators).contains(c)) {
            if (any || !part.empty()) parts.push_back(std::move(part));
            part.clear();
            any = false;
        } else {
            part += c;
        }
    }
    if (any || !part.empty()) parts.push_back(std::move(part));
    return parts;
}

std::optional<unsigned> architecture_in(StringRef name) {
    for (StringRef const start : {"sm_", "compute_", "lto_"})
        if (name.consume_front(start)) {
            unsigned number = 0;
            if (!name.consumeInteger(10, number) && number >= 10) return number * 10;
        }
    return {};
}

bool is_cuda_name(StringRef path) {
    return path.endswith_insensitive(".cu") || path.endswith_insensitive(".cuh") ||
           path.endswith_insensitive(".cui");
}

class reader {
public:
    explicit reader(std::string path) : path_(std::move(path)) { made_.is_cuda = is_cuda_name(path_); }

    compile_command read(std::vector<std::string> const& arguments) {
        take(arguments);
        made_.is_whole = compiles_;
        if (any_architecture_) made_.architectures.clear();
        std::sort(made_.architectures.begin(), made_.architectures.end());
        made_.architectures.erase(std::unique(made_.architectures.begin(), made_.architectures.end()),
                                  made_.architectures.end());
        if (made_.is_cuda) {
            auto& all = made_.arguments;
            bool const has_standard =
                std::any_of(all.begin(), all.end(), [](StringRef one) { return one.startswith("-std="); });
            if (!has_standard) all.insert(all.begin(), "-std=gnu++17");
            for (StringRef const option : kept_options_)
                all.push_back(("-D" + option).str());
        } else {
            made_.arguments = arguments_;
        }
        return std::move(made_);
    }

private:
    void take(std::vector<std::string> const& arguments) {
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            StringRef const argument = arguments[i];
            if (argument.startswith("@") && argument.size() > 1) {
                take(from_file(argument.drop_front().str()));
                continue;
            }
            arguments_.push_back(argument.str());
            if (!argument.startswith("-") || argument == "-") {
                // The source itself, another one, or an object.
                std::string const last = std::filesystem::path(argument.str()).filename().string();
                bool const is_input = last == std::filesystem::path(path_).filename().string() ||
                                      argument.endswith(".o") || argument.endswith(".a") ||
                                      argument.endswith(".cu") || argument.endswith(".so");
                if (!is_input) made_.arguments.push_back(argument.str());
                if (is_input) arguments_.pop_back();
                continue;
            }
            std::size_t used = 0;
            StringRef const next = i + 1 < arguments.size() ? StringRef(arguments[i + 1]) : StringRef();
            take(argument, next, used);
            for (; used > 0; --used)
                arguments_.push_back(arguments[++i]);
        }
    }

    std::vector<std::string> from_file(std::string const& path) const {
        std::ifstream file(path);
        if (!file) throw std::runtime_error("cannot read the options of nvcc in " + path);
        std::string const content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        return split(content, " \t\r\n");
    }

    // One option of nvcc, or, if it has none of this name, of Clang.
    void take(StringRef argument, StringRef next, std::size_t& used) {
        StringRef const bare = argument.ltrim('-');
        StringRef const name = bare.split('=').first;
        nvcc_option const* option = find_option(name);
        if (name == "x" && !bare.contains('=')) {
            used = 1;
            return set_language(next);
        }
        if (option != nullptr) {
            std::string value = bare.contains('=') ? bare.split('=').second.str() : std::string();
            if (option->has_value && !bare.contains('=')) {
                used = 1;
                value = next.str();
            }
            return take(*option, value);
        }
        for (char const* attached :
             {"isystem", "include", "std", "D", "U", "I", "l", "L", "O", "m", "t", "x"})
            if (StringRef rest = bare;
                rest.consume_front(attached) && argument.startswith("-") && !argument.startswith("--") &&
                (StringRef(attached).size() == 1 || attached == StringRef("isystem"))) {
                bool const is_machine = attached == StringRef("m") && rest != "64" && rest != "32";
                if (is_machine) continue;
                return take(*find_option(attached), rest.str());
            }
        if (bare.startswith("W")) return; // warnings of the host compiler
        if (name == "cuda-gpu-arch" || name == "offload-arch")
            return add_architecture(bare.split('=').second);
        if (name.startswith("cuda-") || name == "no-cuda-version-check") return;
        made_.arguments.push_back(argument.str());
    }

    void take(nvcc_option const& option, std::string const& value) {
        StringRef const name = option.name;
        if (name == "x") return set_language(value);
        if (name == "std") return made_.arguments.push_back("-std=" + value);
        if (name == "compile" || name == "device-c" || name == "device-w" || name == "cubin" || name == "ptx")
            compiles_ = true;
        if (name == "device-c") return keep("__CUDACC_RDC__");
        if (name == "relocatable-device-code") {
            if (value == "true") keep("__CUDACC_RDC__");
            return;
        }
        if (name == "device-debug") return keep("__CUDACC_DEBUG__");
        if (name == "extensible-whole-program") return keep("__CUDACC_EWP__");
        if (name.endswith("extended-lambda")) return keep("__CUDACC_EXTENDED_LAMBDA__");
        if (name == "expt-relaxed-constexpr") return keep("__CUDACC_RELAXED_CONSTEXPR__");
        if (name == "gpu-architecture" || name == "gpu-code") {
            for (std::string const& one : split(value, ",[]"))
                add_architecture(one);
            return;
        }
        if (name == "generate-code") {
            for (std::string one : split(value, ",[]")) {
                for (StringRef const key : {"arch=", "code="})
                    if (StringRef(one).startswith(key)) one.erase(0, key.size());
                add_architecture(one);
            }
            return;
        }
        if (name == "default-stream" && value == "per-thread")
            return made_.arguments.push_back("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
        if (name == "compiler-options") return take_host(value);
        if (name == "options-file") {
            for (std::string const& one : split(value, ","))
                take(from_file(one));
            return;
        }
        char const* clang = name == "define-macro"     ? "-D"
                            : name == "undefine-macro" ? "-U"
                            : name == "include-path"   ? "-I"
                            : name == "system-include" ? "-isystem"
                            : name == "pre-include"    ? "-include"
                                                       : nullptr;
        if (clang == nullptr) return;
        // nvcc takes lists, but not in macros with parentheses.
        bool const is_list =
            name != "define-macro" || StringRef(value).find_first_of("(\"") == StringRef::npos;
        for (std::string const& one : is_list ? split(value, ",") : std::vector<std::string>{value}) {
            if (clang[2] != '\0') { // not attached to its value
                made_.arguments.emplace_back(clang);
                made_.arguments.push_back(one);
            } else {
                made_.arguments.push_back(clang + one);
            }
        }
    }

    void take_host(std::string const& value) {
        std::vector<std::string> const all = split(value, ", ");
        for (std::size_t i = 0; i < all.size(); ++i) {
            StringRef const one = all[i];
            for (StringRef const kept : {"-D", "-U", "-I", "-isystem", "-include"}) {
                if (!one.startswith(kept)) continue;
                made_.arguments.push_back(all[i]);
                if (one == kept && i + 1 < all.size()) made_.arguments.push_back(all[++i]);
                break;
            }
            if (one == "-fopenmp" || one == "-pthread" || one.startswith("-std="))
                made_.arguments.push_back(all[i]);
        }
    }

    void set_language(StringRef language) { made_.is_cuda = language == "cu" || language == "cuda"; }

    void keep(char const* macro) {
        if (std::find(kept_options_.begin(), kept_options_.end(), macro) == kept_options_.end())
            kept_options_.push_back(macro);
    }

    void add_architecture(StringRef name) {
        if (auto const one = architecture_in(name))
            made_.architectures.push_back(*one);
        else
            any_architecture_ = true; // native, all
    }

    std::string path_;
    compile_command made_;
    std::vector<std::string> arguments_; // as they were given
    std::vector<char const*> kept_options_;
    bool compiles_ = false;
    bool any_architecture_ = false;
};

bool is_compiler(StringRef program) {
    std::string const name = std::filesystem::path(program.str()).filename().string();
    for (char const* part : {"nvcc", "clang", "g++", "gcc", "c++"})
        if (StringRef(name).contains(part)) return true;
    return name == "cc";
}

} // namespace

compile_command read_command(std::string const& path, std::vector<std::string> const& arguments) {
    return reader(path).read(arguments);
}

std::vector<compile_command> commands_of(std::string const& folder, std::string const& path) {
    std::string error;
    std::string const file = (std::filesystem::path(folder) / "compile_commands.json").string();
    auto const database = clang::tooling::JSONCompilationDatabase::loadFromFile(
        file, error, clang::tooling::JSONCommandLineSyntax::AutoDetect);
    if (database == nullptr) throw std::runtime_error("cannot read " + file + ": " + error);
    std::vector<compile_command> all;
    std::error_code none;
    std::string const wanted =
        std::filesystem::weakly_canonical(std::filesystem::absolute(path), none).string();
    for (clang::tooling::CompileCommand const& one : database->getAllCompileCommands()) {
        std::filesystem::path at = one.Filename;
        if (at.is_relative()) at = std::filesystem::path(one.Directory) / at;
        if (std::filesystem::weakly_canonical(at, none).string() != wanted) continue;
        auto begin = std::find_if(one.CommandLine.begin(), one.CommandLine.end(), is_compiler);
        if (begin != one.CommandLine.end()) ++begin;
        compile_command command = read_command(path, {begin, one.CommandLine.end()});
        command.folder = one.Directory;
        command.is_whole = true;
        all.push_back(std::move(command));
    }
    return all;
}

} // namespace rhizome::coalesce
