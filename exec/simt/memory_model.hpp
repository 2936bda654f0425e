// SPDX-License-Identifier: Apache-2.0
// Weak memory: every atomic location keeps its recent writes, every lane a view of them.
#pragma once

#include <rhizome/exec/simt/access.hpp>
#include <rhizome/exec/simt/lane_view.hpp>
#include <rhizome/exec/simt/random.hpp>

#include <cstdint>
#include <vector>

namespace rhizome::exec::emulator {

/// The rules, per launch:
/// - The order of writes to a location is the order in which they were made. The newest write is always in
/// real
///   memory. Memory that was written plainly meanwhile starts a new history.
/// - A load may return any write not older than the reader's view of the location, and not older than the
/// last
///   `window` writes to any location. Reading a write moves the view: coherence.
/// - A release attaches the writer's view to the write. An acquire that reads the write joins this view to
/// the
///   reader's. A read-modify-write reads the newest write and passes on the view that was attached to it.
/// - Two operations in different blocks, of which one has block scope, do not synchronise: no view passes
/// between
///   them, and a read-modify-write may miss the other's write.
class memory_model {
public:
    /// The accessing lane: its block, and its view, which the access uses and moves.
    struct reader {
        std::uint32_t block;
        lane_view& view;
    };

    /// Forgets everything. With a window of 0 memory is strong: each load returns the newest write.
    void begin(std::uint32_t window, std::uint32_t stale_one_in, std::uint64_t seed);

    // `held` is the present value in real memory; the caller does the real operation next.
    std::uint64_t load(reader who, void const* word, access how, std::uint64_t held);
    void store(reader who, void const* word, access how, std::uint64_t held, std::uint64_t bits);
    /// The value that a read-modify-write reads.
    std::uint64_t read_for_update(reader who, void const* word, access how, std::uint64_t held);
    /// The write of a read-modify-write; called directly after its read_for_update.
    void write_update(reader who, access how, std::uint64_t held, std::uint64_t bits);

    /// The number of changes of values in memory so far.
    [[nodiscard]] std::uint64_t changes() const { return changes_; }
    /// The time of the last write.
    [[nodiscard]] std::uint64_t now() const { return now_; }
    /// How many writes newer than the one returned the last read could have returned.
    [[nodiscard]] std::uint32_t last_staleness() const { return last_staleness_; }

private:
    static constexpr std::uint32_t none = ~0u;

    struct write {
        std::uint64_t time;
        std::uint64_t bits;
        std::uint32_t older;         ///< none: this is the oldest one kept
        std::uint32_t attached_view; ///< none: no release
        std::uint32_t block;
        bool block_scope;
    };
    struct location {
        void const* word;
        std::uint32_t newest;
        std::uint8_t bytes;
    };
    struct slot {
        std::uint32_t location;
        std::uint32_t launch; ///< the slot is free where this is not the current launch
    };

    [[nodiscard]] bool is_strong() const { return window_ == 0; }
    [[nodiscard]] std::uint64_t visible_to_all() const { return now_ > window_ ? now_ - window_ : 0; }
    [[nodiscard]] std::uint32_t find(void const* word, access how, std::uint64_t held);
    void restart(location& place, access how, std::uint64_t held);
    void rehash();
    std::uint32_t push(std::uint32_t place, reader who, access how, std::uint64_t bits);
    void trim(std::uint32_t newest);
    void release_write(std::uint32_t index);
    [[nodiscard]] std::uint32_t take_view();
    [[nodiscard]] static bool tied(write const& made, reader const& who, access how) {
        return made.block == who.block || (!made.block_scope && !how.block_scope);
    }
    void read(std::uint32_t place, std::uint32_t index, reader who, access how);

    std::uint32_t window_ = 0;
    std::uint32_t stale_one_in_ = 1;
    random_source random_{0};
    std::uint64_t now_ = 0;
    std::uint64_t changes_ = 0;
    std::uint32_t last_staleness_ = 0;

    std::uint32_t launch_ = 0;
    std::vector<slot> slots_; ///< open addressing; a power of two
    std::vector<location> locations_;
    std::vector<write> writes_;
    std::vector<std::uint32_t> free_writes_;
    std::vector<lane_view> views_;
    std::vector<std::uint32_t> free_views_;

    std::uint32_t update_place_ = 0; ///< of the last read_for_update
    std::uint32_t update_read_ = 0;
};

} // namespace rhizome::exec::emulator
