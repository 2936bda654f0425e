// SPDX-License-Identifier: Apache-2.0
// A graph of Python: a runtime::any_graph, the place where it lies, and what keeps calls of several threads
// apart.
#pragma once

#include "place.hpp"

#include <rhizome/runtime/any_graph.hpp>

#include <nanobind/nanobind.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

namespace rhizome::python {

/// Ids of vertices are int32 in Python.
inline constexpr std::uint64_t most_vertices = 0x7fff'ffff;

class graph_handle {
public:
    graph_handle(std::shared_ptr<python::place> where, runtime::graph_choice const& choice);
    graph_handle(graph_handle const&) = delete;
    graph_handle& operator=(graph_handle const&) = delete;
    ~graph_handle();

    [[nodiscard]] std::shared_ptr<python::place> const& where() const { return where_; }

    /// Calls function(graph) without Python's lock, while no other thread uses the graph. Throws
    /// std::runtime_error in a process that was forked from the one that made the graph, and after close().
    template <class Function>
    auto use(Function&& function) {
        check_usable();
        return exclusively([&] {
            if (graph_ == nullptr) throw std::runtime_error("the graph is closed");
            return function(*graph_);
        });
    }
    /// Calls function() without Python's lock, while no other thread uses the graph. Throws
    /// std::runtime_error if this thread uses it already: in a signal handler or a finalizer that runs while
    /// a call waits.
    template <class Function>
    auto exclusively(Function&& function) {
        if (user_.load() == std::this_thread::get_id())
            throw std::runtime_error("the graph is in use by the call which this code, a signal handler or a "
                                     "finalizer, interrupts");
        nanobind::gil_scoped_release const released;
        std::lock_guard const lock(mutex_);
        struct noted {
            std::atomic<std::thread::id>& user;
            explicit noted(std::atomic<std::thread::id>& of) : user(of) { user = std::this_thread::get_id(); }
            noted(noted const&) = delete;
            noted& operator=(noted const&) = delete;
            ~noted() { user = std::thread::id(); }
        } const note(user_);
        return function();
    }
    /// Frees the graph's memory; arrays and snapshots stay. Further calls throw.
    void close();
    [[nodiscard]] bool closed() const { return closed_; }

private:
    void check_usable() const;

    std::shared_ptr<python::place> where_;
    std::unique_ptr<runtime::any_graph> graph_;
    std::atomic<bool> closed_ = false;
    std::mutex mutex_;
    std::atomic<std::thread::id> user_{}; ///< the thread that holds it
    pid_t process_;
};

/// Makes _core.Graph known to Python.
void bind_graph(nanobind::module_& module);

} // namespace rhizome::python
