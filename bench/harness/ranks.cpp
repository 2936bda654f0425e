// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/harness/messages.hpp>
#include <rhizome/bench/harness/ranks.hpp>
#include <rhizome/comm/launch/launch.hpp>
#include <rhizome/comm/launch/process.hpp>

#include <cstdio>
#include <string_view>

namespace rhizome::bench {

std::vector<std::string> own_program_as_rank() { return {comm::own_program(), "bench", "rank"}; }

cell_result run_as_ranks(cell const& which, int ranks, std::vector<std::string> program_and_words) {
    program_and_words.push_back(to_json(which).dump());
    std::string answer; // the last line that rank 0 prints
    comm::launch_end const end = comm::launch(
        program_and_words, {.ranks = ranks, .on_line = [&](int rank, bool errors, std::string_view line) {
                                if (rank == 0 && !errors)
                                    answer = line;
                                else
                                    std::fprintf(stderr, "rank %d: %.*s\n", rank,
                                                 static_cast<int>(line.size()), line.data());
                            }});
    if (!end.ok()) return {cell_status::failed, std::string(end.result.why()), {}};
    try {
        return result_of(nlohmann::ordered_json::parse(answer));
    } catch (std::exception const&) {
        return {cell_status::failed, "rank 0 ended without an answer", {}};
    }
}

} // namespace rhizome::bench
