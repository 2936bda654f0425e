// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/devices.hpp>
#include <rhizome/cli/machine_memory.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/comm/bootstrap/process_rank.hpp>
#include <rhizome/comm/launch/launch.hpp>
#include <rhizome/comm/launch/process.hpp>
#include <rhizome/runtime/catalogue.hpp>
#include <rhizome/runtime/components.hpp>
#include <rhizome/runtime/ranks/open_ranks.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace rhizome::cli {
namespace {

constexpr std::string_view own_name = "rhizome: ";

/// The last line of each rank on standard error: after a failure, one line is said instead of them.
class last_words {
public:
    explicit last_words(int ranks) : lines_(static_cast<std::size_t>(ranks)) {}

    void hear(int rank, std::string_view line) {
        print(rank);
        lines_[static_cast<std::size_t>(rank)] = line;
    }
    void print_all() {
        for (std::size_t rank = 0; rank < lines_.size(); ++rank)
            print(static_cast<int>(rank));
    }
    [[nodiscard]] std::string const& of(int rank) const { return lines_[static_cast<std::size_t>(rank)]; }

private:
    void print(int rank) {
        std::string& line = lines_[static_cast<std::size_t>(rank)];
        if (line.empty()) return;
        std::string const from = rank == 0 ? "" : fmt::format("rank {}: ", rank);
        std::fprintf(stderr, "%s%s\n", from.c_str(), line.c_str());
        line.clear();
    }

    std::vector<std::string> lines_;
};

/// The memory of each rank: a share of all.
std::uint64_t limit_of_rank(arguments const& args, std::string const& space, int devices) {
    std::uint64_t limit = args.session().memory_limit_bytes;
    if (!args.has("memory-limit") && space == "host") limit = default_memory_limit();
    return limit / static_cast<std::uint64_t>(devices);
}

std::shared_ptr<runtime::rank_group> join_job(command_context const& context, int devices) {
    comm::process_rank const job = comm::rank_from_environment();
    if (job.size != devices)
        throw usage_error(fmt::format("--devices: found '{}', but {} has started {} ranks", devices,
                                      job.launcher, job.size));
    auto self = runtime::cuda_rank({.memory_limit_bytes = limit_of_rank(context.args, "cuda", devices)});
    if (self->rank() == 0) return runtime::rank_group::lead(std::move(self));
    runtime::follow(*self);
    return nullptr;
}

} // namespace

void run_processes(console& out, std::vector<std::string> const& program_and_words, int ranks) {
    last_words errors(ranks);
    comm::launch_end const end = comm::launch(
        program_and_words, {.ranks = ranks, .on_line = [&](int rank, bool is_error, std::string_view line) {
                                if (is_error || rank != 0) {
                                    errors.hear(rank, line);
                                    return;
                                }
                                out.print(fmt::format("{}\n", line));
                                out.flush();
                            }});
    if (end.ok()) {
        errors.print_all();
        return;
    }
    bool const first_failed = end.result.rank() == 0 && end.exit_code < 128;
    std::string text = first_failed ? errors.of(0) : std::string(end.result.why());
    if (text.empty()) text = end.result.why();
    if (text.starts_with(own_name)) text.erase(0, own_name.size());
    throw job_failure(text, end.exit_code);
}

std::shared_ptr<runtime::rank_group> start_ranks(command_context& context, int devices,
                                                 std::vector<std::string> const& files) {
    if (!runtime::has_component("ranks")) throw usage_error("--devices: " + runtime::how_to_add("ranks"));
    std::string const unusable = runtime::cuda_unusable_because();
    std::string space = context.args.session().space;
    if (space.empty()) space = unusable.empty() ? "cuda" : "host";
    if (space == "simt") throw usage_error("--devices: for the spaces cuda and host, not for simt");
    bool const in_job = comm::is_in_job();
    if (space == "host") {
        if (in_job)
            throw usage_error("--devices: on space host the ranks are threads of one process, but a launcher "
                              "has started several");
        return runtime::rank_group::lead(runtime::host_ranks(
            devices, {.threads = context.args.session().threads,
                      .memory_limit_bytes = limit_of_rank(context.args, space, devices)}));
    }
    if (std::string const reason = runtime::cuda_ranks_unusable_because(); !reason.empty())
        throw std::runtime_error("space cuda: " + reason);
    if (in_job) return join_job(context, devices);
    if (int const present = runtime::cuda_device_count(); devices > present)
        throw usage_error(fmt::format("--devices: found '{}', but this machine has {}", devices,
                                      present == 1 ? "1 GPU" : fmt::format("{} GPUs", present)));
    if (std::ranges::find(files, "-") != files.end())
        throw usage_error("--devices: processes do not share standard input and output; name files, not '-'");
    std::vector<std::string> words{comm::own_program()};
    words.insert(words.end(), context.words.begin(), context.words.end());
    run_processes(context.out, words, devices);
    return nullptr;
}

} // namespace rhizome::cli
