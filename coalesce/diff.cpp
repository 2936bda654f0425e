// SPDX-License-Identifier: Apache-2.0
#include "diff.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace rhizome::coalesce {
namespace {

constexpr std::size_t context_lines = 3;

std::vector<std::string> lines_of(std::string const& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t const end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

enum class kind : char { kept = ' ', removed = '-', added = '+' };

struct step {
    kind what;
    std::size_t old_line, new_line; ///< the next ones
};

// The shortest script of steps: Myers, An O(ND) Difference Algorithm and Its Variations (1986).
std::vector<step> steps_between(std::vector<std::string> const& before,
                                std::vector<std::string> const& after) {
    auto const old_count = static_cast<std::ptrdiff_t>(before.size());
    auto const new_count = static_cast<std::ptrdiff_t>(after.size());
    std::ptrdiff_t const most = old_count + new_count;
    std::vector<std::ptrdiff_t> furthest(static_cast<std::size_t>(2 * most + 3), 0);
    auto const at = [&](std::vector<std::ptrdiff_t>& of, std::ptrdiff_t diagonal) -> std::ptrdiff_t& {
        return of[static_cast<std::size_t>(diagonal + most + 1)];
    };
    auto const same = [&](std::ptrdiff_t x, std::ptrdiff_t y) {
        return x < old_count && y < new_count &&
               before[static_cast<std::size_t>(x)] == after[static_cast<std::size_t>(y)];
    };
    std::vector<std::vector<std::ptrdiff_t>> rounds;
    for (std::ptrdiff_t round = 0; round <= most; ++round) {
        auto const middle = furthest.begin() + most + 1;
        rounds.emplace_back(middle - std::min(round, most) - 1, middle + std::min(round, most) + 2);
        bool is_done = false;
        for (std::ptrdiff_t k = -round; k <= round && !is_done; k += 2) {
            bool const down = k == -round || (k != round && at(furthest, k - 1) < at(furthest, k + 1));
            std::ptrdiff_t x = down ? at(furthest, k + 1) : at(furthest, k - 1) + 1;
            while (same(x, x - k))
                ++x;
            at(furthest, k) = x;
            is_done = x >= old_count && x - k >= new_count;
        }
        if (is_done) break;
    }
    std::vector<step> steps;
    std::ptrdiff_t x = old_count, y = new_count;
    auto const add = [&](kind what) {
        x -= what != kind::added;
        y -= what != kind::removed;
        steps.push_back({what, static_cast<std::size_t>(x), static_cast<std::size_t>(y)});
    };
    for (auto round = static_cast<std::ptrdiff_t>(rounds.size()) - 1; x > 0 || y > 0; --round) {
        auto const known = [&](std::ptrdiff_t diagonal) {
            return rounds[static_cast<std::size_t>(round)][static_cast<std::size_t>(diagonal + round + 1)];
        };
        std::ptrdiff_t const k = x - y;
        bool const down = k == -round || (k != round && known(k - 1) < known(k + 1));
        std::ptrdiff_t const from = round == 0 ? 0 : down ? known(k + 1) : known(k - 1) + 1;
        while (x > from || (round == 0 && x > 0))
            add(kind::kept);
        if (round > 0) add(down ? kind::added : kind::removed);
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
}

std::string range(std::size_t first, std::size_t count) {
    return std::to_string(count == 0 ? first : first + 1) + "," + std::to_string(count);
}

} // namespace

std::string unified_diff(std::string const& name, std::string const& before, std::string const& after) {
    std::vector<std::string> const old_lines = lines_of(before);
    std::vector<std::string> const new_lines = lines_of(after);
    std::vector<step> const steps = steps_between(old_lines, new_lines);
    std::string diff;
    for (std::size_t i = 0; i < steps.size();) {
        if (steps[i].what == kind::kept) {
            ++i;
            continue;
        }
        std::size_t const from = i - std::min(i, context_lines);
        std::size_t to = i; // behind the last change that belongs to this piece
        for (std::size_t k = i; k < steps.size() && k <= to + 2 * context_lines; ++k)
            if (steps[k].what != kind::kept) to = k + 1;
        to = std::min(to + context_lines, steps.size());
        std::size_t old_count = 0, new_count = 0;
        std::string removed, added, body;
        for (std::size_t k = from; k < to; ++k) {
            old_count += steps[k].what != kind::added;
            new_count += steps[k].what != kind::removed;
            if (steps[k].what == kind::removed) removed += "-" + old_lines[steps[k].old_line] + "\n";
            if (steps[k].what == kind::added) added += "+" + new_lines[steps[k].new_line] + "\n";
            if (steps[k].what != kind::kept && k + 1 < to) continue;
            body += removed + added;
            if (steps[k].what == kind::kept) body += " " + old_lines[steps[k].old_line] + "\n";
            removed.clear();
            added.clear();
        }
        diff += "@@ -" + range(steps[from].old_line, old_count) + " +" +
                range(steps[from].new_line, new_count) + " @@\n" + body;
        i = to;
    }
    return diff.empty() ? diff : "--- " + name + "\n+++ " + name + "\n" + diff;
}

} // namespace rhizome::coalesce
