// SPDX-License-Identifier: Apache-2.0
// Figure 3 of the GGArray paper: how much memory arrays take whose growth is not known in advance.
#include <rhizome/bench/papers/ggarray/workloads.hpp>
#include <rhizome/container/scaled_buckets.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

namespace rhizome::bench {
namespace {

/// The room of a gg_array whose vectors are filled equally, in elements.
double room_for(double elements, std::uint64_t vectors, container::scaled_buckets sizes) {
    double const each = std::ceil(elements / static_cast<double>(vectors));
    if (each >= 0x1p62) throw std::runtime_error("more elements than an index can count");
    return static_cast<double>(sizes.capacity_of(sizes.buckets_for(static_cast<std::uint64_t>(each)))) *
           static_cast<double>(vectors);
}

} // namespace

cell_result compute_memory(cell const& which) {
    double const sigma = std::stod(which.text("sigma"));
    std::uint64_t const phases = which.count("phases");
    std::uint64_t const vectors = which.count("vectors");
    double const start = static_cast<double>(which.count("elements"));
    container::scaled_buckets const sizes(
        static_cast<std::uint32_t>(std::countr_zero(std::bit_ceil(which.count("first-bucket")))));
    constexpr std::size_t draws = 200'000;
    std::mt19937_64 bits(which.count("seed"));
    std::lognormal_distribution<double> factor(0.0, std::max(sigma, 1e-12));
    std::vector<double> elements(draws, start);
    double expected = 0;
    double room = 0;
    double worst = 0;
    for (double& each : elements) {
        for (std::uint64_t phase = 0; phase < phases; ++phase)
            each *= 1 + factor(bits);
        double const own = room_for(each, vectors, sizes);
        expected += each / draws;
        room += own / draws;
        worst = std::max(worst, own / each);
    }
    auto const enough = elements.begin() + draws / 100 * 99;
    std::nth_element(elements.begin(), enough, elements.end());
    return {cell_status::ok,
            "",
            {{"expected", "ratio", false, {expected / start}},
             {"static", "ratio", false, {*enough / start}},
             {"gg", "ratio", false, {room / start}},
             {"gg_worst", "ratio", false, {worst}}}};
}

} // namespace rhizome::bench
