// SPDX-License-Identifier: Apache-2.0
// Which writes a lane must see.
#pragma once

#include <array>
#include <cstdint>

namespace rhizome::exec::emulator {

/// All writes share one clock. Of every location, a lane must see the last write not later than `floor`; of a
/// few locations, named in a short list, a later one. When the list is full, the floor rises to the oldest
/// entry: the lane then sees more than it must, never less.
class lane_view {
public:
    void clear() {
        floor_ = 0;
        count_ = 0;
    }

    /// The time up to which writes to this location must be seen.
    [[nodiscard]] std::uint64_t of(std::uint32_t location) const {
        for (std::uint32_t i = 0; i < count_; ++i)
            if (entries_[i].location == location)
                return entries_[i].time > floor_ ? entries_[i].time : floor_;
        return floor_;
    }

    void see(std::uint32_t location, std::uint64_t time) {
        if (time <= floor_) return;
        for (std::uint32_t i = 0; i < count_; ++i)
            if (entries_[i].location == location) {
                if (entries_[i].time < time) entries_[i].time = time;
                return;
            }
        if (count_ == entries_.size()) drop_oldest(time);
        if (time > floor_) entries_[count_++] = {location, time};
    }

    /// Everything up to `time`.
    void see_all(std::uint64_t time) {
        if (time <= floor_) return;
        floor_ = time;
        prune();
    }

    void join(lane_view const& other) {
        see_all(other.floor_);
        for (std::uint32_t i = 0; i < other.count_; ++i)
            see(other.entries_[i].location, other.entries_[i].time);
    }

private:
    struct entry {
        std::uint32_t location;
        std::uint64_t time;
    };

    void drop_oldest(std::uint64_t oldest) {
        for (std::uint32_t i = 0; i < count_; ++i)
            if (entries_[i].time < oldest) oldest = entries_[i].time;
        see_all(oldest);
    }
    void prune() {
        std::uint32_t kept = 0;
        for (std::uint32_t i = 0; i < count_; ++i)
            if (entries_[i].time > floor_) entries_[kept++] = entries_[i];
        count_ = kept;
    }

    std::uint64_t floor_ = 0;
    std::uint32_t count_ = 0;
    std::array<entry, 16> entries_;
};

} // namespace rhizome::exec::emulator
