// SPDX-License-Identifier: Apache-2.0
// Algorithms chosen by name at run time: what they take, and what they find.
#pragma once

#include <rhizome/graph/types.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace rhizome::runtime {

/// The value of an argument.
using argument =
    std::variant<bool, std::uint64_t, double, std::vector<graph::vertex_id>, std::vector<double>>;

/// An argument that an algorithm takes.
struct parameter {
    std::string_view name;  ///< "max-iterations", as the option of the tool
    argument default_value; ///< its value if it is not given; says its type too
    /// What the help of the tool calls its value, "N"; empty: the tool does not offer it.
    std::string_view value_name = {};
    std::string_view summary = {}; ///< for the help of the tool
    bool reported = false;         ///< the tool repeats it in its JSON
};

/// Arguments by name. Those that are missing have their default values.
class algorithm_arguments {
public:
    algorithm_arguments() = default;
    algorithm_arguments(std::initializer_list<std::pair<std::string const, argument>> given)
        : given_(given) {}

    void set(std::string name, argument value) { given_.insert_or_assign(std::move(name), std::move(value)); }

    // The value of an argument. complete() has set all that the algorithm has. They throw std::out_of_range
    // if there is no such argument; those of one type throw std::bad_variant_access if it has another type.
    [[nodiscard]] bool flag(std::string_view name) const { return get<bool>(name); }
    [[nodiscard]] std::uint64_t count(std::string_view name) const { return get<std::uint64_t>(name); }
    [[nodiscard]] double real(std::string_view name) const { return get<double>(name); }
    [[nodiscard]] std::span<graph::vertex_id const> vertices(std::string_view name) const {
        return get<std::vector<graph::vertex_id>>(name);
    }
    [[nodiscard]] std::span<double const> reals(std::string_view name) const {
        return get<std::vector<double>>(name);
    }
    [[nodiscard]] argument const& operator[](std::string_view name) const {
        return given_.at(std::string(name));
    }

    /// Gives default values to what is missing. Throws std::invalid_argument for an argument that the
    /// algorithm does not take, or of another type.
    void complete(std::string_view algorithm, std::span<parameter const> parameters);

    /// Called with the iterations so far and the residual, by algorithms that iterate; nullptr: not called.
    std::function<void(unsigned iterations, double residual)> const* progress = nullptr;

private:
    template <class T>
    [[nodiscard]] T const& get(std::string_view name) const {
        return std::get<T>((*this)[name]);
    }
    std::map<std::string, argument, std::less<>> given_;
};

/// A number that an algorithm found for the whole graph.
struct figure {
    std::string_view name; ///< "iterations", the key in JSON
    std::variant<bool, std::uint64_t, double> value;
};

/// The type of the elements of an array in a space. Distances: std::uint64_t, of which the greatest is
/// infinite.
enum class element_type : std::uint8_t { uint32, uint64, float32, float64, distance };

/// An array with an element per vertex id, in the memory of a graph's space.
struct array_in_space {
    element_type type = element_type::uint32;
    void const* elements = nullptr;
};

/// What a run found. The arrays are those that algorithm_info names, in its order, without the parents of a
/// search if they were not asked for. They are valid until the next run of the algorithm on the graph,
/// release_scratch(), or the end of the graph.
struct algorithm_result {
    std::vector<figure> figures;
    std::vector<array_in_space> arrays;

    /// A figure of this name. Throws std::out_of_range if there is none.
    template <class T>
    [[nodiscard]] T get(std::string_view name) const {
        return std::get<T>(at(name));
    }
    [[nodiscard]] std::variant<bool, std::uint64_t, double> const& at(std::string_view name) const;
};

/// The elements of an array on the host: std::uint32_t (also ids of vertices), std::uint64_t, or double.
using array_on_host =
    std::variant<std::vector<std::uint32_t>, std::vector<std::uint64_t>, std::vector<double>>;

/// What an array holds for each vertex.
struct array_info {
    std::string_view name; ///< "level": the column of a file of results
    enum class meaning : std::uint8_t {
        number,        ///< every vertex has one
        number_if_any, ///< the largest number: the vertex has none
        vertex         ///< the id of a vertex; graph::no_vertex: none
    } holds = meaning::number;
};

/// Whether vertex `v` has an element. Distances that are infinite, and ranks that are no numbers, count as
/// none.
[[nodiscard]] bool has_element(array_info const& info, array_on_host const& array, std::size_t v);

/// How the tool shows the first array.
enum class array_display : std::uint8_t {
    none,
    highest,   ///< the vertices with the highest numbers
    histogram, ///< how many vertices have each number
    sizes      ///< the largest sets of vertices with the same number
};

/// An algorithm of the table (runtime/algorithms/list.hpp). The texts are templates: {name} stands for a
/// figure, {name:.3g} for one with a format, {name:vertex/vertices} for a number with its noun or, of a
/// figure that is true or false, for the first or second word. {ms}, {vertices}, {source} and {rate} stand
/// for the time, the number of vertices, the sources and the edges per second.
struct algorithm_info {
    std::string_view name;     ///< "kcore", as the command of the tool
    std::string_view title;    ///< "k-cores", in reports
    std::string_view summary;  ///< one line, for help
    std::string_view details;  ///< paragraphs for its help
    std::string_view examples; ///< lines
    std::vector<parameter> parameters = {};
    std::vector<array_info> arrays = {};
    std::string_view array_summary = {}; ///< what the tool writes to --output
    array_display display = array_display::none;
    std::string_view display_name = {}; ///< what the display calls its numbers
    /// What to do with a file whose edges have no weights. Not empty: the algorithm needs weights, values of
    /// the edges of a type that algorithms take as such.
    std::string_view without_weights = {};
    bool over_ranks = false;            ///< graphs over ranks have it
    bool arcs_are_reached = false;      ///< its rate counts the edges of vertices that it reached
    std::string_view command_text = {}; ///< what the command prints
    std::string_view batch_text = {};   ///< what a stream prints after a batch
    std::string_view final_text = {};   ///< what a stream prints of the last run
    std::vector<std::string_view> batch_figures = {}; ///< in the JSON of a stream
    std::string_view stream_option_help = {};         ///< help of the stream's option: "run PageRank"
    /// Of results that follow the graph, where they differ: batch_text, final_text and batch_figures.
    std::string_view maintained_text = {};
    std::string_view maintained_final_text = {};
    std::vector<std::string_view> maintained_figures = {};
    /// Adds figures that follow from the arrays on the host; nullptr: there are none.
    void (*add_figures)(algorithm_result& found, std::span<array_on_host const> arrays) = nullptr;
    /// Throws std::invalid_argument for arguments out of range; nullptr: any are in range.
    void (*check)(algorithm_arguments const& given) = nullptr;

    bool is_maintained = false; ///< its result can follow a graph; set by algorithms()

    [[nodiscard]] bool needs_weights() const { return !without_weights.empty(); }
};

/// All algorithms of this build, in the order of algorithm_list.
[[nodiscard]] std::span<algorithm_info const> algorithms();
/// The number of the algorithm with this name in algorithms(). Throws std::invalid_argument, which names
/// those that there are.
[[nodiscard]] std::size_t algorithm_number(std::string_view name);

} // namespace rhizome::runtime
