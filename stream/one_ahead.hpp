// SPDX-License-Identifier: Apache-2.0
// A thread that makes the next item while the present one is in use.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace rhizome::stream {

/// Items of a sequence, each made by a thread while the caller uses the one before. If making an item throws,
/// next() throws the same in the place of the item, and the sequence ends. The destructor does not wait for
/// the thread, which may wait for an open pipe for ever: the thread then goes on until the process ends. So
/// `make` must own what it uses, or share in it.
template <class Item>
class one_ahead {
public:
    /// `make` fills in the next item, or returns false at the end. The thread calls it, and no more after it
    /// has returned false or thrown. The item that it fills may be one that was passed to next(), whose
    /// memory it may reuse.
    explicit one_ahead(std::function<bool(Item&)> make) : shared_(std::make_shared<shared>(std::move(make))) {
        std::thread([shared = shared_] { shared->make_all(); }).detach();
    }
    one_ahead(one_ahead const&) = delete;
    one_ahead& operator=(one_ahead const&) = delete;
    ~one_ahead() {
        std::lock_guard const lock(shared_->mutex);
        shared_->wanted = false;
        shared_->changed.notify_all();
    }

    /// The next item, waiting for it; false at the end. Throws what making it has thrown.
    bool next(Item& item) {
        std::unique_lock lock(shared_->mutex);
        shared_->changed.wait(lock, [&] { return shared_->now != state::making; });
        if (shared_->now == state::failed) {
            // Taken out of the shared state: otherwise the thread might destroy an exception that the caller
            // uses.
            shared_->now = state::ended;
            std::rethrow_exception(std::exchange(shared_->failure, nullptr));
        }
        if (shared_->now == state::ended) return false;
        std::swap(item, shared_->item);
        shared_->now = state::making;
        shared_->changed.notify_all();
        return true;
    }
    /// Whether an item is there, so that next() gives it at once.
    [[nodiscard]] bool has_next() const {
        std::lock_guard const lock(shared_->mutex);
        return shared_->now == state::made;
    }

private:
    enum class state { making, made, ended, failed };

    /// Shared by the object and its thread: the last of the two frees it.
    struct shared {
        explicit shared(std::function<bool(Item&)> make_in) : make(std::move(make_in)) {}

        void make_all() {
            for (;;) {
                state outcome = state::failed;
                try {
                    outcome = make(item) ? state::made : state::ended;
                } catch (...) {
                    failure = std::current_exception();
                }
                std::unique_lock lock(mutex);
                now = outcome;
                changed.notify_all();
                if (outcome != state::made) return;
                changed.wait(lock, [&] { return now == state::making || !wanted; });
                if (!wanted) return;
            }
        }

        std::function<bool(Item&)> make;
        std::mutex mutex;
        std::condition_variable changed;
        state now = state::making;
        bool wanted = true;
        Item item; ///< the thread's while it is being made; so is the failure
        std::exception_ptr failure;
    };

    std::shared_ptr<shared> shared_;
};

} // namespace rhizome::stream
