// SPDX-License-Identifier: Apache-2.0
// Parses a text file block by block on several threads, and returns the results in the order of the file.
#pragma once

#include <rhizome/io/block_source.hpp>
#include <rhizome/io/line_scanner.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace rhizome::io {

/// Parses the part of a file that was not read yet. `Part` is the result of parsing one block, for instance
/// a vector of edges.
///
///     block_parser<std::vector<graph::edge>> parser(from, 0, [](line_scanner& lines, auto& edges) {
///         edges.clear();
///         for (; !lines.at_end(); lines.next_line()) edges.push_back(...);
///     });
///     while (parser.next(edges)) ...
///
/// Each block is parsed without knowledge of those before it. If the parse function throws a parse_error,
/// next() corrects its line number to that of the file. next() throws the error that comes first in the
/// file.
template <class Part>
class block_parser {
public:
    using parse_function = std::function<void(line_scanner&, Part&)>;

    /// `threads`: number of parsing threads; 0: one per core. `ahead`: how many parts may wait for next();
    /// 0: any number. These threads call `parse`, for several blocks at the same time. Its second argument
    /// is empty, or a part that the caller returned to next(): `parse` must clear it. `from`, and all
    /// objects to which `parse` refers, must outlive this object.
    block_parser(input& from, unsigned threads, parse_function parse, std::size_t ahead = 0)
        : name_(from.name()), source_(from), parse_(std::move(parse)), lines_(source_.lines_before()),
          ahead_(ahead == 0 ? std::numeric_limits<std::size_t>::max() : ahead) {
        if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
        threads = static_cast<unsigned>(std::clamp<std::uint64_t>(source_.most_blocks(), 1, threads));
        threads_.reserve(threads);
        try {
            while (threads_.size() < threads)
                threads_.emplace_back([this] { work(); });
        } catch (std::system_error const&) { // no further thread can be had
            if (threads_.empty()) throw;
        }
    }
    block_parser(block_parser const&) = delete;
    block_parser& operator=(block_parser const&) = delete;
    /// Waits for the threads. If one of them waits for a pipe, wakes it; the input cannot be read any more
    /// then.
    ~block_parser() {
        {
            std::lock_guard const lock(mutex_);
            stopped_ = true;
            changed_.notify_all();
            if (!at_end_) source_.cancel();
        }
        for (std::thread& each : threads_)
            each.join();
    }

    /// Waits for the next part and swaps it into `part`. A later block reuses the memory of the old `part`.
    /// Returns false at the end of the file. Throws what reading and parsing threw; do not call next() again
    /// then.
    bool next(Part& part) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] {
            return (!results_.empty() && results_.front().is_done) || (at_end_ && results_.empty()) ||
                   lost_ != nullptr;
        });
        if (lost_ != nullptr) std::rethrow_exception(std::exchange(lost_, nullptr));
        if (results_.empty()) return false;
        result& first = results_.front();
        if (first.failure != nullptr) {
            std::exception_ptr const failure = std::exchange(first.failure, nullptr);
            std::uint64_t const before = first.is_of_source ? 0 : lines_;
            lock.unlock();
            rethrow(failure, before);
        }
        lines_ += first.lines;
        ended_with_newline_ = first.lines == 0 ? ended_with_newline_ : first.ended_with_newline;
        fraction_ = first.fraction;
        std::swap(part, first.part);
        room_.push_back(std::move(first.part));
        results_.pop_front();
        ++given_;
        changed_.notify_all();
        return true;
    }

    /// Returns the number of the last line of the parts that next() has returned.
    [[nodiscard]] std::uint64_t line_number() const { return lines_; }
    /// Returns whether these parts end with a line end.
    [[nodiscard]] bool ended_with_newline() const { return ended_with_newline_; }
    /// Returns the share of the file that next() has returned so far, in [0, 1]; a negative number if
    /// unknown.
    [[nodiscard]] double fraction_read() const { return fraction_; }

private:
    struct result {
        Part part{};
        std::exception_ptr failure;
        std::uint64_t lines = 0;
        double fraction = -1;
        bool is_of_source = false; ///< the failure: its line counts from the first one of the file
        bool ended_with_newline = true;
        bool is_done = false;
    };

    [[noreturn]] static void rethrow(std::exception_ptr const& failure, std::uint64_t lines_before) {
        try {
            std::rethrow_exception(failure);
        } catch (parse_error const& error) {
            throw error.moved_down(lines_before);
        }
    }

    void work() {
        std::exception_ptr failure;
        try {
            parse_all();
            return;
        } catch (...) { // no memory for a result: next() would wait for it
            failure = std::current_exception();
        }
        std::lock_guard const lock(mutex_);
        lost_ = std::move(failure);
        at_end_ = true;
        changed_.notify_all();
    }

    void parse_all() {
        text_block block;
        for (;;) {
            Part part{};
            std::uint64_t number = 0;
            if (!take(block, part, number)) return;
            std::exception_ptr failure;
            std::uint64_t lines = 0;
            bool ended_with_newline = true;
            try {
                source_.load(block);
                auto const ends = std::count(block.text.begin(), block.text.end(), '\n');
                ended_with_newline = block.text.empty() || block.text.back() == '\n';
                lines = static_cast<std::uint64_t>(ends) + (ended_with_newline ? 0 : 1);
                line_scanner scanner(name_, {block.text, 1});
                parse_(scanner, part);
            } catch (...) {
                failure = std::current_exception();
            }
            std::lock_guard const lock(mutex_);
            result& place = results_[static_cast<std::size_t>(number - given_)];
            std::swap(place.part, part);
            place.failure =
                std::move(failure); // moved: the thread in next() frees the exception, not this one
            place.lines = lines;
            place.ended_with_newline = ended_with_newline;
            place.is_done = true;
            at_end_ = at_end_ || place.failure != nullptr;
            changed_.notify_all();
        }
    }

    /// Takes a block from the source, and reserves the place of its result. Returns false if no block is
    /// left.
    bool take(text_block& block, Part& part, std::uint64_t& number) {
        std::lock_guard const reading(reading_);
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return stopped_ || at_end_ || results_.size() < ahead_; });
            if (stopped_ || at_end_) return false;
        }
        std::exception_ptr failure;
        bool any = false;
        try {
            any = source_.take(block);
        } catch (...) {
            failure = std::current_exception();
        }
        std::lock_guard const lock(mutex_);
        if (!any) {
            at_end_ = true;
            if (failure != nullptr) {
                results_.push_back({});
                results_.back().failure = std::move(failure);
                results_.back().is_of_source = true;
                results_.back().is_done = true;
            }
            changed_.notify_all();
            return false;
        }
        number = given_ + results_.size();
        results_.push_back({});
        results_.back().fraction = source_.fraction_taken();
        if (!room_.empty()) {
            std::swap(part, room_.back());
            room_.pop_back();
        }
        return true;
    }

    std::string name_;
    block_source source_;
    parse_function parse_;
    std::mutex reading_; ///< held while a block is taken
    std::mutex mutex_;   ///< of all below
    std::condition_variable changed_;
    std::deque<result> results_; ///< of the blocks that were taken, in the order of the file
    std::vector<Part> room_;
    std::uint64_t given_ = 0; ///< results that next() gave
    std::uint64_t lines_;
    std::size_t ahead_;
    double fraction_ = -1;
    std::exception_ptr lost_; ///< what ended a thread
    bool at_end_ = false;     ///< no further block is taken
    bool stopped_ = false;
    bool ended_with_newline_ = true;
    std::vector<std::thread> threads_;
};

} // namespace rhizome::io
