// Whether it is known what a graph holds.
#pragma once

#include <rhizome/exec/errors.hpp>

#include <exception>
#include <stdexcept>

namespace rhizome::graph::batch {

/// A change takes several programs, and the space may fail between two of them: the graph is then neither as
/// it was nor as it should be. Such a graph is broken for good, and says so. Everything of a change that may
/// leave this behind goes through one of the functions below.
class integrity {
public:
    [[nodiscard]] bool broken() const { return broken_; }
    /// Throws std::logic_error where the graph is broken.
    void expect_whole() const {
        if (broken_)
            throw std::logic_error("an earlier change broke off midway: what the graph holds is not known");
    }

    /// Calls `work` and hands on what it returns. The graph is broken if it throws.
    template <class Work>
    auto change(Work const& work) {
        try {
            return work();
        } catch (...) {
            broken_ = true;
            throw;
        }
    }
    /// The same for work that asks for memory before it changes anything: out_of_memory breaks nothing.
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
    /// Calls what ends a change whose outcome is known, and is to be reported: throws nothing. The graph is
    /// broken if `work` throws, which the next change says.
    template <class Work>
    void conclude(Work const& work) noexcept {
        try {
            work();
        } catch (...) {
            broken_ = true;
        }
    }
    /// The same for work that only makes later changes faster. It may be refused memory. On a broken graph it
    /// is not called.
    template <class Work>
    void prepare(Work const& work) noexcept {
        if (broken_) return;
        conclude([&] {
            try {
                work();
            } catch (exec::out_of_memory const&) {
                // later changes do without
            }
        });
    }

private:
    bool broken_ = false;
};

/// Calls a function, which throws nothing, when a scope is left by an exception.
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
