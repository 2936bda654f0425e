// SPDX-License-Identifier: Apache-2.0
// Graphs over ranks saved, each rank its part, and loaded over any number of ranks; and what becomes of
// damaged, missing and surplus parts.
#include "scratch_folder.hpp"

#include <rhizome/graph/dynamic_graph.hpp>
#include <rhizome/io/partitioned_store.hpp>

#include <graph/partition/partitioned_cases.hpp>

#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <set>

namespace {

using namespace rhizome;
using namespace rhizome::tests;
using namespace rhizome::testing;
using comm::communicator;

/// Edges of a hub and others, and the values that they get.
struct stored_edges {
    std::vector<graph::edge> edges;
    std::vector<double> values;
};
stored_edges some_edges(std::uint32_t seed, std::size_t count, std::uint32_t vertices) {
    std::mt19937 random(seed);
    stored_edges made;
    for (std::size_t i = 0; i < count; ++i) {
        made.edges.push_back({static_cast<std::uint32_t>(random() % 4 == 0 ? 3 : random() % vertices),
                              static_cast<std::uint32_t>(random() % vertices)});
        made.values.push_back(static_cast<double>(random()) * 0.37);
    }
    return made;
}

/// Rank 0 passes the whole batch.
template <class Graph>
void insert_from_first(Graph& into, stored_edges const& batch) {
    std::size_t const count = into.communicator().rank() == 0 ? batch.edges.size() : 0;
    if constexpr (Graph::has_values)
        into.insert_edges(std::span(batch.edges).first(count), std::span(batch.values).first(count));
    else
        into.insert_edges(std::span(batch.edges).first(count));
}

std::vector<std::uint32_t> const gone{2, 59, 17, 3};

/// The graph that is saved in all these tests: two batches, and vertices erased between them.
template <class Graph>
void fill_stored(Graph& graph, std::uint32_t vertices) {
    insert_from_first(graph, some_edges(1, 900, vertices));
    graph.erase_vertices(graph.communicator().rank() == 0 ? std::span<std::uint32_t const>(gone)
                                                          : std::span<std::uint32_t const>());
    insert_from_first(graph, some_edges(2, 300, vertices));
}
sequential_graph filled_answer(graph::graph_options const& options, bool has_values) {
    sequential_graph answer(options);
    auto const vertices = static_cast<std::uint32_t>(options.vertices);
    stored_edges const first = some_edges(1, 900, vertices);
    answer.insert(first.edges, first.values, has_values);
    answer.erase_vertices(gone);
    stored_edges const second = some_edges(2, 300, vertices);
    answer.insert(second.edges, second.values, has_values);
    return answer;
}

template <class Space>
class partitioned_store : public space_test {
protected:
    scratch_folder folder;
    std::string path = folder.path("graph.rhz");

    template <class Value, class Owners>
    void save(int ranks, Owners const& owners, graph::graph_options const& options,
              std::uint64_t piece_arcs = 50) {
        comm::run_ranks(rank_spaces<Space>(ranks), [&](communicator<Space>& self) {
            graph::partitioned_graph<Space, Owners, Value> saved(self, owners, options);
            fill_stored(saved, static_cast<std::uint32_t>(options.vertices));
            io::save_partitioned_graph(saved, path, {.piece_arcs = piece_arcs});
        });
    }
    /// Loads the graph, compares it, and changes it.
    template <class Value, class Owners>
    void expect_loaded(int ranks, Owners const& owners, graph::graph_options const& options,
                       std::uint64_t batch_edges, std::string const& where) {
        sequential_graph const answer = filled_answer(options, !std::is_void_v<Value>);
        comm::run_ranks(rank_spaces<Space>(ranks), [&](communicator<Space>& self) {
            auto const loaded = io::load_partitioned_graph<Value>(
                self, owners, path, {.batch_edges = batch_edges, .heap_bytes = 64u << 10});
            ASSERT_NO_FATAL_FAILURE(expect_same(*loaded, answer, where));
            EXPECT_EQ(loaded->options().directed, options.directed) << where;
            EXPECT_EQ(loaded->options().in_arcs, options.in_arcs) << where;
            EXPECT_EQ(loaded->options().self_loops, options.self_loops) << where;
            EXPECT_EQ(loaded->validate(), std::vector<std::string>()) << where;
            sequential_graph changed = answer;
            auto const back =
                loaded->insert_vertices(self.rank() == 0 ? gone.size() : 0); // ids of erased ones
            if (self.rank() == 0) {
                EXPECT_EQ(std::set(back.begin(), back.end()), std::set(gone.begin(), gone.end())) << where;
            }
            changed.insert_vertices(gone);
            stored_edges const more = some_edges(3, 100, static_cast<std::uint32_t>(options.vertices));
            changed.insert(more.edges, more.values, !std::is_void_v<Value>);
            insert_from_first(*loaded, more);
            ASSERT_NO_FATAL_FAILURE(expect_same(*loaded, changed, where));
        });
    }
};
TYPED_TEST_SUITE(partitioned_store, all_spaces, space_names);

TYPED_TEST(partitioned_store, any_number_of_ranks_loads_what_any_number_has_saved) {
    graph::graph_options const directed{
        .vertices = 60, .directed = true, .in_arcs = true, .self_loops = false, .heap_bytes = 64u << 10};
    graph::graph_options const undirected{.vertices = 60, .heap_bytes = 64u << 10};
    for (std::uint32_t saving = 1; saving <= 3; ++saving) {
        this->template save<double>(static_cast<int>(saving), graph::modulo_owners(saving), directed);
        for (std::uint32_t loading = 1; loading <= 3; ++loading)
            this->template expect_loaded<double>(
                static_cast<int>(loading), graph::hash_owners(loading, 5), directed, saving == 2 ? 0 : 97,
                std::to_string(saving) + " to " + std::to_string(loading) + " ranks, directed");
        // One rank owns everything; the rows of the others are none.
        this->template save<double>(static_cast<int>(saving), graph::range_owners(saving, 1000), undirected);
        for (std::uint32_t loading = 1; loading <= 3; ++loading)
            this->template expect_loaded<double>(
                static_cast<int>(loading), graph::hash_owners(loading, 5), undirected, 1'000,
                std::to_string(saving) + " to " + std::to_string(loading) + " ranks, undirected");
    }
}

#if !defined(__CUDACC__)
using host_store = partitioned_store<exec::host_space>;
constexpr graph::graph_options damaged_options{.vertices = 60, .heap_bytes = 64u << 10};

class damaged_store : public host_store {
protected:
    void SetUp() override {
        host_store::SetUp();
        save<void>(3, graph::modulo_owners(3), damaged_options);
        for (auto const& entry : std::filesystem::directory_iterator(folder.path("")))
            files.insert(entry.path().string());
    }
    /// Loads over ranks and alone, and returns what is said: the same on all ranks.
    template <class Value = void>
    std::string refusal(int ranks) {
        std::mutex mutex;
        std::set<std::string> said;
        int at_finder = 0;
        int loaded = 0;
        comm::run_ranks(rank_spaces<exec::host_space>(ranks), [&](communicator<exec::host_space>& self) {
            std::string text;
            bool finder = true;
            bool done = false;
            try {
                auto const graph = io::load_partitioned_graph<Value>(
                    self, graph::modulo_owners(static_cast<std::uint32_t>(ranks)), path);
                done = graph != nullptr;
            } catch (graph::refused_by_rank const& error) {
                text = error.what();
                std::string const begin = "refused on all ranks, nothing changed: rank " +
                                          std::to_string(error.rank()) + " refused it: ";
                EXPECT_TRUE(text.starts_with(begin)) << text;
                text = text.substr(begin.size());
                finder = false;
            } catch (std::runtime_error const& error) {
                text = error.what();
            }
            EXPECT_TRUE(self.barrier().ok()) << "ranks can go on";
            std::lock_guard const lock(mutex);
            loaded += done ? 1 : 0;
            at_finder += finder && !done ? 1 : 0;
            if (!done) said.insert(text);
        });
        EXPECT_TRUE(loaded == 0 || loaded == ranks) << loaded;
        if (loaded != 0) return "";
        EXPECT_GE(at_finder, 1);
        EXPECT_EQ(said.size(), 1u) << *said.begin() << "\n" << *said.rbegin();
        EXPECT_EQ(said.begin()->find('\n'), std::string::npos) << *said.begin();
        std::string const alone = message_of<std::runtime_error>([&] {
            static_cast<void>(
                io::load_stored_graph<graph::dynamic_graph<
                    exec::host_space, graph::contiguous, graph::default_allocator<exec::host_space>, Value>>(
                    make_space<exec::host_space>({.threads = 1}), path));
        });
        EXPECT_NE(alone, "");
        return *said.begin();
    }
    [[nodiscard]] std::string file_of(std::uint32_t number) const {
        for (std::string const& file : files)
            if (file.find(".part-" + std::to_string(number)) != std::string::npos) return file;
        return path;
    }

    std::set<std::string> files;
};

TEST_F(damaged_store, names_each_damaged_part_on_all_ranks) {
    ASSERT_EQ(files.size(), 3u);
    ASSERT_EQ(refusal(2), "");
    for (std::string const& file : files) {
        std::string const sound = text_of(file);
        for (std::size_t at = 5; at < sound.size(); at += sound.size() / 12) {
            std::string bytes = sound;
            bytes[at] = static_cast<char>(bytes[at] ^ 16);
            std::ofstream(file, std::ios::binary) << bytes;
            EXPECT_TRUE(refusal(2).starts_with(file + ": at byte ")) << "byte " << at;
        }
        std::ofstream(file, std::ios::binary) << sound.substr(0, sound.size() - 1);
        EXPECT_TRUE(refusal(3).starts_with(file + ": at byte "));
        std::ofstream(file, std::ios::binary) << sound;
    }
    EXPECT_EQ(refusal(1), "");
}

TEST_F(damaged_store, names_missing_and_surplus_parts) {
    for (std::string const& file : files) {
        std::filesystem::rename(file, folder.path("aside"));
        EXPECT_TRUE(refusal(2).starts_with(file + ": cannot open: ")) << file;
        std::filesystem::rename(folder.path("aside"), file);
    }
    std::string surplus = file_of(2);
    surplus.replace(surplus.find(".part-2"), 7, ".part-3");
    std::filesystem::copy(file_of(2), surplus);
    EXPECT_EQ(refusal(3), surplus + ": is not one of the 3 parts of the graph " + path);
    std::filesystem::remove(surplus);
    // One part in the place of another, and one of another save.
    std::filesystem::copy(file_of(1), file_of(2), std::filesystem::copy_options::overwrite_existing);
    EXPECT_NE(refusal(2).find("found part 1 of 3"), std::string::npos);
    std::filesystem::copy(path, folder.path("first"));
    save<void>(2, graph::modulo_owners(2), damaged_options);
    EXPECT_EQ(refusal(2), "");
    EXPECT_EQ(folder.file_count(), 3) << "the parts of the earlier save are still there";
    folder.write("graph.rhz.part-1-0123456789abcdef", "left by a save that was interrupted");
    folder.write("graph.rhz.part-1", "not a part");
    EXPECT_EQ(refusal(2), "");
    save<void>(2, graph::modulo_owners(2), damaged_options);
    EXPECT_EQ(folder.file_count(), 4) << "what an interrupted save has left is still there";
    EXPECT_EQ(text_of(folder.path("graph.rhz.part-1")), "not a part");
    std::filesystem::rename(folder.path("first"), path);
    EXPECT_NE(refusal(1).find(": cannot open: "), std::string::npos);
}

/// Parts whose checksums are right.
TEST_F(damaged_store, refuses_parts_that_cannot_be) {
    auto const sound = io::store_reader(file_of(2), io::stored_files::whole_or_part).header();
    using ids = std::vector<std::uint32_t>;
    auto const refused = [&](ids const& rows, ids const& erased, ids const& targets, auto const& change) {
        io::store_header header = sound;
        header.part.rows = rows.size();
        header.erased = erased.size();
        header.edges = targets.size();
        change(header);
        io::store_writer writer(file_of(2), header);
        writer.rows(rows);
        writer.erased(erased);
        std::vector<std::uint64_t> offsets(rows.size() + 1, targets.size());
        offsets[0] = 0;
        writer.offsets(offsets);
        writer.targets(targets);
        writer.commit();
        return refusal(2);
    };
    auto const expect_said = [&](std::string const& said, std::string const& part) {
        EXPECT_NE(said.find(part), std::string::npos) << said;
    };
    auto const same = [](io::store_header&) {};
    expect_said(refused({2, 5}, {}, {4}, same), "found parts with 42 rows, ");
    expect_said(refused({5, 2}, {}, {4}, same), "found the row of vertex 2, expected rows of some of 60");
    expect_said(refused({2, 60}, {}, {4}, same), "found the row of vertex 60, ");
    expect_said(refused({2, 5}, {3}, {4}, same),
                "found erased vertex 3, expected one with a row in this part");
    // What is found when the edges are read.
    auto const read_said = [&] {
        return message_of<io::store_error>([&] {
            io::store_reader reader(file_of(2), io::stored_files::whole_or_part);
            std::vector<graph::edge> edges(4);
            while (reader.next_edges(edges, nullptr) != 0)
                continue;
        });
    };
    static_cast<void>(refused({2, 5}, {2}, {4}, same));
    expect_said(read_said(), "found edges of erased vertex 2, expected none");
    static_cast<void>(refused({2, 5}, {}, {1}, same));
    expect_said(read_said(), "found edge 2 -> 1, expected an undirected edge with its smaller end first");
    expect_said(refused({2, 5}, {}, {4}, [](io::store_header& header) { header.directed = true; }),
                "and the same kind of graph");
    expect_said(refused({2, 5}, {}, {4}, [](io::store_header& header) { header.part.all_edges = 0; }),
                "found a part with more than the whole graph");
    EXPECT_THROW(refused({2, 5}, {}, {4}, [](io::store_header& header) { header.part.number = 3; }),
                 std::invalid_argument);
}

TEST_F(damaged_store, refuses_values_that_the_graph_does_not_have) {
    EXPECT_NE(refusal<double>(2).find("found no values of edges, expected values of type 'float64'"),
              std::string::npos);
}

TEST_F(damaged_store, is_loaded_whole_or_named_as_parts) {
    using graph_type = graph::dynamic_graph<exec::host_space>;
    auto loaded = io::load_stored_graph<graph_type>(make_space<exec::host_space>({.threads = 2}), path);
    sequential_graph const answer = filled_answer(damaged_options, false);
    EXPECT_EQ(loaded.edge_count(), answer.edge_count());
    EXPECT_EQ(loaded.live_vertex_count(), answer.live_vertex_count());
    EXPECT_EQ(loaded.validate(), std::vector<std::string>());
    auto const copy = loaded.snapshot();
    auto const targets = copy.targets.to_host();
    std::vector<std::uint32_t> expected;
    for (auto const& row : answer.rows())
        for (auto const& [target, value] : row)
            expected.push_back(target);
    EXPECT_EQ(targets, expected);
    EXPECT_EQ(message_of<io::store_error>([&] { io::store_reader reader(path); }),
              path + ": at byte 96: found part 0 of a graph that 3 ranks have saved, expected a whole graph: "
                     "io::load_stored_graph and io::parts_reader also take parts");
    // What a single graph saves, ranks load.
    io::save_graph(loaded, path);
    expect_loaded<void>(3, graph::range_owners(3, 20), damaged_options, 0, "saved by one graph");
    EXPECT_NO_THROW(io::store_reader reader(path));
    save<void>(1, graph::hash_owners(1), damaged_options);
    EXPECT_NO_THROW(io::store_reader reader(path)) << "saved by one rank";
}

/// A rank that cannot save its part: all ranks say so, and the earlier save stays.
TEST_F(damaged_store, stays_if_a_rank_cannot_save) {
    std::string const before = text_of(path);
    for (int poor = 0; poor < 2; ++poor)
        comm::run_ranks(
            rank_spaces<exec::host_space>(2, 64u << 20), [&](communicator<exec::host_space>& self) {
                graph::partitioned_graph<exec::host_space> saved(self, graph::modulo_owners(2),
                                                                 damaged_options);
                insert_from_first(saved, some_edges(8, 500, 60));
                saved.release_scratch();
                auto& budget = self.space().budget();
                std::uint64_t const taken = self.rank() == poor ? budget.available_bytes() : 0;
                ASSERT_TRUE(budget.try_charge(taken));
                if (self.rank() == poor)
                    EXPECT_THROW(io::save_partitioned_graph(saved, path), exec::out_of_memory);
                else
                    EXPECT_THROW(io::save_partitioned_graph(saved, path), graph::refused_by_rank);
                budget.refund(taken);
                EXPECT_EQ(saved.validate(), std::vector<std::string>());
                EXPECT_THROW(io::save_partitioned_graph(saved, folder.path("no/such")), std::runtime_error);
            });
    // A rank that leaves before its part is written.
    EXPECT_THROW(
        comm::run_ranks(rank_spaces<exec::host_space>(2),
                        [&](communicator<exec::host_space>& self) {
                            graph::partitioned_graph<exec::host_space> saved(self, graph::modulo_owners(2),
                                                                             damaged_options);
                            if (self.rank() == 0) {
                                EXPECT_THROW(io::save_partitioned_graph(saved, path), comm::comm_error);
                                return;
                            }
                            static_cast<void>(
                                graph::all_or_none(self, 1, [] { return std::vector<std::uint64_t>{7}; }));
                            throw std::runtime_error("left");
                        }),
        std::runtime_error);
    EXPECT_EQ(text_of(path), before);
    EXPECT_EQ(folder.file_count(), 3);
    expect_loaded<void>(2, graph::modulo_owners(2), damaged_options, 0, "the earlier save");
}
#endif

} // namespace
