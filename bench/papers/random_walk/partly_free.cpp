// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/papers/random_walk/partly_free.hpp>
#include <rhizome/cli/parse_values.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/io/message_text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace rhizome::bench {
namespace {

cell_result not_served(std::string why) { return {cell_status::not_served, std::move(why), {}}; }

void require_sound(runtime::findings const& found) {
    if (found.misaligned != 0)
        throw std::runtime_error(fmt::format("{} blocks are not aligned", found.misaligned));
    if (found.damaged != 0)
        throw std::runtime_error(fmt::format("{} blocks were overwritten by others", found.damaged));
}

/// The blocks that stay in the heap during a measurement: slots `first` to `first + count` - 1.
struct kept_blocks {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
};

/// Requests blocks until `wanted_blocks` are served, or one is refused. Returns how many there are then, in
/// the slots from 0 on without a gap: a launch of which a request is refused is freed, and repeated with half
/// of the requests.
std::uint64_t fill_up_to(runtime::any_allocator& allocator, std::uint64_t wanted_blocks,
                         std::uint64_t block_bytes) {
    std::uint64_t most_per_launch = 65'536;
    runtime::requests wanted{.lowest_bytes = block_bytes, .highest_bytes = block_bytes};
    std::uint64_t filled = 0;
    while (filled < wanted_blocks && most_per_launch != 0) {
        wanted.count = std::min(most_per_launch, wanted_blocks - filled);
        (void)allocator.allocate_ms(wanted, filled);
        if (allocator.check(wanted, filled, false).refused == 0) {
            filled += wanted.count;
            continue;
        }
        (void)allocator.deallocate_ms(wanted, filled);
        most_per_launch = wanted.count / 2;
    }
    return filled;
}

/// Brings a new heap into the state of the options.
kept_blocks fill(runtime::any_allocator& allocator, partly_free_options const& options, std::uint64_t seed) {
    if (options.free_share >= 1) return {};
    std::uint64_t const blocks = options.heap_bytes / options.block_bytes;
    auto const free =
        static_cast<std::uint64_t>(std::llround(options.free_share * static_cast<double>(blocks)));
    std::uint64_t const filled =
        fill_up_to(allocator, options.freed_at_random ? blocks : blocks - free, options.block_bytes);
    if (!options.freed_at_random || filled == 0) return {0, filled};
    allocator.shuffle(0, filled, seed);
    runtime::requests const freed{.count = std::min(filled, free),
                                  .lowest_bytes = options.block_bytes,
                                  .highest_bytes = options.block_bytes};
    (void)allocator.deallocate_ms(freed, 0);
    return {freed.count, filled - freed.count};
}

} // namespace

scenario parse_scenario(std::string const& option, std::string const& text) {
    constexpr std::uint64_t least = 4; // a block holds a stamp
    constexpr std::uint64_t most = std::uint64_t{1} << 32;
    std::string const suffix = "-freed";
    std::string sizes = text;
    scenario found;
    found.frees = text.ends_with(suffix);
    if (found.frees) sizes.resize(sizes.size() - suffix.size());
    if (sizes == "mixed") sizes = "4-8192";
    auto const dash = sizes.find('-');
    found.lowest_bytes = cli::parse_bytes(option, sizes.substr(0, dash));
    found.highest_bytes =
        dash == std::string::npos ? found.lowest_bytes : cli::parse_bytes(option, sizes.substr(dash + 1));
    if (found.lowest_bytes < least || found.highest_bytes > most || found.lowest_bytes > found.highest_bytes)
        throw cli::usage_error(fmt::format("--{}: found {}, expected bytes from {} to {}, a range such as "
                                           "4-64, mixed, or one of these with -freed",
                                           option, io::quoted(text), least, most));
    return found;
}

cell_result measure_partly_free(std::function<std::unique_ptr<runtime::any_allocator>()> const& open,
                                partly_free_options const& options) {
    runtime::requests const wanted{.count = options.threads,
                                   .lowest_bytes = options.what.lowest_bytes,
                                   .highest_bytes = options.what.highest_bytes,
                                   .seed = options.seed};
    double const free_bytes = options.free_share * static_cast<double>(options.heap_bytes);
    double const average =
        static_cast<double>(wanted.lowest_bytes) / 2 + static_cast<double>(wanted.highest_bytes) / 2;
    double const wanted_bytes = average * static_cast<double>(wanted.count);
    if (std::llround(wanted_bytes) > std::llround(free_bytes))
        return not_served(fmt::format("{:.0f} bytes, but {:.0f} are free", wanted_bytes, free_bytes));

    auto const allocator = open();
    runtime::allocator_traits const traits = allocator->traits();
    if (std::max(wanted.highest_bytes, options.block_bytes) > traits.largest_bytes)
        return not_served(fmt::format("at most {} bytes a request", traits.largest_bytes));
    if (!traits.bounded) return not_served("its heap cannot be made anew");
    if (!traits.reuses && options.freed_at_random && options.free_share < 1)
        return not_served("reuses nothing");

    std::uint64_t const first = options.free_share < 1 ? options.heap_bytes / options.block_bytes : 0;
    allocator->set_slots(first + wanted.count);
    measure allocate{"alloc", "ms", false, {}};
    kept_blocks kept = fill(*allocator, options, options.seed);
    std::uint64_t const rounds = options.warm_up + options.repetitions;
    runtime::requests keeps{
        .count = kept.count, .lowest_bytes = options.block_bytes, .highest_bytes = options.block_bytes};
    for (std::uint64_t round = 0; round < rounds; ++round) {
        bool const goes_on = options.what.frees && traits.reuses && round != options.warm_up;
        if (round != 0 && !goes_on) {
            allocator->renew_heap();
            kept = fill(*allocator, options, options.seed + round);
        }
        bool const is_last = round + 1 == rounds;
        keeps.count = kept.count;
        if (is_last && kept.count != 0) allocator->stamp(keeps, kept.first);
        double ms = allocator->allocate_ms(wanted, first);
        std::uint64_t const refused = allocator->check(wanted, first, false).refused;
        if (refused != 0) {
            std::string const why = fmt::format("{} of {} requests were refused", refused, wanted.count);
            if (options.always_served) throw std::runtime_error(why);
            return not_served(why);
        }
        if (is_last) {
            allocator->stamp(wanted, first);
            require_sound(allocator->check(wanted, first, true));
            if (kept.count != 0) require_sound(allocator->check(keeps, kept.first, true));
        }
        if (options.what.frees) ms += allocator->deallocate_ms(wanted, first);
        if (round >= options.warm_up) allocate.samples.push_back(ms);
    }
    return {cell_status::ok, "", {allocate}};
}

} // namespace rhizome::bench
