// SPDX-License-Identifier: Apache-2.0
// Sums of gathered values, for spaces where one thread walks each row.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <cstring>

namespace rhizome::algorithms::detail {

/// Two adjacent ids. Which of them is the first may depend on the machine.
template <class Id>
struct id_pair {
    Id ids[2];

    [[nodiscard]] static RZ_HD id_pair at(Id const* ids) { return {{ids[0], ids[1]}}; }
    [[nodiscard]] RZ_HD Id one() const { return ids[0]; }
    [[nodiscard]] RZ_HD Id other() const { return ids[1]; }
};

/// With one load: the number of loads limits the speed of a core.
template <>
struct id_pair<graph::vertex_id> {
    static_assert(sizeof(graph::vertex_id) == 4);
    std::uint64_t both;

    [[nodiscard]] static RZ_HD id_pair at(graph::vertex_id const* ids) {
        id_pair pair;
        std::memcpy(&pair.both, ids, sizeof(pair.both));
        return pair;
    }
    [[nodiscard]] RZ_HD std::uint32_t one() const { return static_cast<std::uint32_t>(both); }
    [[nodiscard]] RZ_HD std::uint32_t other() const { return static_cast<std::uint32_t>(both >> 32); }
};

/// The sum of `values` over `Count` ids, formed in Real as four partial sums, so that no addition waits for
/// the one before it. There is no loop whose end the core must predict.
template <std::uint32_t Count, class Id, class Real>
[[nodiscard, gnu::always_inline]] inline RZ_HD Real sum_of_few(Id const* ids, Real const* values) {
    if constexpr (Count == 0) {
        return Real{0};
    } else if constexpr (Count == 1) {
        return values[*ids];
    } else if constexpr (Count < 4) {
        auto const pair = id_pair<Id>::at(ids);
        return values[pair.one()] + values[pair.other()] + sum_of_few<Count - 2>(ids + 2, values);
    } else {
        auto pair = id_pair<Id>::at(ids);
        auto next = id_pair<Id>::at(ids + 2);
        Real a = values[pair.one()];
        Real b = values[pair.other()];
        Real c = values[next.one()];
        Real d = values[next.other()];
        std::uint32_t at = 4;
        for (; at + 4 <= Count; at += 4) {
            pair = id_pair<Id>::at(ids + at);
            next = id_pair<Id>::at(ids + at + 2);
            a += values[pair.one()];
            b += values[pair.other()];
            c += values[next.one()];
            d += values[next.other()];
        }
        if constexpr (Count % 4 >= 2) {
            pair = id_pair<Id>::at(ids + at);
            a += values[pair.one()];
            b += values[pair.other()];
        }
        if constexpr (Count % 2 == 1) c += values[ids[Count - 1]];
        return (a + b) + (c + d);
    }
}

/// The sum of `values` over `count` ids, formed in Real as above. The core predicts how many groups of eight
/// there are, and whether there are four more. In rows sorted by length, both are mostly as in the row
/// before.
template <class Id, class Real>
[[nodiscard]] RZ_HD Real sum_of_some(Id const* ids, std::uint32_t count, Real const* values) {
    if (count == 0) return Real{0};
    Real a{0};
    Real b{0};
    Real c{0};
    Real d{0};
    auto const add_four = [&](Id const* four) {
        auto const pair = id_pair<Id>::at(four);
        auto const next = id_pair<Id>::at(four + 2);
        a += values[pair.one()];
        b += values[pair.other()];
        c += values[next.one()];
        d += values[next.other()];
    };
    Id const* at = ids;
    for (std::uint32_t eights = count / 8; eights != 0; --eights, at += 8) {
        add_four(at);
        add_four(at + 4);
    }
    if ((count & 4) != 0) {
        add_four(at);
        at += 4;
    }
    std::uint32_t const left = count & 3;
    auto const value = [&](std::uint32_t k) {
        Real const there = values[k < left ? at[k < left ? k : 0] : *ids];
        return k < left ? there : Real{0};
    };
    a += value(0);
    b += value(1);
    c += value(2);
    return (a + b) + (c + d);
}

/// The sum of `values` over any number of ids: over `some` of them at a time in Real, and over these sums in
/// double.
template <class Id, class Real>
[[nodiscard]] RZ_HD double sum_of_many(Id const* ids, std::uint64_t count, Real const* values) {
    constexpr std::uint32_t some = 128;
    double sum = 0;
    for (; count > some; count -= some, ids += some)
        sum += static_cast<double>(sum_of_some(ids, some, values));
    return sum + static_cast<double>(sum_of_some(ids, static_cast<std::uint32_t>(count), values));
}

} // namespace rhizome::algorithms::detail
