// SPDX-License-Identifier: Apache-2.0
// Where a graph of Python lies: the memory of the process or of a CUDA device, and the order of its work.
#pragma once

#include <rhizome/graph/types.hpp>
#include <rhizome/runtime/any_graph.hpp>
#include <rhizome/runtime/graph_choice.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rhizome::python {

/// Numbers of vertices in an array of the place: of 32 or 64 bits.
struct id_column {
    void const* ids = nullptr;
    std::uint64_t count = 0;
    bool wide = false; ///< 64 bits each
};

/// A space, without its type. Work given to it runs in order; on a device the host does not wait for it. Two
/// threads must not use one place at the same time.
class place {
public:
    virtual ~place() = default;

    /// Opens a graph there; `choice.space` and its memory limit play no part.
    [[nodiscard]] virtual std::unique_ptr<runtime::any_graph> open(runtime::graph_choice const& choice) = 0;

    [[nodiscard]] virtual bool is_device() const = 0;
    [[nodiscard]] virtual int device() const = 0;       ///< the number of the CUDA device; 0 on the host
    [[nodiscard]] virtual std::string name() const = 0; ///< "cpu", "cuda:0"
    /// The stream of the place as a number; 0 on the host.
    [[nodiscard]] virtual std::uintptr_t stream() const = 0;

    /// Later work of the place comes after what this stream of the device has been given so far.
    virtual void wait_for_stream(std::uintptr_t stream) = 0;
    /// Later work of this stream comes after what the place has been given so far.
    virtual void let_stream_wait(std::uintptr_t stream) = 0;
    virtual void synchronize() = 0;
    virtual void synchronize_device() = 0; ///< waits for all streams of the device

    /// Memory for results, which does not count towards the graph's memory limit. Throws exec::out_of_memory.
    [[nodiscard]] virtual void* allocate(std::uint64_t bytes) = 0;
    /// Frees it after all work of the place, and after what `streams`, which have read it, have been given so
    /// far. `streams_unknown`: after everything on the device. Never throws.
    virtual void free(void* memory, std::vector<std::uintptr_t> const& streams, bool streams_unknown) = 0;

    virtual void copy(void* to, void const* from, std::uint64_t bytes) = 0;
    virtual void copy_in(void* to, void const* on_host, std::uint64_t bytes) = 0;
    virtual void copy_out(void* to_host, void const* from, std::uint64_t bytes) = 0; ///< waits
    /// Copies elements that lie `stride_bytes` apart into neighbouring ones.
    virtual void gather(void* to, void const* from, std::uint64_t count, std::uint64_t element_bytes,
                        std::int64_t stride_bytes) = 0;

    /// The device on which the memory lies; -1: on the host.
    [[nodiscard]] virtual int device_of(void const* memory) const = 0;

    /// The index of the first id, over both columns, that is `limit` or more; -1 if there is none. Waits.
    [[nodiscard]] virtual std::int64_t first_outside(id_column const& first, id_column const& second,
                                                     std::uint64_t limit) = 0;
    /// Writes ids as 32 bits each. Those that need more become graph::no_vertex.
    virtual void narrow(id_column const& from, graph::vertex_id* to) = 0;
    /// Writes the pairs of two columns. Precondition: as many ids in both.
    virtual void pair(id_column const& sources, id_column const& targets, graph::edge* to) = 0;
};

/// `threads`: 0: one per core. `memory_limit_bytes`: 0: no limit.
[[nodiscard]] std::shared_ptr<place> host_place(unsigned threads, std::uint64_t memory_limit_bytes);
/// Throws std::runtime_error where the device cannot be used, and in a build without CUDA.
[[nodiscard]] std::shared_ptr<place> cuda_place(int device, std::uint64_t memory_limit_bytes);
/// Why no CUDA device can be used; "" if one can.
[[nodiscard]] std::string cuda_unusable_because();
/// 0 where none can be used.
[[nodiscard]] int cuda_device_count();

} // namespace rhizome::python
