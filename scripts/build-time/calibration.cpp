// SPDX-License-Identifier: Apache-2.0
// The unit of build times: scripts/build-time.sh divides the processor time of a target by that of this file.
// It uses the compiler as Rhizome does, for headers of the standard library, templates and the optimizer. A
// change of this file changes the unit: record the tables of this folder again.
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

template <int N>
struct record {
    std::array<int, N + 1> values{};
    std::string name;
    bool operator<(record const& other) const {
        return std::tie(values, name) < std::tie(other.values, other.name);
    }
};

template <int N>
int sorted_and_counted(std::vector<int> const& numbers) {
    std::vector<record<N>> records;
    std::map<std::string, record<N>> by_name;
    std::unordered_map<int, std::vector<record<N>>> by_number;
    for (int const number : numbers) {
        record<N> made;
        made.values.fill(number % (N + 2));
        made.name = std::to_string(number);
        by_name.emplace(made.name, made);
        by_number[number % 7].push_back(made);
        records.push_back(std::move(made));
    }
    std::sort(records.begin(), records.end());
    std::stable_sort(records.begin(), records.end(),
                     [](auto const& a, auto const& b) { return b.name < a.name; });
    std::function<int(int)> const added = [&records](int sum) {
        return std::accumulate(records.begin(), records.end(), sum,
                               [](int partial, record<N> const& each) { return partial + each.values[N]; });
    };
    return added(static_cast<int>(by_name.size() + by_number.size()));
}

template <int... N>
int of_all(std::vector<int> const& numbers, std::integer_sequence<int, N...>) {
    return (0 + ... + sorted_and_counted<N>(numbers));
}

} // namespace

int calibration(std::vector<int> const& numbers) {
    return of_all(numbers, std::make_integer_sequence<int, 3>{});
}
