// SPDX-License-Identifier: Apache-2.0
// A program that runs on rank 0 of a group, and ranks that follow it.
#pragma once

#include <rhizome/runtime/any_graph.hpp>
#include <rhizome/runtime/ranks/any_rank.hpp>
#include <rhizome/runtime/ranks/commands.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace rhizome::runtime {

/// Makes the calls that rank 0 makes, until rank 0 ends its group. Calls that are refused on this rank or on
/// all leave it following. Throws comm::comm_error if the ranks lose each other.
void follow(any_rank& self);

/// Rank 0 of a group whose other ranks follow it. A graph over the ranks can then be used like any other, by
/// a program that runs on rank 0 alone: batches begin there. While rank 0 does something else, for example
/// waits for input, a thread tells the others at times that it is still there, so that their time limit
/// counts silence, not waiting.
class rank_group : public std::enable_shared_from_this<rank_group> {
public:
    static constexpr std::chrono::milliseconds usual_interval{20'000};

    /// Rank 0 of a job: the processes of its other ranks call follow(). `interval`: between signs of life;
    /// less than half of the time limit of the ranks.
    [[nodiscard]] static std::shared_ptr<rank_group>
    lead(std::unique_ptr<any_rank> first, std::chrono::milliseconds interval = usual_interval);
    /// All ranks of a group of this process, rank r at place r. Threads of this process follow.
    [[nodiscard]] static std::shared_ptr<rank_group>
    lead(std::vector<std::unique_ptr<any_rank>> all, std::chrono::milliseconds interval = usual_interval);

    rank_group(rank_group const&) = delete;
    rank_group& operator=(rank_group const&) = delete;
    /// Ends the group: the others stop following.
    ~rank_group();

    [[nodiscard]] int size() const { return first_->size(); }
    [[nodiscard]] std::string space() const { return first_->space(); }

    /// Opens a graph without values over the ranks. The heap is divided among them; choice.space, threads,
    /// seed and memory limit are ignored. `names`: what the graph says of itself. One graph at a time: throws
    /// std::logic_error for another. Otherwise throws as any_rank::open().
    ///
    /// The graph keeps the group. If another rank refuses a batch, the call throws what that rank threw,
    /// exec::out_of_memory or std::runtime_error, and the text names the rank. If ranks lose each other, it
    /// throws comm::comm_error. Batches are staged in host memory. These functions throw
    /// std::invalid_argument: snapshots, queries from host memory and in the space, rows in the space,
    /// columns, weights, vertices inserted and erased, algorithms that algorithm_info does not state to run
    /// over ranks. Of algorithms, the ranks of PageRank come to the host, and of others the figures alone.
    [[nodiscard]] std::unique_ptr<any_graph> open(graph_choice const& choice, graph_names names);

private:
    friend class graph_over_ranks;

    rank_group(std::unique_ptr<any_rank> first, std::chrono::milliseconds interval);
    void give(detail::command const& given);
    /// Tells the others, and calls call(), with the same effect as what they do.
    template <class Call>
    auto together(detail::command const& given, Call const& call);
    void say_that_it_is_there();

    std::unique_ptr<any_rank> first_;
    std::chrono::milliseconds interval_;
    std::mutex mutex_; ///< of the rank: held while a call is made
    std::condition_variable changed_;
    std::chrono::steady_clock::time_point last_given_;
    bool ends_ = false;
    bool has_graph_ = false;
    std::vector<std::thread> followers_;
    std::thread signs_of_life_;
};

} // namespace rhizome::runtime
