// SPDX-License-Identifier: Apache-2.0
// A graph of Python: a runtime::any_graph, the place where it lies, and what keeps calls of several threads
// apart.
#pragma once

#include "place.hpp"

#include <rhizome/runtime/any_graph.hpp>

#include <nanobind/nanobind.h>
#include <sys/types.h>

#include <memory>
#include <mutex>
#include <string>

namespace rhizome::python {

class graph_handle {
public:
    graph_handle(std::shared_ptr<python::place> where, runtime::graph_choice const& choice);
    graph_handle(graph_handle const&) = delete;
    graph_handle& operator=(graph_handle const&) = delete;
    ~graph_handle();

    [[nodiscard]] std::shared_ptr<python::place> const& where() const { return where_; }
    [[nodiscard]] std::uint64_t vertices_made() const { return graph_->vertex_count(); }

    /// Calls function(graph) without Python's lock, while no other thread uses the graph. Throws
    /// std::runtime_error in a process that was forked from the one that made the graph, and after close().
    template <class Function>
    auto use(Function&& function) {
        check_usable();
        nanobind::gil_scoped_release const released;
        std::lock_guard const lock(mutex_);
        if (graph_ == nullptr) throw std::runtime_error("the graph is closed");
        return function(*graph_);
    }
    /// Frees the graph's memory; arrays and snapshots stay. Further calls throw.
    void close();
    [[nodiscard]] bool closed() const { return graph_ == nullptr; }

private:
    void check_usable() const;

    std::shared_ptr<python::place> where_;
    std::unique_ptr<runtime::any_graph> graph_;
    std::mutex mutex_;
    pid_t process_;
};

/// Makes _core.Graph known to Python.
void bind_graph(nanobind::module_& module);

} // namespace rhizome::python
