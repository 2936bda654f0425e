// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/papers/random_walk/hash_join/workloads.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace rhizome::bench {

std::vector<std::string> const& join_allocators() {
    static std::vector<std::string> const names{"direct",
                                                "ouroboros-page-virtual-array",
                                                "random-walk-flag",
                                                "random-walk-bitmap",
                                                "random-walk-collaborative",
                                                "random-walk-claim",
                                                "random-walk-malloc"};
    return names;
}

bool serves_join_pages(std::string const& allocator, std::uint32_t page_bytes) {
    if (!allocator.starts_with("random-walk-") || allocator == "random-walk-malloc") return true;
    return page_bytes == 32 || page_bytes == 128 || page_bytes == 512 || page_bytes == 2048;
}

cell_result run_join(join_subject& subject, cell const& which) {
    join_tables const tables = draw_join_tables(
        which.count("tuples"), static_cast<std::uint32_t>(which.count("copies")), which.count("seed"));
    subject.set_tables(tables);
    measure total{"total", "ms", false, {}};
    measure partition{"partition", "ms", false, {}};
    measure build{"build", "ms", false, {}};
    measure probe{"probe", "ms", false, {}};
    measure prepare{"prepare", "ms", false, {}};
    measure pages{"pages", "pages", false, {}};
    std::uint64_t const warm_up = which.count("warm-up");
    for (std::uint64_t round = 0; round < warm_up + which.count("repetitions"); ++round) {
        join_outcome const outcome = subject.run();
        join_progress const& found = outcome.progress;
        if (!found.complete)
            return {cell_status::not_served,
                    fmt::format("pages ran out: {} of {} tuples are probed, {} matches lie in {} pages",
                                found.probed, tables.right.size(), found.matches, found.pages),
                    {}};
        if (found.matches != tables.matches)
            throw std::runtime_error(fmt::format("{} matches instead of {}", found.matches, tables.matches));
        if (found.marks != tables.marks) throw std::runtime_error("some matches are wrong");
        if (round < warm_up) continue;
        total.samples.push_back(outcome.partition_ms + outcome.build_ms + outcome.probe_ms);
        partition.samples.push_back(outcome.partition_ms);
        build.samples.push_back(outcome.build_ms);
        probe.samples.push_back(outcome.probe_ms);
        prepare.samples.push_back(outcome.prepare_ms);
        pages.samples.push_back(static_cast<double>(found.pages));
    }
    return {cell_status::ok, "", {total, partition, build, probe, prepare, pages}};
}

} // namespace rhizome::bench
