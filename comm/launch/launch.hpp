// SPDX-License-Identifier: Apache-2.0
// Starts the ranks of a job as processes of this machine, and ends them together.
#pragma once

#include <rhizome/comm/result.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace rhizome::comm {

struct launch_options {
    int ranks = 1;
    /// Called with each line that a rank writes, without its end; `errors`: to standard error. Empty: the
    /// line goes to this program's standard output or error, after "rank 3: ".
    std::function<void(int rank, bool errors, std::string_view line)> on_line = {};
    /// How long all ranks together may take. 0: as long as they like.
    std::chrono::milliseconds time_limit{0};
    /// After a failure, the time in which other failures are awaited: a rank that a signal ends may be
    /// reported after one that ended because of it.
    std::chrono::milliseconds settling{300};
    /// The time between asking a process to end (SIGTERM) and ending it (SIGKILL).
    std::chrono::milliseconds grace{5000};
};

/// How a job ended.
struct launch_end {
    comm_result result; ///< ok if all ranks ended with exit code 0; otherwise names the rank
    int exit_code = 0;  ///< of the rank that failed, or 128 + number of a signal, as a shell reports it

    [[nodiscard]] bool ok() const { return result.ok(); }
};

/// Starts a program `ranks` times, with its words, and waits until all have ended. No shell is involved.
///
/// Each process gets RHIZOME_RANK, RHIZOME_RANKS, RHIZOME_LOCAL_RANK (its rank) and RHIZOME_COMM_FILE (a path
/// in a folder of this launch, which is removed at the end), so that rank_from_environment() and
/// exchange_for() work, and RHIZOME_COMM_BOARD, so that failures of the backend `nccl` name the rank. It
/// reads nothing (/dev/null), has a process group of its own, and is killed if this process ends.
///
/// If a rank ends with another exit code than 0 or by a signal, the others are asked to end after
/// `settling`, and killed after `grace`, with all that they started. The call returns at most about
/// settling + 2 * grace later: as soon as all have ended. The result names the rank that failed first, or one
/// that a signal ended, with the last line that it wrote to standard error, and says which ranks still ran.
/// The same happens after `time_limit`; the result then names the ranks that had not ended.
///
/// SIGINT, SIGTERM and SIGHUP are passed on to all ranks; those that still run after `grace` are killed. The
/// exit code then is 128 + the signal's number.
///
/// Throws std::invalid_argument for less than 1 rank, std::runtime_error if a process cannot be started.
/// Called by one thread at a time.
[[nodiscard]] launch_end launch(std::vector<std::string> const& program_and_words,
                                launch_options const& options);

} // namespace rhizome::comm
