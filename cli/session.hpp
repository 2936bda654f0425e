// A graph on the space, allocator and layout that the user named: the only place of the tool where types are
// chosen at run time. Everything in the tool speaks to this interface.
#pragma once

#include <rhizome/algorithms/pagerank_options.hpp>
#include <rhizome/graph/batch_report.hpp>
#include <rhizome/graph/memory_report.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rhizome::cli {

/// The choices of --space, --allocator, --layout and their kin.
struct session_options {
    std::string space;     ///< "" means: cuda where a GPU is usable, else host
    std::string allocator; ///< "" means the default of the registry
    std::string layout;    ///< "" means the default of the registry
    bool directed = false;
    bool in_arcs = false;                 ///< directed graphs only: keep the reverse adjacency as well
    bool weights = false;                 ///< edges have weights, of type double
    bool self_loops = true;               ///< keep self-loops; false refuses and counts them
    std::uint64_t heap_bytes = 2u << 20;  ///< the heap's size at the start; it grows by itself
    std::uint64_t memory_limit_bytes = 0; ///< all memory that the graph may take on its space; 0: no limit
    unsigned threads = 0;                 ///< host space: 0 means all cores
    std::uint64_t seed = 1;               ///< simt space: seed of its scheduler
};

struct pagerank_answer {
    std::vector<double> ranks; ///< one a vertex, sums to 1
    unsigned iterations = 0;
    double residual = 0; ///< L1 distance of the last two iterates
    bool converged = false;
};

/// A batch on its way into a session's space, or there.
class staged_edges {
public:
    virtual ~staged_edges() = default;
};

class session {
public:
    virtual ~session() = default;

    [[nodiscard]] virtual std::string space_name() const = 0;  ///< "cuda", "host", "simt"
    [[nodiscard]] virtual std::string device_name() const = 0; ///< "NVIDIA H200", "host, 2 threads", ...
    [[nodiscard]] virtual std::string allocator_name() const = 0;
    [[nodiscard]] virtual std::string layout_name() const = 0;

    [[nodiscard]] virtual std::uint64_t vertex_count() const = 0;
    [[nodiscard]] virtual std::uint64_t edge_count() const = 0; ///< undirected edges count once
    [[nodiscard]] virtual std::uint64_t arc_count() const = 0;

    /// Of the graph: edges that a load best begins with where they ascend.
    [[nodiscard]] virtual std::uint64_t first_load_edges() const = 0;

    /// Throws exec::out_of_memory when the batch does not fit; the graph is then as it was.
    virtual graph::batch_report insert_edges(std::span<graph::edge const> edges) = 0;
    virtual graph::batch_report erase_edges(std::span<graph::edge const> edges) = 0;

    /// For sessions with weights: weights[i] is for edges[i]; a present edge gets the new one. Those without
    /// throw std::logic_error.
    virtual graph::batch_report insert_edges(std::span<graph::edge const> edges,
                                             std::span<double const> weights) = 0;

    /// Copies a batch into the space, beside the work there; `edges` is free on return. Two batches at a
    /// time, to be applied as above while they are kept. Throws exec::out_of_memory.
    /// `weights`: one an edge for insertions into a session with weights, none otherwise.
    [[nodiscard]] virtual std::unique_ptr<staged_edges> stage(std::span<graph::edge const> edges,
                                                              std::span<double const> weights) = 0;
    virtual graph::batch_report insert_edges(staged_edges const& staged) = 0;
    virtual graph::batch_report erase_edges(staged_edges const& staged) = 0;

    virtual pagerank_answer pagerank(algorithms::pagerank_options const& options) = 0;

    /// Triangles of the underlying simple undirected graph. A directed graph is symmetrised for it.
    virtual std::uint64_t count_triangles() = 0;

    [[nodiscard]] virtual std::vector<std::uint32_t> degrees() = 0;
    [[nodiscard]] virtual std::vector<graph::edge> edges() = 0; ///< sorted; undirected: source <= target
    /// One for each of edges(); empty without weights.
    [[nodiscard]] virtual std::vector<double> weights() = 0;
    [[nodiscard]] virtual graph::memory_report memory() = 0;

    /// One line for each broken invariant; empty when the structure is sound.
    [[nodiscard]] virtual std::vector<std::string> validate() = 0;

    virtual void synchronize() = 0; ///< waits for all work given to the space: call before reading a clock
};

/// One choice on an axis.
struct named_choice {
    std::string name;
    std::string summary; ///< one line, for --help and `rhizome info`
};

[[nodiscard]] std::vector<named_choice> spaces();     ///< those this binary was built with
[[nodiscard]] std::vector<named_choice> allocators(); ///< the first is the default
[[nodiscard]] std::vector<named_choice> layouts();    ///< the first is the default

/// All allocators of the list: what bench measures.
[[nodiscard]] std::vector<named_choice> block_allocators();

/// Why the cuda space cannot be used here, or "" where it can: "built without CUDA", "no usable GPU: ...".
[[nodiscard]] std::string cuda_unusable_because();

/// Throws usage_error for a name that is not in the registry, std::runtime_error where the space is not
/// usable on this machine.
[[nodiscard]] std::unique_ptr<session> open_session(std::uint64_t vertex_count,
                                                    session_options const& options);

} // namespace rhizome::cli
