// SPDX-License-Identifier: Apache-2.0
// A dynamic graph whose vertices are divided among ranks.
#pragma once

#include <rhizome/comm/communicator.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/batch_report.hpp>
#include <rhizome/graph/compaction_report.hpp>
#include <rhizome/graph/core/vertex_ids.hpp>
#include <rhizome/graph/csr.hpp>
#include <rhizome/graph/dynamic_graph.hpp>
#include <rhizome/graph/memory_report.hpp>
#include <rhizome/graph/options.hpp>
#include <rhizome/graph/partition/agreement.hpp>
#include <rhizome/graph/partition/exchange.hpp>
#include <rhizome/graph/partition/owners.hpp>
#include <rhizome/graph/partition/partition_view.hpp>
#include <rhizome/graph/queries.hpp>
#include <rhizome/graph/query_answers.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace rhizome::graph {

/// A dynamic graph over the ranks of a communicator. Each vertex is **owned** by one rank, which has its row
/// (with in_arcs: both rows). Neighbours are ids of the whole graph. An undirected edge is two arcs, one at
/// the owner of each end.
///
/// Calls marked **collective** are made by all ranks, in the same order. A batch may begin on any ranks: each
/// passes a share, which may be empty. A collective call changes the graph on all ranks or on none. If a rank
/// refuses, for example for lack of memory, its own exception is thrown there, and refused_by_rank on the
/// others; the graph is unchanged on all. Wrong arguments of one rank count as a refusal.
///
/// If ranks cannot communicate (one has left, hangs, or failed), the call throws comm::comm_error, which
/// names the rank if it is known, within about the time limit of the communicator; the graph is unchanged. If
/// that happens during the vote on a batch or after it, ranks may differ: the graph is then **broken** on the
/// ranks that notice. If a rank's space fails in the middle of a change, the graph is broken on all ranks,
/// the exception of the space is thrown there, and std::runtime_error on the others. Changes of a broken
/// graph throw std::logic_error.
///
/// - Owners: an owner_policy with as many ranks as the communicator, the same on all ranks.
/// - EdgeValue: void, or any trivially copyable type.
/// - Id: vertex_id or wide_vertex_id. The limits of dynamic_graph on vertices hold for the rows of each rank.
///   With vertex_id they also hold for the vertices of all ranks together.
///
/// The layout is contiguous. All device work runs in the order of the communicator's space. The communicator
/// must outlive the graph. Neither copied nor moved.
template <class Space, owner_policy Owners = modulo_owners, class EdgeValue = void, class Id = vertex_id>
class partitioned_graph {
public:
    using id_type = Id;
    using edge_type = basic_edge<Id>;
    /// The graph of one rank.
    using graph_type = basic_dynamic_graph<Id, Space, contiguous, default_allocator<Space>, EdgeValue>;
    using value_type = typename graph_type::value_type;
    using view_type = partition_view<typename graph_type::view_type, Owners>;
    /// Lists of what changes did to the edges. Functions that change edges append to `changes`, if it is not
    /// nullptr: each rank lists the edges whose representative arc it has, wherever they were passed. Only
    /// ranks that pass lists get any.
    using changes_type = typename graph_type::changes_type;
    static constexpr bool has_values = graph_type::has_values;

    /// Collective. Makes a graph of options.vertices live vertices without edges. heap_bytes, reserve_bytes
    /// and scratch are those of this rank; the other options are the same on all ranks. Throws as the
    /// constructor of dynamic_graph, and std::invalid_argument if the ranks' options or owners differ, or
    /// there are not as many owners as ranks. Otherwise as the class states; no rank then has a graph.
    partitioned_graph(comm::communicator<Space>& self, Owners const& owners,
                      graph_options const& options = {});
    partitioned_graph(partitioned_graph const&) = delete;
    partitioned_graph& operator=(partitioned_graph const&) = delete;

    /// Collective. Inserts the edges that all ranks pass, in host memory, as one batch. Returns the report of
    /// the whole batch on every rank: its total() is the number of edges of all ranks. Throws out_of_memory,
    /// std::length_error for more than 2^32 - 2 arcs of one rank or for one, and as the class states.
    ///
    /// Cost: the arcs are grouped by owner in two passes over the edges, of which the second writes them and
    /// their values into the memory of the owners, or else to scratch, from which they are sent; they are
    /// applied by dynamic_graph at the owners; three small exchanges of words: the counts, the vote, and the
    /// report. If a rank gets more arcs than in earlier batches, one or two more. Where ranks reach each
    /// other's memory, after that and after a rank has released its scratch, also two or three more for the
    /// arcs, and as many for the values. A batch is not applied in pieces where memory is short.
    batch_report insert_edges(std::span<edge_type const> edges,
                              changes_type* changes = nullptr) requires(!has_values) {
        return recorded(changes, [&] { return apply_from_host(false, edges, nullptr, edges.size()); });
    }
    /// The same with values[i] for edges[i]. If several ranks pass an edge, the last value of the highest of
    /// these ranks counts. If an undirected graph gets {u, v} and {v, u}, they are the same edge.
    batch_report insert_edges(std::span<edge_type const> edges, std::span<value_type const> values,
                              changes_type* changes = nullptr) requires has_values {
        return recorded(changes, [&] { return apply_from_host(false, edges, values.data(), values.size()); });
    }
    /// Collective. Erases the edges that all ranks pass, in host memory, as one batch. Otherwise as
    /// insert_edges().
    batch_report erase_edges(std::span<edge_type const> edges, changes_type* changes = nullptr) {
        return recorded(changes, [&] { return apply_from_host(true, edges, nullptr, edges.size()); });
    }
    /// Collective. The same for arrays in memory that kernels of the space can read, in the order of the
    /// space. The caller may reuse them on return.
    batch_report insert_edges_in_space(edge_type const* edges, std::uint64_t count,
                                       changes_type* changes = nullptr) requires(!has_values) {
        return recorded(changes, [&] {
            return apply(false, [&] { return share_type{edges, nullptr, count}; });
        });
    }
    batch_report insert_edges_in_space(edge_type const* edges, value_type const* values, std::uint64_t count,
                                       changes_type* changes = nullptr) requires has_values {
        return recorded(changes, [&] {
            return apply(false, [&] { return share_type{edges, values, count}; });
        });
    }
    batch_report erase_edges_in_space(edge_type const* edges, std::uint64_t count,
                                      changes_type* changes = nullptr) {
        return recorded(changes, [&] {
            return apply(true, [&] { return share_type{edges, nullptr, count}; });
        });
    }

    /// Collective. Makes `count` vertices without edges, the same number on all ranks. Their ids are n to n +
    /// count - 1, where n is vertex_count() before. Throws out_of_memory; std::length_error for more vertices
    /// than the class states; std::invalid_argument if the numbers differ; otherwise as the class states.
    void add_vertices(std::uint64_t count);
    /// Collective. Makes `count` vertices for this rank, and those for other ranks, and returns this rank's:
    /// first ids that erase_vertices() freed, then new ones. Throws as add_vertices(), but the numbers may
    /// differ.
    std::vector<Id> insert_vertices(std::uint64_t count);
    /// Collective. Erases the vertices that all ranks pass, with all their edges. Ids may repeat, also on
    /// several ranks. Returns the report of the whole batch. Throws as erase_edges(). Cost: as erasing the
    /// edges; in a directed graph without in-arcs also two passes over all rows.
    vertex_report erase_vertices(std::span<Id const> ids, changes_type* changes = nullptr) {
        return recorded(changes, [&] { return erase_listed_vertices(ids); });
    }

    /// All vertex ids, including those of erased vertices, are less than this value.
    [[nodiscard]] std::uint64_t vertex_count() const { return vertices_; }
    /// The number of vertices that are not erased, of all ranks.
    [[nodiscard]] std::uint64_t live_vertex_count() const { return vertices_ - ids_->free_count(); }
    /// The number of edges of all ranks, known without communication.
    [[nodiscard]] std::uint64_t edge_count() const { return edges_; }
    [[nodiscard]] bool directed() const { return local_->directed(); }
    [[nodiscard]] graph_options const& options() const { return local_->options(); }
    [[nodiscard]] Owners const& owners() const { return owners_; }
    /// Whether this rank owns vertex v.
    [[nodiscard]] bool owns(Id v) const { return owners_.owner(v) == rank(); }

    /// What kernels of this rank read: the rows of the owned vertices. Valid until the next change.
    [[nodiscard]] view_type view() const {
        return {local_->view(), owners_, rank(), vertices_, ids_->dead()};
    }
    /// A static copy of the out-adjacency of the owned vertices. Row i is that of vertex view().id_of(i);
    /// targets are ids of the whole graph. Throws out_of_memory. Not collective.
    [[nodiscard]] csr<Space, EdgeValue, Id> snapshot() {
        expect_whole();
        return local_->snapshot();
    }

    /// 1 for each edge that is present, else 0. Of each edge, the source is an owned vertex (undirected: the
    /// end that is named first); throws std::invalid_argument for another, and out_of_memory. Not collective.
    [[nodiscard]] std::vector<std::uint8_t> has_edges(std::span<edge_type const> edges);
    /// The value of each edge, and whether the edge is present. Otherwise as has_edges().
    [[nodiscard]] found_values<value_type> edge_values(std::span<edge_type const> edges) requires has_values {
        return find_values(edges);
    }
    /// The out-degree of each vertex; no_degree for an id of this rank that belongs to no live vertex. Throws
    /// std::invalid_argument for an id that another rank owns, and out_of_memory. Not collective.
    [[nodiscard]] std::vector<std::uint32_t> degrees(std::span<Id const> ids);
    /// The (out-)neighbours of each vertex, ascending, with the values of the edges to them. Otherwise as
    /// has_edges().
    [[nodiscard]] neighbour_lists<Id, value_type> neighbours_of(std::span<Id const> ids);

    /// Collective. Checks the graph of each rank, and over the ranks: the mirror of each arc, counts, and
    /// erased vertices. Returns a line per broken invariant that this rank finds, and one for each other rank
    /// that finds any. Throws out_of_memory and refused_by_rank if there is no memory for a snapshot of a
    /// rank's rows and the exchange of some of its arcs.
    [[nodiscard]] std::vector<std::string> validate();

    /// How many bytes each part of this rank's graph holds. `edges` counts those whose representative arc is
    /// here. Waits; not collective.
    [[nodiscard]] memory_report memory();
    /// Collective. The sum of memory() over all ranks.
    [[nodiscard]] memory_report memory_of_all();
    /// How the arcs of the last batch have come to the ranks that own their rows. The same on all ranks.
    [[nodiscard]] arc_transport transport() const { return exchange_.transport(); }
    /// Frees the scratch of this rank. Not collective. Memory into which other ranks write may be held by
    /// them until they have released theirs, or applied another batch.
    void release_scratch();
    /// Collective. Each rank compacts its part, as basic_graph::compact(), and copies at most
    /// `most_moved_bytes`. Returns the sum over all ranks, on every rank. If a rank has no memory for its
    /// plan, throws out_of_memory there and refused_by_rank on the others; other parts may have been
    /// compacted, and all edges are there. If the space of a rank fails, the graph is broken on all ranks, as
    /// by a change. Throws std::logic_error if the graph is broken. Two exchanges of words.
    compaction_report compact(std::uint64_t most_moved_bytes = std::numeric_limits<std::uint64_t>::max());

    /// Whether the graph is broken, as the class states. Not collective.
    [[nodiscard]] bool broken() const { return broken_; }
    [[nodiscard]] comm::communicator<Space>& communicator() { return *self_; }
    [[nodiscard]] Space& space() { return self_->space(); }
    /// This rank's own graph, a part. Do not change it.
    [[nodiscard]] graph_type& part() { return *local_; }

private:
    using sent_value = std::conditional_t<has_values, value_type, no_edge_value>;
    using share_type = batch_share<Id, value_type>;
    using exchange_type = arc_exchange<Space, Id, sent_value>;
    struct part_type : graph_type {
        using graph_type::apply_arcs_if;
        using graph_type::graph_type;
        using graph_type::least_packed_arcs;
        using graph_type::set_ids_of_whole;
    };

    /// Ids of 32 bits suffice for most_rows<Id> vertices over all ranks, ids of 64 bits for as many per rank.
    [[nodiscard]] static std::uint64_t most_ids(int ranks) {
        return sizeof(Id) == 4 ? most_rows<Id> : most_rows<Id> * static_cast<std::uint64_t>(ranks);
    }
    [[nodiscard]] std::length_error too_many_vertices() const {
        return std::length_error("a graph over " + std::to_string(self_->size()) + " ranks has at most " +
                                 std::to_string(most_ids(self_->size())) + " vertices");
    }
    [[nodiscard]] std::uint32_t rank() const { return static_cast<std::uint32_t>(self_->rank()); }
    [[nodiscard]] routing_rules<Id, Owners> rules() const {
        graph_options const& made = local_->options();
        return {owners_, vertices_, made.directed, made.in_arcs, made.self_loops, ids_->dead().bits};
    }
    void expect_whole() const {
        if (broken())
            throw std::logic_error("an earlier change broke off midway: ranks may hold different graphs");
    }
    void expect_owned(std::uint64_t id) const;
    [[nodiscard]] sent_value const* sent(value_type const* values) const {
        if constexpr (has_values)
            return values;
        else
            return nullptr;
    }

    /// Calls change(), which appends what it changes here to the lists.
    template <class Change>
    auto recorded(changes_type* changes, Change const& change) {
        struct recording {
            partitioned_graph& graph;
            ~recording() { graph.changes_ = nullptr; }
        };
        recording const ends{*this};
        changes_ = changes;
        return change();
    }
    vertex_report erase_listed_vertices(std::span<Id const> ids);
    batch_report apply_from_host(bool erasing, std::span<edge_type const> edges, value_type const* values,
                                 std::uint64_t value_count);
    template <class Place>
    batch_report apply(bool erasing, Place const& place);
    [[nodiscard]] arc_wishes<Id> wishes() const;
    batch_report apply_arrived(bool erasing, arrived_arcs<Id, sent_value> arrived);
    std::optional<batch_report> apply_if(bool erasing, arrived_arcs<Id, sent_value>& arrived,
                                         std::function<bool()> const& decide);
    batch_report sum_reports(batch_report const& mine, std::exception_ptr const& failed);
    [[nodiscard]] share_type edges_of_vertices(std::vector<Id> const& ids, Id* owned);
    [[nodiscard]] std::vector<Id> gather_ids(std::span<Id const> ids);
    void make_room(std::uint64_t vertices);
    void mark(std::span<Id const> ids, Id* staged, bool dead);
    [[nodiscard]] std::vector<Id> rows_of(std::span<Id const> ids) const;
    [[nodiscard]] found_values<value_type> find_values(std::span<edge_type const> edges);
    [[nodiscard]] bool all_find_nothing(std::vector<std::string>& found);

    comm::communicator<Space>* self_;
    Owners owners_;
    std::optional<part_type> local_;
    std::uint64_t vertices_ = 0;
    std::uint64_t edges_ = 0;
    changes_type* changes_ = nullptr; ///< lists to which changes append; nullptr: none
    bool broken_ = false;
    std::optional<vertex_ids<Space, Id>> ids_; ///< of the whole graph, the same on all ranks
    exchange_type exchange_;
    /// Working memory, under the names that batch::vertex_arcs uses.
    struct working_memory {
        working_memory(Space const& space, exec::memory_resource* resource)
            : primitives(space, resource), edges_(space, resource), ids_(space, resource),
              values_(space, resource), offsets_(space, resource) {}
        [[nodiscard]] edge_type* edges(std::uint64_t count) {
            return edges_.template at_least_of<edge_type>(count);
        }
        [[nodiscard]] Id* ids(std::uint64_t count) { return ids_.template at_least_of<Id>(count); }
        [[nodiscard]] value_type* values(std::uint64_t count) {
            return values_.template at_least_of<value_type>(count);
        }
        [[nodiscard]] std::uint64_t* offsets(std::uint64_t count) {
            return offsets_.template at_least_of<std::uint64_t>(count);
        }
        [[nodiscard]] std::uint64_t held_bytes() const {
            return primitives.held_bytes() + edges_.held_bytes() + ids_.held_bytes() + values_.held_bytes() +
                   offsets_.held_bytes();
        }
        void give_back() {
            for (auto* const piece : {&primitives, &edges_, &ids_, &values_, &offsets_})
                piece->give_back();
        }
        exec::workspace<Space> primitives;

    private:
        exec::workspace<Space> edges_;
        exec::workspace<Space> ids_;
        exec::workspace<Space> values_;
        exec::workspace<Space> offsets_;
    };
    working_memory scratch_;
};

} // namespace rhizome::graph

#include <rhizome/graph/partition/partitioned_graph.inl>
