// SPDX-License-Identifier: Apache-2.0
// LDBC Graphalytics graphs: three files.
#include "format_fixture.hpp"

using namespace rhizome;
using namespace rhizome::testing;

namespace {

std::string const both_files = "graph.a.vertex-file = a.v\ngraph.a.edge-file = a.e\n";
std::string const directed_graph = both_files + "graph.a.directed = true\n";
std::string const undirected_graph = both_files + "graph.a.directed = false\n";
std::string const weighted_graph =
    undirected_graph + "graph.a.edge-properties.names = weight\ngraph.a.edge-properties.types = ";

struct ldbc : format_test {
    ldbc() : format_test(io::formats::ldbc) {}

    /// The three files, in the folder; returns the path of the properties.
    std::string write_files(std::string const& properties, std::string const& vertices,
                            std::string const& edges) const {
        folder.write("a.v", vertices);
        folder.write("a.e", edges);
        return folder.write("a.properties", properties);
    }
    io::graph_file read_files(std::string const& properties, std::string const& vertices,
                              std::string const& edges) const {
        return io::read_graph(write_files(properties, vertices, edges));
    }
    /// What is said of the files, without the folder.
    std::string refusal(std::string const& properties, std::string const& vertices,
                        std::string const& edges) const {
        std::string const path = write_files(properties, vertices, edges);
        std::string const message =
            message_of<std::runtime_error>([&] { (void)io::read_graph(path, &io::formats::ldbc); });
        std::string const start = folder.path("");
        EXPECT_TRUE(message.starts_with(start)) << message;
        return message.starts_with(start) ? message.substr(start.size()) : message;
    }
};

} // namespace

TEST_F(ldbc, reads_three_files) {
    std::string const largest = "18446744073709551615";
    auto const file =
        read_files("# a comment\n! too\n\n" + directed_graph + "graph.a.bfs.source-vertex = 7\nx = y\n",
                   "7\n" + largest + "\r\n3", "3 7\n" + largest + " 3\n\n7 7");
    EXPECT_EQ(file.vertex_count, 3u);
    EXPECT_TRUE(file.directed);
    EXPECT_EQ(file.edges, (edges{{2, 0}, {1, 2}, {0, 0}}));
    EXPECT_EQ(file.names.name(1), largest);
    EXPECT_TRUE(file.edge_weights.empty() && file.edge_values.empty());
    auto const plain = read_files(undirected_graph, "0\n1\n2\n", "2 1\n");
    EXPECT_TRUE(plain.names.empty());
    EXPECT_FALSE(plain.directed);
    EXPECT_EQ(plain.edges, (edges{{1, 2}}));
}

TEST_F(ldbc, reads_weights_of_the_type_that_is_named) {
    auto const real = read_files(weighted_graph + "real\n", "0\n1\n", "0 1 2\n1 0 0.5\n");
    EXPECT_EQ(real.edge_values, (reals{2, 0.5}));
    EXPECT_EQ(real.value_type, "float64");
    EXPECT_EQ(read_files(weighted_graph + "int\n", "0\n1\n", "0 1 2\n1 0 5\n").edge_weights, (numbers{2, 5}));
    EXPECT_EQ(read_files(weighted_graph + "integer\n", "0\n1\n", "0 1 -2\n").edge_values, (reals{-2}));
}

TEST_F(ldbc, is_found_by_any_of_its_files) {
    (void)write_files(undirected_graph, "4\n5\n", "5 4\n");
    for (char const* name : {"a.properties", "a.v", "a.e"}) {
        io::input from(folder.path(name));
        EXPECT_EQ(&io::recognise_graph_format(from), &io::formats::ldbc) << name;
        EXPECT_EQ(io::read_graph(folder.path(name)).edges, (edges{{0, 1}})) << name;
    }
    folder.write("a.e", "");
    EXPECT_EQ(io::read_graph(folder.path("a.e")).vertex_count, 2u) << "no edges";
    (void)write_files("\xef\xbb\xbf" + undirected_graph, "4\n5\n", "5 4\n");
    EXPECT_EQ(io::read_graph(folder.path("a.v")).edges, (edges{{0, 1}}));
    std::filesystem::remove(folder.path("a.v"));
    folder.write("a.v.gz", gzip("4\n5\n"));
    folder.write("a.properties",
                 "graph.a.b.vertex-file: a.v.gz\ngraph.a.b.edge-file=a.e\ngraph.a.b.directed=true\n");
    EXPECT_EQ(io::read_graph(folder.path("a.v.gz")).edges, (edges{{1, 0}}));
    std::filesystem::remove(folder.path("a.properties"));
    io::input from(folder.path("a.e"));
    EXPECT_NE(&io::recognise_graph_format(from), &io::formats::ldbc);
    EXPECT_EQ(
        message_of<io::file_error>([&] { (void)io::read_graph(folder.path("a.e"), &io::formats::ldbc); }),
        folder.path("a.properties") + ": cannot open: No such file or directory");
}

TEST_F(ldbc, names_what_is_damaged) {
    std::string const v = "1\n2\n";
    EXPECT_EQ(refusal("", v, ""), "a.properties:1:1: found the end of the file, expected a line "
                                  "'graph.NAME.vertex-file = ...'");
    EXPECT_EQ(refusal(both_files, v, ""), "a.properties:3:1: found the end of the file, expected a line "
                                          "'graph.NAME.directed = ...'");
    EXPECT_EQ(refusal("nothing\n", v, ""),
              "a.properties:1:1: found 'nothing', expected a property 'KEY = VALUE' or a comment '# ...'");
    EXPECT_EQ(refusal(both_files + "graph.a.directed = yes\n", v, ""),
              "a.properties:3:20: found 'yes', expected 'true' or 'false'");
    EXPECT_EQ(refusal("graph.a.vertex-file =\n" + directed_graph, v, ""),
              "a.properties:2:1: found a second 'vertex-file', expected one graph in the file");
    EXPECT_EQ(refusal("graph.a.vertex-file =\ngraph.a.edge-file = a.e\n", v, ""),
              "a.properties:1:22: found the end of the line, expected the name of a file");
    EXPECT_EQ(refusal(weighted_graph + "text\n", v, ""),
              "a.properties:5:33: found 'text', expected 'real' or 'int'");
    EXPECT_EQ(refusal(undirected_graph + "graph.a.edge-properties.names = a,b\n", v, ""),
              "a.properties:4:33: found 'a,b', expected one property of edges, the weight");
    EXPECT_EQ(refusal(directed_graph + "graph.a.meta.edges = -1\n", v, ""),
              "a.properties:4:22: found '-1', expected a whole number, 0 or more");
    EXPECT_EQ(refusal(directed_graph + "graph.a.meta.edges = 2\n", v, "1 2\n"),
              "a.e: holds 1 edges, the properties say 2");
    EXPECT_EQ(refusal(directed_graph + "graph.a.meta.vertices = 3\n", v, "1 2\n"),
              "a.v: holds 2 vertices, the properties say 3");
    EXPECT_EQ(refusal(directed_graph, "1\n\n2\n 1\n", ""),
              "a.v:4:2: found '1', expected a vertex that is not in the file yet");
    EXPECT_EQ(refusal(directed_graph, "1 2\n", ""),
              "a.v:1:3: found '2', expected the end of the line after the vertex");
    EXPECT_EQ(refusal(directed_graph, "-1\n", ""),
              "a.v:1:1: found '-1', expected a vertex from 0 to 18446744073709551615");
    EXPECT_EQ(refusal(directed_graph, v, "1 2\n2 3\n"), "a.e:2:3: found '3', expected a vertex of a.v");
    EXPECT_EQ(refusal(directed_graph, v, "1 2 3\n"),
              "a.e:1:5: found '3', expected the end of the line after 'u v'");
    EXPECT_EQ(refusal(weighted_graph + "real\n", v, "1 2\n"),
              "a.e:1:4: found the end of the line, expected a weight, a finite number");
    EXPECT_EQ(refusal(weighted_graph + "int\n", v, "1 2 0.5\n"),
              "a.e:1:5: found '0.5', expected a weight from -9007199254740992 to 9007199254740992");
    EXPECT_EQ(refusal("graph.a.vertex-file = b.v\ngraph.a.edge-file = a.e\ngraph.a.directed = true\n", v, ""),
              "b.v: cannot open: No such file or directory");
    EXPECT_EQ(refusal("p sp 0 0\n", v, ""), "a.properties: is a DIMACS9 file, not an LDBC Graphalytics file");
}

TEST_F(ldbc, does_not_follow_names_out_of_a_pipe) {
    class text_source : public io::byte_source {
    public:
        std::size_t read(char* to, std::size_t size) override {
            std::size_t const got = text_.copy(to, size);
            text_.erase(0, got);
            return got;
        }
        [[nodiscard]] double fraction_read() const override { return -1; }

    private:
        std::string text_ = directed_graph;
    };
    io::input from("<stdin>", std::make_unique<text_source>());
    EXPECT_EQ(message_of<io::file_error>([&] { (void)io::read_graph(from); }),
              "<stdin>: names the files a.v and a.e, which are looked for beside a file only");
}

TEST_F(ldbc, reads_what_it_wrote) {
    io::random_source random(17);
    for (int round = 0; round < 60; ++round) {
        auto file = random_graph(random, (round & 1) != 0);
        if (round % 3 == 1) give_whole_weights(random, file, (round & 2) != 0);
        for (std::size_t i = 0; i < file.edges.size() && round % 3 == 2; ++i)
            file.edge_values.push_back(static_cast<double>(random.bits() >> 11) * 0x1p-33 - 1000.0);
        if (!file.edge_values.empty() && round % 3 == 2) file.value_type = "float64";
        for (std::uint64_t v = 0; v < file.vertex_count && round % 4 != 0; ++v)
            (void)file.names.find_or_add(random.bits());
        file.counts_from_one = file.names.empty() && file.vertex_count > 0 && round % 8 == 4;
        std::string const path = folder.path("some name=x.properties");
        io::formats::ldbc.write(path, file);
        for (char const* name : {"some name=x.properties", "some name=x.v"})
            expect_same(io::read_graph(folder.path(name)), file);
        EXPECT_EQ(io::read_graph(path).counts_from_one, file.counts_from_one);
    }
}

TEST_F(ldbc, refuses_what_it_cannot_write) {
    io::graph_file file;
    file.vertex_count = 1;
    EXPECT_EQ(message_of<io::file_error>([&] { io::formats::ldbc.write(folder.path("a.txt"), file); }),
              folder.path("a.txt") +
                  ": cannot write: the name of an LDBC graph ends in .properties; its files "
                  ".v and .e are written beside it");
    (void)file.names.find_or_add(std::string_view("b"));
    EXPECT_EQ(message_of<io::file_error>([&] { io::formats::ldbc.write(folder.path("a.properties"), file); }),
              folder.path("a.properties") +
                  ": names of vertices are text, and LDBC files hold whole numbers, 0 or more");
    EXPECT_EQ(folder.file_count(), 0);
}
