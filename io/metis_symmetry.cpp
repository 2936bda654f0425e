// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/random.hpp>
#include <rhizome/io/first_touch.hpp>
#include <rhizome/io/metis_symmetry.hpp>
#include <rhizome/io/parse_error.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <random>
#include <system_error>

namespace rhizome::io {
namespace {

using weight_bits = std::uint64_t; // of a whole number or a double; 0 without weights

std::uint64_t random_seed() {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
}

/// The weight is scrambled by itself first: the lower bits of a double are often 0.
std::uint64_t hash_of(std::uint64_t lower, std::uint64_t higher, weight_bits weight, std::uint64_t seed) {
    std::uint64_t const ends = exec::scramble(((lower << 32) | higher) ^ seed);
    return exec::scramble(ends + (weight == 0 ? 0 : exec::scramble(weight + seed)));
}

bool any_reals(std::vector<placed_rows> const& parts) {
    return std::any_of(parts.begin(), parts.end(), [](auto const& part) { return !part.rows.reals.empty(); });
}

bool have_weights(std::vector<placed_rows> const& parts) {
    return std::any_of(parts.begin(), parts.end(), [](placed_rows const& part) {
        return !part.rows.weights.empty() || !part.rows.reals.empty();
    });
}

/// The weight of a part's arc as a number of the type that the file gets.
template <class Number>
Number weight_of(metis_rows const& rows, std::uint64_t arc) {
    if (!rows.reals.empty()) return static_cast<Number>(rows.reals[arc]);
    return static_cast<Number>(rows.weights[arc]);
}

/// Calls visit(vertex, first arc to a vertex that is not lower, row begin, row end) for each row.
template <class Visit>
void for_each_row(placed_rows const& part, Visit&& visit) {
    metis_rows const& rows = part.rows;
    std::uint64_t begin = 0;
    for (std::uint64_t row = 0; row < rows.rows(); ++row) {
        std::uint64_t const end = rows.ends[row];
        std::uint64_t const vertex = part.first_vertex + row;
        graph::vertex_id const* const targets = rows.targets.data();
        auto const upward = static_cast<std::uint64_t>(
            std::lower_bound(targets + begin, targets + end, static_cast<graph::vertex_id>(vertex)) -
            targets);
        visit(vertex, upward, begin, end);
        begin = end;
    }
}

struct part_summary {
    std::uint64_t loops = 0;
    std::uint64_t forward = 0;
    std::uint64_t forward_sum = 0;
    std::uint64_t backward_sum = 0;
};

part_summary summarize(placed_rows const& part, bool as_reals, std::uint64_t seed) {
    part_summary result;
    metis_rows const& rows = part.rows;
    bool const has_weights = !rows.weights.empty() || !rows.reals.empty();
    auto const bits = [&](std::uint64_t arc) -> weight_bits {
        if (!has_weights) return 0;
        return as_reals ? std::bit_cast<std::uint64_t>(weight_of<double>(rows, arc)) : rows.weights[arc];
    };
    for_each_row(part,
                 [&](std::uint64_t vertex, std::uint64_t upward, std::uint64_t begin, std::uint64_t end) {
                     for (std::uint64_t arc = begin; arc < upward; ++arc)
                         result.backward_sum += hash_of(rows.targets[arc], vertex, bits(arc), seed);
                     for (; upward < end && rows.targets[upward] == vertex; ++upward)
                         ++result.loops;
                     result.forward += end - upward;
                     for (std::uint64_t arc = upward; arc < end; ++arc)
                         result.forward_sum += hash_of(vertex, rows.targets[arc], bits(arc), seed);
                 });
    return result;
}

/// Finds the first arc without its reverse. Visits the rows in ascending order: an arc to a lower vertex must
/// be the reverse of the first forward arc of that vertex that has none yet.
class asymmetry_finder {
public:
    asymmetry_finder(std::string const& name, std::vector<placed_rows> const& parts, graph_file const& file)
        : name_(name), parts_(parts), file_(file) {}

    void find() {
        for (placed_rows const& part : parts_)
            for_each_row(part, [&](std::uint64_t vertex, std::uint64_t upward, std::uint64_t begin,
                                   std::uint64_t end) {
                for (std::uint64_t arc = begin; arc < upward; ++arc)
                    match(part, vertex, arc);
                for (; upward < end && part.rows.targets[upward] == vertex; ++upward)
                    ++edge_; // loops have no reverse
                unmatched_.push_back(edge_);
                edge_ += end - upward;
            });
        for (std::uint64_t v = 0; v < unmatched_.size(); ++v)
            if (has_unmatched(v)) fail(v, file_.edges[unmatched_[v]].target);
    }

private:
    void match(placed_rows const& part, std::uint64_t vertex, std::uint64_t arc) {
        graph::vertex_id const target = part.rows.targets[arc];
        std::uint64_t& next = unmatched_[target];
        if (!has_unmatched(target) || file_.edges[next].target > vertex) fail(vertex, target);
        if (file_.edges[next].target < vertex) fail(target, file_.edges[next].target);
        if (!file_.edge_weights.empty()) {
            check_weight(vertex, target, part.rows.weights[arc], file_.edge_weights[next]);
        } else if (!file_.edge_values.empty()) {
            check_weight(vertex, target, weight_of<double>(part.rows, arc), file_.edge_values[next]);
        }
        ++next;
    }

    static std::string text_of(std::uint64_t weight) { return std::to_string(weight); }
    static std::string text_of(double weight) {
        char text[32];
        auto const [end, error] = std::to_chars(text, text + sizeof text, weight);
        return error == std::errc{} ? std::string(text, end) : std::to_string(weight);
    }

    template <class Number>
    void check_weight(std::uint64_t vertex, std::uint64_t target, Number weight, Number forward) const {
        if (weight == forward) return;
        throw parse_error(name_, line_of(vertex),
                          "weight " + text_of(weight) + " of edge " + edge_text(vertex, target),
                          text_of(forward) + " as in line " + std::to_string(line_of(target)));
    }

    [[nodiscard]] bool has_unmatched(std::uint64_t vertex) const {
        std::uint64_t const next = unmatched_[vertex];
        return next < file_.edges.size() && file_.edges[next].source == vertex;
    }

    [[nodiscard]] std::uint64_t line_of(std::uint64_t vertex) const {
        auto const after = std::upper_bound(parts_.begin(), parts_.end(), vertex,
                                            [](std::uint64_t v, placed_rows const& part) {
                                                return v < part.first_vertex + part.rows.rows();
                                            });
        return after->line_before + after->rows.line_of(vertex - after->first_vertex);
    }

    static std::string edge_text(std::uint64_t from, std::uint64_t to) {
        return std::to_string(from + 1) + " -> " + std::to_string(to + 1);
    }

    [[noreturn]] void fail(std::uint64_t from, std::uint64_t to) const {
        throw parse_error(name_, line_of(from),
                          "edge " + edge_text(from, to) + " without its reverse in the line of vertex " +
                              std::to_string(to + 1),
                          "each edge in the lines of both its ends");
    }

    std::string const& name_;
    std::vector<placed_rows> const& parts_;
    graph_file const& file_;
    std::vector<std::uint64_t> unmatched_; ///< per vertex: its first forward edge that has no reverse yet
    std::uint64_t edge_ = 0;
};

template <class Number>
struct weighted_edge {
    graph::edge edge;
    Number weight;
    friend bool operator<(weighted_edge const& a, weighted_edge const& b) {
        return a.edge != b.edge ? a.edge < b.edge : a.weight < b.weight;
    }
};

/// Merges the edges of the file with those that the other direction lists. `weights`: of the file, or none.
template <class Number>
mended_arcs merge(std::vector<placed_rows> const& parts, std::vector<graph::edge>& edges,
                  std::vector<Number>& weights) {
    bool const has_weights = have_weights(parts);
    std::vector<weighted_edge<Number>> back;
    for (placed_rows const& part : parts)
        for_each_row(part,
                     [&](std::uint64_t vertex, std::uint64_t upward, std::uint64_t begin, std::uint64_t) {
                         for (std::uint64_t arc = begin; arc < upward; ++arc)
                             back.push_back({{part.rows.targets[arc], static_cast<graph::vertex_id>(vertex)},
                                             has_weights ? weight_of<Number>(part.rows, arc) : Number{}});
                     });
    std::sort(back.begin(), back.end());
    mended_arcs mended;
    std::vector<graph::edge> all_edges;
    std::vector<Number> all_weights;
    auto const add = [&](graph::edge edge, Number weight) {
        all_edges.push_back(edge);
        if (has_weights) all_weights.push_back(weight);
    };
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < edges.size() || j < back.size()) {
        bool const forward = i < edges.size() && (j == back.size() || edges[i] <= back[j].edge);
        bool const backward = j < back.size() && (i == edges.size() || back[j].edge <= edges[i]);
        bool const is_loop = forward && edges[i].source == edges[i].target;
        if (forward && backward && has_weights && weights[i] != back[j].weight) ++mended.weights;
        if (forward != backward && !is_loop) ++mended.missing;
        if (forward) {
            add(edges[i], has_weights ? weights[i] : Number{});
        } else {
            add(back[j].edge, back[j].weight);
        }
        i += forward ? 1 : 0;
        j += backward ? 1 : 0;
    }
    edges = std::move(all_edges);
    weights = std::move(all_weights);
    return mended;
}

} // namespace

arc_summary summarize_arcs(exec::thread_team& team, std::vector<placed_rows>& parts) {
    std::uint64_t const seed = random_seed();
    bool const as_reals = any_reals(parts);
    std::vector<part_summary> summaries(parts.size());
    exec::parallel_for(team, parts.size(),
                       [&](std::uint64_t part) { summaries[part] = summarize(parts[part], as_reals, seed); });
    arc_summary all;
    std::uint64_t difference = 0;
    for (std::size_t part = 0; part < parts.size(); ++part) {
        parts[part].first_edge = all.forward + all.loops;
        all.arcs += parts[part].rows.targets.size();
        all.loops += summaries[part].loops;
        all.forward += summaries[part].forward;
        difference += summaries[part].forward_sum - summaries[part].backward_sum;
    }
    all.is_symmetric = difference == 0 && 2 * all.forward + all.loops == all.arcs;
    return all;
}

void take_forward_arcs(exec::thread_team& team, std::vector<placed_rows> const& parts, std::uint64_t count,
                       graph_file& file) {
    bool const has_weights = have_weights(parts);
    bool const as_reals = any_reals(parts);
    resize_on_all_threads(team, file.edges, count);
    if (has_weights && as_reals) file.edge_values.resize(count);
    if (has_weights && !as_reals) file.edge_weights.resize(count);
    exec::parallel_for(team, parts.size(), [&](std::uint64_t number) {
        placed_rows const& part = parts[number];
        std::uint64_t next = part.first_edge;
        for_each_row(part, [&](std::uint64_t vertex, std::uint64_t upward, std::uint64_t, std::uint64_t end) {
            for (std::uint64_t arc = upward; arc < end; ++arc, ++next) {
                file.edges[next] = {static_cast<graph::vertex_id>(vertex), part.rows.targets[arc]};
                if (!has_weights) continue;
                if (as_reals) {
                    file.edge_values[next] = weight_of<double>(part.rows, arc);
                } else {
                    file.edge_weights[next] = part.rows.weights[arc];
                }
            }
        });
    });
}

void find_asymmetry(std::string const& name, std::vector<placed_rows> const& parts, graph_file const& file) {
    asymmetry_finder(name, parts, file).find();
}

mended_arcs mend_asymmetry(std::vector<placed_rows> const& parts, graph_file& file) {
    return any_reals(parts) ? merge(parts, file.edges, file.edge_values)
                            : merge(parts, file.edges, file.edge_weights);
}

} // namespace rhizome::io
