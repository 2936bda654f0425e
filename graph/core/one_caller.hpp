// SPDX-License-Identifier: Apache-2.0
// Notices threads that use one graph at the same time, which is forbidden.
#pragma once

#include <atomic>
#include <stdexcept>
#include <thread>
#include <utility>

namespace rhizome::graph {

/// The host thread inside a graph, if there is one. Another one would find scratch and reports of the first
/// one, or wait for a report that never comes: it gets an exception before it has touched anything. Cost:
/// some ten nanoseconds per call.
class one_caller {
public:
    class visit {
    public:
        visit(visit const&) = delete;
        visit& operator=(visit const&) = delete;
        ~visit() {
            if (entered_ != nullptr) entered_->store({}, std::memory_order_release);
        }

    private:
        friend class one_caller;
        explicit visit(std::atomic<std::thread::id>* entered) : entered_(entered) {}

        std::atomic<std::thread::id>* entered_; ///< nullptr: the thread was inside already
    };

    /// The calling thread is inside until the visit ends. It may enter again meanwhile. Throws
    /// std::logic_error if another one is inside.
    [[nodiscard]] visit enter() {
        std::thread::id const own = std::this_thread::get_id();
        std::thread::id inside{};
        if (inside_.compare_exchange_strong(inside, own, std::memory_order_acquire,
                                            std::memory_order_relaxed))
            return visit(&inside_);
        if (inside != own) throw std::logic_error("two threads use one graph at the same time");
        return visit(nullptr);
    }

    /// The same for a stay that release() ends. Whether the thread was outside before: then release() is due.
    [[nodiscard]] bool hold() {
        visit own = enter();
        return std::exchange(own.entered_, nullptr) != nullptr;
    }
    void release() { inside_.store({}, std::memory_order_release); }

private:
    std::atomic<std::thread::id> inside_{};
};

} // namespace rhizome::graph
