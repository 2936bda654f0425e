// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <clang/Basic/SourceManager.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace rhizome::coalesce {
namespace {

struct rule {
    char const* id;
    char const* line; ///< what the line of a call says
    char const* description;
};

constexpr std::array<rule, 4> rules = {{
    {"block", "rewritten (block): ", "The threads of a block share a block of memory."},
    {"warp", "rewritten (warp): ", "The lanes of a warp share a block of memory."},
    {"dynamic", "dynamic: ", "Lanes that happen to ask together share a block of memory."},
    {"left-alone", "left alone: ", "The call stays as it is."},
}};

char const* line_of(std::string_view id) {
    return std::find_if(rules.begin(), rules.end(), [&](rule const& one) { return id == one.id; })->line;
}

class placer {
public:
    placer(clang::SourceManager const& sources, restored_source const& source, std::string const& folder)
        : sources_(sources), source_(source), folder_(folder) {}

    file_place operator()(clang::SourceLocation where) const {
        clang::SourceLocation const expanded = sources_.getExpansionLoc(where);
        clang::PresumedLoc const place = sources_.getPresumedLoc(expanded);
        if (place.isInvalid()) return {"?", 0, 0};
        file_place at = {relative(place.getFilename()), place.getLine(), place.getColumn()};
        if (!source_.had_changes || !sources_.isInMainFile(expanded)) return at;
        // The source was analysed as it was before the tool rewrote it: places are those of the file.
        unsigned const offset = sources_.getFileOffset(expanded);
        std::size_t const there = source_.place_in_file(offset);
        std::string const& file = source_.file;
        std::size_t const line_begin = there == 0 ? std::string::npos : file.rfind('\n', there - 1);
        at.line = static_cast<unsigned>(
            1 + std::count(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(there), '\n'));
        at.column = static_cast<unsigned>(line_begin == std::string::npos ? there + 1 : there - line_begin);
        return at;
    }

private:
    std::string relative(std::string const& path) const {
        std::filesystem::path const inside =
            std::filesystem::path(path).lexically_normal().lexically_relative(folder_);
        return inside.empty() || *inside.begin() == ".." ? path : inside.string();
    }

    clang::SourceManager const& sources_;
    restored_source const& source_;
    std::string const& folder_;
};

std::string text_of(kernel_report const& kernel, std::vector<call_report> const& calls) {
    std::size_t const count = static_cast<std::size_t>(
        std::count_if(kernel.calls.begin(), kernel.calls.end(), [&](std::size_t index) {
            return calls[index].rule == std::string_view("block") ||
                   calls[index].rule == std::string_view("warp");
        }));
    std::string line = kernel.where.text() + ": kernel '" + kernel.name + "': " + std::to_string(count) +
                       " of " + std::to_string(kernel.calls.size()) + " allocation calls rewritten";
    char const* separator = ": ";
    for (std::size_t const index : kernel.calls) {
        call_report const& call = calls[index];
        bool const is_here = call.where.path == kernel.where.path;
        line += separator +
                (is_here ? std::to_string(call.where.line) + ":" + std::to_string(call.where.column)
                         : call.where.text()) +
                " " + (call.rule == std::string_view("left-alone") ? "left alone" : call.rule);
        bool const is_static =
            call.rule == std::string_view("block") || call.rule == std::string_view("warp");
        if (!is_static) line += ", " + call.reason;
        separator = "; ";
    }
    return line;
}

llvm::json::Object location_of(file_place const& where) {
    std::string const path = llvm::json::isUTF8(where.path) ? where.path : llvm::json::fixUTF8(where.path);
    return llvm::json::Object{
        {"physicalLocation",
         llvm::json::Object{
             {"artifactLocation", llvm::json::Object{{"uri", path}}},
             {"region", llvm::json::Object{{"startLine", where.line}, {"startColumn", where.column}}}}}};
}

} // namespace

std::string file_place::text() const {
    return path + ":" + std::to_string(line) + ":" + std::to_string(column);
}

source_report report_of(clang::SourceManager const& sources, plan const& made, restored_source const& source,
                        std::string const& folder) {
    placer const place(sources, source, folder);
    source_report all;
    for (decision const& one : made.decisions) {
        call_report call;
        call.where = place(one.where);
        call.rule = one.rewritten    ? (one.covers == scope::block ? "block" : "warp")
                    : one.is_dynamic ? "dynamic"
                                     : "left-alone";
        call.reason = one.reason;
        if (one.rewritten && one.by_argument) call.reason += ", where the caller of its function says so";
        if (one.because.isValid()) {
            call.because = place(one.because);
            call.because_text = " (" + call.because.text() + ")";
        }
        all.calls.push_back(std::move(call));
    }
    for (kernel_summary const& kernel : made.kernels) {
        kernel_report one;
        one.where = place(kernel.kernel->getLocation());
        one.name = kernel.kernel->getNameAsString();
        for (std::size_t i = 0; i < made.decisions.size(); ++i)
            if (kernel.calls.count(made.decisions[i].where) != 0) one.calls.push_back(i);
        bool const is_instance_of_another =
            std::any_of(all.kernels.begin(), all.kernels.end(),
                        [&](kernel_report const& other) { return other.where.text() == one.where.text(); });
        if (!one.calls.empty() && !is_instance_of_another) all.kernels.push_back(std::move(one));
    }
    return all;
}

std::string source_report::text() const {
    std::string lines;
    std::size_t count = 0;
    for (call_report const& call : calls) {
        lines += call.where.text() + ": " + line_of(call.rule) + call.reason + call.because_text + "\n";
        count += call.rule == std::string_view("block") || call.rule == std::string_view("warp");
    }
    for (kernel_report const& kernel : kernels)
        lines += text_of(kernel, calls) + "\n";
    lines += "rhizome-coalesce: " + std::to_string(count) + " of " + std::to_string(calls.size()) +
             " allocation calls rewritten\n";
    return lines;
}

std::string sarif(std::vector<source_report> const& all) {
    llvm::json::Array descriptions;
    for (rule const& one : rules)
        descriptions.push_back(llvm::json::Object{
            {"id", one.id}, {"shortDescription", llvm::json::Object{{"text", one.description}}}});
    llvm::json::Array results;
    for (source_report const& source : all)
        for (call_report const& call : source.calls) {
            llvm::json::Object result{
                {"ruleId", call.rule},
                {"level", "note"},
                {"message", llvm::json::Object{{"text", std::string(line_of(call.rule)) + call.reason}}},
                {"locations", llvm::json::Array{location_of(call.where)}}};
            if (!call.because_text.empty())
                result["relatedLocations"] = llvm::json::Array{location_of(call.because)};
            results.push_back(std::move(result));
        }
    llvm::json::Object driver{
        {"name", "rhizome-coalesce"}, {"version", RHIZOME_VERSION}, {"rules", std::move(descriptions)}};
    llvm::json::Object run{{"tool", llvm::json::Object{{"driver", std::move(driver)}}},
                           {"columnKind", "utf16CodeUnits"},
                           {"results", std::move(results)}};
    llvm::json::Object document{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                                {"version", "2.1.0"},
                                {"runs", llvm::json::Array{std::move(run)}}};
    std::string written;
    llvm::raw_string_ostream out(written);
    out << llvm::formatv("{0:2}", llvm::json::Value(std::move(document))) << "\n";
    return out.str();
}

} // namespace rhizome::coalesce
