// SPDX-License-Identifier: Apache-2.0
// Saving a graph over ranks, each rank its part, and loading it on any number of ranks. The files:
// docs/formats.md.
#pragma once

#include <rhizome/graph/partition/partitioned_graph.hpp>
#include <rhizome/io/graph_store.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/store_parts.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::io {

namespace detail {

/// The parts of a stored graph that one of several ranks reads, one after the other.
template <class Graph>
class parts_of_rank {
public:
    /// Opens all of them, so that each is known to be there. Throws file_error, store_error.
    parts_of_rank(std::string const& path, std::uint32_t rank, std::uint32_t ranks) : files_(path) {
        expect_stored_values(path, files_.header(), value_name_of<Graph>(), stored_value_bytes<Graph>);
        for (std::uint32_t number = rank; number < files_.count(); number += ranks) {
            auto reader = files_.open(number);
            sums_.add(reader->header());
            readers_.push_back(std::move(reader));
        }
    }

    [[nodiscard]] store_parts const& files() const { return files_; }
    [[nodiscard]] part_sums const& sums() const { return sums_; }
    [[nodiscard]] std::vector<graph::vertex_id> erased() const {
        std::vector<graph::vertex_id> all;
        for (auto const& reader : readers_)
            all.insert(all.end(), reader->erased().begin(), reader->erased().end());
        return all;
    }

    /// Fills `edges` with the next edges and returns how many. Fewer than edges.size() only at the end, and
    /// then all checksums are right. Throws file_error, store_error.
    [[nodiscard]] std::size_t next_edges(std::span<graph::edge> edges,
                                         std::span<typename Graph::value_type> values) {
        std::size_t done = 0;
        while (now_ < readers_.size() && done < edges.size()) {
            std::size_t const count = readers_[now_]->next_edges(
                edges.subspan(done), values.empty() ? nullptr : values.data() + done);
            if (count == 0) readers_[now_++].reset(); // its checksums are right
            done += count;
        }
        return done;
    }

private:
    store_parts files_;
    std::vector<std::unique_ptr<store_reader>> readers_;
    part_sums sums_;
    std::size_t now_ = 0;
};

/// What all ranks know of a graph to be loaded: the same on all.
struct parts_plan {
    part_sums sums;
    std::uint64_t rounds = 0;
};

/// Opens the parts of this rank. Throws the same error on all ranks if a part is damaged or missing, or if
/// ranks see different files.
template <class Graph, class Space>
[[nodiscard]] parts_plan open_parts(comm::communicator<Space>& self, std::string const& path,
                                    std::uint64_t batch_edges, std::optional<parts_of_rank<Graph>>& mine) {
    constexpr std::size_t words = 6;
    auto const told = graph::all_or_none(self, words, [&] {
        mine.emplace(path, static_cast<std::uint32_t>(self.rank()), static_cast<std::uint32_t>(self.size()));
        part_sums const& sums = mine->sums();
        store_header const& header = mine->files().header();
        // A batch more than the edges need: only at the end does a reader compare the checksums.
        return std::vector<std::uint64_t>{sums.rows,        sums.edges,
                                          sums.erased,      sums.edges / batch_edges + 1,
                                          header.part.save, header.vertices};
    });
    parts_plan plan;
    for (std::size_t each = 0; each < told.size(); each += words) {
        plan.sums.rows += told[each];
        plan.sums.edges += told[each + 1];
        plan.sums.erased += told[each + 2];
        plan.rounds = std::max(plan.rounds, told[each + 3]);
        if (told[each + 4] != told[4] || told[each + 5] != told[5])
            throw file_error(path, "ranks 0 and " + std::to_string(each / words) + " see different files");
    }
    mine->files().expect_all(plan.sums);
    return plan;
}

} // namespace detail

/// Collective. Saves a graph over ranks with its values: rank 0 writes the file `path`, and each other rank a
/// file beside it, whose name adds the number of the rank and that of the save. So all ranks need the same
/// folder. A graph over one rank becomes the file that save_graph() writes.
///
/// The file `path` is replaced last, when all other files are on the disk. If anything goes wrong on a rank
/// before, it throws its own exception there (file_error, exec::out_of_memory), graph::refused_by_rank with
/// the same text on the others, and the graph that was saved there before stays. Then parts of earlier saves
/// are deleted. Throws std::logic_error if the graph is broken, and comm::comm_error. The graph is unchanged.
///
/// Each rank saves the rows that it owns: no edge goes to another rank. Memory and cost per rank: as
/// save_graph(); three exchanges of words. One save to a path at a time.
template <class Space, graph::owner_policy Owners, class EdgeValue>
void save_partitioned_graph(graph::partitioned_graph<Space, Owners, EdgeValue>& saved,
                            std::string const& path, save_options const& options = {}) {
    auto& self = saved.communicator();
    auto const rank = static_cast<std::uint32_t>(self.rank());
    std::uint64_t const save = graph::all_or_none(self, 1, [&] {
        if (saved.broken()) throw std::logic_error("a broken graph over ranks cannot be saved");
        std::random_device random;
        return std::vector<std::uint64_t>{std::uint64_t{random()} << 32 | random()};
    })[0];

    bool const is_part = self.size() > 1;
    std::string const mine = part_path(path, rank, save);
    std::optional<store_writer> writer;
    try {
        static_cast<void>(graph::all_or_none(self, 0, [&]() -> std::vector<std::uint64_t> {
            store_header header = detail::header_of(saved);
            if (is_part) {
                header.part = {.parts = static_cast<std::uint32_t>(self.size()),
                               .number = rank,
                               .save = save,
                               .rows = 0,
                               .all_edges = header.edges,
                               .all_erased = header.erased};
                detail::stored_rows rows(saved, options);
                rows.for_each_vertex([&](auto const& ids) { header.part.rows += ids.size(); });
                header.edges = saved.part().edge_count();
                header.erased = 0;
                rows.for_each_erased([&](auto const& ids) { header.erased += ids.size(); });
            }
            writer.emplace(mine, header);
            detail::write_rows(*writer, saved, is_part, options);
            if (rank != 0) writer->commit();
            return {};
        }));
    } catch (graph::refused_by_rank const&) { // all ranks know, so rank 0 does not go on
        if (rank != 0) std::remove(mine.c_str());
        throw;
    }
    // If this fails, the new file may be in its place nevertheless: the other parts stay.
    static_cast<void>(graph::all_or_none(self, 0, [&]() -> std::vector<std::uint64_t> {
        if (rank == 0) writer->commit();
        return {};
    }));
    if (rank == 0) delete_other_parts(path, is_part ? save : 0);
}

/// Collective. Loads a graph that any number of ranks have saved, or save_graph(), over the ranks of the
/// communicator, with any owners. Each rank passes the same path, and reads some of the files; the other
/// owners get their arcs in batches. Options, vertices, edges and values are those of the graph that was
/// saved.
///
/// If a file is damaged or missing, has values of another type, or there is a part too many, then the call
/// throws on all ranks: file_error or store_error on the rank that finds it, and graph::refused_by_rank with
/// the same text on the others. No graph is made. Throws in the same way exec::out_of_memory; and
/// comm::comm_error if ranks cannot communicate.
///
/// EdgeValue: the type of the values in the files; void: they have none. heap_bytes and reserve_bytes are
/// those of each rank. Memory of each rank on the host: a batch (batch_edges; 0: 2^22 edges), 4 bytes per row
/// of its files, and the ids of erased vertices. Progress is that of all ranks together.
template <class EdgeValue = void, class Space, graph::owner_policy Owners>
[[nodiscard]] std::unique_ptr<graph::partitioned_graph<Space, Owners, EdgeValue>>
load_partitioned_graph(comm::communicator<Space>& self, Owners const& owners, std::string const& path,
                       load_options const& options = {}) {
    using graph_type = graph::partitioned_graph<Space, Owners, EdgeValue>;
    using value_type = typename graph_type::value_type;
    std::uint64_t const batch_edges = options.batch_edges != 0 ? options.batch_edges : std::uint64_t{1} << 22;
    std::optional<detail::parts_of_rank<graph_type>> mine;
    detail::parts_plan const plan = detail::open_parts<graph_type>(self, path, batch_edges, mine);

    store_header const& header = mine->files().header();
    auto loaded = std::make_unique<graph_type>(self, owners,
                                               graph::graph_options{.vertices = header.vertices,
                                                                    .directed = header.directed,
                                                                    .in_arcs = header.in_arcs,
                                                                    .self_loops = header.self_loops,
                                                                    .heap_bytes = options.heap_bytes,
                                                                    .reserve_bytes = options.reserve_bytes});
    if (plan.sums.erased != 0) loaded->erase_vertices(mine->erased());
    std::vector<graph::edge> edges;
    std::vector<value_type> values;
    for (std::uint64_t round = 0; round < plan.rounds; ++round) {
        std::size_t count = 0;
        static_cast<void>(graph::all_or_none(self, 0, [&]() -> std::vector<std::uint64_t> {
            edges.resize(std::min(batch_edges, mine->sums().edges + 1));
            if (graph_type::has_values) values.resize(edges.size());
            count = mine->next_edges(edges, values);
            return {};
        }));
        if constexpr (graph_type::has_values)
            loaded->insert_edges(std::span(edges).first(count), std::span(values).first(count));
        else
            loaded->insert_edges(std::span<graph::edge const>(edges).first(count));
        if (options.progress)
            options.progress(static_cast<double>(round + 1) / static_cast<double>(plan.rounds));
    }
    if (loaded->edge_count() != plan.sums.edges)
        throw store_error(path, sizeof(store_format::header),
                          "parts with " + std::to_string(loaded->edge_count()) + " different edges",
                          std::to_string(plan.sums.edges));
    return loaded;
}

} // namespace rhizome::io
