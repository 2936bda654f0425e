// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/allocators/workloads.hpp>
#include <rhizome/cli/parse_values.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/io/message_text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace rhizome::bench {
namespace {

constexpr std::uint64_t smallest_block_bytes = 16; // no allocator gives less: bounds how many fit in a heap

requests requests_of(subject const& allocator, cell const& which) {
    size_range const size = parse_size_range("size", which.text("size"));
    bool const one_a_warp = which.text("mode") == "warp";
    return {.count = allocator.request_count(which.count("threads"), one_a_warp),
            .lowest_bytes = size.lowest_bytes,
            .highest_bytes = size.highest_bytes,
            .seed = which.count("seed"),
            .one_a_warp = one_a_warp,
            .apart = false};
}

cell_result not_served(std::string why) { return {cell_status::not_served, std::move(why), {}}; }

void require_sound(findings const& found, std::uint64_t count) {
    if (found.misaligned != 0)
        throw std::runtime_error(fmt::format("{} of {} blocks are not aligned", found.misaligned, count));
    if (found.damaged != 0)
        throw std::runtime_error(
            fmt::format("{} of {} blocks were overwritten by others", found.damaged, count));
}

void require_served(findings const& found, std::uint64_t count) {
    if (found.refused != 0)
        throw std::runtime_error(fmt::format("{} of {} requests were refused", found.refused, count));
    require_sound(found, count);
}

/// Checks that every request got a block, and that blocks are aligned and do not overlap.
void verify(subject& allocator, requests const& wanted) {
    allocator.stamp(wanted, 0);
    require_served(allocator.check(wanted, 0, true), wanted.count);
}

/// What a fill of the heap came to.
struct filled {
    std::uint64_t slots = 0; ///< used, those of refused requests included
    std::uint64_t bytes = 0; ///< asked for and served
    measure allocate{"alloc", "ms", false, {}};
    double launches = 0;
};

/// Launch by launch until a request is refused.
filled fill_heap(subject& allocator, requests const& wanted, std::uint64_t slots) {
    filled result;
    while (result.slots + wanted.count <= slots) {
        result.allocate.samples.push_back(allocator.allocate_ms(wanted, result.slots));
        result.launches += 1;
        findings const found = allocator.check(wanted, result.slots, false);
        result.bytes += allocator.span(wanted, result.slots).asked_bytes;
        result.slots += wanted.count;
        if (found.refused == 0) continue;
        requests all = wanted;
        all.count = result.slots;
        allocator.stamp(all, 0);
        require_sound(allocator.check(all, 0, true), all.count);
        return result;
    }
    throw std::runtime_error("more was handed out than the heap can hold");
}

void free_all(subject& allocator, requests const& wanted, std::uint64_t slots) {
    requests all = wanted;
    all.count = slots;
    (void)allocator.deallocate_ms(all, 0);
}

} // namespace

size_range parse_size_range(std::string const& option, std::string const& text) {
    auto const dash = text.find('-');
    auto const lowest = cli::parse_bytes(option, text.substr(0, dash));
    auto const highest = dash == std::string::npos ? lowest : cli::parse_bytes(option, text.substr(dash + 1));
    constexpr std::uint64_t least = 4; // a block holds a stamp
    constexpr std::uint64_t most = std::uint64_t{1} << 32;
    if (lowest < least || highest > most || lowest > highest)
        throw cli::usage_error(
            fmt::format("--{}: found {}, expected bytes from {} to {}, or a range such as 4-64", option,
                        io::quoted(text), least, most));
    return {lowest, highest};
}

cell_result run_cycle(subject& allocator, cell const& which) {
    requests const wanted = requests_of(allocator, which);
    if (wanted.highest_bytes > allocator.traits().largest_bytes)
        return not_served(fmt::format("at most {} bytes a request", allocator.traits().largest_bytes));
    std::uint64_t const warm_up = which.count("warm-up");
    std::uint64_t const repetitions = which.count("repetitions");
    measure allocate{"alloc", "ms", false, {}};
    measure deallocate{"free", "ms", false, {}};
    allocator.set_slots(wanted.count);
    // One more at the end, of which nothing is measured but whose blocks are.
    for (std::uint64_t cycle = 0; cycle <= warm_up + repetitions; ++cycle) {
        bool const measured = cycle >= warm_up && cycle < warm_up + repetitions;
        if (cycle != 0 && !allocator.traits().reuses) allocator.renew_heap();
        double const allocate_ms = allocator.allocate_ms(wanted, 0);
        require_served(allocator.check(wanted, 0, false), wanted.count);
        if (cycle == warm_up + repetitions) verify(allocator, wanted);
        double const deallocate_ms = allocator.deallocate_ms(wanted, 0);
        if (!measured) continue;
        allocate.samples.push_back(allocate_ms);
        deallocate.samples.push_back(deallocate_ms);
    }
    return {cell_status::ok, "", {allocate, deallocate}};
}

cell_result run_fig3(subject& allocator, cell const& which) {
    requests const wanted = requests_of(allocator, which);
    if (wanted.highest_bytes > allocator.traits().largest_bytes)
        return not_served(fmt::format("at most {} bytes a request", allocator.traits().largest_bytes));
    allocator.set_slots(wanted.count);
    measure const first{"first", "ms", false, {allocator.allocate_ms(wanted, 0)}};
    verify(allocator, wanted);
    address_span const span = allocator.span(wanted, 0);
    measure const range{"address_range",
                        "x asked",
                        false,
                        {static_cast<double>(span.highest_end - span.lowest_address) /
                         static_cast<double>(span.asked_bytes)}};
    (void)allocator.deallocate_ms(wanted, 0);
    if (!allocator.traits().reuses) allocator.renew_heap();
    cell_result result = run_cycle(allocator, which);
    result.measures.insert(result.measures.end(), {first, range});
    return result;
}

cell_result run_fresh(subject& allocator, cell const& which) {
    requests const wanted = requests_of(allocator, which);
    if (wanted.highest_bytes > allocator.traits().largest_bytes)
        return not_served(fmt::format("at most {} bytes a request", allocator.traits().largest_bytes));
    if (!allocator.traits().bounded) return not_served("its heap cannot be made anew");
    std::uint64_t const warm_up = which.count("warm-up");
    std::uint64_t const repetitions = which.count("repetitions");
    measure allocate{"alloc", "ms", false, {}};
    allocator.set_slots(wanted.count);
    for (std::uint64_t repetition = 0; repetition <= warm_up + repetitions; ++repetition) {
        if (repetition != 0) allocator.renew_heap();
        double const allocate_ms = allocator.allocate_ms(wanted, 0);
        require_served(allocator.check(wanted, 0, false), wanted.count);
        if (repetition == warm_up + repetitions) {
            verify(allocator, wanted);
        } else if (repetition >= warm_up) {
            allocate.samples.push_back(allocate_ms);
        }
    }
    return {cell_status::ok, "", {allocate}};
}

cell_result run_capacity(subject& allocator, cell const& which) {
    requests wanted = requests_of(allocator, which);
    if (wanted.highest_bytes > allocator.traits().largest_bytes)
        return not_served(fmt::format("at most {} bytes a request", allocator.traits().largest_bytes));
    if (!allocator.traits().bounded) return not_served("its heap has no bound of its own");
    std::uint64_t const heap_bytes = which.bytes("heap");
    // So that what the last launch got beside the refusals is no large part.
    constexpr std::uint64_t launches_at_least = 256;
    std::uint64_t const average_bytes = (wanted.lowest_bytes + wanted.highest_bytes) / 2;
    wanted.count = std::clamp<std::uint64_t>(heap_bytes / average_bytes / launches_at_least, 1, wanted.count);
    std::uint64_t const slots =
        heap_bytes / std::max(wanted.lowest_bytes, smallest_block_bytes) + 2 * wanted.count;
    allocator.set_slots(slots);

    auto const share = [&](filled const& fill) {
        return static_cast<double>(fill.bytes) / static_cast<double>(heap_bytes);
    };
    filled const first = fill_heap(allocator, wanted, slots);
    cell_result result;
    result.measures = {{"handed_out", "share", true, {share(first)}},
                       first.allocate,
                       {"launches", "launches", false, {first.launches}}};
    free_all(allocator, wanted, first.slots);
    if (!allocator.traits().reuses) return result;
    allocator.set_slots(slots);
    filled const second = fill_heap(allocator, wanted, slots);
    if (second.bytes == 0) throw std::runtime_error("a heap that was used up and freed serves nothing");
    result.measures.push_back({"handed_out_again", "share", true, {share(second)}});
    free_all(allocator, wanted, second.slots);
    return result;
}

cell_result run_address_range(subject& allocator, cell const& which) {
    requests const wanted = requests_of(allocator, which);
    if (wanted.highest_bytes > allocator.traits().largest_bytes)
        return not_served(fmt::format("at most {} bytes a request", allocator.traits().largest_bytes));
    std::uint64_t const repetitions = which.count("repetitions");
    measure range{"address_range", "x asked", false, {}};
    measure allocate{"alloc", "ms", false, {}};
    allocator.set_slots(wanted.count);
    for (std::uint64_t repetition = 0; repetition < repetitions; ++repetition) {
        if (repetition != 0) allocator.renew_heap();
        allocate.samples.push_back(allocator.allocate_ms(wanted, 0));
        verify(allocator, wanted);
        address_span const span = allocator.span(wanted, 0);
        range.samples.push_back(static_cast<double>(span.highest_end - span.lowest_address) /
                                static_cast<double>(span.asked_bytes));
        (void)allocator.deallocate_ms(wanted, 0); // a heap that is not its own stays when it goes
    }
    return {cell_status::ok, "", {range, allocate}};
}

cell_result run_growth(subject& allocator, cell const& which) {
    requests wanted = requests_of(allocator, which);
    if (wanted.highest_bytes > allocator.traits().largest_bytes)
        return not_served(fmt::format("at most {} bytes a request", allocator.traits().largest_bytes));
    if (!allocator.traits().bounded) return not_served("its heap has no bound of its own");
    auto const heap_bytes = static_cast<double>(which.bytes("heap"));
    wanted.apart =
        true; // the half that is freed lies in the upper slots, and the next round takes them again
    requests freed = wanted;
    freed.count = wanted.count / 2;
    std::uint64_t const kept = wanted.count - freed.count;
    std::uint64_t const slots =
        which.bytes("heap") / std::max(wanted.lowest_bytes, smallest_block_bytes) + 2 * wanted.count;
    allocator.set_slots(slots);

    measure allocate{"alloc", "ms", false, {}, true};
    measure deallocate{"free", "ms", false, {}, true};
    measure range{"range_of_rounds", "share", false, {}, true};
    std::uint64_t lowest_address = ~std::uint64_t{0};
    std::uint64_t highest_end = 0;
    double live_bytes = 0;
    double rounds = 0;
    for (std::uint64_t live = 0; live + wanted.count <= slots; live += kept) {
        allocate.samples.push_back(allocator.allocate_ms(wanted, live));
        findings const found = allocator.check(wanted, live, false);
        require_sound(found, wanted.count);
        allocator.stamp(wanted, live);
        address_span const span = allocator.span(wanted, live);
        lowest_address = std::min(lowest_address, span.lowest_address);
        highest_end = std::max(highest_end, span.highest_end);
        range.samples.push_back(static_cast<double>(highest_end - lowest_address) / heap_bytes);
        rounds += 1;
        if (found.refused != 0) {
            live_bytes += static_cast<double>(span.asked_bytes);
            requests all = wanted;
            all.count = live + wanted.count;
            require_sound(allocator.check(all, 0, true), all.count); // kept blocks are unchanged
            return {cell_status::ok,
                    "",
                    {{"rounds", "rounds", true, {rounds}},
                     {"live", "share", true, {live_bytes / heap_bytes}},
                     {"address_range", "share", false, {range.samples.back()}},
                     range,
                     allocate,
                     deallocate}};
        }
        live_bytes += static_cast<double>(span.asked_bytes - allocator.span(freed, live + kept).asked_bytes);
        deallocate.samples.push_back(allocator.deallocate_ms(freed, live + kept));
    }
    throw std::runtime_error("more was handed out than the heap can hold");
}

cell_result run_extents(subject& allocator, cell const& which) {
    requests const wanted = requests_of(allocator, which);
    constexpr std::uint64_t piece_bytes = 16u << 10;
    if (std::max(wanted.highest_bytes, piece_bytes) > allocator.traits().largest_bytes)
        return not_served(fmt::format("at most {} bytes a request", allocator.traits().largest_bytes));
    if (!allocator.traits().bounded) return not_served("its heap has no bound of its own");
    if (!allocator.traits().reuses) return not_served("reuses nothing");

    requests pieces = wanted;
    pieces.lowest_bytes = pieces.highest_bytes = piece_bytes;
    pieces.one_a_warp = false;
    pieces.apart = true; // every second piece lies in the upper slots of its launch, and is freed
    pieces.count = std::min<std::uint64_t>(wanted.count, which.bytes("heap") / piece_bytes);
    requests freed = pieces;
    freed.count = pieces.count / 2;
    std::uint64_t const slots = which.bytes("heap") / piece_bytes + 2 * pieces.count;
    allocator.set_slots(slots + wanted.count);
    std::uint64_t used = 0;
    for (bool full = false; !full; used += pieces.count) {
        if (used + pieces.count > slots)
            throw std::runtime_error("more was handed out than the heap can hold");
        (void)allocator.allocate_ms(pieces, used);
        findings const found = allocator.check(pieces, used, false);
        require_sound(found, pieces.count);
        full = found.refused != 0;
    }
    for (std::uint64_t first = 0; first < used; first += pieces.count)
        (void)allocator.deallocate_ms(freed, first + (pieces.count - freed.count));

    measure allocate{"alloc", "ms", false, {}};
    measure deallocate{"free", "ms", false, {}};
    measure served{"served", "share", true, {}};
    std::uint64_t const warm_up = which.count("warm-up");
    for (std::uint64_t cycle = 0; cycle < warm_up + which.count("repetitions"); ++cycle) {
        double const allocate_ms = allocator.allocate_ms(wanted, slots);
        allocator.stamp(wanted, slots);
        findings const found = allocator.check(wanted, slots, true);
        require_sound(found, wanted.count);
        double const deallocate_ms = allocator.deallocate_ms(wanted, slots);
        if (cycle < warm_up) continue;
        allocate.samples.push_back(allocate_ms);
        deallocate.samples.push_back(deallocate_ms);
        served.samples.push_back(static_cast<double>(wanted.count - found.refused) /
                                 static_cast<double>(wanted.count));
    }
    return {cell_status::ok, "", {allocate, deallocate, served}};
}

} // namespace rhizome::bench
