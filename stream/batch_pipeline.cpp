// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/stopwatch.hpp>
#include <rhizome/stream/batch_pipeline.hpp>

#include <utility>

namespace rhizome::stream {

bool batch_pipeline::next() {
    if (!ahead_.is_read && !reader_.next(ahead_.batch)) return false;
    std::swap(present_, ahead_);
    present_.is_read = true;
    ahead_.is_read = false;
    return true;
}

void batch_pipeline::read_ahead() {
    if (!ahead_.is_read) ahead_.is_read = reader_.has_next() && reader_.next(ahead_.batch);
}

void batch_pipeline::reduce() {
    present_.is_in_space = false;
    if (present_.batch.in_order.empty()) return;
    exec::wall_timer const watch;
    try {
        reduce_in_space();
    } catch (exec::out_of_memory const&) {
        reduce_on_host();
    }
    present_.batch.reduce_ms = watch.elapsed_ms();
    read_ahead();
    if (!ahead_.is_read || ahead_.updates != nullptr || ahead_.batch.in_order.empty()) return;
    try {
        ahead_.updates = graph_.stage_updates(ahead_.batch.in_order);
    } catch (exec::out_of_memory const&) {
        // Then it is copied when its turn comes.
    }
}

void batch_pipeline::reduce_in_space() {
    if (present_.updates == nullptr) present_.updates = graph_.stage_updates(present_.batch.in_order);
    present_.in_space = graph_.net_effect(*present_.updates);
    present_.is_in_space = true;
    present_.updates.reset();
}

/// Gives the memory for updates back to the space.
void batch_pipeline::reduce_on_host() {
    present_.is_in_space = false;
    present_.updates.reset();
    ahead_.updates.reset();
    graph_.release_scratch();
    if (!on_host_) on_host_.emplace(0);
    on_host_->reduce(present_.batch.in_order, graph_.directed(), {}, present_.batch.net);
}

void batch_pipeline::prepare(batch_list list) {
    if (present_.is_in_space) return;
    copy& own = present_.copy_of(list);
    if (own == nullptr) own = graph_.stage(present_.edges(list), present_.values(list));
    if (list == batch_list::insertions && !present_.batch.net.deletions.empty()) {
        stage_ahead(present_, batch_list::deletions);
        return;
    }
    read_ahead();
    if (!ahead_.is_read || !ahead_.batch.in_order.empty()) return;
    bool const inserts = !ahead_.batch.net.insertions.empty();
    stage_ahead(ahead_, inserts ? batch_list::insertions : batch_list::deletions);
}

void batch_pipeline::stage_ahead(work& from, batch_list list) {
    copy& place = from.copy_of(list);
    if (place != nullptr) return;
    try {
        place = graph_.stage(from.edges(list), from.values(list));
    } catch (exec::out_of_memory const&) {
        // Then it is copied when its turn comes.
    }
}

graph::batch_report batch_pipeline::apply_in_space(batch_list list) {
    graph::net_edges const& net = present_.in_space;
    return list == batch_list::insertions ? graph_.insert_edges_in_space(net.insertions, net.insertion_count)
                                          : graph_.erase_edges_in_space(net.deletions, net.deletion_count);
}

graph::batch_report batch_pipeline::apply(batch_list list) {
    if (present_.is_in_space) {
        try {
            return apply_in_space(list);
        } catch (exec::out_of_memory const&) {
            reduce_on_host();
            prepare(list);
        }
    }
    graph::batch_report report;
    try {
        report = apply_copy(list);
    } catch (exec::out_of_memory const&) {
        if (!drop_what_is_ahead(list)) throw;
        report = apply_copy(list);
    }
    present_.copy_of(list).reset();
    return report;
}

graph::batch_report batch_pipeline::apply_copy(batch_list list) {
    runtime::any_staged_batch const& staged = *present_.copy_of(list);
    return list == batch_list::insertions ? graph_.insert_edges(staged) : graph_.erase_edges(staged);
}

void batch_pipeline::drop_copies() {
    for (work* const each : {&present_, &ahead_}) {
        for (copy& list : each->copies)
            list.reset();
        each->updates.reset();
        each->is_in_space = false;
    }
}

bool batch_pipeline::drop_what_is_ahead(batch_list list) {
    bool any = false;
    auto const drop = [&](copy& ahead) {
        any = any || ahead != nullptr;
        ahead.reset();
    };
    if (list == batch_list::insertions) drop(present_.copy_of(batch_list::deletions));
    for (copy& ahead : ahead_.copies)
        drop(ahead);
    return any;
}

} // namespace rhizome::stream
