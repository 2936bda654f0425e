// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/host/parallel.hpp>
#include <rhizome/exec/host/sanitizers.hpp>

#if RZ_THREAD_SANITIZER
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>
#else
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <chrono>
#endif

namespace rhizome::exec {

#if RZ_THREAD_SANITIZER

struct thread_team::workers {};

thread_team::thread_team(unsigned threads) : threads_(threads) {}

void thread_team::for_ranges(std::uint64_t count, void (*body)(void*, std::uint64_t, std::uint64_t),
                             void* context) {
    if (threads_ <= 1 || count <= 1) {
        if (count != 0) body(context, 0, count);
        return;
    }
    std::atomic<std::uint64_t> next{0};
    std::mutex mutex;
    std::exception_ptr first_error;
    auto work = [&] {
        try {
            for (std::uint64_t item; (item = next.fetch_add(1, std::memory_order_relaxed)) < count;)
                body(context, item, item + 1);
        } catch (...) {
            std::lock_guard lock(mutex);
            if (!first_error) first_error = std::current_exception();
        }
    };
    std::vector<std::thread> team;
    for (unsigned worker = 0; worker < threads_; ++worker)
        team.emplace_back(work);
    for (auto& worker : team)
        worker.join();
    if (first_error) std::rethrow_exception(first_error);
}

#else

struct thread_team::workers {
    explicit workers(unsigned threads) : arena(static_cast<int>(threads)) {}
    tbb::task_arena arena; // takes threads when it is used first
};

thread_team::thread_team(unsigned threads)
    : threads_(threads), workers_(threads > 1 ? new workers(threads) : nullptr) {}

namespace {

using clock = std::chrono::steady_clock;

// Waking a thread takes the caller some microseconds, and the thread, if it sleeps deeply, some tens. The
// remaining time is estimated from the work done so far; below these values a loop ends sooner on one thread.
constexpr auto least_seen = std::chrono::microseconds(20);
constexpr auto least_left = std::chrono::microseconds(40);

/// Runs items from the first on, one by one, until the remaining work is worth waking other threads. Returns
/// how many are done.
std::uint64_t run_alone(std::uint64_t count, void (*body)(void*, std::uint64_t, std::uint64_t),
                        void* context) {
    constexpr std::uint64_t looks_often = 4; // then at every fourth item: a look takes as long as a short one
    clock::time_point const begin = clock::now();
    for (std::uint64_t done = 0; done < count;) {
        body(context, done, done + 1);
        ++done;
        if (done > looks_often && done % looks_often != 0) continue;
        auto const seen = clock::now() - begin;
        auto const left = seen / done * (count - done);
        if (seen >= least_seen && left >= least_left) return done;
    }
    return count;
}

} // namespace

void thread_team::for_ranges(std::uint64_t count, void (*body)(void*, std::uint64_t, std::uint64_t),
                             void* context) {
    if (workers_ == nullptr || count <= 1) {
        if (count != 0) body(context, 0, count);
        return;
    }
    std::uint64_t const done = run_alone(count, body, context);
    if (done == count) return;
    workers_->arena.execute([&] {
        tbb::parallel_for(tbb::blocked_range<std::uint64_t>(done, count),
                          [&](auto const& range) { body(context, range.begin(), range.end()); });
    });
}

#endif

thread_team::~thread_team() = default;

} // namespace rhizome::exec
