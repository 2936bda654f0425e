// SPDX-License-Identifier: Apache-2.0
#include <rhizome/comm/bootstrap/process_rank.hpp>
#include <rhizome/comm/result.hpp>

#include <array>
#include <charconv>
#include <cstdlib>

namespace rhizome::comm {

namespace {
struct launcher_variables {
    char const* launcher;
    char const* rank;
    char const* size;
    char const* local_rank;
};
constexpr std::array<launcher_variables, 5> launchers{{
    {"rhizome", "RHIZOME_RANK", "RHIZOME_RANKS", "RHIZOME_LOCAL_RANK"},
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK"},
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"MPICH", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
    {"Slurm", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"},
}};

[[noreturn]] void refuse(std::string const& why) {
    throw comm_error(comm_result::failed(failure::library, no_rank, why));
}

std::int64_t number(std::string const& name, std::string const& text, std::int64_t least, std::int64_t most) {
    std::int64_t value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
        refuse(name + " is '" + text + "', not a number from " + std::to_string(least) + " to " +
               std::to_string(most));
    return value;
}

constexpr int most_ranks = 1 << 20;

/// Nothing if no set of variables is complete.
std::optional<process_rank> rank_of_launcher(environment const& variable) {
    for (auto const& each : launchers) {
        auto const rank = variable(each.rank);
        auto const size = variable(each.size);
        if (!rank || !size) {
            if (each.launcher == std::string("rhizome") && (rank || size))
                refuse(std::string(rank ? each.rank : each.size) + " is set, but " +
                       (rank ? each.size : each.rank) + " is not");
            continue;
        }
        process_rank found;
        found.launcher = each.launcher;
        found.size = static_cast<int>(number(each.size, *size, 1, most_ranks));
        found.rank = static_cast<int>(number(each.rank, *rank, 0, found.size - 1));
        auto const local = variable(each.local_rank);
        found.local_rank =
            local ? static_cast<int>(number(each.local_rank, *local, 0, most_ranks - 1)) : found.rank;
        return found;
    }
    return std::nullopt;
}

std::uint16_t port_of(environment const& variable, bool slurm) {
    if (auto const port = variable("RHIZOME_COMM_PORT"))
        return static_cast<std::uint16_t>(number("RHIZOME_COMM_PORT", *port, 1, 65535));
    if (auto const port = variable("MASTER_PORT")) {
        bool const taken = variable("TORCHELASTIC_USE_AGENT_STORE").value_or("") == "True";
        return static_cast<std::uint16_t>(number("MASTER_PORT", *port, 1, taken ? 65534 : 65535) +
                                          (taken ? 1 : 0));
    }
    if (!slurm) return 0;
    auto const job = variable("SLURM_JOB_ID");
    if (!job) return 0;
    constexpr std::int64_t most = std::int64_t{1} << 40;
    auto const step = variable("SLURM_STEP_ID").value_or("0");
    // From 20000 to 31999: below the ports that Linux gives to outgoing connections (from 32768).
    return static_cast<std::uint16_t>(
        20000 +
        (number("SLURM_JOB_ID", *job, 0, most) * 31 + number("SLURM_STEP_ID", step, 0, most)) % 12000);
}
} // namespace

std::optional<std::string> process_environment(std::string const& name) {
    char const* const text = std::getenv(name.c_str());
    if (text == nullptr || *text == '\0') return std::nullopt;
    return std::string(text);
}

std::string first_host(std::string const& list) {
    std::size_t const end = list.find_first_of(",[");
    std::string host = list.substr(0, end);
    if (end == std::string::npos || list[end] == ',') return host;
    std::size_t const number_end = list.find_first_of(",-]", end + 1);
    if (number_end == std::string::npos) return host; // no list of Slurm
    host += list.substr(end + 1, number_end - end - 1);
    std::size_t const closing = list.find(']', number_end);
    if (closing == std::string::npos) return host;
    std::size_t const next = list.find(',', closing);
    return host + list.substr(closing + 1, next == std::string::npos ? next : next - closing - 1);
}

process_rank rank_from_environment(environment const& variable) {
    std::optional<process_rank> const launched = rank_of_launcher(variable);
    if (!launched)
        refuse("no rank found: start the program with torchrun, mpirun or srun, or set RHIZOME_RANK, "
               "RHIZOME_RANKS and "
               "RHIZOME_COMM_FILE");
    process_rank found = *launched;
    bool const slurm = found.launcher == "Slurm";
    found.file = variable("RHIZOME_COMM_FILE").value_or("");
    found.board = variable("RHIZOME_COMM_BOARD").value_or("");
    found.address = variable("MASTER_ADDR").value_or("");
    if (found.address.empty() && slurm)
        for (char const* const name : {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"})
            if (auto const hosts = variable(name); hosts && found.address.empty())
                found.address = first_host(*hosts);
    found.port = port_of(variable, slurm);
    if (found.size > 1 && found.file.empty() && (found.address.empty() || found.port == 0))
        refuse(std::string(found.launcher) + " started " + std::to_string(found.size) +
               " ranks, but they have no place to meet: set MASTER_ADDR and MASTER_PORT, or "
               "RHIZOME_COMM_FILE to a path "
               "that all ranks share");
    return found;
}

bool is_in_job(environment const& variable) {
    std::optional<process_rank> const launched = rank_of_launcher(variable);
    return launched && (launched->size > 1 || launched->launcher == launchers.front().launcher);
}

} // namespace rhizome::comm
