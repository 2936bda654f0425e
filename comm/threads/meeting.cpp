// SPDX-License-Identifier: Apache-2.0
#include <rhizome/comm/deadline.hpp>
#include <rhizome/comm/threads/meeting.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

namespace rhizome::comm::detail {

meeting::meeting(int ranks, std::chrono::milliseconds time_limit)
    : ranks_(ranks), time_limit_(time_limit), present_(static_cast<std::size_t>(ranks), false) {
    for (auto& set : postings_)
        set.resize(static_cast<std::size_t>(ranks));
}

void meeting::tell() {
    changes_.fetch_add(1, std::memory_order_release); // pairs with the load of a rank that polls
    changed_.notify_all();
}

template <class Deadline, class Over>
bool meeting::wait(std::unique_lock<std::mutex>& lock, Deadline const& deadline, Over const& over) {
    auto const begin = std::chrono::steady_clock::now();
    while (!over()) {
        auto const now = std::chrono::steady_clock::now();
        if (now - begin >= polling_time || now >= deadline) break;
        std::uint64_t const seen = changes_.load(std::memory_order_relaxed); // changes with the lock
        lock.unlock();
        while (changes_.load(std::memory_order_acquire) == seen &&
               std::chrono::steady_clock::now() - begin < polling_time)
            std::this_thread::yield();
        lock.lock();
    }
    if (over()) return true;
    if (deadline == Deadline::max()) {
        changed_.wait(lock, over);
        return true;
    }
    return changed_.wait_until(lock, deadline, over);
}

comm_result meeting::arrive(int rank, posting mine) {
    std::unique_lock lock(mutex_);
    if (!failure_.ok()) return failure_;
    std::uint64_t const round = round_;
    char const* const call = mine.call;
    postings_[round % 2][static_cast<std::size_t>(rank)] = std::move(mine);
    present_[static_cast<std::size_t>(rank)] = true;
    if (++arrived_ == ranks_) {
        if (comm_result const match = matched(); !match.ok()) {
            fail_locked(match);
            return failure_;
        }
        arrived_ = 0;
        std::fill(present_.begin(), present_.end(), false);
        ++round_;
        tell();
        return {};
    }
    auto const over = [&] { return round_ != round || !failure_.ok(); };
    if (!wait(lock, deadline_after(time_limit_), over)) fail_locked(missing(call));
    return round_ != round ? comm_result() : failure_;
}

posting const& meeting::of(int rank) const {
    // The caller has arrived, so round_ and this set of postings change only after the caller's next
    // arrive().
    return postings_[(round_ + 1) % 2][static_cast<std::size_t>(rank)];
}

comm_result meeting::finish() {
    std::unique_lock lock(mutex_);
    std::uint64_t const finished = finished_rounds_;
    if (++reading_ == ranks_) {
        reading_ = 0;
        finished_with_ = failure_; // a rank that leaves later does not change how this call ended
        ++finished_rounds_;
        tell();
    } else {
        wait(lock, std::chrono::steady_clock::time_point::max(),
             [&] { return finished_rounds_ != finished; });
    }
    return finished_with_;
}

void meeting::fail(comm_result const& why) {
    std::lock_guard const lock(mutex_);
    fail_locked(why);
}

void meeting::fail_locked(comm_result const& why) {
    if (!failure_.ok()) return; // the first failure is the cause of the others
    failure_ = why;
    tell();
}

comm_result meeting::state() const {
    std::lock_guard const lock(mutex_);
    return failure_;
}

comm_result meeting::matched() const {
    auto const& all = postings_[round_ % 2];
    auto const refuse = [](int rank, std::string const& why) {
        return comm_result::failed(failure::mismatch, rank, why);
    };
    posting const& first = all.front();
    for (int rank = 1; rank < ranks_; ++rank) {
        posting const& other = all[static_cast<std::size_t>(rank)];
        std::string const caller = "rank " + std::to_string(rank) + " called " + other.call;
        if (std::string_view(other.call) != first.call)
            return refuse(rank, caller + ", but rank 0 called " + first.call);
        if (other.element_bytes != first.element_bytes)
            return refuse(rank, caller + " with elements of " + std::to_string(other.element_bytes) +
                                    " bytes, but rank 0 with elements of " +
                                    std::to_string(first.element_bytes));
        if (other.count != first.count)
            return refuse(rank, caller + " with " + std::to_string(other.count) +
                                    " elements, but rank 0 with " + std::to_string(first.count));
        if (other.variant != first.variant)
            return refuse(rank, caller + " with another root, type or reduction than rank 0");
        if (other.words.size() != first.words.size())
            return refuse(rank, caller + " with " + std::to_string(other.words.size()) +
                                    " words, but rank 0 with " + std::to_string(first.words.size()));
        if (first.send_counts.empty() && !std::ranges::equal(other.receive_counts, first.receive_counts))
            return refuse(rank, caller + " with other counts than rank 0");
    }
    if (first.send_counts.empty()) return {};
    for (int sender = 0; sender < ranks_; ++sender)
        for (int receiver = 0; receiver < ranks_; ++receiver) {
            if (receiver == sender) continue; // the rank's own affair
            std::uint64_t const sent =
                all[static_cast<std::size_t>(sender)].send_counts[static_cast<std::size_t>(receiver)];
            std::uint64_t const expected =
                all[static_cast<std::size_t>(receiver)].receive_counts[static_cast<std::size_t>(sender)];
            if (sent != expected)
                return refuse(receiver, std::string(first.call) + ": rank " + std::to_string(receiver) +
                                            " expects " + std::to_string(expected) + " elements from rank " +
                                            std::to_string(sender) + ", which sends " + std::to_string(sent));
        }
    return {};
}

comm_result meeting::missing(char const* call) const {
    int first = no_rank;
    std::string others;
    for (int rank = 0; rank < ranks_; ++rank) {
        if (present_[static_cast<std::size_t>(rank)]) continue;
        if (first == no_rank)
            first = rank;
        else
            others += (others.empty() ? " (also missing: " : ", ") + std::to_string(rank);
    }
    if (!others.empty()) others += ")";
    return comm_result::failed(failure::timed_out, first,
                               "rank " + std::to_string(first) + " did not take part in " + call +
                                   " within " + std::to_string(time_limit_.count()) + " ms" + others);
}

} // namespace rhizome::comm::detail
