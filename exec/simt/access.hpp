// SPDX-License-Identifier: Apache-2.0
// Atomic access to one word in the emulator: the interface of the compiled part, in terms of bits.
#pragma once

#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::exec::emulator {

struct lane;

/// The properties of an access that are known at compile time.
struct access {
    bool acquires;
    bool releases;
    bool block_scope;
    std::uint8_t bytes; ///< 2, 4 or 8
};

template <class O, bool BlockScope, class T>
inline constexpr access access_of{order::acquires<O>, order::releases<O>, BlockScope,
                                  static_cast<std::uint8_t>(sizeof(T))};

/// The new bits from the old ones and the operand.
using update_function = std::uint64_t (*)(std::uint64_t old_bits, std::uint64_t operand_bits);

[[nodiscard]] std::uint64_t load(lane& caller, void const* word, access how);
void store(lane& caller, void* word, access how, std::uint64_t bits);
/// Returns the old bits.
std::uint64_t update(lane& caller, void* word, access how, update_function change,
                     std::uint64_t operand_bits);
/// Writes `desired` where the word holds `expected`; returns the old bits.
std::uint64_t compare_exchange(lane& caller, void* word, access how, std::uint64_t expected,
                               std::uint64_t desired);

} // namespace rhizome::exec::emulator
