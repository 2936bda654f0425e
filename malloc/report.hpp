// SPDX-License-Identifier: Apache-2.0
// The lines of rhizome_malloc_report_leaks.
#pragma once

#include <rhizome/malloc/heap.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::program_heap {

struct leak_report {
    std::uint64_t blocks = 0;       ///< not freed; 0 without checked mode, which alone counts them
    std::uint64_t bytes = 0;        ///< not freed: as requested in checked mode, else rounded up
    std::uint64_t mistakes = 0;     ///< wrong frees and damaged blocks
    std::vector<std::string> lines; ///< at least one
};

namespace detail {

[[nodiscard]] inline std::string counted(std::uint64_t count, char const* noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

} // namespace detail

/// A line per place and kind of finding. Without checked mode, one line with the bytes. Waits; no kernel may
/// use the heap.
template <class Space>
[[nodiscard]] leak_report report_leaks(heap<Space>& of) {
    using detail::counted;
    leak_report report;
    auto const say = [&](std::string const& line) { report.lines.push_back("rhizome_malloc: " + line); };
    if (!of.is_checked()) {
        report.bytes = of.statistics().live_bytes;
        say(report.bytes == 0 ? "all blocks were freed"
                              : counted(report.bytes, "byte") +
                                    " not freed; options.checked shows where they were allocated");
        return report;
    }
    auto const mistake = [&](std::uint64_t count, char const* noun, std::string const& text) {
        if (count != 0) say(counted(count, noun) + " " + text);
        report.mistakes += count;
    };
    auto const sites = of.report();
    for (site_report const& site : sites) {
        report.blocks += site.live.blocks;
        report.bytes += site.live.bytes;
        if (site.live.blocks != 0)
            say(counted(site.live.blocks, "block") + ", " + counted(site.live.bytes, "byte") +
                " not freed: allocated at " + site.place);
    }
    if (report.blocks == 0) say("all blocks were freed");
    for (site_report const& site : sites) {
        damaged_blocks const& freed = site.found.freed_damaged;
        damaged_blocks const& live = site.live.damaged;
        mistake(site.found.freed_twice, "block", "freed again at " + site.place);
        mistake(site.found.freed_foreign, "pointer",
                "freed at " + site.place + " that no allocation returned");
        mistake(freed.before + live.before, "block",
                "written in front of the start: allocated at " + site.place);
        mistake(freed.past + live.past, "block", "written past the end: allocated at " + site.place);
    }
    return report;
}

} // namespace rhizome::program_heap
