// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/simt/memory_model.hpp>

#include <algorithm>
#include <cstddef>

namespace rhizome::exec::emulator {

namespace {
constexpr std::uint32_t no_block = ~0u;          // for memory as it was before the launch
constexpr std::uint32_t longest_history = 8;     // writes kept per location; older ones would seldom be read
constexpr std::size_t kept_locations = 1u << 16; // capacity that outlives a launch
} // namespace

void memory_model::begin(std::uint32_t window, std::uint32_t stale_one_in, std::uint64_t seed) {
    window_ = window;
    stale_one_in_ = stale_one_in;
    random_ = random_source(seed);
    now_ = 0;
    changes_ = 0;
    locations_.clear();
    writes_.clear();
    free_writes_.clear();
    views_.clear();
    free_views_.clear();
    ++launch_;
    if (slots_.empty() || slots_.size() > 2 * kept_locations || launch_ == 0) {
        slots_.assign(256, slot{0, 0});
        locations_.shrink_to_fit();
        writes_.shrink_to_fit();
        launch_ = 1;
    }
}

std::uint64_t memory_model::load(reader who, void const* word, access how, std::uint64_t held) {
    if (is_strong()) return held;
    std::uint32_t const place = find(word, how, held);
    std::uint64_t const must_see = std::max(who.view.of(place), visible_to_all());
    std::uint32_t index = locations_[place].newest;
    std::uint32_t one_in = tied(writes_[index], who, how) ? stale_one_in_ : 2;
    last_staleness_ = 0;
    while (writes_[index].time > must_see && writes_[index].older != none && random_.one_in(one_in)) {
        index = writes_[index].older;
        one_in = 2; // a stale read is as likely to be very stale
        ++last_staleness_;
    }
    read(place, index, who, how);
    return writes_[index].bits;
}

void memory_model::store(reader who, void const* word, access how, std::uint64_t held, std::uint64_t bits) {
    if (held != bits) ++changes_;
    if (is_strong()) return;
    std::uint32_t const place = find(word, how, held);
    std::uint32_t const made = push(place, who, how, bits);
    if (how.releases) {
        std::uint32_t const view = take_view();
        views_[view] = who.view;
        writes_[made].attached_view = view;
    }
}

std::uint64_t memory_model::read_for_update(reader who, void const* word, access how, std::uint64_t held) {
    if (is_strong()) return held;
    std::uint32_t const place = find(word, how, held);
    std::uint64_t const must_see = std::max(who.view.of(place), visible_to_all());
    std::uint32_t index = locations_[place].newest;
    last_staleness_ = 0;
    // Only another block's write can be missed, and only if neither scope covers both blocks.
    while (writes_[index].time > must_see && writes_[index].older != none &&
           !tied(writes_[index], who, how) && random_.one_in(2)) {
        index = writes_[index].older;
        ++last_staleness_;
    }
    read(place, index, who, how);
    update_place_ = place;
    update_read_ = index;
    return writes_[index].bits;
}

void memory_model::write_update(reader who, access how, std::uint64_t held, std::uint64_t bits) {
    if (held != bits) ++changes_;
    if (is_strong()) return;
    // Taken before push, which may drop the write that was read.
    std::uint32_t const handed_on =
        tied(writes_[update_read_], who, how) ? writes_[update_read_].attached_view : none;
    std::uint32_t view = none;
    if (handed_on != none) {
        view = take_view();
        views_[view] = views_[handed_on];
    }
    std::uint32_t const made = push(update_place_, who, how, bits);
    if (how.releases) {
        if (view == none) {
            view = take_view();
            views_[view].clear();
        }
        views_[view].join(who.view);
    }
    writes_[made].attached_view = view;
}

void memory_model::read(std::uint32_t place, std::uint32_t index, reader who, access how) {
    write const& from = writes_[index];
    who.view.see(place, from.time);
    if (how.acquires && from.attached_view != none && tied(from, who, how))
        who.view.join(views_[from.attached_view]);
}

std::uint32_t memory_model::find(void const* word, access how, std::uint64_t held) {
    if (locations_.size() * 2 >= slots_.size()) rehash();
    std::size_t const wrap = slots_.size() - 1;
    std::size_t at = scramble(reinterpret_cast<std::uintptr_t>(word)) & wrap;
    for (; slots_[at].launch == launch_; at = (at + 1) & wrap) {
        location& place = locations_[slots_[at].location];
        if (place.word != word) continue;
        // Written plainly since, or used as a word of another size: its history is no longer valid.
        if (place.bytes != how.bytes || writes_[place.newest].bits != held) restart(place, how, held);
        return slots_[at].location;
    }
    std::uint32_t const made = static_cast<std::uint32_t>(locations_.size());
    slots_[at] = {made, launch_};
    locations_.push_back({word, none, how.bytes});
    restart(locations_.back(), how, held);
    return made;
}

void memory_model::restart(location& place, access how, std::uint64_t held) {
    for (std::uint32_t index = place.newest; index != none;) {
        std::uint32_t const older = writes_[index].older;
        release_write(index);
        index = older;
    }
    place.bytes = how.bytes;
    std::uint32_t index;
    if (free_writes_.empty()) {
        index = static_cast<std::uint32_t>(writes_.size());
        writes_.emplace_back();
    } else {
        index = free_writes_.back();
        free_writes_.pop_back();
    }
    writes_[index] = {0, held, none, none, no_block, false};
    place.newest = index;
}

void memory_model::rehash() {
    slots_.assign(slots_.size() * 2, slot{0, 0});
    std::size_t const wrap = slots_.size() - 1;
    for (std::uint32_t i = 0; i < locations_.size(); ++i) {
        std::size_t at = scramble(reinterpret_cast<std::uintptr_t>(locations_[i].word)) & wrap;
        while (slots_[at].launch == launch_)
            at = (at + 1) & wrap;
        slots_[at] = {i, launch_};
    }
}

std::uint32_t memory_model::push(std::uint32_t place, reader who, access how, std::uint64_t bits) {
    std::uint32_t index;
    if (free_writes_.empty()) {
        index = static_cast<std::uint32_t>(writes_.size());
        writes_.emplace_back();
    } else {
        index = free_writes_.back();
        free_writes_.pop_back();
    }
    writes_[index] = {++now_, bits, locations_[place].newest, none, who.block, how.block_scope};
    locations_[place].newest = index;
    who.view.see(place, now_);
    trim(index);
    return index;
}

/// Drops the writes that no lane can read any more, and those beyond the longest history.
void memory_model::trim(std::uint32_t newest) {
    std::uint64_t const seen_by_all = visible_to_all();
    std::uint32_t last = newest;
    for (std::uint32_t kept = 1; kept < longest_history; ++kept) {
        if (writes_[last].time <= seen_by_all || writes_[last].older == none) break;
        last = writes_[last].older;
    }
    for (std::uint32_t index = writes_[last].older; index != none;) {
        std::uint32_t const older = writes_[index].older;
        release_write(index);
        index = older;
    }
    writes_[last].older = none;
}

void memory_model::release_write(std::uint32_t index) {
    if (writes_[index].attached_view != none) free_views_.push_back(writes_[index].attached_view);
    free_writes_.push_back(index);
}

std::uint32_t memory_model::take_view() {
    if (free_views_.empty()) {
        views_.emplace_back();
        return static_cast<std::uint32_t>(views_.size() - 1);
    }
    std::uint32_t const view = free_views_.back();
    free_views_.pop_back();
    return view;
}

} // namespace rhizome::exec::emulator
