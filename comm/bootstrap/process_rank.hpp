// SPDX-License-Identifier: Apache-2.0
// Which rank this process is, from the variables that launchers set.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace rhizome::comm {

/// The place of a process among those of a job.
struct process_rank {
    int rank = 0;
    int size = 1;
    int local_rank = 0;     ///< among the processes of its machine: the device to use
    std::string address{};  ///< host name or address of rank 0; "": unknown
    std::uint16_t port = 0; ///< on which rank 0 listens; 0: unknown
    std::string file{};     ///< a path that all ranks share; "": none. Used instead of the port
    std::string board{};    ///< a path for rank_board, if all ranks are on this machine; "": none
    std::string
        launcher{}; ///< whose variables were found: "torchrun", "Slurm", "Open MPI", "MPICH", "rhizome"
};

/// How to read an environment variable. Tests pass their own.
using environment = std::function<std::optional<std::string>(std::string const&)>;
/// The environment of this process.
[[nodiscard]] std::optional<std::string> process_environment(std::string const& name);

/// Reads the place of this process from the first set of variables that is complete:
///
/// | launcher | variables |
/// |---|---|
/// | rhizome | RHIZOME_RANK, RHIZOME_RANKS, optional RHIZOME_LOCAL_RANK |
/// | torchrun | RANK, WORLD_SIZE, optional LOCAL_RANK |
/// | Open MPI | OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE, OMPI_COMM_WORLD_LOCAL_RANK |
/// | MPICH | PMI_RANK, PMI_SIZE, optional MPI_LOCALRANKID |
/// | Slurm | SLURM_PROCID, SLURM_NTASKS, SLURM_LOCALID |
///
/// Where ranks meet: RHIZOME_COMM_FILE, or else an address and a port. The address is MASTER_ADDR, or with
/// Slurm the first host of SLURM_STEP_NODELIST or SLURM_JOB_NODELIST. The port is RHIZOME_COMM_PORT, or
/// MASTER_PORT, or with Slurm a port that depends on SLURM_JOB_ID and SLURM_STEP_ID. If torchrun's agent
/// itself listens on MASTER_PORT (TORCHELASTIC_USE_AGENT_STORE=True), the next port is used.
///
/// RHIZOME_COMM_BOARD: the path of a rank_board. comm::launch() sets it.
///
/// Throws comm_error, with one line that names the variable, if no set is complete, if a value is not a
/// number in range, or if there are several ranks and no place to meet.
[[nodiscard]] process_rank rank_from_environment(environment const& variable = process_environment);

/// Whether this process is a rank of a job: a set of variables is complete, and has more than one rank, or is
/// our own, which comm::launch() sets. Throws comm_error for values that are no numbers in range.
[[nodiscard]] bool is_in_job(environment const& variable = process_environment);

/// The first host of a list as Slurm writes it: "node[03-07,9],other" gives "node03".
[[nodiscard]] std::string first_host(std::string const& list);

} // namespace rhizome::comm
