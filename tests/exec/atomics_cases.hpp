// SPDX-License-Identifier: Apache-2.0
// Atomic operations as test cases, written once for every space: each operation, order and scope on words of
// each type, by one thread against plain arithmetic, and by many threads at once. Words have 32 or 64 bits;
// there are no wider ones.
#pragma once

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/shape.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace rhizome::exec_test {

struct device_words {
    static constexpr bool shared = false;
    template <class Thread, class T>
    static RZ_HD auto of(Thread const& thread, T& word) {
        return thread.device(word);
    }
};
struct block_words {
    static constexpr bool shared = false;
    template <class Thread, class T>
    static RZ_HD auto of(Thread const& thread, T& word) {
        return thread.block_scoped(word);
    }
};
struct shared_words {
    static constexpr bool shared = true;
    template <class Thread, class T>
    static RZ_HD auto of(Thread const& thread, T& word) {
        return thread.shared(word);
    }
};

/// What the operations of an atomic word are, for one thread. Integers wrap.
template <class T>
struct plain_word {
    T* held;

    template <class O>
    RZ_HD T load(O) const {
        return *held;
    }
    template <class O>
    RZ_HD void store(T value, O) const {
        *held = value;
    }
    template <class O>
    RZ_HD T exchange(T value, O) const {
        return replace(value);
    }
    template <class O>
    RZ_HD T fetch_add(T value, O) const {
        if constexpr (std::is_integral_v<T>) {
            using bits = std::make_unsigned_t<T>;
            return replace(static_cast<T>(static_cast<bits>(*held) + static_cast<bits>(value)));
        } else {
            return replace(*held + value);
        }
    }
    template <class O>
    RZ_HD T fetch_sub(T value, O) const {
        using bits = std::make_unsigned_t<T>;
        return replace(static_cast<T>(static_cast<bits>(*held) - static_cast<bits>(value)));
    }
    template <class O>
    RZ_HD T fetch_and(T value, O) const {
        return replace(*held & value);
    }
    template <class O>
    RZ_HD T fetch_or(T value, O) const {
        return replace(*held | value);
    }
    template <class O>
    RZ_HD T fetch_min(T value, O) const {
        return replace(value < *held ? value : *held);
    }
    template <class O>
    RZ_HD T fetch_max(T value, O) const {
        return replace(*held < value ? value : *held);
    }
    template <class O>
    RZ_HD bool compare_exchange(T& expected, T desired, O) const {
        T const old = *held;
        bool const equal = old == expected;
        if (equal) *held = desired;
        expected = old;
        return equal;
    }

private:
    RZ_HD T replace(T value) const {
        T const old = *held;
        *held = value;
        return old;
    }
};

template <class T>
struct operands {
    T largest, smallest, few, bits, other_bits;
};
template <class T>
operands<T> operands_of() {
    if constexpr (std::is_integral_v<T>) {
        using limits = std::numeric_limits<T>;
        constexpr std::uint64_t pattern = 0x5a3c'96e1'0ff0'a5c3; // its upper half is no small matter
        return {limits::max(), limits::min(), static_cast<T>(5), static_cast<T>(pattern),
                static_cast<T>(~pattern << 3)};
    } else {
        return {static_cast<T>(3e30), static_cast<T>(-3e30), static_cast<T>(0.625), static_cast<T>(-1.25),
                static_cast<T>(40)};
    }
}
inline constexpr std::size_t answers_per_order = 40;

/// Each operation, with what it returned and what the word held afterwards. Returns where the next answer
/// goes.
template <class T, class Word, class O>
RZ_HD T* ask_updates(Word const& word, O o, operands<T> const& with, T* next) {
    word.store(with.few, exec::order::relaxed);
    auto const note = [&](T returned) {
        *next++ = returned;
        *next++ = word.load(exec::order::relaxed);
    };
    note(word.fetch_add(with.bits, o));
    note(word.exchange(with.largest, o));
    if constexpr (std::is_integral_v<T>) {
        note(word.fetch_add(with.few, o)); // wraps
        note(word.fetch_sub(with.bits, o));
        note(word.fetch_or(with.bits, o));
        note(word.fetch_and(with.other_bits, o));
        T const limits[] = {with.few, with.smallest, with.largest};
        for (T const value : limits) {
            note(word.fetch_min(value, o));
            note(word.fetch_max(with.bits, o));
        }
        note(word.fetch_max(with.smallest, o));
        T expected = with.few;
        note(word.compare_exchange(expected, with.largest, o) ? T{1} : T{0});
        note(expected);
        note(word.compare_exchange(expected, with.other_bits, o) ? T{1} : T{0});
        note(expected);
    } else {
        note(word.exchange(with.few, o));
        note(word.fetch_add(with.other_bits, o));
    }
    return next;
}
template <class T, class Word>
RZ_HD T* ask_all(Word const& word, operands<T> const& with, T* next) {
    next = ask_updates(word, exec::order::relaxed, with, next);
    next = ask_updates(word, exec::order::acquire, with, next);
    next = ask_updates(word, exec::order::release, with, next);
    next = ask_updates(word, exec::order::acq_rel, with, next);
    word.store(with.bits, exec::order::relaxed);
    *next++ = word.load(exec::order::acquire);
    word.store(with.largest, exec::order::release);
    *next++ = word.load(exec::order::relaxed);
    return next;
}

template <class T, class Scope>
struct ask_alone {
    struct shared {
        T word;
    };
    operands<T> with;
    T* word;
    T* answers;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (thread.rank() != 0) return;
        T& asked = Scope::shared ? thread.block().storage().word : *word;
        ask_all<T>(Scope::of(thread, asked), with, answers);
    }
};

template <class T, class Scope, class Space>
void one_thread_computes(Space& space) {
    operands<T> const with = operands_of<T>();
    std::vector<T> wanted(4 * answers_per_order + 2);
    T held{};
    T const* const end = ask_all<T>(plain_word<T>{&held}, with, wanted.data());
    ASSERT_LE(static_cast<std::size_t>(end - wanted.data()), wanted.size());
    wanted.resize(static_cast<std::size_t>(end - wanted.data()));
    exec::buffer<Space, T> word(space, 1);
    exec::buffer<Space, T> answers(space, wanted.size());
    answers.fill_bytes(0xff);
    launch(space, {1, 1}, ask_alone<T, Scope>{with, word.data(), answers.data()});
    std::vector<T> const got = answers.to_host();
    for (std::size_t i = 0; i < wanted.size(); ++i)
        ASSERT_EQ(got[i], wanted[i]) << "answer " << i;
}

// Many threads at once.
enum contended : std::size_t {
    added,
    taken,
    cleared,
    set,
    least,
    most,
    counted,
    swapped,
    drawn,
    arrived,
    words
};

/// Threads bring different values, beyond 32 bits where T has 64.
template <class T>
RZ_HD constexpr T brought_by(std::uint64_t thread) {
    std::uint64_t const mixed = thread * 2'654'435'761u % 1'000'003;
    if constexpr (!std::is_integral_v<T>) {
        return static_cast<T>(thread % 7 + 1);
    } else {
        return static_cast<T>((mixed - (std::is_signed_v<T> ? 500'000 : 0)) *
                              (sizeof(T) == 8 ? 0x2'0000'0001u : 1u));
    }
}
template <class T>
RZ_HD constexpr T bit_of(std::uint64_t thread) {
    return static_cast<T>(std::make_unsigned_t<T>{1} << thread % (8 * sizeof(T)));
}

template <class T, class Scope>
struct contend {
    struct shared {
        T words[contended::words];
    };
    T* words_of_orders; ///< of each order: the words, as they start
    T* swaps;           ///< of each order and thread: what its exchange returned
    T* tickets;         ///< ... its draw
    T* notes;           ///< of each thread: written plainly before it arrives
    T* sums;            ///< of each order: of all notes, by the thread that arrived last

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        run(thread, exec::order::relaxed, 0);
        run(thread, exec::order::acquire, 1);
        run(thread, exec::order::release, 2);
        run(thread, exec::order::acq_rel, 3);
    }

private:
    template <class Thread, class O>
    RZ_HD void run(Thread const& thread, O o, std::size_t number) const {
        auto const block = thread.block();
        T* const outside = words_of_orders + number * contended::words;
        T* at = outside;
        if constexpr (Scope::shared) {
            at = block.storage().words;
            if (block.is_leader())
                for (std::size_t i = 0; i < contended::words; ++i)
                    at[i] = outside[i];
            block.sync();
        }
        change(thread, o, number, at);
        if constexpr (Scope::shared) {
            block.sync();
            if (block.is_leader())
                for (std::size_t i = 0; i < contended::words; ++i)
                    outside[i] = at[i];
            block.sync();
        }
    }
    template <class Thread, class O>
    RZ_HD void change(Thread const& thread, O o, std::size_t number, T* at) const {
        std::uint64_t const self = thread.rank();
        std::uint64_t const place = number * thread.size() + self;
        T const mine = brought_by<T>(self);
        Scope::of(thread, at[added]).fetch_add(mine, o);
        swaps[place] = Scope::of(thread, at[swapped]).exchange(static_cast<T>(self + 1), o);
        tickets[place] = Scope::of(thread, at[drawn]).fetch_add(T{1}, o);
        if constexpr (std::is_integral_v<T>) {
            Scope::of(thread, at[taken]).fetch_sub(mine, o);
            Scope::of(thread, at[cleared]).fetch_and(static_cast<T>(~bit_of<T>(self)), o);
            Scope::of(thread, at[set]).fetch_or(bit_of<T>(self), o);
            Scope::of(thread, at[least]).fetch_min(mine, o);
            Scope::of(thread, at[most]).fetch_max(mine, o);
            auto const counter = Scope::of(thread, at[counted]);
            T expected = counter.load(exec::order::relaxed);
            while (!counter.compare_exchange(expected, static_cast<T>(expected + 1), o)) {
            }
        }
        if constexpr (std::is_same_v<O, exec::order::acq_rel_t>) {
            notes[self] = mine;
            T const before = Scope::of(thread, at[arrived]).fetch_add(T{1}, o);
            if (before != static_cast<T>(thread.size() - 1)) return;
            T total{};
            for (std::uint64_t i = 0; i < thread.size(); ++i)
                plain_word<T>{&total}.fetch_add(notes[i], o);
            sums[number] = total;
        }
    }
};

template <class T, class Scope, class Space>
void many_threads_contend(Space& space, exec::launch_shape shape) {
    shape.block_threads = std::min(shape.block_threads, space.max_block_threads());
    std::uint64_t const threads = std::uint64_t{shape.blocks} * shape.block_threads;
    constexpr std::size_t orders = 4;
    std::vector<T> start(orders * words, T{});
    std::vector<T> wanted(words, T{});
    auto const model = [&](contended word) { return plain_word<T>{&wanted[word]}; };
    constexpr auto plainly = exec::order::relaxed;
    if constexpr (std::is_integral_v<T>) {
        wanted[cleared] = static_cast<T>(~T{0});
        wanted[least] = std::numeric_limits<T>::max();
        wanted[most] = std::numeric_limits<T>::min();
    }
    for (std::size_t i = 0; i < start.size(); ++i)
        start[i] = wanted[i % words];
    for (std::uint64_t i = 0; i < threads; ++i) {
        T const mine = brought_by<T>(i);
        model(added).fetch_add(mine, plainly);
        if constexpr (std::is_integral_v<T>) {
            model(taken).fetch_sub(mine, plainly);
            model(cleared).fetch_and(static_cast<T>(~bit_of<T>(i)), plainly);
            model(set).fetch_or(bit_of<T>(i), plainly);
            model(least).fetch_min(mine, plainly);
            model(most).fetch_max(mine, plainly);
            model(counted).fetch_add(T{1}, plainly);
        }
    }
    wanted[drawn] = static_cast<T>(threads);

    exec::buffer<Space, T> at(space, start);
    exec::buffer<Space, T> swaps(space, orders * threads);
    exec::buffer<Space, T> tickets(space, orders * threads);
    exec::buffer<Space, T> notes(space, threads);
    exec::buffer<Space, T> sums(space, orders);
    sums.fill_bytes(0);
    launch(space, shape,
           contend<T, Scope>{at.data(), swaps.data(), tickets.data(), notes.data(), sums.data()});
    std::vector<T> const got = at.to_host();
    std::vector<T> const got_swaps = swaps.to_host();
    std::vector<T> const got_tickets = tickets.to_host();
    EXPECT_EQ(sums.to_host()[3], wanted[added]) << "the thread that arrived last missed notes of others";
    for (std::size_t number = 0; number < orders; ++number) {
        SCOPED_TRACE("order " + std::to_string(number));
        for (std::size_t word = 0; word < swapped; ++word)
            EXPECT_EQ(got[number * words + word], wanted[word]) << "word " << word;
        EXPECT_EQ(got[number * words + drawn], wanted[drawn]);
        // Each ticket is drawn once, and each value that was put in comes out once, or is there still.
        auto const mine = static_cast<std::ptrdiff_t>(number * threads);
        auto const end = mine + static_cast<std::ptrdiff_t>(threads);
        std::vector<T> all(got_tickets.begin() + mine, got_tickets.begin() + end);
        std::sort(all.begin(), all.end());
        std::vector<T> out(got_swaps.begin() + mine, got_swaps.begin() + end);
        out.push_back(got[number * words + swapped]);
        std::sort(out.begin(), out.end());
        for (std::uint64_t i = 0; i < threads; ++i) {
            ASSERT_EQ(all[i], static_cast<T>(i));
            ASSERT_EQ(out[i], static_cast<T>(i));
        }
        ASSERT_EQ(out[threads], static_cast<T>(threads));
    }
}

/// Everything for words of one type. `wide` is for words of the device, `block` for those of a block.
template <class T, class Space>
void atomics_compute(Space space, exec::launch_shape wide, std::uint32_t block_threads) {
    {
        SCOPED_TRACE("device");
        one_thread_computes<T, device_words>(space);
        many_threads_contend<T, device_words>(space, wide);
    }
    {
        SCOPED_TRACE("block");
        one_thread_computes<T, block_words>(space);
        many_threads_contend<T, block_words>(space, {1, block_threads});
    }
    SCOPED_TRACE("shared");
    one_thread_computes<T, shared_words>(space);
    many_threads_contend<T, shared_words>(space, {1, block_threads});
}

} // namespace rhizome::exec_test
