// SPDX-License-Identifier: Apache-2.0
// Which vertex ids are in use, and which ones erased vertices have freed.
#pragma once

#include <rhizome/container/typed_region.hpp>
#include <rhizome/graph/dead_vertices.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace rhizome::graph {

/// The host has a list of the free ids. The space has one bit per vertex once the first vertex is erased.
/// Invariant: the bits that are set are those of the free ids.
template <class Space, class Id>
class vertex_ids {
public:
    vertex_ids(Space space, std::uint64_t most_vertices)
        : space_(space), bits_(std::move(space), words_for(most_vertices), "erased vertices") {}

    [[nodiscard]] std::uint64_t free_count() const { return free_.size(); }
    /// Whether an id belongs to an erased vertex.
    [[nodiscard]] bool is_free(Id id) const { return id < is_free_.size() && is_free_[id]; }
    [[nodiscard]] dead_vertices dead() const {
        if (free_.empty()) return {};
        return {bits(), free_.size()};
    }
    [[nodiscard]] std::uint32_t* bits() const { return bits_.data(); }
    [[nodiscard]] std::uint64_t held_bytes() const { return bits_.held_bytes(); }

    /// Takes memory for so many bits; throws out_of_memory.
    void prepare(std::uint64_t vertices) {
        std::uint64_t const words = words_for(vertices);
        if (words <= words_) return;
        bits_.grow_to(words);
        is_free_.resize(words * 32);
        space_.fill(bits() + words_, 0, (words - words_) * sizeof(std::uint32_t));
        words_ = words;
    }

    /// Those of `ids` that are ids of live vertices, each once.
    struct choice {
        std::vector<Id> ids;
        std::uint64_t absent = 0;
        std::uint64_t duplicates = 0;
    };
    [[nodiscard]] choice choose(std::span<Id const> ids, std::uint64_t vertices) {
        choice chosen;
        chosen.ids.reserve(ids.size());
        if (seen_.size() < vertices) seen_.resize(vertices);
        for (Id const id : ids) {
            if (id >= vertices || (id < is_free_.size() && is_free_[id])) {
                ++chosen.absent;
            } else if (seen_[id]) {
                ++chosen.duplicates;
            } else {
                chosen.ids.push_back(id);
                seen_[id] = true;
            }
        }
        for (Id const id : chosen.ids)
            seen_[id] = false;
        // free() cannot fail then. The capacity doubles, so that erasing vertices one by one does not copy
        // all free ids each time.
        if (std::uint64_t const needed = free_.size() + chosen.ids.size(); needed > free_.capacity())
            free_.reserve(std::max(needed, 2 * free_.capacity()));
        return chosen;
    }
    /// Precondition: choose() returned these ids, and prepare() was called. The caller sets the bits.
    void free(std::vector<Id> const& ids) noexcept {
        for (Id const id : ids) {
            is_free_[id] = true;
            free_.push_back(id);
        }
    }
    /// The last `count` ids that were freed.
    [[nodiscard]] std::span<Id const> last_freed(std::uint64_t count) const {
        return std::span(free_).last(count);
    }
    /// The last `count` free ids belong to live vertices again. The caller clears the bits.
    void take(std::uint64_t count) noexcept {
        for (Id const id : last_freed(count))
            is_free_[id] = false;
        free_.erase(free_.end() - static_cast<std::ptrdiff_t>(count), free_.end());
    }

private:
    [[nodiscard]] static std::uint64_t words_for(std::uint64_t vertices) { return (vertices + 31) / 32; }

    Space space_;
    container::typed_region<Space, std::uint32_t> bits_;
    std::uint64_t words_ = 0;
    std::vector<Id> free_;
    std::vector<bool> is_free_;
    std::vector<bool> seen_; ///< all false between calls
};

} // namespace rhizome::graph
