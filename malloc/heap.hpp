// SPDX-License-Identifier: Apache-2.0
// The host side of rhizome_malloc: one heap in the memory of a space, its statistics, and what its blocks say
// of mistakes. malloc.cu has one heap per device of the process.
#pragma once

#include <rhizome/alloc/decorators/live_blocks.hpp>
#include <rhizome/alloc/ouroboros/ouroboros.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/sizes.hpp>
#include <rhizome/malloc/call_sites.hpp>
#include <rhizome/malloc/device.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::program_heap {

struct heap_options {
    std::uint64_t heap_bytes = 0;
    std::uint64_t most_bytes = 0; ///< address space to reserve; 0: as much as the space has memory
    bool checked = false;
};

struct heap_statistics {
    std::uint64_t heap_bytes = 0;
    std::uint64_t live_bytes =
        0; ///< of the blocks that are handed out, with what their sizes were rounded up by
    std::uint64_t free_bytes = 0;        ///< some of it may be reserved for other sizes
    std::uint64_t table_bytes = 0;       ///< beside the heap
    refusal_counts refused = {};         ///< since the heap was made
    std::vector<std::string> violations; ///< broken invariants of the allocator; empty: sound
};

/// What was found at one place of the program.
struct site_report {
    std::string place; ///< "folder/file:line"
    live_counts live;
    site_record found;

    void add(site_report const& other) {
        live.blocks += other.live.blocks;
        live.bytes += other.live.bytes;
        live.damaged.add(other.live.damaged);
        found.freed_twice += other.found.freed_twice;
        found.freed_foreign += other.found.freed_foreign;
        found.freed_damaged.add(other.found.freed_damaged);
    }
};

namespace detail {

/// The end of the name of a file, as far as it is copied to the host.
using site_name = std::array<char, 128>;

template <class Heap>
struct count_live_blocks {
    Heap heap;
    live_counts* counts; ///< of each slot; 0 before

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        heap.live().for_each_live(thread, [&](void* block, std::uint64_t word) {
            block_note const note(word);
            live_counts& of_site = counts[note.site()];
            count_one(thread, of_site.blocks);
            thread.device(of_site.bytes).fetch_add(note.bytes(), exec::order::relaxed); // read afterwards
            Heap::check_canaries(thread, block, note, of_site.damaged);
        });
    }
};

struct copy_site_names {
    call_sites_ref sites;
    char* names; ///< of site_name each; 0 before

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, call_sites_ref::slots, [&](std::uint64_t slot) {
            char const* file = sites.at(static_cast<std::uint32_t>(slot)).file;
            if (file == nullptr) return;
            std::uint64_t length = 0;
            while (file[length] != 0)
                ++length;
            constexpr std::uint64_t most = sizeof(site_name) - 1;
            std::uint64_t const kept = length < most ? length : most;
            for (std::uint64_t i = 0; i < kept; ++i)
                names[slot * sizeof(site_name) + i] = file[length - kept + i];
        });
    }
};

} // namespace detail

/// Move-only. All calls wait, and no kernel may use the heap meanwhile.
template <class Space>
class heap {
    using allocator =
        alloc::ouroboros<Space, alloc::page_based, alloc::virtual_array_queue, alloc::fine_classes<>>;
    using blocks_ref = typename allocator::ref_type;
    using live_table = alloc::live_blocks<Space, typename blocks_ref::traits>;

public:
    using ref_type = heap_ref<blocks_ref>;
    static_assert(std::is_trivially_copyable_v<ref_type>);
    static_assert(std::is_same_v<typename live_table::ref_type, typename ref_type::live_table>);

    /// Throws out_of_memory. Checked mode needs 16 bytes for each 16 bytes of the heap, rounded up to a power
    /// of two, beside the heap.
    heap(Space space, heap_options const& options)
        : space_(std::move(space)),
          blocks_(space_, {.heap_bytes = options.heap_bytes, .reserve_bytes = options.most_bytes}),
          refused_(space_, 1), sites_(space_) {
        refused_.fill_bytes(0);
        if (options.checked) {
            live_.emplace(space_, blocks_.heap_bytes());
            sites_.discard_and_resize(call_sites_ref::slots);
            sites_.fill_bytes(0);
        }
        space_.synchronize();
    }

    /// Valid until the heap grows or is asked to.
    [[nodiscard]] ref_type ref() const {
        return {blocks_.ref(), const_cast<refusal_counts*>(refused_.data()),
                live_ ? live_->ref() : typename ref_type::live_table(),
                live_ ? call_sites_ref(const_cast<site_record*>(sites_.data())) : call_sites_ref()};
    }
    [[nodiscard]] bool is_checked() const { return live_.has_value(); }
    [[nodiscard]] std::uint64_t heap_bytes() const { return blocks_.heap_bytes(); }

    /// Makes the heap larger by at least `bytes`; blocks stay where they are. Throws out_of_memory, and the
    /// heap is then as it was; its tables may have moved, so that older refs are invalid all the same. In
    /// checked mode the old and the new table exist together for a moment.
    void grow(std::uint64_t bytes) {
        std::uint64_t const held = blocks_.heap_bytes();
        if (bytes > ~held) throw exec::out_of_memory("rhizome_malloc", bytes, ~held);
        // The table first, for what the heap is rounded up to.
        if (live_) live_->grow_to(exec::whole_steps(held + bytes, 1u << 20));
        blocks_.grow_to(held + bytes);
        tidy();
    }

    /// Makes chunks whose blocks are all free usable for every size again.
    void tidy() {
        static_cast<void>(blocks_.requeue()); // false: many pages stay marked, which is slower, not wrong
        space_.synchronize();
    }

    [[nodiscard]] heap_statistics statistics() {
        alloc::audit_result found = blocks_.audit();
        return {blocks_.heap_bytes(),
                found.live_bytes,
                found.free_bytes,
                blocks_.table_bytes() + sites_.size_bytes() + (live_ ? live_->size_bytes() : 0),
                refused_.to_host()[0],
                std::move(found.violations)};
    }

    /// Each place of the program with live blocks or mistakes, those with most live bytes first. Only in
    /// checked mode.
    [[nodiscard]] std::vector<site_report> report() {
        exec::buffer<Space, live_counts> live(space_, call_sites_ref::slots);
        exec::buffer<Space, detail::site_name> names(space_, call_sites_ref::slots);
        live.fill_bytes(0);
        names.fill_bytes(0);
        launch(space_, cover_threads(space_, live_->size_bytes() / sizeof(alloc::live_block)),
               detail::count_live_blocks<ref_type>{ref(), live.data()});
        launch(space_, cover_threads(space_, call_sites_ref::slots),
               detail::copy_site_names{ref().sites(), names.data()->data()});
        auto const counted = live.to_host();
        auto const found = sites_.to_host();
        auto const named = names.to_host();
        // A place in a header has a slot for each translation unit, whose file names lie at other addresses.
        std::map<std::pair<std::string, std::uint64_t>, site_report> by_place;
        for (std::size_t i = 0; i < found.size(); ++i) {
            site_report const site{place_of(found[i], named[i]), counted[i], found[i]};
            damaged_blocks const& freed = site.found.freed_damaged;
            if (site.live.blocks + site.found.freed_twice + site.found.freed_foreign + freed.before +
                    freed.past ==
                0)
                continue;
            auto const [place, is_new] =
                by_place.try_emplace({std::string(named[i].data()), found[i].line}, site);
            if (!is_new) place->second.add(site);
        }
        std::vector<site_report> sites;
        for (auto const& [place, site] : by_place)
            sites.push_back(site);
        std::stable_sort(sites.begin(), sites.end(), [](site_report const& a, site_report const& b) {
            return a.live.bytes > b.live.bytes;
        });
        return sites;
    }

private:
    [[nodiscard]] static std::string place_of(site_record const& record, detail::site_name const& name) {
        if (record.file == nullptr) return "places for which the table has no room";
        std::string file(name.data());
        std::size_t const folder = file.rfind('/');
        std::size_t const before =
            folder == std::string::npos || folder == 0 ? std::string::npos : file.rfind('/', folder - 1);
        if (before != std::string::npos) file.erase(0, before + 1);
        return record.line == 0 ? file : file + ":" + std::to_string(record.line);
    }

    Space space_;
    allocator blocks_;
    exec::buffer<Space, refusal_counts> refused_;
    exec::buffer<Space, site_record> sites_; ///< empty unless checked
    std::optional<live_table> live_;         ///< if checked
};

} // namespace rhizome::program_heap
