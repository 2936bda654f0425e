// SPDX-License-Identifier: Apache-2.0
// The places in a program that allocate or free, and the mistakes that were found there. A table in the
// memory of a space, which kernels fill; it exists in checked mode only.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::program_heap {

/// A place in the source text: a file name in memory that kernels can read, and a line.
struct call_site {
    char const* file;
    std::uint32_t line;
};

/// Blocks whose canaries were overwritten.
struct damaged_blocks {
    std::uint64_t before; ///< in front of the start
    std::uint64_t past;   ///< behind the end

    void add(damaged_blocks const& other) {
        before += other.before;
        past += other.past;
    }
};

/// What the table holds of one place: the mistakes that were found there.
struct site_record {
    std::uint64_t key; ///< a hash of the place; 0: the slot is free
    char const* file;
    std::uint64_t line;
    std::uint64_t freed_twice;    ///< frees here of a block that was free already
    std::uint64_t freed_foreign;  ///< frees here of a pointer that was never handed out
    damaged_blocks freed_damaged; ///< blocks from here, found when they were freed
};

/// The table: open addressing, linear probing. Slot 0 stands for all places that find no slot.
class call_sites_ref {
public:
    static constexpr std::uint32_t slots = 1024;
    static constexpr std::uint32_t window = 64; ///< slots that may hold a place

    call_sites_ref() = default;
    RZ_HD explicit call_sites_ref(site_record* records) : records_(records) {}

    /// The slot of a place, by the address of its file name: one that stands in several translation units may
    /// have several slots, whose records heap::report() adds up. Entered with its first call. Cost: a load
    /// for each slot that is looked at: one, unless another place has taken it.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint32_t slot_of(Thread const& thread, call_site site) const {
        std::uint64_t const key = key_of(site);
        for (std::uint32_t i = 0; i < window; ++i) {
            auto const slot = 1 + static_cast<std::uint32_t>((key >> 32) + i) % (slots - 1);
            site_record& record = records_[slot];
            // relaxed: file and line are read while no kernel runs
            std::uint64_t held = thread.device(record.key).load(exec::order::relaxed);
            if (held == key) return slot;
            if (held != 0) continue;
            if (thread.device(record.key).compare_exchange(held, key, exec::order::relaxed)) {
                record.file = site.file;
                record.line = site.line;
                return slot;
            }
            if (held == key) return slot;
        }
        return 0;
    }
    [[nodiscard]] RZ_HD site_record& at(std::uint32_t slot) const { return records_[slot]; }
    [[nodiscard]] RZ_HD bool exists() const { return records_ != nullptr; }

private:
    [[nodiscard]] static RZ_HD std::uint64_t key_of(call_site site) {
        std::uint64_t const mixed =
            (reinterpret_cast<std::uintptr_t>(site.file) ^ std::uint64_t{site.line} << 40) *
            0x9e37'79b9'7f4a'7c15ull;
        return (mixed ^ mixed >> 32) * 0xd6e8'feb8'6659'fd93ull | 1; // never 0
    }

    site_record* records_ = nullptr;
};

/// The live blocks of one place.
struct live_counts {
    std::uint64_t blocks;
    std::uint64_t bytes; ///< as requested
    damaged_blocks damaged;
};

/// Counts one event. relaxed: read while no kernel runs.
template <class Thread>
RZ_HD void count_one(Thread const& thread, std::uint64_t& counter) {
    thread.device(counter).fetch_add(1, exec::order::relaxed);
}

} // namespace rhizome::program_heap
