// SPDX-License-Identifier: Apache-2.0
// Atomic access to one word in the emulator.
#pragma once

#include <rhizome/exec/order.hpp>
#include <rhizome/exec/simt/access.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <functional>
#include <type_traits>

namespace rhizome::exec {

namespace emulator {
template <class T>
[[nodiscard]] constexpr std::uint64_t to_bits(T value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
    if constexpr (sizeof(T) == 8) {
        return std::bit_cast<std::uint64_t>(value);
    } else if constexpr (sizeof(T) == 4) {
        return std::bit_cast<std::uint32_t>(value);
    } else if constexpr (sizeof(T) == 2) {
        return std::bit_cast<std::uint16_t>(value);
    } else if constexpr (sizeof(T) == 1) {
        return std::bit_cast<std::uint8_t>(value);
    } else {
        std::uint64_t bits = 0; // a value of 3, 5, 6 or 7 bytes
        __builtin_memcpy(&bits, &value, sizeof(T));
        return bits;
    }
}
template <class T>
[[nodiscard]] T from_bits(std::uint64_t bits) {
    T value;
    __builtin_memcpy(static_cast<void*>(&value), &bits, sizeof(T)); // little-endian, as to_bits
    return value;
}
static_assert(std::endian::native == std::endian::little);
} // namespace emulator

template <class T>
concept simt_word = std::same_as<T, std::uint16_t> || std::same_as<T, std::uint32_t> ||
    std::same_as<T, std::uint64_t> || std::same_as<T, unsigned long long> || std::same_as<T, std::int32_t> ||
    std::same_as<T, std::int64_t> || std::same_as<T, float> || std::same_as<T, double>;

template <class T, bool BlockScope>
class simt_atomic {
    static_assert(simt_word<T>,
                  "atomic words are 16, 32 or 64 bits: unsigned short, integers, float, double");

public:
    simt_atomic(emulator::lane& caller, T& word) : caller_(caller), word_(word) {}

    template <order::for_load O>
    [[nodiscard]] T load(O) const {
        return emulator::from_bits<T>(emulator::load(caller_, &word_, how<O>));
    }
    template <order::for_store O>
    void store(T value, O) const {
        emulator::store(caller_, &word_, how<O>, emulator::to_bits(value));
    }
    template <order::for_update O>
    T exchange(T value, O) const {
        return change<O>(value, [](T, T operand) { return operand; });
    }
    template <order::for_update O>
    T fetch_add(T value, O) const {
        return change<O>(value, [](T held, T operand) { return wrapping(held, operand, std::plus<>{}); });
    }
    template <order::for_update O>
    T fetch_sub(T value, O) const requires std::integral<T> {
        return change<O>(value, [](T held, T operand) { return wrapping(held, operand, std::minus<>{}); });
    }
    template <order::for_update O>
    T fetch_and(T value, O) const requires std::integral<T> {
        return change<O>(value, [](T held, T operand) { return held & operand; });
    }
    template <order::for_update O>
    T fetch_or(T value, O) const requires std::integral<T> {
        return change<O>(value, [](T held, T operand) { return held | operand; });
    }
    template <order::for_update O>
    T fetch_min(T value, O) const requires std::integral<T> {
        return change<O>(value, [](T held, T operand) { return operand < held ? operand : held; });
    }
    template <order::for_update O>
    T fetch_max(T value, O) const requires std::integral<T> {
        return change<O>(value, [](T held, T operand) { return held < operand ? operand : held; });
    }
    template <order::for_update O>
    bool compare_exchange(T& expected, T desired, O) const requires std::integral<T> {
        std::uint64_t const wanted = emulator::to_bits(expected);
        std::uint64_t const held =
            emulator::compare_exchange(caller_, &word_, how<O>, wanted, emulator::to_bits(desired));
        expected = emulator::from_bits<T>(held);
        return held == wanted;
    }

private:
    template <class O>
    static constexpr emulator::access how = emulator::access_of<O, BlockScope, T>;

    /// Integers wrap, as on the device, signed ones too.
    template <class Operation>
    static T wrapping(T held, T operand, Operation operation) {
        if constexpr (std::integral<T>) {
            using bits = std::make_unsigned_t<T>;
            return static_cast<T>(operation(static_cast<bits>(held), static_cast<bits>(operand)));
        } else {
            return operation(held, operand);
        }
    }

    template <class O, class Operation>
    T change(T operand, Operation) const {
        static_assert(sizeof(T) != 2, "words of 16 bits have load, store and compare_exchange only");
        return emulator::from_bits<T>(emulator::update(
            caller_, &word_, how<O>,
            [](std::uint64_t held, std::uint64_t with) {
                return emulator::to_bits(
                    static_cast<T>(Operation{}(emulator::from_bits<T>(held), emulator::from_bits<T>(with))));
            },
            emulator::to_bits(operand)));
    }

    emulator::lane& caller_;
    T& word_;
};

} // namespace rhizome::exec
