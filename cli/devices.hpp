// SPDX-License-Identifier: Apache-2.0
// A command over several devices: which processes and threads are its ranks.
#pragma once

#include <rhizome/cli/command.hpp>
#include <rhizome/runtime/ranks/rank_group.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace rhizome::cli {

/// The processes of a job ended, and not all of them well: what() is one line, which says which rank.
class job_failure : public std::runtime_error {
public:
    job_failure(std::string const& text, int exit_code) : std::runtime_error(text), exit_code_(exit_code) {}
    [[nodiscard]] int exit_code() const { return exit_code_; }

private:
    int exit_code_;
};

/// Starts the ranks of a command over `devices` devices:
/// - space host: ranks are threads of this process; the result leads them.
/// - space cuda, in a job that mpirun, torchrun or Slurm has started: this process is a rank. On rank 0 the
///   result leads the others. On others it is nullptr, once rank 0 has ended.
/// - space cuda otherwise: starts this program again as `devices` processes, and waits. The result is
/// nullptr. If the result is nullptr, the command has been run and nothing is left to do.
///
/// `files`: those that the command reads and writes.
///
/// Throws usage_error where the numbers of ranks, of devices and of --devices do not agree, for space simt,
/// and if processes would have to share standard input or output as a file; std::runtime_error if there is no
/// GPU or no NCCL; job_failure; comm::comm_error.
[[nodiscard]] std::shared_ptr<runtime::rank_group> start_ranks(command_context& context, int devices,
                                                               std::vector<std::string> const& files);

/// Runs a program as `ranks` processes of this machine. Passes on what rank 0 prints, as its own, and what
/// others print, with their ranks, to standard error. Throws job_failure with one line if any of them fails:
/// what rank 0 has said last, if rank 0 ended by itself and is the one that failed.
void run_processes(console& out, std::vector<std::string> const& program_and_words, int ranks);

} // namespace rhizome::cli
