// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/host/parallel.hpp>
#include <rhizome/io/parallel_edges.hpp>
#include <rhizome/io/stored_numbers.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>

namespace rhizome::io {
namespace {

constexpr std::array<std::pair<parallel_rule, std::string_view>, 4> all_rules{{
    {parallel_rule::least, "least"},
    {parallel_rule::sum, "sum"},
    {parallel_rule::last, "last"},
    {parallel_rule::first, "first"},
}};

/// Numbers of the edges of a file, sorted by their ends. Index: 32 bits where they suffice, as large files
/// have 10^8 edges.
template <class Index>
class merger {
public:
    merger(graph_file& file, parallel_rule rule, unsigned threads)
        : file_(file), rule_(rule),
          team_(threads == 0 ? std::max(1u, std::thread::hardware_concurrency()) : threads) {}

    merged_edges merge() {
        group_by_source();
        if (!sort_rows()) return {};
        leaves_.resize(file_.edges.size());
        for (std::size_t begin = 0; begin < order_.size();) {
            std::size_t end = begin + 1;
            while (end < order_.size() && edge(end) == edge(begin))
                ++end;
            if (end - begin > 1) merge_group(begin, end);
            begin = end;
        }
        remove(file_.edges);
        remove(file_.edge_weights);
        remove(file_.edge_values);
        remove(file_.edge_times);
        return merged_;
    }

private:
    [[nodiscard]] graph::edge const& edge(std::size_t place) const { return file_.edges[order_[place]]; }

    /// A counting sort.
    void group_by_source() {
        starts_.assign(file_.vertex_count + 1, 0);
        for (graph::edge const& each : file_.edges)
            ++starts_[each.source + std::size_t{1}];
        std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
        order_.resize(file_.edges.size());
        std::vector<std::uint64_t> next(starts_.begin(), starts_.end() - 1);
        for (std::size_t i = 0; i < file_.edges.size(); ++i)
            order_[next[file_.edges[i].source]++] = static_cast<Index>(i);
    }

    /// Sorts the edges of each vertex by target; equal ones keep the order of the file. Returns whether there
    /// are equal ones.
    bool sort_rows() {
        constexpr std::uint64_t block = 1 << 12;
        std::atomic<bool> any = false;
        exec::parallel_for(team_, (file_.vertex_count + block - 1) / block, [&](std::uint64_t number) {
            std::uint64_t const last = std::min(file_.vertex_count, (number + 1) * block);
            for (std::uint64_t v = number * block; v < last; ++v) {
                auto const begin = order_.begin() + static_cast<std::ptrdiff_t>(starts_[v]);
                auto const end = order_.begin() + static_cast<std::ptrdiff_t>(starts_[v + 1]);
                auto const target = [&](Index i) { return file_.edges[i].target; };
                std::sort(begin, end, [&](Index a, Index b) {
                    return std::pair(target(a), a) < std::pair(target(b), b);
                });
                auto const same = [&](Index a, Index b) { return target(a) == target(b); };
                // relaxed: the team's end of the loop orders this before the load below
                if (std::adjacent_find(begin, end, same) != end) any.store(true, std::memory_order_relaxed);
            }
        });
        return any.load(std::memory_order_relaxed);
    }

    /// The edges from `begin` to `end` in order_ are parallel.
    void merge_group(std::size_t begin, std::size_t end) {
        Index kept = rule_ == parallel_rule::last ? order_[end - 1] : order_[begin];
        if (!file_.edge_weights.empty()) kept = merge_weights(file_.edge_weights, begin, end, kept);
        if (!file_.edge_values.empty()) kept = merge_weights(file_.edge_values, begin, end, kept);
        for (std::size_t i = begin; i < end; ++i)
            leaves_[order_[i]] = order_[i] != kept;
        merged_.left_out += end - begin - 1;
    }

    /// Returns the edge that stays.
    template <class Weight>
    Index merge_weights(std::vector<Weight>& weights, std::size_t begin, std::size_t end, Index kept) {
        Weight sum = 0;
        Index least = kept;
        bool differ = false;
        for (std::size_t i = begin; i < end; ++i) {
            Weight const weight = weights[order_[i]];
            differ |= weight != weights[order_[begin]];
            if (weight < weights[least]) least = order_[i];
            if (rule_ == parallel_rule::sum) sum = added(sum, weight, edge(begin));
        }
        merged_.weights_differ += differ ? 1 : 0;
        if (rule_ == parallel_rule::sum) weights[kept] = sum;
        return rule_ == parallel_rule::least ? least : kept;
    }

    template <class Weight>
    Weight added(Weight sum, Weight weight, graph::edge ends) const {
        constexpr auto most = static_cast<Weight>(largest_exact_number);
        bool const is_whole = std::is_integral_v<Weight> || with_integer_type(file_.value_type, [](auto) {});
        bool fits = true;
        if constexpr (std::is_integral_v<Weight>) {
            fits = weight <= most && sum <= most - weight;
        } else {
            fits = is_whole ? std::abs(sum + weight) <= most : std::isfinite(sum + weight);
        }
        if (!fits)
            throw std::overflow_error("the weights of the parallel edges " + std::to_string(ends.source) +
                                      " -> " + std::to_string(ends.target) + " have a sum beyond " +
                                      (is_whole ? "2^53" : "all finite numbers"));
        return sum + weight;
    }

    template <class Item>
    void remove(std::vector<Item>& items) const {
        if (items.empty()) return;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < items.size(); ++i)
            if (!leaves_[i]) items[kept++] = items[i];
        items.resize(kept);
    }

    graph_file& file_;
    parallel_rule rule_;
    exec::thread_team team_;
    std::vector<std::uint64_t> starts_; ///< places of order_ at which the edges of each vertex begin
    std::vector<Index> order_;
    std::vector<bool> leaves_; ///< per edge of the file
    merged_edges merged_;
};

/// Whether the edges ascend strictly, so that no two are equal.
bool ascend(std::vector<graph::edge> const& edges) {
    return std::adjacent_find(edges.begin(), edges.end(), [](graph::edge const& a, graph::edge const& b) {
               return !(a < b);
           }) == edges.end();
}

} // namespace

std::vector<std::string> parallel_rule_names() {
    std::vector<std::string> names;
    for (auto const& [each, name] : all_rules)
        names.emplace_back(name);
    return names;
}

std::optional<parallel_rule> parallel_rule_named(std::string_view wanted) {
    for (auto const& [each, name] : all_rules)
        if (name == wanted) return each;
    return std::nullopt;
}

merged_edges merge_parallel_edges(graph_file& file, parallel_rule rule, unsigned threads) {
    if (ascend(file.edges)) return {};
    if (file.edges.size() <= std::numeric_limits<std::uint32_t>::max())
        return merger<std::uint32_t>(file, rule, threads).merge();
    return merger<std::uint64_t>(file, rule, threads).merge();
}

} // namespace rhizome::io
