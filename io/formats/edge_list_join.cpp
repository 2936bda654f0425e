// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/host/parallel.hpp>
#include <rhizome/graph/limits.hpp>
#include <rhizome/io/formats/blocks.hpp>
#include <rhizome/io/formats/edge_list_join.hpp>
#include <rhizome/io/number_ranks.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/whole_weights.hpp>

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>

namespace rhizome::io {
namespace {

using part_kind = edge_list_part::kind;

/// More threads than the machine has gain nothing here.
unsigned threads_of(unsigned wanted) {
    unsigned const most = std::max(1u, std::thread::hardware_concurrency());
    return wanted == 0 ? most : std::min(wanted, most);
}

class joiner {
public:
    joiner(std::string const& path, std::vector<edge_list_part>& parts, edge_list_layout const& layout,
           unsigned threads, graph_file& file)
        : path_(path), parts_(parts), layout_(layout), team_(threads_of(threads)), file_(file) {
        for (edge_list_part const& part : parts) {
            is_text_ |= part.names_are == part_kind::text;
            is_short_ &= part.names_are == part_kind::short_numbers;
            count_ += part.edges.size() + part.ends.size() / 2;
            least_ = std::min(least_, part.least);
            most_ = std::max(most_, part.most);
        }
    }

    void join() {
        if (is_text_) {
            join_text();
        } else if (is_short_) {
            join_short_numbers();
        } else {
            join_numbers();
        }
        file_.edges = join_parts(parts_, &edge_list_part::edges);
        join_weights();
        file_.edge_times = join_parts(parts_, &edge_list_part::times);
        for (edge_list_part const& part : parts_)
            file_.rounded_times += part.rounded_times;
    }

private:
    /// Sets each edge of a part to what function(edge) returns, the smaller end first in undirected graphs.
    template <class Function>
    void map_edges(edge_list_part& part, Function&& function) const {
        bool const directed = file_.directed;
        for (graph::edge& edge : part.edges) {
            auto const [u, v] = function(edge);
            edge = directed || u <= v ? graph::edge{u, v} : graph::edge{v, u};
        }
    }

    template <class Function>
    void for_all_parts(Function&& function) {
        exec::parallel_for(team_, parts_.size(), [&](std::uint64_t i) { function(parts_[i], i); });
    }

    void join_short_numbers() {
        if (count_ == 0) {
            file_.vertex_count = layout_.vertices.value_or(0);
            check_vertex_count(file_.vertex_count);
            file_.counts_from_one = layout_.counts_from_one;
            return;
        }
        if (join_counted()) return;
        // The set is used if it takes about as much memory as the edges, or little.
        constexpr std::uint64_t little = std::uint64_t{1} << 24;
        if (number_ranks::bytes(most_ + 1) > std::max(little, 16 * count_)) {
            join_numbers();
            return;
        }
        number_ranks ranks(most_ + 1);
        for_all_parts([&](edge_list_part& part, std::uint64_t) {
            for (graph::edge const& edge : part.edges) {
                ranks.insert(edge.source);
                ranks.insert(edge.target);
            }
        });
        file_.vertex_count = ranks.count();
        if (file_.vertex_count == most_ - least_ + 1 && least_ <= 1) {
            shift_numbers();
            return;
        }
        file_.names = vertex_names::ascending(ranks.numbers());
        for_all_parts([&](edge_list_part& part, std::uint64_t) {
            map_edges(part, [&](graph::edge edge) {
                return graph::edge{ranks.rank(edge.source), ranks.rank(edge.target)};
            });
        });
    }

    /// Takes the numbers as ids if a comment says how many vertices there are. Returns false if it does not,
    /// or the numbers do not fit.
    bool join_counted() {
        std::uint64_t const count = layout_.vertices.value_or(0);
        bool const from_one = least_ >= 1 && (most_ == count || (layout_.counts_from_one && most_ < count));
        bool const from_zero = !from_one && most_ < count;
        if (!from_zero && !from_one) return false;
        check_vertex_count(count);
        file_.vertex_count = count;
        least_ = from_one ? 1 : 0;
        shift_numbers();
        return true;
    }

    /// The numbers count from `least_`, which is 0 or 1.
    void shift_numbers() {
        auto const first = static_cast<graph::vertex_id>(std::min<std::uint64_t>(least_, 1));
        file_.counts_from_one = first == 1;
        if (first == 0 && file_.directed) return;
        for_all_parts([&](edge_list_part& part, std::uint64_t) {
            map_edges(part, [&](graph::edge edge) {
                return graph::edge{edge.source - first, edge.target - first};
            });
        });
    }

    /// Numbers that are spread widely. Each part sorts its own, so that every search is in a short list.
    void join_numbers() {
        std::vector<std::vector<std::uint64_t>> own(parts_.size());
        for_all_parts([&](edge_list_part& part, std::uint64_t i) {
            part.widen();
            own[i] = part.ends;
            sort_unique(own[i]);
        });
        std::vector<std::uint64_t> all;
        for (std::vector<std::uint64_t> const& numbers : own)
            all.insert(all.end(), numbers.begin(), numbers.end());
        sort_unique(all);
        check_vertex_count(all.size());
        file_.vertex_count = all.size();
        for_all_parts([&](edge_list_part& part, std::uint64_t i) {
            std::vector<graph::vertex_id> ids;
            ids.reserve(own[i].size());
            auto place = all.begin();
            for (std::uint64_t const number : own[i]) {
                place = std::lower_bound(place, all.end(), number);
                ids.push_back(static_cast<graph::vertex_id>(place - all.begin()));
            }
            auto const id_of = [&](std::uint64_t number) {
                return ids[static_cast<std::size_t>(std::lower_bound(own[i].begin(), own[i].end(), number) -
                                                    own[i].begin())];
            };
            part.edges.reserve(part.ends.size() / 2);
            for (std::size_t end = 0; end < part.ends.size(); end += 2)
                part.edges.push_back({id_of(part.ends[end]), id_of(part.ends[end + 1])});
            part.ends = {};
            map_edges(part, [](graph::edge edge) { return edge; });
        });
        file_.names = vertex_names::ascending(std::move(all));
    }

    static void sort_unique(std::vector<std::uint64_t>& numbers) {
        std::sort(numbers.begin(), numbers.end());
        numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    }

    void check_vertex_count(std::uint64_t count) const {
        constexpr std::uint64_t most = graph::most_rows<graph::vertex_id>;
        if (count > most)
            throw file_error(path_, "has " + std::to_string(count) + " vertices; graphs hold up to " +
                                        std::to_string(most));
    }

    void join_text() {
        for_all_parts([](edge_list_part& part, std::uint64_t) { part.name_by_text(); });
        std::vector<std::vector<graph::vertex_id>> ids(parts_.size());
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            vertex_names const& names = parts_[i].names;
            try {
                for (std::uint64_t v = 0; v < names.size(); ++v)
                    ids[i].push_back(file_.names.find_or_add(names.name(static_cast<graph::vertex_id>(v))));
            } catch (std::length_error const&) {
                check_vertex_count(file_.names.size() + 1);
            }
            parts_[i].names = {};
        }
        file_.vertex_count = file_.names.size();
        for_all_parts([&](edge_list_part& part, std::uint64_t i) {
            map_edges(part, [&](graph::edge edge) {
                return graph::edge{ids[i][edge.source], ids[i][edge.target]};
            });
        });
    }

    void join_weights() {
        bool const real = std::any_of(parts_.begin(), parts_.end(),
                                      [](edge_list_part const& part) { return part.has_real_weights; });
        if (!real) {
            give_whole_weights(file_, join_parts(parts_, &edge_list_part::whole_weights));
            return;
        }
        for (edge_list_part& part : parts_)
            if (!part.has_real_weights)
                part.real_weights.assign(part.whole_weights.begin(), part.whole_weights.end());
        file_.edge_values = join_parts(parts_, &edge_list_part::real_weights);
        file_.value_type = stored_type_name<double>;
    }

    std::string const& path_;
    std::vector<edge_list_part>& parts_;
    edge_list_layout const& layout_;
    exec::thread_team team_;
    graph_file& file_;
    bool is_text_ = false;
    bool is_short_ = true;
    std::uint64_t count_ = 0; ///< edges
    std::uint64_t least_ = ~std::uint64_t{0};
    std::uint64_t most_ = 0;
};

} // namespace

void join_edge_list(std::string const& path, std::vector<edge_list_part>& parts,
                    edge_list_layout const& layout, unsigned threads, graph_file& file) {
    joiner(path, parts, layout, threads, file).join();
}

} // namespace rhizome::io
