// SPDX-License-Identifier: Apache-2.0
// Edge lists that were written: they must come back.
#include "edge_list_fixture.hpp"

using namespace rhizome;
using namespace rhizome::testing;

TEST_F(edge_lists, come_back_as_they_were_written) {
    io::random_source random(77);
    for (int round = 0; round < 96; ++round) {
        bool const directed = (round & 1) != 0;
        int const format_number = round / 2 % 3;
        bool const konect = format_number == 2;
        io::graph_file file;
        file.directed = directed;
        file.vertex_count = 1 + random.below(40);
        auto const vertex = [&] { return static_cast<graph::vertex_id>(random.below(file.vertex_count)); };
        // Each vertex has an edge: CSV files have no others. Text is numbered as it appears.
        for (graph::vertex_id v = 0; v < file.vertex_count; ++v)
            file.edges.push_back({v, v});
        for (std::uint64_t i = random.below(100); i > 0; --i) {
            auto const [u, v] = std::pair(vertex(), vertex());
            file.edges.push_back(directed ? graph::edge{u, v} : graph::edge{std::min(u, v), std::max(u, v)});
        }
        file.counts_from_one = konect;
        if (!konect && round % 5 == 1)
            for (std::uint64_t v = 0; v < file.vertex_count; ++v)
                (void)file.names.find_or_add(v * v * v + 2);
        if (!konect && round % 5 == 2)
            for (std::uint64_t v = 0; v < file.vertex_count; ++v)
                (void)file.names.find_or_add((format_number == 0 ? "x" : "#a, \"b;") + std::to_string(v));
        for (std::size_t i = 0; i < file.edges.size(); ++i) {
            if (round % 7 == 1) file.edge_weights.push_back(random.below(1000));
            if (round % 7 >= 5) file.edge_values.push_back(0.25 + static_cast<double>(random.below(100)));
            if (round % 7 == 2 || round % 7 == 6)
                file.edge_times.push_back(static_cast<std::int64_t>(random.below(99)) - 9);
        }
        io::graph_format const* const formats[] = {&io::formats::edge_list, &io::formats::csv,
                                                   &io::formats::konect};
        io::graph_format const& format = *formats[format_number];
        for (char const* name : {"written", "written.gz"}) {
            std::string const path = folder.path(name);
            format.write(path, file);
            io::input from(path);
            EXPECT_EQ(io::recognise_graph_format(from).name, std::string(format.name)) << text_of(path);
            expect_same(io::read_graph(path, nullptr, {.directed = directed}), file);
        }
    }
}

TEST_F(edge_lists, keep_the_number_of_the_first_vertex) {
    std::string const path = folder.path("list.txt");
    auto const file = io::read_graph(folder.write("file", "4 2\n2\n1 3\n2\n\n"), &io::formats::metis);
    ASSERT_TRUE(file.counts_from_one);
    io::formats::edge_list.write(path, file);
    EXPECT_EQ(text_of(path), "# Nodes: 4 Edges: 2 First: 1\n# source\ttarget\n1\t2\n2\t3\n");
    expect_same(io::read_graph(path), file);
    io::graph_file empty;
    empty.vertex_count = 3;
    empty.counts_from_one = true;
    io::formats::edge_list.write(path, empty);
    expect_same(io::read_graph(path), empty);
}

TEST_F(edge_lists, keep_directions) {
    io::graph_file file;
    file.vertex_count = 2;
    file.directed = true;
    file.edges = {{1, 0}, {0, 1}};
    std::string const path = folder.path("list.txt");
    io::formats::edge_list.write(path, file);
    EXPECT_EQ(text_of(path), "# Nodes: 2 Edges: 2\n# Directed\n# source\ttarget\n1\t0\n0\t1\n");
    expect_same(io::read_graph(path), file);
    EXPECT_TRUE(read("# Directed graph (each unordered pair of nodes is saved once): x.txt\n0 1\n").directed);
    EXPECT_FALSE(
        read("# Undirected graph: x.txt\n0 1\n", io::formats::edge_list, {.directed = true}).directed);
    EXPECT_FALSE(read("# Directed edge A->B: A knows B\n0 1\n").directed);
}

TEST_F(edge_lists, keep_whole_and_real_weights_apart) {
    std::string const path = folder.path("list");
    for (auto const* format : {&io::formats::edge_list, &io::formats::csv, &io::formats::konect}) {
        io::graph_file file;
        file.vertex_count = 2;
        file.counts_from_one = true;
        file.edges = {{0, 1}, {0, 1}};
        file.edge_values = {12345678901234567890.0, 7};
        file.value_type = "float64";
        format->write(path, file);
        auto const real = io::read_graph(path, format);
        EXPECT_EQ(real.edge_values, file.edge_values) << text_of(path);
        EXPECT_EQ(real.value_type, "float64");
        file.edge_values = {5, 7};
        format->write(path, file);
        EXPECT_EQ(io::read_graph(path, format).edge_values, file.edge_values) << text_of(path);
        file.edge_values = {-100000, 1e15};
        file.value_type = "int64";
        format->write(path, file);
        auto const whole = io::read_graph(path, format);
        EXPECT_EQ(whole.edge_values, file.edge_values) << text_of(path);
        EXPECT_EQ(whole.value_type, "int64");
        file.edge_values = {7, 8};
        file.value_type = ""; // not known
        format->write(path, file);
        EXPECT_EQ(io::read_graph(path, format).edge_weights, (numbers{7, 8})) << text_of(path);
    }
}

TEST_F(edge_lists, keep_vertices_without_edges) {
    io::graph_file file;
    file.vertex_count = 9;
    file.edges = {{2, 3}};
    std::string const path = folder.path("out");
    for (auto const* format : {&io::formats::edge_list, &io::formats::konect}) {
        file.counts_from_one = format == &io::formats::konect;
        format->write(path, file);
        expect_same(io::read_graph(path), file);
    }
    EXPECT_EQ(text_of(path), "% sym unweighted\n% 1 9 9\n3 4\n");
    file.counts_from_one = false;
    io::formats::edge_list.write(path, file);
    EXPECT_EQ(text_of(path), "# Nodes: 9 Edges: 1\n# source\ttarget\n2\t3\n");
}

TEST_F(edge_lists, are_not_written_if_they_could_not_be_read) {
    io::graph_file file;
    file.vertex_count = 1;
    file.edges = {{0, 0}};
    std::string const path = folder.path("out");
    file.names = {};
    file.edges = {{0, 1}};
    for (auto const* format : {&io::formats::edge_list, &io::formats::csv, &io::formats::konect})
        EXPECT_THROW(format->write(path, file), std::invalid_argument);
}

TEST_F(edge_lists, keep_any_name) {
    io::graph_file file;
    file.vertex_count = 2;
    file.edges = {{0, 1}};
    for (char const* name : {"", "a b", "a\tb", "#a", "%a", "\"a", "a,b", "a;b", "a\nb", "a\x01", "\x1f z",
                             "\x7f", "\\x0a", "\\x41 \\n", "a\"\"b\r", "C:\\x y", "\xc3\xb6 \xff"}) {
        file.names = {};
        (void)file.names.find_or_add(name);
        (void)file.names.find_or_add("end");
        for (auto const* format : {&io::formats::edge_list, &io::formats::csv}) {
            std::string const path = folder.path("out");
            format->write(path, file);
            expect_same(io::read_graph(path, format), file);
            EXPECT_EQ(text_of(path).find("\x01"), std::string::npos);
        }
    }
}
