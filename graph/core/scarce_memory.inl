// SPDX-License-Identifier: Apache-2.0
// What a graph does before it refuses a batch for lack of memory. Bodies of graph_core.hpp.
#pragma once

namespace rhizome::graph {

/// Applies the batch that `place` puts into the space. If memory is short, first gives back what is kept for
/// later work, then applies the batch in the pieces of cut(). Throws out_of_memory, which says what is
/// lacking. The graph is then unchanged, or broken if undoing the pieces failed.
template <class Types>
template <class Place, class Cut>
batch_report graph_core<Types>::with_all_memory(bool erasing, std::uint64_t edges, Place const& place,
                                                Cut const& cut) {
    batch_report const report = apply_with_all_memory(erasing, edges, place, cut);
    after_batch(edges);
    return report;
}

template <class Types>
template <class Place, class Cut>
batch_report graph_core<Types>::apply_with_all_memory(bool erasing, std::uint64_t edges, Place const& place,
                                                      Cut const& cut) {
    if (edges >= 0xffff'ffffull) throw std::length_error("a batch has at most 2^32 - 2 arcs");
    auto const apply_whole = [&] {
        placed_type const placed = place();
        return apply(erasing, placed.edges, placed.values, placed.count);
    };
    try {
        try {
            return apply_whole();
        } catch (batch::refuses_pages const&) {
            throw;
        } catch (exec::out_of_memory const&) {
            if (integrity_.broken()) throw;
            if (!give_back_for_batch()) return apply_in_pieces(erasing, cut());
        }
        try {
            return apply_whole();
        } catch (batch::refuses_pages const&) {
            throw;
        } catch (exec::out_of_memory const&) {
            if (integrity_.broken()) throw;
            return apply_in_pieces(erasing, cut());
        }
    } catch (exec::out_of_memory const& error) {
        if (integrity_.broken())
            throw exec::out_of_memory("batch of " + std::to_string(edges) +
                                          " edges refused midway, and the graph is broken",
                                      error.needed_bytes(), error.available_bytes());
        refuse(error, edges);
    }
}

/// Gives back the memory of queries and of places without a staged batch. Returns whether there was any.
template <class Types>
bool graph_core<Types>::give_back_for_batch() {
    bool any = stager_.give_back();
    for (auto* const piece : {&asked_, &answers_, &values_found_}) {
        any = any || piece->held_bytes() != 0;
        piece->give_back();
    }
    return any;
}

/// Moves rows out of chunks that they share with free pages, so that whole chunks become free. Returns false
/// where too little could be moved.
template <class Types>
bool graph_core<Types>::move_rows_together() {
    if constexpr (requires { layout_type::one_page_per_row; } && alloc::withholding_owner<allocator_type>) {
        std::uint64_t const least_bytes = allocator_.heap_bytes() / tuning::moving_share;
        try {
            auto const withhold = [&] { return allocator_.withhold_sparse_chunks(least_bytes); };
            if (integrity_.change_or_refuse(withhold) == 0) return false;
        } catch (exec::out_of_memory const&) {
            return false;
        }
        integrity_.change([&] {
            moved_bytes_.fill_bytes(0);
            move_rows<batch::move_reason::withheld>(std::numeric_limits<std::uint64_t>::max());
            allocator_.trim();
        });
        return true;
    }
    return false;
}

/// Applies piece after piece, each as a batch of its own. A piece that is refused is cut into smaller ones,
/// until they hardly take scratch. If one of those is refused, all that was applied is undone.
template <class Types>
template <class Pieces>
batch_report graph_core<Types>::apply_in_pieces(bool erasing, Pieces pieces) {
    exec::workspace<space_type> spare(space_, options_.scratch); // for undoing
    for (std::uint64_t bytes =
             std::clamp<std::uint64_t>(space_.budget().available_bytes() / tuning::undo_share,
                                       tuning::least_undo_bytes, tuning::most_undo_bytes);
         spare.held_bytes() == 0; bytes /= 2) {
        try {
            static_cast<void>(spare.at_least(bytes));
        } catch (exec::out_of_memory const&) {
            if (bytes / 2 >= tuning::least_undo_bytes) continue;
            if (!erasing) throw;
            break; // erasing takes no pages, so that small pieces suffice
        }
    }

    // Smaller pieces would hardly need less memory for pages at a time.
    std::uint64_t const least_edges =
        std::clamp<std::uint64_t>(space_.memory_bytes() / tuning::piece_memory_share,
                                  tuning::least_piece_edges, tuning::most_least_piece_edges);
    std::uint32_t of = 1;
    std::uint64_t applied_hashes = 0; ///< pieces are applied in the order of their hashes
    bool moved = false;               // rows, since a piece was applied
    batch_report report;
    std::vector<batch::piece> left{{1, 0}};
    batch::change_counts const listed = changes_ == nullptr ? batch::change_counts{} : changes_->count;
    try {
        while (!left.empty()) {
            batch::piece const next = left.back();
            if (next.of < of) {
                left.pop_back();
                for (std::uint32_t part = tuning::piece_parts; part-- != 0;)
                    left.push_back(next.part(part, tuning::piece_parts));
                continue;
            }
            try {
                placed_type const placed = pieces.of(next, view());
                report += apply(erasing, placed.edges, placed.values, placed.count);
                if (placed.count != 0) applied_hashes = next.hashes().end;
                left.pop_back();
                moved = false;
            } catch (batch::refuses_pages const&) {
                throw;
            } catch (exec::out_of_memory const& error) {
                if (integrity_.broken()) throw;
                pieces.give_back();
                scratch_.give_back_working_memory();
                bool const lacks_pages = dynamic_cast<batch::lacks_pages const*>(&error) != nullptr;
                // A refused piece would lose the pages that it took, each time.
                if (lacks_pages && !allocator_type::ref_type::traits::reuses) throw;
                if (lacks_pages && !std::exchange(moved, true) && move_rows_together()) continue;
                std::uint64_t const edges_each = pieces.edge_count() / of;
                // A piece of so many edges is not cut again. The scratch that growing heaps leave is enough
                // for least_piece_edges.
                std::uint64_t const smallest = lacks_pages ? 2 * least_edges - 1
                                               : erasing   ? 1
                                                           : tuning::least_piece_edges;
                if (edges_each > smallest && of < tuning::most_pieces)
                    of *= tuning::piece_parts;
                else if (erasing && spare.held_bytes() != 0)
                    spare.give_back(); // completing the batch is better than undoing it
                else
                    throw;
            }
        }
    } catch (...) {
        if (applied_hashes != 0 && !integrity_.broken()) {
            spare.give_back();
            pieces.give_back();
            scratch_.give_back_working_memory();
            changes_type* const changes = std::exchange(changes_, nullptr); // undoing is no change
            integrity_.change([&] { undo_pieces(erasing, pieces, {0, applied_hashes}); });
            if (changes != nullptr) changes->count = listed;
        }
        throw;
    }
    return report;
}

/// Erases what was inserted, or inserts what was erased, and restores the old values, of the edges with the
/// hashes `applied`. Repeating it does no harm. Throws out_of_memory if there is no scratch for one edge.
template <class Types>
template <class Pieces>
void graph_core<Types>::undo_pieces(bool erasing, Pieces& pieces, batch::hash_range const& applied) {
    std::uint64_t const all = pieces.undone_edges(applied);
    // Shares that do not fit are refused at once, so large shares are tried first.
    std::uint64_t at_most = all;
    for (std::uint64_t first = 0; first < all;) {
        batch::undone_share const share{applied, first, std::min(at_most, all - first)};
        try {
            if (!erasing) {
                placed_type const added = pieces.absent(share);
                apply(true, added.edges, nullptr, added.count);
            }
            if (erasing || has_values) {
                placed_type const held = pieces.present(share);
                apply(false, held.edges, held.values, held.count);
            }
            first += share.count;
        } catch (exec::out_of_memory const&) {
            if (integrity_.broken() || share.count == 1) throw;
            pieces.give_back();
            scratch_.give_back_working_memory();
            at_most = (share.count + tuning::piece_parts - 1) / tuning::piece_parts;
        }
    }
}

template <class Types>
void graph_core<Types>::refuse(exec::out_of_memory const& error, std::uint64_t edges) {
    bool const pages = dynamic_cast<batch::lacks_pages const*>(&error) != nullptr;
    bool const vain = dynamic_cast<batch::refuses_pages const*>(&error) != nullptr;
    alloc::audit_result const heap = allocator_.audit();
    std::string remark = std::string(pages ? " for pages" : " for scratch") + "; the heap has " +
                         std::to_string(heap.free_bytes) + " of " + std::to_string(allocator_.heap_bytes()) +
                         " bytes free";
    if (vain)
        remark += ", but its allocator refuses the pages";
    else
        remark += pages ? ", in pages of other sizes and in runs of chunks that are too short"
                        : ", which cannot be scratch";
    remark += "; scratch holds " + std::to_string(scratch_.held_bytes() + stager_.held_bytes()) + " bytes";
    throw exec::out_of_memory("batch of " + std::to_string(edges) + " edges refused, graph unchanged",
                              error.needed_bytes(), error.available_bytes(), remark);
}

} // namespace rhizome::graph
