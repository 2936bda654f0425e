// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/harness/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace rhizome::bench {

statistics summarize(std::span<double const> samples) {
    statistics result;
    if (samples.empty()) return result;
    std::vector<double> sorted(samples.begin(), samples.end());
    std::sort(sorted.begin(), sorted.end());
    auto const count = static_cast<double>(sorted.size());
    std::size_t const middle = sorted.size() / 2;
    result.count = sorted.size();
    result.lowest = sorted.front();
    result.highest = sorted.back();
    result.median = sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    result.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / count;
    if (sorted.size() > 1) {
        double squares = 0;
        for (double const sample : sorted)
            squares += (sample - result.mean) * (sample - result.mean);
        result.deviation = std::sqrt(squares / (count - 1));
    }
    return result;
}

double correlation(std::span<double const> x, std::span<double const> y) {
    double const mean_x = summarize(x).mean;
    double const mean_y = summarize(y).mean;
    double together = 0;
    double squares_x = 0;
    double squares_y = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        together += (x[i] - mean_x) * (y[i] - mean_y);
        squares_x += (x[i] - mean_x) * (x[i] - mean_x);
        squares_y += (y[i] - mean_y) * (y[i] - mean_y);
    }
    double const squares = squares_x * squares_y;
    return squares > 0 ? together / std::sqrt(squares) : 0;
}

double percentile(std::span<double const> samples, double share) {
    std::vector<double> sorted(samples.begin(), samples.end());
    auto const all = static_cast<double>(sorted.size());
    auto const below = static_cast<std::ptrdiff_t>(std::ceil(share * all - 1e-9)) - 1; // 0.9 * 10 is 9
    auto const place = sorted.begin() + std::max<std::ptrdiff_t>(below, 0);
    std::nth_element(sorted.begin(), place, sorted.end());
    return *place;
}

} // namespace rhizome::bench
