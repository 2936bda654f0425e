// SPDX-License-Identifier: Apache-2.0
// Whether the contents of a graph are known.
#pragma once

#include <rhizome/exec/errors.hpp>

#include <exception>
#include <stdexcept>

namespace rhizome::graph::batch {

/// A change takes several kernels, and the space may fail between two of them. The graph is then neither
/// unchanged nor changed as a whole. Such a graph is broken for good, and reports it. Each part of a change
/// that may leave a graph so goes through one of the functions below.
class integrity {
public:
    [[nodiscard]] bool broken() const { return broken_; }
    /// Throws std::logic_error if the graph is broken.
    void expect_whole() const {
        if (broken_)
            throw std::logic_error("an earlier change broke off midway: what the graph holds is not known");
    }

    /// Calls `work` and returns its result. If it throws, the graph is broken.
    template <class Work>
    auto change(Work const& work) {
        try {
            return work();
        } catch (...) {
            broken_ = true;
            throw;
        }
    }
    /// The same for work that allocates before it changes anything: out_of_memory leaves the graph unbroken.
    template <class Work>
    auto change_or_refuse(Work const& work) {
        try {
            return work();
        } catch (exec::out_of_memory const&) {
            throw;
        } catch (...) {
            broken_ = true;
            throw;
        }
    }
    /// Calls `work`, the end of a change whose outcome is known and will be reported. Throws nothing. If
    /// `work` throws, the graph is broken, which the next change reports.
    template <class Work>
    void conclude(Work const& work) noexcept {
        try {
            work();
        } catch (...) {
            broken_ = true;
        }
    }
    /// The same for work that only makes later changes faster. It may run out of memory. It is not called on
    /// a broken graph.
    template <class Work>
    void prepare(Work const& work) noexcept {
        if (broken_) return;
        conclude([&] {
            try {
                work();
            } catch (exec::out_of_memory const&) {
                // later changes do without it
            }
        });
    }

private:
    bool broken_ = false;
};

/// Calls a function, which throws nothing, at the end of a scope, also if an exception leaves it.
template <class Function>
class on_exit {
public:
    explicit on_exit(Function const& function) : function_(function) {}
    on_exit(on_exit const&) = delete;
    on_exit& operator=(on_exit const&) = delete;
    ~on_exit() { function_(); }

private:
    Function function_;
};

/// Calls a function, which throws nothing, when an exception leaves a scope.
template <class Function>
class on_exception {
public:
    explicit on_exception(Function const& function) : function_(function) {}
    on_exception(on_exception const&) = delete;
    on_exception& operator=(on_exception const&) = delete;
    ~on_exception() {
        if (std::uncaught_exceptions() > exceptions_before_) function_();
    }

private:
    Function function_;
    int exceptions_before_ = std::uncaught_exceptions();
};

} // namespace rhizome::graph::batch
