// SPDX-License-Identifier: Apache-2.0
// Proofs that no run of so many pages is free, which one thread makes and others use. A proof takes a while,
// and other threads that give pages back disturb it; threads that wait for one give none.
//
// A word. Bits 0 to 31: the pages of the run that the last proof was about, or no_run where it has found one
// or 32 bits do not hold its length. Bits 32 to 63: a number that grows as a proof begins and as it ends, so
// it is odd in between (modulo 2^32).
//
// A thread asks before it looks for a run. A proof that began after it asked, and that is about a run at most
// as long, holds for it too: the moment of the proof lies within its request. The same holds for a proof that
// was disturbed too often, and refuses without such a moment (run_search.hpp).
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

class shared_proof_ref {
public:
    using word = std::uint64_t;

    RZ_HD explicit shared_proof_ref(word* place) : place_(place) {}

    /// To be kept for answers() and begin(). A read-modify-write with acq_rel: a proof that begins later
    /// acquires it, and so sees all pages that the caller has given back.
    template <class Thread>
    [[nodiscard]] RZ_HD word ask(Thread const& thread) const {
        return thread.device(*place_).fetch_or(0, exec::order::acq_rel);
    }
    /// acquire: the caller acts after the proof.
    template <class Thread>
    [[nodiscard]] RZ_HD word load(Thread const& thread) const {
        return thread.device(*place_).load(exec::order::acquire);
    }

    [[nodiscard]] static RZ_HD constexpr bool is_under_way(word seen) { return (number_of(seen) & 1) != 0; }
    /// Whether `seen` refuses a request of `pages` that asked and got `asked`.
    [[nodiscard]] static RZ_HD constexpr bool refuses(word seen, word asked, std::uint64_t pages) {
        bool const began_later = static_cast<std::int32_t>(number_of(seen) - number_of(asked)) >= 2;
        return !is_under_way(seen) && began_later && pages_of(seen) != no_run &&
               pages_of(seen) <= capped(pages);
    }
    /// How many proofs have ended between `asked` and `seen` (modulo 2^31).
    [[nodiscard]] static RZ_HD constexpr std::uint32_t ended_since(word seen, word asked) {
        return ((number_of(seen) >> 1) - (number_of(asked) >> 1)) & (~std::uint32_t{0} >> 1);
    }
    /// Tries to begin a proof, where `seen` has none under way. acq_rel: as ask().
    template <class Thread>
    [[nodiscard]] RZ_HD bool begin(Thread const& thread, word seen) const {
        return thread.device(*place_).compare_exchange(seen, next(seen, no_run), exec::order::acq_rel);
    }
    /// Ends the proof that the caller has begun; refused: it has found no run of `pages`. release: the proof
    /// comes before.
    template <class Thread>
    RZ_HD void end(Thread const& thread, word begun, bool refused, std::uint64_t pages) const {
        thread.device(*place_).exchange(next(next(begun, no_run), refused ? capped(pages) : no_run),
                                        exec::order::acq_rel);
    }

private:
    static constexpr std::uint32_t no_run = ~std::uint32_t{0};

    [[nodiscard]] static RZ_HD constexpr std::uint32_t number_of(word seen) {
        return static_cast<std::uint32_t>(seen >> 32);
    }
    [[nodiscard]] static RZ_HD constexpr std::uint32_t pages_of(word seen) {
        return static_cast<std::uint32_t>(seen);
    }
    /// Runs beyond this length share no proofs with shorter ones: a proof about `no_run - 1` may be about
    /// more.
    [[nodiscard]] static RZ_HD constexpr std::uint32_t capped(std::uint64_t pages) {
        return pages < no_run ? static_cast<std::uint32_t>(pages) : no_run;
    }
    [[nodiscard]] static RZ_HD constexpr word next(word seen, std::uint32_t pages) {
        return word{number_of(seen) + 1} << 32 | pages;
    }

    word* place_;
};

} // namespace rhizome::alloc
