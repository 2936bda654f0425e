// SPDX-License-Identifier: Apache-2.0
// Bodies of graph_core.hpp.
#pragma once

namespace rhizome::graph {

template <class Types>
graph_core<Types>::graph_core(space_type space, graph_options const& options)
    : space_(exec::with_kernels(std::move(space))), options_(checked(options)),
      stride_(options.in_arcs ? 2 : 1),
      allocator_(space_, {.heap_bytes = options.heap_bytes, .reserve_bytes = options.reserve_bytes}),
      table_(space_, most_vertices() * stride_, "vertex table"),
      slots_(space_, batch::row_slots::words_for(most_vertices() * stride_), "batch slots",
             alloc::fresh_elements::zero),
      ids_(space_, most_vertices()), scoreboard_(space_), scratch_(space_, options.scratch), stager_(space_),
      audit_(space_, 1), moved_bytes_(space_, 1) {
    add_vertices(options.vertices);
}

template <class Types>
graph_core<Types>::~graph_core() {
    if constexpr (!allocator_type::ref_type::traits::bounded)
        if (table_.data() != nullptr) return_all_pages();
}

template <class Types>
void graph_core<Types>::add_vertices(std::uint64_t count) {
    auto const caller = caller_.enter();
    integrity_.expect_whole();
    if (count > most_vertices() - vertices_)
        throw std::length_error("add_vertices: " + std::to_string(vertices_) + " + " + std::to_string(count) +
                                " vertices are more than " + std::to_string(most_vertices()));
    std::uint64_t const old_rows = vertices_ * stride_;
    std::uint64_t const new_rows = count * stride_;
    grow_sparing_scratch(space_, table_, old_rows + new_rows);
    if constexpr (!exec::region<space_type>::starts_as_zeros)
        space_.fill(rows() + old_rows, 0, new_rows * sizeof(record_type));
    // Batches that found memory for slots before find it for these, too.
    if (slots().exist())
        integrity_.change_or_refuse(
            [&] { grow_sparing_scratch(space_, slots_, batch::row_slots::words_for(old_rows + new_rows)); });
    if (ids_.free_count() != 0) ids_.prepare(vertices_ + count);
    vertices_ += count;
}

/// Gives each row a slot, if it has none: before the first batch, and before the one after release_scratch().
/// Batches that need none get them too: their heap could leave no memory for the slots of later ones. Throws
/// out_of_memory, changing nothing.
template <class Types>
void graph_core<Types>::hold_slots() {
    integrity_.change_or_refuse([&] { slots_.grow_to(batch::row_slots::words_for(vertices_ * stride_)); });
}

template <class Types>
auto graph_core<Types>::insert_vertices(std::uint64_t count) -> std::vector<id_type> {
    auto const caller = caller_.enter();
    integrity_.expect_whole();
    std::uint64_t const reused = std::min<std::uint64_t>(count, ids_.free_count());
    // All that can fail comes before the first change.
    id_type* const staged_ids = scratch_.ids(reused);
    std::vector<id_type> ids;
    ids.reserve(count);
    std::span<id_type const> const free_ids = ids_.last_freed(reused);
    ids.assign(free_ids.begin(), free_ids.end());
    space_.copy_in(staged_ids, ids.data(), reused * sizeof(id_type));
    std::uint64_t const first_new = vertices_;
    add_vertices(count - reused);
    if (reused != 0) {
        integrity_.change([&] { mark_vertices(staged_ids, reused, false); });
        ids_.take(reused);
    }
    for (std::uint64_t v = first_new; v < vertices_; ++v)
        ids.push_back(static_cast<id_type>(v));
    return ids;
}

/// Whether a batch has fewer arcs than the space runs threads.
template <class Types>
bool graph_core<Types>::is_small(std::uint64_t arcs) const {
    return arcs < space_.concurrency();
}

/// The keys of an empty graph's batch are not packed: a kernel looks whether they are in order already. Nor
/// are those of values, which come along with the number of their edge.
template <class Types>
std::uint64_t graph_core<Types>::least_packed_arcs() const {
    if (has_values || !layout_type::sorted || arcs_ == 0) return std::numeric_limits<std::uint64_t>::max();
    return least_sorted_arcs(unbinned_batches_ == 0);
}

/// Whether a batch requests pages in bulk. `may_load`: it inserts edges and sorts its arcs.
template <class Types>
bool graph_core<Types>::requests_bulk(batch::batch_run<format> const& work, bool may_load) const {
    if (!gives_runs || is_small(work.arc_count) || options_.pages == page_requests::lane_wise) return false;
    return options_.pages == page_requests::bulk || (may_load && arcs_ == 0);
}

/// The size of a table that is not touched says nothing about the size of the graph.
template <class Types>
std::uint64_t graph_core<Types>::table_bytes_that_count() const {
    return stays_untouched ? 0 : table_.held_bytes();
}

/// Runs the steps of a batch and returns what it counted. If that says that the batch was stopped, or if
/// out_of_memory is thrown, the graph is unchanged.
template <class Types>
template <bool Erasing>
batch::outcome graph_core<Types>::run(batch::batch_run<format>& work, batch::attempts const& tries) {
    using steps = typename layout_type::template steps<format, Erasing>;
    bool const sorting = tries.sorts();
    bool const ordering = steps::template orders_arcs<space_type>(sorting, tries.bulk());
    std::uint64_t sort_bytes = 0;
    if constexpr (!has_values && layout_type::sorted)
        if (work.is_packed()) {
            auto const keys = batch::packed_keys<id_type>::of(work.context.rules, has_values);
            using key_type = typename batch::packed_keys<id_type>::key;
            if (sorting || ordering) {
                sort_bytes = sort_into_bytes(space_, static_cast<key_type const*>(nullptr), work.arc_count,
                                             work.form->ordered_bits, keys.bits(true));
            } else {
                integrity_.change_or_refuse([&] {
                    launch(space_, cover_threads(space_, work.arc_count),
                           batch::unpack_arcs<id_type>{keys, const_cast<edge_type*>(work.edges),
                                                       work.arc_count});
                });
                work.form->packed = false;
            }
        }
    auto const cut = scratch_.cut(work.report.counts,
                                  {work.arc_count, work.row_count, Erasing ? arcs_ : arcs_ + work.arc_count,
                                   !ordering && steps::lists_arcs(arcs_, sorting), steps::keeps_keys, sorting,
                                   ordering, tries.merges_in_pieces(), tries.bulk(), sort_bytes});
    work.context.a = cut.a;
    std::copy(std::begin(cut.sorted), std::end(cut.sorted), work.sorted);
    work.bulk = cut.bulk;
    if (changes_ != nullptr) work.context.notes = scratch_.template cut_notes<value_type>(work.arc_count);
    constexpr std::uint64_t arc_bytes = sizeof(id_type) + format::value_bytes;
    std::uint64_t const inline_bytes = work.row_count * format::inline_ids * arc_bytes;
    std::uint64_t const rows_bytes = arcs_ * arc_bytes;
    batch::heap<allocator_type> heap(space_, allocator_,
                                     std::max(rows_bytes - std::min(rows_bytes, inline_bytes), packed_bytes_),
                                     arc_bytes, roomy_arcs_, arcs_ == 0 && tries.sorts());
    scoreboard_.begin();
    integrity_.change_or_refuse([&] { steps::run(space_, heap, work, scratch_, sorting); });
    // A small batch would spend most of its time waiting for pages, so pages for the next one are brought
    // while it ends.
    if constexpr (!Erasing && alloc::restocking_owner<allocator_type>)
        if (is_small(work.arc_count)) restock(work.arc_count);
    return integrity_.change([&] { return scoreboard_.read(); });
}

template <class Types>
batch_report graph_core<Types>::apply(bool erasing, edge_type const* edges, value_type const* values,
                                      std::uint64_t count, std::function<bool()> const* decide,
                                      batch::arc_form* form) {
    if (count == 0) return {};
    bool const small = is_small(count * current_rules().arcs_per_edge());
    integrity_.prepare([&] { growth_.before_batch(allocator_, table_bytes_that_count(), small); });
    integrity_.expect_whole();
    expect_decision_for_part(decide);
    batch::arc_rules<id_type> const rules = current_rules();
    std::uint64_t const arcs = count * rules.arcs_per_edge();
    if (arcs >= 0xffff'ffffull) throw std::length_error("a batch has at most 2^32 - 2 arcs");
    std::uint64_t const row_count = vertices_ * stride_;
    hold_slots();
    batch::report_batch const last = scoreboard_.report(growth_type::words_of(allocator_));
    batch::batch_run<format> work{
        edges, count, arcs, row_count, arcs_, slots(), last, {rules, rows(), values, {}}, {}, {}, decide};
    work.form = form;
    if (changes_ != nullptr) work.changes = changes_->room(erasing, count, values);

    batch::counters total{};
    // A caller that has given a row more arcs than a block sorts will often do so again, or erase them.
    work.may_bin = unbinned_batches_ == 0;
    if (!work.may_bin && !small) --unbinned_batches_;
    bool sorting = sorts(arcs, work.may_bin);
    if (!erasing && sorting && arcs_ == 0 && decide == nullptr)
        if (auto const built = build_ascending(batch::listed_edges<id_type>{edges, count}, values)) {
            if (changes_ != nullptr) { // all edges, as they are
                integrity_.change([&] {
                    space_.copy(work.changes.applied, edges, count * sizeof(edge_type));
                    if (has_values)
                        space_.copy(work.changes.applied_values, values, count * sizeof(value_type));
                });
                changes_->add(false, count, 0);
            }
            return *built;
        }
    bool const loads = sorting && arcs_ == 0;
    std::uint64_t const held_before = allocator_.heap_bytes();
    batch::attempts tries(sorting, layout_type::exact, requests_bulk(work, !erasing && sorting));
    auto const changed = [&] {
        return heap_change{tries.has_trimmed(), allocator_.heap_bytes() != held_before};
    };
    batch::on_exception const queue_pages([&] {
        if (auto const done = changed(); done.trimmed || done.grown)
            integrity_.prepare([&] { growth_.after_refusal(allocator_); });
    });
    batch::outcome found{};
    bulk_requests bulk;
    for (;;) {
        try {
            found = erasing ? run<true>(work, tries) : run<false>(work, tries);
        } catch (exec::out_of_memory const&) {
            // For scratch, which is allocated before anything is changed.
            if (tries.lacks_scratch() == batch::attempt::refused) throw;
            continue;
        }
        total = found.total;
        bulk.refused += found.bulk.refused;
        bulk.refused_pages += found.bulk.refused_pages;
        if (!found.now.stopped()) break;
        bulk.refused += found.bulk.served; // their pages went back
        bulk.refused_pages += found.bulk.pages;
        if (found.now.unknown_ids != 0)
            throw std::out_of_range("batch of " + std::to_string(count) +
                                    " edges refused, graph unchanged: " + std::to_string(total.rejected) +
                                    " of them name ids of no live vertex");
        if (found.now.called_off != 0) throw batch::called_off();
        if (found.now.skewed != 0) { // once, since bins are not tried again
            work.may_bin = false;
            unbinned_batches_ = tuning::unbinned_batches;
            sorting = sorts(arcs, false);
            tries = {sorting, layout_type::exact, requests_bulk(work, !erasing && sorting)};
            continue;
        }
        prepare_next(tries, found, count, held_before);
    }

    crowded_ = found.now.crowded != 0;
    batch_report report = conclude(erasing, count, found);
    bulk.served = found.bulk.served;
    bulk.pages = found.bulk.pages;
    report.bulk = bulk;
    integrity_.prepare([&] {
        growth_.after_batch(allocator_, table_bytes_that_count(), found, changed(), small);
        if (loads) growth_.after_load(changed());
    });
    return report;
}

/// Counts what a batch of so many edges has changed, and reports it.
template <class Types>
batch_report graph_core<Types>::conclude(bool erasing, std::uint64_t count, batch::outcome const& found) {
    batch::counters const& total = found.total;
    packed_bytes_ = 0;
    if (erasing) {
        edges_ -= total.effective_edges;
        arcs_ -= total.effective_arcs;
    } else {
        edges_ += total.effective_edges;
        arcs_ += total.effective_arcs;
    }
    batch_report report;
    report.rejected = total.rejected;
    report.self_loops_refused = total.self_loops;
    if (!part_) report.duplicates = count - total.rejected - total.self_loops - total.edges;
    report.applied = total.effective_edges;
    std::uint64_t const others = total.edges - total.effective_edges;
    if (changes_ != nullptr) changes_->add(erasing, total.effective_edges, others);
    (has_values && !erasing ? report.updated : report.without_effect) = others;
    return report;
}

/// Applies a tiny batch in one launch. Returns nothing if it cannot be applied so; the graph is then
/// unchanged, and the batch takes the ordinary steps. `from_host`: the batch lies in host memory.
template <class Types>
std::optional<batch_report> graph_core<Types>::apply_tiny(bool erasing, placed_type const& batch,
                                                          bool from_host) {
    if constexpr (takes_tiny) {
        std::uint64_t const arcs = batch.count * current_rules().arcs_per_edge();
        if (batch.count == 0 || batch.count > tuning::tiny_edges || arcs > tuning::tiny_arcs || part_ ||
            sorts(arcs, false))
            return std::nullopt;
        integrity_.expect_whole();
        if (tiny_width_.skips()) return std::nullopt;
        batch::tiny_report found{};
        try {
            hold_slots();
            for (;;) {
                bool const on_all_blocks = arcs > tuning::tiny_block_arcs || tiny_width_.takes_all_blocks();
                found = erasing ? run_tiny<true>(batch, from_host, on_all_blocks)
                                : run_tiny<false>(batch, from_host, on_all_blocks);
                if (found.called_off || (found.declined && found.needs_all_blocks && on_all_blocks)) {
                    tiny_width_.after_vain_try();
                    return std::nullopt;
                }
                tiny_width_.after_batch(found.needs_all_blocks);
                if (!found.declined) break;
                if (!found.needs_all_blocks) return std::nullopt;
            }
        } catch (exec::out_of_memory const&) {
            if (integrity_.broken()) throw;
            return std::nullopt;
        }
        batch::outcome const counted = found.as_outcome();
        batch_report const report = conclude(erasing, batch.count, counted);
        integrity_.prepare(
            [&] { growth_.after_batch(allocator_, table_bytes_that_count(), counted, {}, true); });
        if (!erasing && arcs <= tuning::tiny_block_arcs) restock_after_tiny(arcs);
        after_batch(batch.count);
        give_back_lists();
        return report;
    }
    return std::nullopt;
}

/// A request that finds its queue empty waits some 20 us for pages, which is as long as a batch of a few arcs
/// takes. So pages are brought beside some of these batches. Not beside each: that is one launch more. Nor
/// after batches of more arcs, where it took as long as it saved.
template <class Types>
void graph_core<Types>::restock_after_tiny(std::uint64_t arcs) {
    if constexpr (alloc::restocking_owner<allocator_type>) {
        unstocked_arcs_ += arcs;
        if (unstocked_arcs_ < tuning::tiny_restocked_arcs) return;
        restock(unstocked_arcs_);
        unstocked_arcs_ = 0;
    }
}

/// Brings pages for so many requests, beside what comes next. If the launch is refused, nothing has run.
template <class Types>
void graph_core<Types>::restock(std::uint64_t requests) noexcept {
    if constexpr (alloc::restocking_owner<allocator_type>)
        integrity_.prepare([&] {
            try {
                allocator_.restock(requests);
            } catch (exec::launch_refused const&) {
                // later changes do without it
            }
        });
}

template <class Types>
template <bool Erasing>
batch::tiny_report graph_core<Types>::run_tiny(placed_type const& batch, bool from_host, bool on_all_blocks) {
    auto const ref = allocator_.ref();
    using kernel_type = batch::tiny_batch<format, std::remove_cv_t<decltype(ref)>, Erasing>;
    kernel_type kernel{ref,
                       current_rules(),
                       rows(),
                       scratch_.template tiny<batch::tiny_exchange>(space_),
                       early_words_.next(),
                       growth_type::words_of(allocator_),
                       {},
                       from_host ? nullptr : batch.edges,
                       from_host ? nullptr : batch.values,
                       static_cast<std::uint32_t>(batch.count),
                       tiny_turn_,
                       changes_ != nullptr,
                       {},
                       {}};
    if (changes_ != nullptr) kernel.changes = changes_->room(Erasing, batch.count, nullptr);
    if (from_host) {
        std::copy_n(batch.edges, batch.count, kernel.given_edges);
        if constexpr (has_values && !Erasing) std::copy_n(batch.values, batch.count, kernel.given_values);
    }
    exec::launch_shape shape{1, std::min(kernel_type::block_threads, space_.max_block_threads())};
    if (on_all_blocks) {
        std::uint64_t const all = space_.concurrency();
        std::uint64_t const least = 2 * kernel_type::block_threads;
        std::uint64_t const threads = std::min(all, std::max(all / tuning::tiny_share, least));
        shape.blocks = static_cast<std::uint32_t>((threads + shape.block_threads - 1) / shape.block_threads);
    }
    return integrity_.change([&]() -> batch::tiny_report {
        try {
            launch(space_, shape, kernel);
        } catch (exec::launch_refused const&) {
            return {.declined = true, .called_off = true};
        }
        tiny_turn_ ^= 1; // of a launch that was refused the turn is still cleared
        std::array<std::uint64_t, batch::tiny_report::words> numbers;
        early_words_.read(numbers.data(), batch::tiny_report::words);
        return batch::tiny_report::of(numbers);
    });
}

/// After a batch of so many edges that was applied: gives back memory that batches no longer need. The edges
/// of the batch may still lie in scratch or in a staging buffer, and the ids of vertices that are erased:
/// give_back_lists() follows once they are done with.
template <class Types>
void graph_core<Types>::after_batch(std::uint64_t edges) noexcept {
    if (edges == 0) return; // says nothing about the size of batches
    compact_after_batch(edges);
    if (!scratch_trigger_.after_batch(edges)) return;
    lists_go_back_ = true;
    integrity_.prepare([&] { scratch_.give_back_working_memory(); });
}

/// Gives back the lists of a batch that is over, if after_batch() wants that. A batch that is still staged
/// keeps its buffer.
template <class Types>
void graph_core<Types>::give_back_lists() noexcept {
    if (!std::exchange(lists_go_back_, false)) return;
    integrity_.prepare([&] {
        space_.synchronize(); // what was launched last may still read them
        scratch_.give_back_lists();
        stager_.give_back();
    });
}

/// Applies a batch if decide() agrees, which is called once all pages of the batch are reserved. Returns
/// nothing if it does not; the graph is then unchanged. If memory runs out, decide() is not called, and
/// out_of_memory is thrown: such a batch is not applied in pieces.
template <class Types>
std::optional<batch_report> graph_core<Types>::apply_if(bool erasing, placed_type const& placed,
                                                        std::function<bool()> const& decide) {
    auto const caller = caller_.enter();
    if (placed.count == 0) {
        integrity_.expect_whole();
        if (!decide()) return std::nullopt;
        return batch_report{};
    }
    // What decide() throws must not pass for a refusal of the batch, which would be tried again.
    std::exception_ptr failed;
    std::function<bool()> const ask = [&] {
        try {
            return decide();
        } catch (...) {
            failed = std::current_exception();
            return false;
        }
    };
    auto const apply_whole = [&] {
        batch_report const report =
            apply(erasing, placed.edges, placed.values, placed.count, &ask, placed.form);
        after_batch(placed.count);
        give_back_lists();
        return report;
    };
    try {
        try {
            return apply_whole();
        } catch (batch::refuses_pages const&) {
            throw;
        } catch (exec::out_of_memory const&) {
            if (integrity_.broken() || !give_back_for_batch()) throw;
        }
        return apply_whole();
    } catch (batch::called_off const&) {
        if (failed) std::rethrow_exception(failed);
        return std::nullopt;
    } catch (exec::out_of_memory const& error) {
        if (integrity_.broken()) throw;
        refuse(error, placed.count);
    }
}

/// Prepares the heap for the next try of a batch. The try before was stopped and has changed nothing.
/// `count`: edges of the batch; `held_before`: bytes of the heap before the first try. Throws if there is
/// nothing left to try.
template <class Types>
void graph_core<Types>::prepare_next(batch::attempts& tries, batch::outcome const& found, std::uint64_t count,
                                     std::uint64_t held_before) {
    std::uint64_t const needed_bytes = found.total.needed_bytes;
    batch::stop const why = batch::reason_of(found.now);
    // An allocator that refuses pages in a heap of several times the needed size will go on refusing.
    bool const may_grow = allocator_.heap_bytes() <= tuning::growth_at_most * (held_before + needed_bytes);
    batch::attempt const next = tries.stopped(why, may_grow);
    if (why == batch::stop::overflows_row)
        throw std::length_error("batch of " + std::to_string(count) +
                                " edges refused, graph unchanged: a vertex has at most " +
                                std::to_string(most_neighbours<id_type>) + " neighbours");
    roomy_arcs_ = 0;
    if (next == batch::attempt::trimmed) integrity_.change([&] { allocator_.trim(); });
    if (next == batch::attempt::grown) grow_heap_for(needed_bytes);
    if (next == batch::attempt::refused) throw batch::refuses_pages("pages of the heap", needed_bytes, 0);
}

/// Builds the graph, which has no arcs, if the space can, the edges ascend and there is memory for it.
/// Returns nothing otherwise; the graph is then unchanged.
template <class Types>
template <class List>
std::optional<batch_report> graph_core<Types>::build_ascending(List const& list, value_type const* values) {
    if constexpr (layout_type::sorted && batch::builds_ascending<space_type>) {
        batch::heap<allocator_type> heap(space_, allocator_, 0, sizeof(id_type) + format::value_bytes,
                                         roomy_arcs_, true);
        batch::ascending_build<space_type, format, allocator_type> build(
            space_, allocator_, current_rules(), rows(),
            gives_runs && options_.pages != page_requests::lane_wise);
        auto const built = integrity_.change([&] { return build.run(heap, list, values); });
        if (!built) return std::nullopt;
        edges_ += list.count;
        arcs_ += built->arcs;
        crowded_ = built->crowded;
        batch_report report;
        report.applied = list.count;
        report.bulk = built->bulk;
        return report;
    }
    return std::nullopt;
}

/// Reads the caller's memory until the batch has its report, or has failed and the space is idle.
template <class Types>
batch_report graph_core<Types>::apply_from_host(bool erasing, std::span<edge_type const> edges,
                                                std::span<value_type const> values) {
    auto const caller = caller_.enter();
    if (auto const tiny =
            apply_tiny(erasing, {edges.data(), values.empty() ? nullptr : values.data(), edges.size()}, true))
        return *tiny;
    try {
        auto const place = [&]() -> placed_type {
            if constexpr (requires { space_type::shares_host_memory; }) {
                return {edges.data(), values.empty() ? nullptr : values.data(), edges.size()};
            } else {
                edge_type* const place_of_edges = scratch_.edges(edges.size());
                value_type* const place_of_values =
                    values.empty() ? nullptr : scratch_.template values<value_type>(values.size());
                stager_.lend(place_of_edges, edges.data(), edges.size_bytes());
                stager_.lend(place_of_values, values.data(), values.size_bytes());
                return {place_of_edges, place_of_values, edges.size()};
            }
        };
        batch_report const report = with_all_memory(erasing, edges.size(), place, [&] {
            scratch_.give_back();
            return lent_pieces_type(space_, options_.scratch, edges, values);
        });
        give_back_lists();
        return report;
    } catch (...) {
        space_.synchronize();
        throw;
    }
}

template <class Types>
batch_report graph_core<Types>::apply_staged(bool erasing, staged_batch const& staged) {
    auto const caller = caller_.enter();
    return stager_.with(staged, has_values && !erasing, integrity_,
                        [&](placed_type const& placed) { return apply_placed(erasing, placed); });
}

template <class Types>
batch_report graph_core<Types>::apply_placed(bool erasing, placed_type const& placed) {
    auto const caller = caller_.enter();
    if (auto const tiny = apply_tiny(erasing, placed, false)) return *tiny;
    // Blocks of a tiny batch that was called off may begin late, and read the edges.
    batch::on_exception const waits([&]() noexcept {
        try {
            space_.synchronize();
        } catch (...) {
            // of what the space failed at, the exception on its way tells
        }
    });
    auto const place = [&] { return placed; };
    batch_report const report = with_all_memory(erasing, placed.count, place, [&] {
        scratch_.give_back_working_memory();
        return pieces_type(space_, options_.scratch, view(), placed);
    });
    give_back_lists();
    return report;
}

/// Grows the heap by a share of it, or by what the batch needs if that is more; if there is less memory, by
/// what there is. Throws lacks_pages if the heap cannot grow.
template <class Types>
void graph_core<Types>::grow_heap_for(std::uint64_t needed_bytes) {
    constexpr std::uint64_t least_growth_bytes = 64u << 10;
    std::uint64_t const held = allocator_.heap_bytes();
    std::uint64_t refused_bytes = 0; // by the smallest growth that was tried
    std::uint64_t available_bytes = 0;
    for (std::uint64_t more = std::max(
             {needed_bytes, growth_type::step(allocator_, table_bytes_that_count()), least_growth_bytes});
         more >= least_growth_bytes; more /= 2) {
        try {
            integrity_.change_or_refuse([&] { grow_sparing_scratch(space_, allocator_, held + more); });
            return;
        } catch (exec::out_of_memory const& error) {
            refused_bytes = error.needed_bytes(); // try with less
            available_bytes = error.available_bytes();
        }
    }
    throw batch::lacks_pages("pages of the heap", std::max(needed_bytes, refused_bytes), available_bytes);
}

template <class Types>
row_audit graph_core<Types>::audit_all_rows() {
    audit_.fill_bytes(0);
    auto const ref = allocator_.ref();
    launch(space_, cover_threads(space_, vertices_ * stride_),
           audit_rows<format, std::remove_cv_t<decltype(ref)>>{ref, rows(), slots(), vertices_, stride_,
                                                               ids_.dead().bits, audit_.data()});
    return audit_.to_host()[0];
}

/// Checks what is visible only where neighbours ascend: the rows themselves, or a sorted copy of all rows.
template <class Types>
row_audit graph_core<Types>::audit_all_arcs() {
    auto const look = [&](auto const& sorted_rows) {
        audit_.fill_bytes(0);
        launch(space_, cover_threads(space_, vertices_ * stride_),
               audit_arcs<std::remove_cvref_t<decltype(sorted_rows)>>{sorted_rows, current_rules(),
                                                                      audit_.data()});
        return audit_.to_host()[0];
    };
    if constexpr (layout_type::sorted) {
        return look(graph_rows<format>{rows()});
    } else {
        auto const copy = graph::snapshot<stored_type>(
            space_, scratch_.primitives, view_type(rows(), vertices_ * stride_, 1, false, {}, arcs_));
        return look(
            copied_rows<id_type, stored_type>{copy.offsets.data(), copy.targets.data(), copy.values.data()});
    }
}

template <class Types>
void graph_core<Types>::sort_changes(changes_type& changes) {
    auto const caller = caller_.enter();
    batch::change_sorter<space_type, id_type> sorter(space_, scratch_.primitives);
    if constexpr (has_values) {
        sorter.sort(changes.inserted.data(), changes.count.inserted, changes.inserted_values.data());
        sorter.sort(changes.erased.data(), changes.count.erased, changes.erased_values.data());
        sorter.sort(changes.updated.data(), changes.count.updated, changes.before.data(),
                    changes.after.data());
    } else {
        sorter.sort(changes.inserted.data(), changes.count.inserted);
        sorter.sort(changes.erased.data(), changes.count.erased);
    }
}

template <class Types>
void graph_core<Types>::mark_vertices(id_type const* ids, std::uint64_t count, bool dead) {
    launch(space_, cover_threads(space_, count),
           batch::mark_vertices<id_type>{ids_.bits(), ids, count, dead});
}

template <class Types>
vertex_report graph_core<Types>::erase_vertices(std::span<id_type const> ids) {
    auto const caller = caller_.enter();
    integrity_.expect_whole();
    expect_decision_for_part(nullptr);
    typename vertex_ids<space_type, id_type>::choice chosen = ids_.choose(ids, vertices_);
    vertex_report report{chosen.ids.size(), chosen.absent, chosen.duplicates, 0};
    if (chosen.ids.empty()) return report;
    std::uint64_t const count = chosen.ids.size();
    id_type* const staged_ids = scratch_.ids(count);
    space_.copy_in(staged_ids, chosen.ids.data(), count * sizeof(id_type));
    ids_.prepare(vertices_); // everything that can be refused is allocated before the first change

    batch::vertex_arcs<space_type, view_type, decltype(scratch_)> gather(space_, scratch_, view(), arcs_);
    std::uint64_t const edges = gather.of(staged_ids, count);
    auto const placed = [&] { return placed_type{gather.edges(), nullptr, edges}; };
    if (edges != 0)
        report.edges = with_all_memory(true, edges, placed, [&] {
                           scratch_.give_back_working_memory();
                           return pieces_type(space_, options_.scratch, view(), placed());
                       }).applied;
    integrity_.change([&] { mark_vertices(staged_ids, count, true); });
    give_back_lists();
    ids_.free(std::move(chosen.ids));
    return report;
}

template <class Types>
void graph_core<Types>::return_all_pages() noexcept {
    try {
        auto const ref = allocator_.ref();
        launch(space_, cover_threads(space_, vertices_ * stride_),
               batch::return_rows<format, std::remove_cv_t<decltype(ref)>>{ref, rows(), vertices_ * stride_});
        space_.synchronize();
    } catch (...) {
        // Called from the destructor: the next call on the space reports the failure as well.
    }
}

template <class Types>
std::vector<std::string> graph_core<Types>::validate() {
    auto const caller = caller_.enter();
    if (integrity_.broken()) return {"graph: a change broke off midway: what it holds is not known"};
    alloc::audit_result const heap = allocator_.audit();
    std::vector<std::string> broken = heap.violations;
    row_audit found = audit_all_rows();
    if (found.overfull_rows == 0 && found.pageless_rows == 0) {
        try {
            found.add(audit_all_arcs());
        } catch (exec::out_of_memory const& error) {
            broken.push_back(std::string("graph: neighbours could not be checked: ") + error.what());
        }
    }
    auto const expect_equal = [&](std::uint64_t left, std::uint64_t right, char const* equation) {
        if (left != right)
            broken.push_back(std::string("graph: ") + equation + ": " + std::to_string(left) +
                             " != " + std::to_string(right));
    };
    expect_equal(found.arcs, arcs_, "sum of degrees = arcs");
    expect_equal(found.overfull_rows, 0, "rows whose pages do not fit their degree = 0");
    expect_equal(found.pageless_rows, 0, "rows without the page that they need = 0");
    expect_equal(found.unsorted_places, 0, "neighbours out of order, or twice = 0");
    expect_equal(found.unknown_targets, 0, "neighbours that are no live vertex = 0");
    expect_equal(found.missing_mirrors, 0, "arcs without their mirror = 0");
    expect_equal(found.unequal_values, 0, "arcs whose mirror has another value = 0");
    expect_equal(found.used_slots, 0, "rows' slots that are not 0 between batches = 0");
    expect_equal(found.dead_rows, 0, "neighbours of erased vertices = 0");
    expect_equal(found.dead_vertices, ids_.free_count(), "vertices marked as erased = free ids");
    expect_equal(found.refused_loops, 0, "self-loops in a graph that refuses them = 0");
    if (allocator_type::ref_type::traits::reuses && allocator_type::ref_type::traits::bounded)
        expect_equal(heap.live_bytes, found.pages_bytes,
                     "bytes handed out by the allocator = bytes of rows' pages");
    return broken;
}

template <class Types>
void graph_core<Types>::release_scratch() {
    auto const caller = caller_.enter();
    scratch_.give_back();
    scratch_trigger_.after_release();
    slots_.shrink_to(0);
    stager_.give_back();
    for (auto* const piece : {&asked_, &answers_, &values_found_})
        piece->give_back();
}

/// Builds the graph from rows of the user, as the batch that loads it. Returns nothing where
/// build_ascending() does, and where there is no memory for slots.
template <class Types>
template <class List>
std::optional<batch_report> graph_core<Types>::build_rows(List const& list, value_type const* values) {
    try {
        hold_slots();
    } catch (exec::out_of_memory const&) {
        return std::nullopt;
    }
    auto const built = build_ascending(list, values);
    if (built) {
        after_batch(list.count);
        give_back_lists();
    }
    return built;
}

template <class Types>
batch_report graph_core<Types>::insert_rows(basic_csr_view<id_type> const& rows, value_type const* values) {
    auto const caller = caller_.enter();
    expect_decision_for_part(nullptr);
    bool const each_pair_once = !options_.directed && rows.symmetric();
    if constexpr (layout_type::sorted && batch::builds_ascending<space_type>) {
        batch::edges_in_rows<id_type> const list{rows.offsets(), rows.targets(), rows.vertex_count(),
                                                 rows.arc_count()};
        integrity_.expect_whole();
        bool const can_be_built = changes_ == nullptr && arcs_ == 0 && list.count != 0 && !each_pair_once &&
                                  list.vertices == vertices_ &&
                                  list.count * current_rules().arcs_per_edge() < 0xffff'ffffull;
        if (can_be_built)
            if (auto const built = build_rows(list, values)) return *built;
    }
    auto const list = edges_of_rows(space_, scratch_.primitives, rows, values, each_pair_once);
    return apply_placed(
        false, {list.edges.data(), values == nullptr ? nullptr : list.values.data(), list.edges.size()});
}

template <class Types>
staged_batch graph_core<Types>::stage(std::span<edge_type const> edges, std::span<value_type const> values) {
    return stager_.stage(edges, values);
}

} // namespace rhizome::graph
