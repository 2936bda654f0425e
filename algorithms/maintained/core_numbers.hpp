// SPDX-License-Identifier: Apache-2.0
// The core numbers of a graph that changes.
#pragma once

#include <rhizome/algorithms/detail/core_changes_program.hpp>
#include <rhizome/algorithms/detail/core_order.hpp>
#include <rhizome/algorithms/detail/kcore_program.hpp>
#include <rhizome/algorithms/kcore_options.hpp>
#include <rhizome/algorithms/maintained/maintenance.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/mailbox.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/steps.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>

namespace rhizome::algorithms {
namespace detail {

/// Gives new vertices core number 0.
struct add_isolated_vertices {
    std::uint64_t first;
    std::uint64_t end;
    std::uint64_t* keys;
    std::uint32_t* cores;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, end - first, [&](std::uint64_t i) {
            keys[first + i] = core_key::of(0, core_key::middle);
            cores[first + i] = 0;
        });
    }
};

} // namespace detail

/// The core number of each vertex of an undirected graph, kept up to date while the graph changes. The
/// results are those of k_core. Self-loops do not count.
///
/// Vertices are kept in an order that proves their core numbers. After erased edges, core numbers fall as far
/// as they must, beginning at the ends of these edges. After inserted ones they rise, by one in each round.
/// The order says which vertices may rise; those of them that do not get other places in it.
/// `detail/core_changes_program.hpp` has the steps, their sources and why they are exact. The unit of work is
/// one arc or vertex that is looked at; on a GPU a step counts as tuning::core_step_work of them.
///
/// An update is one launch, and waits once. The first one with inserted edges after computing anew looks at
/// all arcs once, because the static algorithm finds the order only nearly.
///
/// Memory: 12 bytes per vertex id. Scratch, kept between updates: 36 bytes per vertex id.
///
/// `Choice`: leave the default; tests choose by another one.
template <class Space, class Choice = maintenance_choice>
class maintained_core_numbers
    : public maintained_result<maintained_core_numbers<Space, Choice>, Space, Choice> {
public:
    /// Allocates a few bytes. `scratch`: source of the scratch, which must outlive this object; nullptr: the
    /// space.
    explicit maintained_core_numbers(Space space, maintenance way = maintenance::cheaper,
                                     exec::memory_resource* scratch = nullptr)
        : base(way), space_(space), words_(space, scratch), cores_(space), keys_(space),
          anew_state_(space, 1), state_(space, 1), anew_report_(space), report_(std::move(space)) {}

    /// The core number of each vertex, indexed by id, in the memory of the space; 0 for ids of erased
    /// vertices. Precondition: is_current(). Valid until the next call of start() or update().
    [[nodiscard]] std::span<std::uint32_t const> core_numbers() const { return {cores_.data(), vertices_}; }
    /// The largest core number: the degeneracy of the graph; 0 without edges. Precondition: is_current().
    [[nodiscard]] std::uint32_t largest() const { return largest_; }

private:
    using base = maintained_result<maintained_core_numbers, Space, Choice>;
    friend base;
    static constexpr bool reads_values = false;
    /// On the host a step takes no longer than some hundred arcs.
    static constexpr std::uint64_t step_work = exec::threads_take_runs<Space> ? 0 : tuning::core_step_work;

    template <class View>
    void find(View const& view);
    template <class View>
    repair_outcome repair(View const& view, changed_edges const& changes, std::uint64_t most_work);
    /// Room for so many vertices; keeps what is known.
    void make_room(std::uint64_t vertices);
    /// Gives new vertices core number 0.
    void grow(std::uint64_t vertices);
    template <class View>
    static void expect_symmetric(View const& view) {
        if (!view.symmetric())
            throw std::invalid_argument("maintained core numbers: the graph is directed; core numbers are "
                                        "those of undirected graphs");
    }
    /// Whether there are labels for one more update, of at most margin steps.
    [[nodiscard]] bool has_labels() const {
        constexpr std::uint64_t margin = detail::core_key::labels / 4;
        return first_label_ > margin && last_label_ < detail::core_key::labels - margin;
    }

    Space space_;
    exec::workspace<Space> words_;
    exec::buffer<Space, std::uint32_t> cores_;
    exec::buffer<Space, std::uint64_t> keys_; ///< detail::core_key
    exec::buffer<Space, detail::core_state> anew_state_;
    exec::buffer<Space, detail::core_changes_state> state_;
    exec::mailbox<Space, k_core_report> anew_report_;
    exec::mailbox<Space, detail::core_changes_report> report_;
    std::uint64_t vertices_ = 0;
    std::uint32_t largest_ = 0;
    bool is_ordered_ = false; ///< the order is known to prove the core numbers
    std::uint64_t first_label_ = 0;
    std::uint64_t last_label_ = 0;
};

template <class Space, class Choice>
void maintained_core_numbers<Space, Choice>::make_room(std::uint64_t vertices) {
    if (vertices <= cores_.size()) return;
    std::uint64_t const size = vertices + vertices / 8;
    exec::buffer<Space, std::uint32_t> cores(space_, size);
    exec::buffer<Space, std::uint64_t> keys(space_, size);
    if (vertices_ != 0) {
        space_.copy(cores.data(), cores_.data(), vertices_ * sizeof(std::uint32_t));
        space_.copy(keys.data(), keys_.data(), vertices_ * sizeof(std::uint64_t));
    }
    cores_ = std::move(cores);
    keys_ = std::move(keys);
}

template <class Space, class Choice>
void maintained_core_numbers<Space, Choice>::grow(std::uint64_t vertices) {
    make_room(vertices);
    if (vertices > vertices_)
        launch(space_, cover_threads(space_, vertices - vertices_),
               detail::add_isolated_vertices{vertices_, vertices, keys_.data(), cores_.data()});
    vertices_ = vertices;
}

template <class Space, class Choice>
template <class View>
void maintained_core_numbers<Space, Choice>::find(View const& view) {
    expect_symmetric(view);
    vertices_ = 0; // nothing of what is known counts
    make_room(view.vertex_count());
    vertices_ = view.vertex_count();
    largest_ = 0;
    is_ordered_ = false;
    first_label_ = detail::core_key::middle;
    last_label_ = first_label_ + detail::kept_core_order::labels_used;
    if (vertices_ != 0) {
        anew_state_.fill_bytes(0);
        auto* const state = anew_state_.data();
        exec::run_steps(
            space_, vertices_,
            detail::core_program<View, detail::kept_core_order>{
                view,
                {},
                state,
                cores_.data(),
                words_.template at_least_of<std::uint32_t>(detail::core_words_per_vertex * vertices_),
                anew_report_.in_space(),
                {keys_.data()}},
            &state->barrier);
        largest_ = anew_report_.read().largest;
    }
}

template <class Space, class Choice>
template <class View>
repair_outcome maintained_core_numbers<Space, Choice>::repair(View const& view, changed_edges const& changes,
                                                              std::uint64_t most_work) {
    expect_symmetric(view);
    std::span<graph::edge const> const inserted = changes.inserted();
    std::span<graph::edge const> const erased = changes.erased();
    std::uint64_t const edges = inserted.size() + erased.size();
    if (!has_labels()) return {0, repair_outcome::end::gave_up};
    grow(view.vertex_count());
    if (edges == 0) return {};
    auto* const words = words_.template at_least_of<std::uint32_t>(detail::core_changes_words * vertices_);
    space_.fill(words, 0, detail::core_changes_zero_words * vertices_ * sizeof(std::uint32_t));
    state_.fill_bytes(0);
    bool const checks_all = !is_ordered_ && !inserted.empty();
    detail::core_changes_program<View> const program{
        view,         inserted.data(), inserted.size(), erased.data(), erased.size(),
        checks_all,   most_work,       step_work,       first_label_,  last_label_,
        keys_.data(), cores_.data(),   words,           state_.data(), report_.in_space()};
    exec::run_steps(space_, vertices_, program, &state_.data()->barrier);
    detail::core_changes_report const report = report_.read();
    if (report.stopped) return {report.work, repair_outcome::end::gave_up};
    first_label_ = report.first;
    last_label_ = report.last;
    if (report.changed) largest_ = report.largest;
    is_ordered_ = is_ordered_ || checks_all;
    return {report.work};
}

} // namespace rhizome::algorithms
