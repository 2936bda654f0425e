// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/simt/access.hpp>
#include <rhizome/exec/simt/engine.hpp>
#include <rhizome/exec/simt/sanitizer.hpp>

#include <stdexcept>

namespace rhizome::exec::emulator {

namespace {

/// Calls function(0 of the word's type).
template <class Function>
decltype(auto) with_word(access how, Function&& function) {
    if (how.bytes == 8) return function(std::uint64_t{0});
    if (how.bytes == 4) return function(std::uint32_t{0});
    return function(std::uint16_t{0});
}

std::uint64_t peek(void const* word, access how) {
    return with_word(how, [&](auto zero) -> std::uint64_t {
        return __atomic_load_n(static_cast<decltype(zero) const*>(word), __ATOMIC_RELAXED);
    });
}

// The real operations follow, with the same order as in the kernel: ThreadSanitizer sees these. Orders are
// spelt out, since a builtin needs a constant order.

template <class Word>
void really_load(void const* word, access how) {
    if constexpr (under_thread_sanitizer) {
        Word const* const at = static_cast<Word const*>(word);
        if (how.acquires) {
            static_cast<void>(__atomic_load_n(at, __ATOMIC_ACQUIRE));
        } else {
            static_cast<void>(__atomic_load_n(at, __ATOMIC_RELAXED));
        }
    }
}

template <class Word>
void really_store(void* word, access how, std::uint64_t bits) {
    Word* const at = static_cast<Word*>(word);
    if (how.releases) {
        __atomic_store_n(at, static_cast<Word>(bits), __ATOMIC_RELEASE);
    } else {
        __atomic_store_n(at, static_cast<Word>(bits), __ATOMIC_RELAXED);
    }
}

/// Prevents the compiler from turning an exchange with an unused result into a store, which would end the
/// release sequence that an update continues.
template <class Word>
void read(Word old) {
    asm volatile("" : : "r"(old));
}

template <class Word>
void really_update(void* word, access how, std::uint64_t bits) {
    Word* const at = static_cast<Word*>(word);
    Word const value = static_cast<Word>(bits);
    if constexpr (!under_thread_sanitizer) {
        __atomic_store_n(at, value, __ATOMIC_RELAXED); // one OS thread: nothing comes between
    } else if (how.acquires && how.releases) {
        read(__atomic_exchange_n(at, value, __ATOMIC_ACQ_REL));
    } else if (how.acquires) {
        read(__atomic_exchange_n(at, value, __ATOMIC_ACQUIRE));
    } else if (how.releases) {
        read(__atomic_exchange_n(at, value, __ATOMIC_RELEASE));
    } else {
        read(__atomic_exchange_n(at, value, __ATOMIC_RELAXED));
    }
}

void begin_access(lane_state& me, void const* word, access how) {
    if (reinterpret_cast<std::uintptr_t>(word) % how.bytes != 0)
        throw std::logic_error("atomic access to a misaligned word");
    me.run->step(me);
    me.last_access = word;
}

memory_model::reader reader_of(lane_state& me) { return {me.block, me.view}; }

} // namespace

std::uint64_t load(lane& caller, void const* word, access how) {
    lane_state& me = static_cast<lane_state&>(caller);
    std::uint64_t bits;
    {
        bookkeeping const quiet;
        begin_access(me, word, how);
        bits = me.run->memory().load(reader_of(me), word, how, peek(word, how));
        me.run->trace(me.run->memory().last_staleness());
    }
    with_word(how, [&](auto zero) { really_load<decltype(zero)>(word, how); });
    return bits;
}

void store(lane& caller, void* word, access how, std::uint64_t bits) {
    lane_state& me = static_cast<lane_state&>(caller);
    {
        bookkeeping const quiet;
        begin_access(me, word, how);
        me.run->memory().store(reader_of(me), word, how, peek(word, how), bits);
    }
    with_word(how, [&](auto zero) { really_store<decltype(zero)>(word, how, bits); });
}

std::uint64_t update(lane& caller, void* word, access how, update_function change,
                     std::uint64_t operand_bits) {
    lane_state& me = static_cast<lane_state&>(caller);
    std::uint64_t old_bits;
    std::uint64_t new_bits;
    {
        bookkeeping const quiet;
        begin_access(me, word, how);
        std::uint64_t const held = peek(word, how);
        old_bits = me.run->memory().read_for_update(reader_of(me), word, how, held);
        new_bits = change(old_bits, operand_bits);
        me.run->memory().write_update(reader_of(me), how, held, new_bits);
        me.run->trace(me.run->memory().last_staleness());
    }
    with_word(how, [&](auto zero) { really_update<decltype(zero)>(word, how, new_bits); });
    return old_bits;
}

std::uint64_t compare_exchange(lane& caller, void* word, access how, std::uint64_t expected,
                               std::uint64_t desired) {
    lane_state& me = static_cast<lane_state&>(caller);
    std::uint64_t old_bits;
    {
        bookkeeping const quiet;
        begin_access(me, word, how);
        std::uint64_t const held = peek(word, how);
        old_bits = me.run->memory().read_for_update(reader_of(me), word, how, held);
        if (old_bits == expected) me.run->memory().write_update(reader_of(me), how, held, desired);
        me.run->trace(me.run->memory().last_staleness());
    }
    if (old_bits == expected) {
        with_word(how, [&](auto zero) { really_update<decltype(zero)>(word, how, desired); });
    } else {
        with_word(how, [&](auto zero) { really_load<decltype(zero)>(word, how); });
    }
    return old_bits;
}

} // namespace rhizome::exec::emulator
