// SPDX-License-Identifier: Apache-2.0
// The text of a deadlock report.
#include <rhizome/exec/simt/engine.hpp>

#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>

namespace rhizome::exec::emulator {

namespace {

constexpr std::uint32_t most_lanes_listed = 64;

std::string_view name_of(collective what) {
    switch (what) {
    case collective::sync:
        return "sync";
    case collective::any:
        return "any";
    case collective::all:
        return "all";
    case collective::ballot:
        return "ballot";
    case collective::broadcast:
        return "broadcast";
    case collective::shuffle:
        return "shuffle";
    case collective::exclusive_scan:
        return "exclusive_scan";
    case collective::inclusive_scan:
        return "inclusive_scan";
    case collective::sum:
        return "sum";
    case collective::min:
        return "min";
    case collective::max:
        return "max";
    case collective::match:
        return "match";
    }
    return "?";
}

std::string hex(std::uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

} // namespace

/// The last two parts of the path: enough to find the file, and the same on every machine.
std::string engine::place(call_site const& at) {
    std::string_view path = at.file;
    std::size_t cut = path.rfind('/');
    if (cut != std::string_view::npos && cut != 0) cut = path.rfind('/', cut - 1);
    if (cut != std::string_view::npos) path.remove_prefix(cut + 1);
    return std::string(path) + ":" + std::to_string(at.line);
}

std::string engine::name_lane(lane_state const& lane) {
    return "block " + std::to_string(lane.block) + " thread " + std::to_string(lane.thread) + " (warp " +
           std::to_string(lane.thread / warp_lanes) + " lane " + std::to_string(lane.lane_in_warp()) + ")";
}

std::string engine::describe_collective(lane_state const& lane) {
    return std::string(name_of(lane.wait_for)) + " of lanes " + hex(lane.wait_mask) + " at " +
           place(lane.wait_site);
}

std::string engine::describe_lane(lane_state const& lane) const {
    std::string text = name_lane(lane);
    switch (lane.status) {
    case lane_status::finished:
        return text + " has ended";
    case lane_status::in_barrier:
        return text + " waits in block().sync() at " + place(lane.wait_site);
    case lane_status::in_coalesced:
        return text + " waits in coalesced() at " + place(lane.wait_site);
    case lane_status::in_collective:
        return text + " waits in " + describe_collective(lane);
    case lane_status::relaxing:
        text += " waits in relax() at " + place(lane.wait_site);
        break;
    case lane_status::ready:
        text += " runs";
        if (lane.wait_site.line != 0) text += ", and last met or waited at " + place(lane.wait_site);
        break;
    }
    if (lane.last_access != nullptr) text += ", having last accessed " + describe_word(lane.last_access);
    return text;
}

std::string engine::describe_run() const {
    return "launch " + std::to_string(launch_) + " of " + std::to_string(work_->shape.blocks) +
           " blocks of " + std::to_string(work_->shape.block_threads) + " threads, after " +
           std::to_string(steps_) + " steps; replay: RHIZOME_SIMT_SEED=" + std::to_string(options_.seed);
}

std::string engine::describe_waiting() const {
    std::string text;
    std::uint32_t listed = 0;
    std::uint32_t more = 0;
    for (auto const& block : blocks_)
        for (warp_state const& warp : block->warps)
            for (lane_state const* lane : warp.lanes) {
                if (lane == nullptr || lane->status == lane_status::finished) continue;
                if (listed++ < most_lanes_listed) {
                    text += "\n  " + describe_lane(*lane);
                } else {
                    ++more;
                }
            }
    if (more != 0) text += "\n  and " + std::to_string(more) + " more";
    std::uint32_t const not_started = work_->shape.blocks - blocks_started_;
    if (not_started != 0)
        text += "\n  " + std::to_string(not_started) + " blocks have not started: only " +
                std::to_string(resident_blocks_) + " run at a time here";
    return text;
}

/// Names an address by its allocation: addresses differ from run to run, allocation numbers do not.
std::string engine::describe_word(void const* word) const {
    auto const at = reinterpret_cast<std::uintptr_t>(word);
    auto after = allocations_.upper_bound(at);
    if (after != allocations_.begin()) {
        auto const& [begin, held] = *std::prev(after);
        if (at - begin < held.bytes)
            return "allocation " + std::to_string(held.number) + " + " + std::to_string(at - begin) +
                   " bytes";
    }
    return hex(at);
}

} // namespace rhizome::exec::emulator
