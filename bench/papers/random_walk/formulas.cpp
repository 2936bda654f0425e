// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/papers/random_walk/formulas.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace rhizome::bench {
namespace {

constexpr int warp_lanes = 32;

/// 1 + 1/2 + ... + 1/n; error below 10^-9 for every whole n.
double harmonic(double n) {
    constexpr double euler_mascheroni = 0.57721566490153286;
    if (n < 32) {
        double sum = 0;
        for (int k = 1; k <= n; ++k)
            sum += 1.0 / k;
        return sum;
    }
    return std::log(n) + euler_mascheroni + 1 / (2 * n) - 1 / (12 * n * n);
}

/// Words of which each has a number of free pages that is binomial, and was looked at a number of times that
/// is Poisson with mean `looks`. taken: pages per word; used_up: the share of words that have no free page
/// left.
struct words_after {
    double taken = 0;
    double used_up = 0;
};
words_after after_looks(double looks, std::uint32_t word_pages, double free_share) {
    // at_least[k]: the probability of k looks and more.
    std::vector<double> at_least(word_pages + 1, 1);
    double exactly = std::exp(-looks);
    for (std::uint32_t k = 1; k <= word_pages; ++k) {
        at_least[k] = std::max(0.0, at_least[k - 1] - exactly);
        exactly *= looks / k;
    }
    words_after found;
    double served = 0; // looks that find a page in a word that had k
    for (std::uint32_t k = 0; k <= word_pages; ++k) {
        double const choose =
            std::lgamma(word_pages + 1.0) - std::lgamma(k + 1.0) - std::lgamma(word_pages - k + 1.0);
        double const share =
            free_share >= 1
                ? (k == word_pages ? 1 : 0)
                : std::exp(choose + k * std::log(free_share) + (word_pages - k) * std::log1p(-free_share));
        if (k != 0) served += at_least[k];
        found.taken += share * served;
        found.used_up += share * at_least[k];
    }
    return found;
}

/// The looks per word after which so many pages are taken.
double looks_for(walk_numbers const& n, std::uint32_t word_pages) {
    double const wanted = n.threads / n.pages * word_pages;
    double low = 0;
    double high = wanted;
    constexpr double too_many = 600; // after so many the least probability that a double holds is near
    while (high < too_many && after_looks(high, word_pages, n.free / n.pages).taken < wanted)
        high *= 2;
    if (high >= too_many) return std::numeric_limits<double>::infinity();
    for (int i = 0; i < 60; ++i) {
        double const middle = (low + high) / 2;
        (after_looks(middle, word_pages, n.free / n.pages).taken < wanted ? low : high) = middle;
    }
    return high;
}

} // namespace

double queue_tas(double threads) { return (threads + 1) / 2; }
double queue_was(double threads) { return threads * warp_lanes / (warp_lanes + 1); }

double walk_tas(walk_numbers const& n) {
    return n.pages / n.threads * (harmonic(n.free) - harmonic(n.free - n.threads));
}
double walk_was_bound(walk_numbers const& n) {
    return most_trials_of_warp((n.pages - n.free + n.threads) / n.pages);
}

double bitmap_tas(walk_numbers const& n, std::uint32_t word_pages) {
    double sum = 0;
    for (double taken = 0; taken < n.threads; ++taken)
        sum += 1 / (1 - std::pow((n.pages - n.free + taken) / n.pages, word_pages));
    return sum / n.threads;
}
double bitmap_was_bound(walk_numbers const& n, std::uint32_t word_pages) {
    return most_trials_of_warp(std::pow((n.pages - n.free + n.threads) / n.pages, word_pages));
}

double bitmap_tas_by_words(walk_numbers const& n, std::uint32_t word_pages) {
    return looks_for(n, word_pages) * n.pages / word_pages / n.threads;
}
double bitmap_was_bound_by_words(walk_numbers const& n, std::uint32_t word_pages) {
    double const looks = looks_for(n, word_pages);
    if (std::isinf(looks)) return looks;
    return most_trials_of_warp(after_looks(looks, word_pages, n.free / n.pages).used_up);
}

double cluster_end_probability(double free, double clusters) {
    return (clusters - 1) / (free + clusters - 1);
}
double clustered_tas(walk_numbers const& n, double clusters) {
    return 1 + cluster_end_probability(n.free, clusters) * walk_tas(n);
}

double expected_collisions(double threads, double places) { return threads * (threads - 1) / (2 * places); }

double most_trials_of_warp(double failure) {
    if (failure <= 0) return 1;
    if (failure >= 1) return std::numeric_limits<double>::infinity();
    // Of a long sum the integral is H_32 / -ln(failure), and the sum is a half more (Euler and Maclaurin):
    // the terms change slowly, and are flat at both ends.
    constexpr double long_from = 0.99;
    if (failure > long_from) return harmonic(warp_lanes) / -std::log(failure) + 0.5;
    double sum = 0;
    double power = 1; // failure^k
    for (double term = 1; term > 1e-15; power *= failure) {
        term = 1 - std::pow(1 - power, warp_lanes);
        sum += term;
    }
    return sum;
}

} // namespace rhizome::bench
