// SPDX-License-Identifier: Apache-2.0
#include "restore.hpp"

#include "emitted_text.hpp"

#include <clang/Basic/LangOptions.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace rhizome::coalesce {
namespace {

struct lexeme {
    std::size_t begin, end;
    std::string_view text;
};

std::vector<lexeme> lexemes_of(std::string const& file) {
    clang::LangOptions options;
    options.CPlusPlus = options.CPlusPlus11 = options.CPlusPlus14 = options.CPlusPlus17 = true;
    options.CUDA = options.LineComment = options.Digraphs = true;
    std::size_t const start = file.rfind("\xEF\xBB\xBF", 0) == 0 ? 3 : 0;
    clang::Lexer lexer(clang::SourceLocation(), options, file.data(), file.data() + start,
                       file.data() + file.size());
    lexer.SetCommentRetentionState(true);
    std::vector<lexeme> all;
    clang::Token token;
    while (!lexer.LexFromRawLexer(token)) {
        std::size_t const end = static_cast<std::size_t>(lexer.getBufferLocation() - file.data());
        std::size_t const begin = end - token.getLength();
        all.push_back({begin, end, std::string_view(file).substr(begin, token.getLength())});
    }
    return all;
}

// Copies the file piece by piece.
class copier {
public:
    explicit copier(std::string const& file) : file_(file) {}

    void replace(std::size_t begin, std::size_t end, std::string_view by) {
        copy_up_to(begin);
        made_.text += by;
        taken_ = end;
        made_.had_changes = true;
        made_.pieces.emplace_back(made_.text.size(), end);
    }
    restored_source finish() {
        copy_up_to(file_.size());
        made_.file = file_;
        return std::move(made_);
    }

private:
    void copy_up_to(std::size_t end) {
        if (made_.pieces.empty()) made_.pieces.emplace_back(0, 0);
        made_.text += file_.substr(taken_, end - taken_);
        taken_ = end;
    }

    std::string const& file_;
    restored_source made_;
    std::size_t taken_ = 0;
};

class restorer {
public:
    restorer(std::string const& file, bool takes_includes)
        : file_(file), takes_includes_(takes_includes), all_(lexemes_of(file)), copy_(file) {}

    restored_source run() {
        for (at_ = 0; at_ < all_.size();)
            at_ += std::max<std::size_t>(1, (takes_includes_ ? take_include() : 0) + take_overload() +
                                                take_argument() + take_call());
        return copy_.finish();
    }

private:
    using words = std::vector<std::string_view>;

    bool are(std::size_t from, words const& expected) const {
        if (from + expected.size() > all_.size()) return false;
        for (std::size_t i = 0; i < expected.size(); ++i)
            if (all_[from + i].text != expected[i]) return false;
        return true;
    }
    bool is(std::size_t index, std::string_view text) const {
        return index < all_.size() && all_[index].text == text;
    }

    // Each of these changes what begins at the present lexeme, and returns how many lexemes that is.
    std::size_t take_include() {
        for (char const* include : {text::program_include, text::cuda_include, text::dynamic_include}) {
            std::string_view const line(include, std::string_view(include).size() - 1);
            if (!is(at_, "#") || file_.compare(all_[at_].begin, line.size(), line) != 0) continue;
            std::size_t end = all_[at_].begin + line.size();
            std::size_t const next = file_.find('\n', end);
            if (next == std::string::npos || file_.find_first_not_of(" \r", end) != next) continue;
            copy_.replace(all_[at_].begin, next + 1, "");
            std::size_t taken = 0;
            while (at_ + taken < all_.size() && all_[at_ + taken].begin < next)
                ++taken;
            return taken;
        }
        return 0;
    }

    std::size_t take_overload() {
        if (!is(at_, text::added_begin)) return 0;
        std::size_t end = at_;
        while (end < all_.size() && all_[end].text != text::added_end)
            ++end;
        if (end == all_.size()) return 0;
        bool const follows_body =
            at_ > 0 && is(at_ - 1, "}") && file_[all_[at_].begin - 1] == ' ' && all_[end - 1].text == "}";
        std::size_t const begin = all_[at_].begin - (follows_body ? 1 : 0);
        std::size_t last = all_[end].end;
        if (!follows_body && last < file_.size() && file_[last] == ' ') ++last;
        copy_.replace(begin, last, "");
        return end - at_ + 1;
    }

    // In an argument list or a parameter list: with the comma before it.
    std::size_t take_argument() {
        static words const type = {"rhizome", "::", "coalesced", "::", "reached"};
        static words const value = {"rhizome", "::", "coalesced", "::", "reached", "::"};
        bool const follows = is(at_, ",");
        if (!follows && !is(at_, "(") && !is(at_, "{")) return 0;
        std::size_t const from = at_ + 1;
        std::size_t length = 0;
        if (are(from, type) && is(from + 5, text::parameter)) {
            length = 6;
            if (is(from + 6, "=") && are(from + 7, value)) length += 8;
        } else if (are(from, value)) {
            length = 7;
        } else if (is(from, text::parameter)) {
            length = 1;
        }
        if (length == 0 || (!is(from + length, ")") && !is(from + length, "}"))) return 0;
        std::size_t const begin = follows ? all_[at_].begin : all_[at_].end;
        copy_.replace(begin, all_[from + length].begin, "");
        return 1 + length;
    }

    std::size_t take_call() {
        if (!are(at_, {"rhizome", "::", "coalesced", "::"}) || !is(at_ + 5, "(")) return 0;
        std::optional<std::string> const plain = text::plain_function(std::string(all_[at_ + 4].text));
        if (!plain) return 0;
        bool const is_global = at_ > 0 && is(at_ - 1, "::");
        copy_.replace(all_[at_].begin, all_[at_ + 4].end, is_global ? *plain : "::" + *plain);
        return 5;
    }

    std::string const& file_;
    bool takes_includes_;
    std::vector<lexeme> all_;
    copier copy_;
    std::size_t at_ = 0;
};

} // namespace

std::size_t restored_source::place_in_file(std::size_t offset) const {
    auto const after = std::upper_bound(pieces.begin(), pieces.end(), offset,
                                        [](std::size_t at, auto const& piece) { return at < piece.first; });
    if (after == pieces.begin()) return offset;
    auto const& piece = *std::prev(after);
    return piece.second + (offset - piece.first);
}

restored_source restore(std::string const& file) {
    restored_source made = restorer(file, true).run();
    // What the program itself says of the tool's types needs the header.
    bool const needs_header = made.text.find("rhizome::coalesced") != std::string::npos;
    return needs_header ? restorer(file, false).run() : made;
}

} // namespace rhizome::coalesce
