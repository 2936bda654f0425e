// SPDX-License-Identifier: Apache-2.0
// The teleport distribution of personalised PageRank.
#pragma once

#include <rhizome/algorithms/detail/sources.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::algorithms::detail {

template <class Id>
struct source_weight {
    Id source;
    double weight;
};

/// The sources in ascending order, each once, with weights of sum 1. Throws std::invalid_argument if the
/// lists are not what pagerank_inputs says.
template <class Id>
[[nodiscard]] std::vector<source_weight<Id>>
normal_weights(std::uint64_t vertices, std::span<Id const> sources, std::span<double const> weights) {
    if (!weights.empty() && weights.size() != sources.size())
        throw std::invalid_argument("pagerank: " + std::to_string(sources.size()) + " sources, but " +
                                    std::to_string(weights.size()) + " weights");
    std::vector<source_weight<Id>> all(sources.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i] = {sources[i], weights.empty() ? 1.0 : weights[i]};
        expect_vertex("pagerank", sources[i], vertices);
        if (!(all[i].weight >= 0) || std::isinf(all[i].weight))
            throw std::invalid_argument("pagerank: source " + std::to_string(sources[i]) + " has weight " +
                                        std::to_string(all[i].weight));
    }
    // Stable: the sum of weights of one source depends on their order.
    std::stable_sort(all.begin(), all.end(),
                     [](auto const& a, auto const& b) { return a.source < b.source; });
    double total = 0;
    std::size_t kept = 0;
    for (source_weight<Id> const& each : all) {
        total += each.weight;
        if (kept != 0 && all[kept - 1].source == each.source)
            all[kept - 1].weight += each.weight;
        else
            all[kept++] = each;
    }
    all.resize(kept);
    if (!(total > 0) || std::isinf(total))
        throw std::invalid_argument("pagerank: the weights of the sources add up to " +
                                    std::to_string(total));
    for (source_weight<Id>& each : all)
        each.weight /= total;
    return all;
}

/// Writes the weights of the sources, and notes whether one of them is the id of an erased vertex.
template <class View, class Real>
struct write_teleport {
    using id_type = typename View::id_type;

    View view;
    source_weight<id_type> const* sources;
    std::uint64_t count;
    Real* teleport;
    std::uint64_t* dead;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            id_type const v = sources[i].source;
            teleport[v] = static_cast<Real>(sources[i].weight);
            // relaxed: the host reads it after the launch
            if (!view.is_live(v))
                (void)thread.device(*dead).fetch_add(std::uint64_t{1}, exec::order::relaxed);
        });
    }
};

/// Keeps the memory of a teleport distribution between calls.
template <class Space>
class teleport_writer {
public:
    /// `scratch`: source of the memory; nullptr: the space. The resource must outlive the writer.
    teleport_writer(Space space, exec::memory_resource* scratch)
        : sources_(space, scratch), teleport_(std::move(space), scratch) {}

    /// One number per vertex, in the memory of the space; valid until the next call. Waits. Throws
    /// std::invalid_argument as pagerank::run() states, and out_of_memory.
    template <class Real, class View>
    [[nodiscard]] Real const* write(Space& space, View const& view,
                                    std::span<typename View::id_type const> sources,
                                    std::span<double const> weights) {
        using entry = source_weight<typename View::id_type>;
        std::uint64_t const vertices = view.vertex_count();
        std::vector<entry> const entries = normal_weights(vertices, sources, weights);
        // A counter, and the entries behind it.
        auto* const dead =
            sources_.template at_least_of<std::uint64_t>(1 + (entries.size() * sizeof(entry) + 7) / 8);
        auto* const listed = reinterpret_cast<entry*>(dead + 1);
        auto* const teleport = teleport_.template at_least_of<Real>(vertices);
        space.fill(dead, 0, sizeof(*dead));
        space.fill(teleport, 0, vertices * sizeof(Real));
        space.copy_in(listed, entries.data(), entries.size() * sizeof(entry));
        launch(space, cover_threads(space, entries.size()),
               write_teleport<View, Real>{view, listed, entries.size(), teleport, dead});
        std::uint64_t found = 0;
        space.copy_out(&found, dead, sizeof(found));
        if (found != 0) throw std::invalid_argument("pagerank: a source is an erased vertex");
        return teleport;
    }

private:
    exec::workspace<Space> sources_;
    exec::workspace<Space> teleport_;
};

} // namespace rhizome::algorithms::detail
