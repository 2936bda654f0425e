// SPDX-License-Identifier: Apache-2.0
// The results that follow a graph, and what has changed since they were brought up to date.
#pragma once

#include <rhizome/runtime/detail/maintained_algorithms.hpp>
#include <rhizome/runtime/graph_results.hpp>

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::runtime::detail {

template <class Space, class View, class Value>
class kept_results {
    using algorithms_type = maintained_algorithms<Space, View, Value>;

public:
    using changes_type = graph::graph_changes<Space, Value>;

    explicit kept_results(Space const& space) : space_(space), changes_(space), no_changes_(space) {}

    [[nodiscard]] bool empty() const { return results_.empty(); }

    /// Where the next change of the graph notes what it does; nullptr if no result follows. `view`: the graph
    /// before the change.
    [[nodiscard]] changes_type* before_change(View const& view) {
        if (empty()) return nullptr;
        if (!is_disjoint_ || !std::exchange(has_begun_, true)) settle(view);
        return &changes_;
    }
    [[nodiscard]] std::size_t add(std::size_t algorithm, algorithm_arguments const& given,
                                  algorithms::maintenance way) {
        auto made = algorithms_type::make(space_, algorithm, given, way);
        if (made == nullptr)
            throw std::invalid_argument(std::string(runtime::algorithms()[algorithm].name) +
                                        ": its result does not follow a graph");
        results_.push_back({next_number_, std::move(made), false, true});
        return next_number_++;
    }
    maintained_answer update(std::size_t number, View const& view) {
        kept& own = result(number);
        bring_up_to_date(own, view);
        return {own.result->found(), std::exchange(own.recomputed, false)};
    }
    void stop(std::size_t number) {
        static_cast<void>(result(number));
        std::erase_if(results_, [&](kept const& each) { return each.number == number; });
        if (empty()) changes_.release();
    }
    void begin_disjoint() {
        is_disjoint_ = true;
        has_begun_ = false;
    }
    void end_disjoint() { is_disjoint_ = false; }

private:
    struct kept {
        std::size_t number;
        std::unique_ptr<typename algorithms_type::result_type> result;
        bool recomputed;   ///< since the last update()
        bool has_seen_all; ///< the changes in the list
    };

    [[nodiscard]] kept& result(std::size_t number) {
        for (kept& each : results_)
            if (each.number == number) return each;
        throw std::out_of_range("no result " + std::to_string(number) + " is kept up to date");
    }
    void bring_up_to_date(kept& own, View const& view) {
        bool const has_seen = std::exchange(own.has_seen_all, true); // if it throws, it is computed anew
        own.recomputed |= own.result->update(view, has_seen ? no_changes_ : changes_).recomputed;
    }
    /// Brings all results up to date, and empties the list. One that fails is stale: its next update computes
    /// it anew, and tells the caller what is wrong.
    void settle(View const& view) {
        for (kept& each : results_) {
            if (each.has_seen_all) continue;
            try {
                bring_up_to_date(each, view);
            } catch (std::exception const&) {
            }
        }
        changes_.clear();
        for (kept& each : results_)
            each.has_seen_all = false;
    }

    Space space_;
    std::vector<kept> results_;
    changes_type changes_; ///< since the last settle()
    changes_type no_changes_;
    std::size_t next_number_ = 0;
    bool is_disjoint_ = false;
    bool has_begun_ = false;
};

} // namespace rhizome::runtime::detail
