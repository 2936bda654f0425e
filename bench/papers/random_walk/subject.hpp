// SPDX-License-Identifier: Apache-2.0
// Random walks under measurement, on a space of its own: how many steps they take, and how long an atomic
// operation takes that all threads make on one word.
#pragma once

#include <rhizome/bench/harness/subject.hpp>
#include <rhizome/bench/papers/random_walk/page_sets.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rhizome::bench {

struct walk_options {
    std::string search;      ///< one of walk_searches()
    std::uint64_t pages = 0; ///< a multiple of 32
    std::uint64_t seed = 1;
};

/// flag, bitmap, collaborative, claim, clustered: those of random_walk; bitmap-64: 64 pages per word.
/// clustered-flag: the same after walks from page to page, which Eq. 9 is about. queue: a counter of pages,
/// of which each thread takes the next; a thread that gets the n-th page has taken n steps, as the paper
/// counts.
[[nodiscard]] std::vector<std::string> const& walk_searches();

/// What a launch did in which each thread requested a page.
struct walk_launch {
    std::vector<std::uint32_t> steps;        ///< of each thread; 0: it was refused
    std::vector<std::uint64_t> first_places; ///< of each thread of flag and bitmap: where it looked first
    std::uint64_t lost = 0; ///< of flag and bitmap: how often another thread was first to lock or take
    double ms = 0;
};

/// A store of pages. Throws what the space throws.
class walk_subject {
public:
    virtual ~walk_subject() = default;

    /// Gives up all pages and memory of earlier walks; then these pages are used. queue: does not matter.
    /// walks: other walks for another number.
    virtual void set_used(page_set const& used, std::uint64_t walks = 0) = 0;
    /// In the next launch, thread i takes last_pages[i] for the page that it found last. At most own_hints()
    /// pages. Only for clustered-flag, whose hint is a page.
    virtual void set_last_pages(std::vector<std::uint64_t> const& last_pages) = 0;
    /// How many threads have a hint of their own.
    [[nodiscard]] virtual std::uint64_t own_hints() const = 0;
    /// Each of `threads` threads requests a page. Returns the steps of each; 0: it was refused.
    [[nodiscard]] std::vector<std::uint32_t> request(std::uint64_t threads) { return run(threads).steps; }
    /// The same, with all that can be told.
    [[nodiscard]] virtual walk_launch run(std::uint64_t threads) = 0;
};

/// An atomic operation on one word.
enum class contended_operation : std::uint8_t { add, exchange };

struct latency_options {};
class latency_subject {
public:
    virtual ~latency_subject() = default;
    /// Milliseconds of a launch of `threads` threads, each of which makes `operations` operations on one
    /// word, one after the other. Throws std::runtime_error if one got lost.
    [[nodiscard]] virtual double run_ms(contended_operation operation, std::uint64_t threads,
                                        std::uint32_t operations) = 0;
};

/// Throws std::invalid_argument for a search that there is none of.
template <class Space>
[[nodiscard]] std::unique_ptr<walk_subject> open_on(chosen_space const& where, walk_options const& options);
template <class Space>
[[nodiscard]] std::unique_ptr<latency_subject> open_on(chosen_space const& where, latency_options const&);

} // namespace rhizome::bench
