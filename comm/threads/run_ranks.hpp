// SPDX-License-Identifier: Apache-2.0
// Runs a function on every rank of a group of threads.
#pragma once

#include <rhizome/comm/threads/thread_communicator.hpp>

#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rhizome::comm {

/// Calls function(communicator) on a thread per space, rank r with spaces[r], and returns when all threads
/// have ended. If the function throws on a rank, calls of the other ranks that wait for it fail and name it
/// with the exception's message. After all threads have ended, run_ranks throws the exception that came
/// first. Throws exec::out_of_memory if a space has no memory for the scratch of a communicator, and
/// std::system_error if a thread cannot start; the ranks that run then fail as if that one had thrown.
template <class Space, class Function>
void run_ranks(std::vector<Space> spaces, Function const& function, comm_options const& options = {}) {
    thread_group<Space> group(static_cast<int>(spaces.size()), options);
    std::vector<std::unique_ptr<communicator<Space>>> ends;
    for (std::size_t rank = 0; rank < spaces.size(); ++rank)
        ends.push_back(group.join(static_cast<int>(rank), spaces[rank]));

    std::mutex mutex;
    std::exception_ptr first;
    auto const note = [&] {
        std::lock_guard const lock(mutex);
        if (first == nullptr) first = std::current_exception();
    };
    auto const run = [&](int rank) {
        auto const end = std::move(ends[static_cast<std::size_t>(rank)]);
        try {
            function(*end);
        } catch (std::exception const& error) { // the exception is noted before it can cause others
            note();
            group.fail(rank, std::string("threw: ") + error.what());
        } catch (...) {
            note();
            group.fail(rank, "threw an exception");
        }
    };
    std::vector<std::thread> threads;
    threads.reserve(ends.size());
    try {
        while (threads.size() < ends.size())
            threads.emplace_back(run, static_cast<int>(threads.size()));
    } catch (std::exception const& error) { // the ranks that run would wait for those that do not
        note();
        group.fail(static_cast<int>(threads.size()), std::string("could not start: ") + error.what());
    }
    for (auto& thread : threads)
        thread.join();
    if (first != nullptr) std::rethrow_exception(first);
}

} // namespace rhizome::comm
