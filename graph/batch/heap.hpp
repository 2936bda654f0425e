// SPDX-License-Identifier: Apache-2.0
// The heap of a graph, as the steps of a batch see it.
#pragma once

#include <rhizome/alloc/abilities.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/memory_budget.hpp>
#include <rhizome/graph/batch/grow.hpp>
#include <rhizome/graph/tuning.hpp>

#include <algorithm>
#include <cstdint>

namespace rhizome::graph::batch {

/// An allocator's owner, and how many bytes of its heap the rows have at least.
template <class Allocator>
class heap {
public:
    using ref_type = typename Allocator::ref_type;

    /// `roomy_arcs` is kept between batches: so many arcs were measured, and there was room for them.
    /// `loads`: the batch loads a graph without arcs, and is measured exactly.
    heap(typename Allocator::space_type& space, Allocator& allocator, std::uint64_t rows_bytes,
         std::uint64_t arc_bytes, std::uint64_t& roomy_arcs, bool loads)
        : space_(space), allocator_(allocator), rows_bytes_(rows_bytes), arc_bytes_(arc_bytes),
          roomy_arcs_(roomy_arcs), loads_(loads) {}

    /// Valid until the heap grows or is asked to.
    [[nodiscard]] ref_type ref() const { return allocator_.ref(); }
    /// Whether there may be no room for so many arcs, and so many have not found room in the last
    /// measurement. A stream of edges that are mostly present is therefore not measured again and again. If
    /// that guess is wrong, the batch is stopped and the heap grows by a share of itself, so that the guess
    /// is seldom wrong.
    [[nodiscard]] bool may_lack(std::uint64_t arcs) const {
        return arcs > roomy_arcs_ && arcs * arc_bytes_ > room_bytes();
    }
    /// Grows the heap if it cannot have pages of so many bytes for so many arcs. If it cannot grow, the batch
    /// finds that out itself.
    void expect(std::uint64_t bytes, std::uint64_t arcs) {
        if (holds(bytes, arcs)) return;
        try {
            grow_sparing_scratch(space_, allocator_, allocator_.heap_bytes() + growth_for(bytes));
        } catch (exec::out_of_memory const&) {
        }
    }
    /// The same, but grows only if most of the memory is unused. Whether the heap can have them then.
    [[nodiscard]] bool expects_at_most(std::uint64_t bytes, std::uint64_t arcs) {
        if (holds(bytes, arcs)) return true;
        if (leaves_most(growth_for(bytes))) expect(bytes, arcs);
        return holds(bytes, arcs);
    }

    /// Grows the heap if its free chunks may not hold pages of so many bytes, and most of the memory is
    /// unused. For spaces where the host reads the memory of the space, so that the count of free chunks
    /// costs nothing. A batch that runs out of pages half-way takes several times as long.
    void keep_chunks_for([[maybe_unused]] std::uint64_t bytes) {
        if constexpr (alloc::chunk_counting_owner<Allocator> && requires { ref_type::base_bytes; }) {
            auto const chunks = static_cast<std::int64_t>(*allocator_.free_chunks());
            std::uint64_t const free_bytes =
                chunks > 0 ? static_cast<std::uint64_t>(chunks) * ref_type::base_bytes : 0;
            std::uint64_t const wanted_bytes = bytes + bytes / chunk_share;
            if (wanted_bytes <= free_bytes) return;
            std::uint64_t const heap_bytes = allocator_.heap_bytes();
            std::uint64_t const growth =
                std::max(wanted_bytes - free_bytes, heap_bytes / tuning::growth_share); // so it is rare
            if (!leaves_most(growth)) return;
            try {
                grow_sparing_scratch(space_, allocator_, heap_bytes + growth);
            } catch (exec::out_of_memory const&) { // the batch finds out itself whether it lacks pages
            }
        }
    }

private:
    static constexpr std::uint64_t chunk_share = 4; ///< each class and shard has chunks that are not full

    [[nodiscard]] bool holds(std::uint64_t bytes, std::uint64_t arcs) {
        bool const has_room = bytes <= room_bytes();
        if (has_room) roomy_arcs_ = arcs;
        return has_room;
    }
    /// For pages of so many bytes that the heap cannot have.
    [[nodiscard]] std::uint64_t growth_for(std::uint64_t bytes) const {
        std::uint64_t const share = bytes / tuning::spare_share;
        std::uint64_t const spare =
            loads_ ? std::min(share, bytes / tuning::loaded_spare_share + tuning::loaded_spare_bytes) : share;
        return bytes - room_bytes() + spare;
    }
    /// Whether most of the memory stays unused if the heap grows so.
    [[nodiscard]] bool leaves_most(std::uint64_t growth) const {
        std::uint64_t const held = space_.budget().held_bytes();
        std::uint64_t const most = space_.memory_bytes();
        return held <= most && most - held >= growth * tuning::spared_growths;
    }
    [[nodiscard]] std::uint64_t room_bytes() const {
        std::uint64_t const held = allocator_.heap_bytes();
        return held > rows_bytes_ ? held - rows_bytes_ : 0;
    }

    typename Allocator::space_type& space_;
    Allocator& allocator_;
    std::uint64_t rows_bytes_;
    std::uint64_t arc_bytes_;
    std::uint64_t& roomy_arcs_;
    bool loads_;
};

} // namespace rhizome::graph::batch
