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
#endif

namespace rhizome::exec {

#if RZ_THREAD_SANITIZER

void parallel_ranges(unsigned threads, std::uint64_t count, void (*body)(void*, std::uint64_t, std::uint64_t),
                     void* context) {
    if (threads <= 1 || count <= 1) {
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
    std::vector<std::thread> workers;
    for (unsigned worker = 0; worker < threads; ++worker)
        workers.emplace_back(work);
    for (auto& worker : workers)
        worker.join();
    if (first_error) std::rethrow_exception(first_error);
}

#else

void parallel_ranges(unsigned threads, std::uint64_t count, void (*body)(void*, std::uint64_t, std::uint64_t),
                     void* context) {
    if (threads <= 1 || count <= 1) {
        if (count != 0) body(context, 0, count);
        return;
    }
    tbb::task_arena arena(static_cast<int>(threads));
    arena.execute([&] {
        tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, count),
                          [&](auto const& range) { body(context, range.begin(), range.end()); });
    });
}

#endif

} // namespace rhizome::exec
