// SPDX-License-Identifier: Apache-2.0
#include <rhizome/comm/bootstrap/rank_board.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace rhizome::comm {

namespace {
enum class presence : std::uint32_t { none, here, left, ended };

std::size_t bytes_of(int ranks, std::size_t slot_bytes) {
    return static_cast<std::size_t>(ranks) * slot_bytes;
}
} // namespace

// Written by its own rank alone. A file begins with zeros: nobody is there.
struct rank_board::slot {
    std::atomic<std::uint64_t> calls;
    // Written after the members below (release), and read before them (acquire).
    std::atomic<presence> state;
    std::int32_t rank;  ///< of the failure
    std::uint32_t kind; ///< a comm::failure
    std::array<char, 484> why;
    // Exchanges alternate between two sets of words. A rank gives words to the exchange after the next one
    // only when all have given theirs to the next, and so have read those of this one.
    std::atomic<std::uint64_t> exchanges; ///< for which the words are there (release)
    struct word_set {
        std::uint64_t count;
        std::array<std::uint64_t, most_words> words;
    };
    std::array<word_set, 2> words;
};

rank_board::rank_board(std::string const& path, int rank, int ranks) : rank_(rank), ranks_(ranks) {
    static_assert(sizeof(slot) % 8 == 0 && std::atomic<std::uint64_t>::is_always_lock_free);
    auto const refuse = [&] {
        throw comm_error(comm_result::failed(
            failure::library, rank, path + ": cannot be used by the ranks: " + std::strerror(errno)));
    };
    std::size_t const bytes = bytes_of(ranks, sizeof(slot));
    file_.reset(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)); // NOLINT: POSIX
    if (file_.get() < 0 || ::ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0) refuse();
    struct flock mine {};
    mine.l_type = F_WRLCK;
    mine.l_start = rank;
    mine.l_len = 1;
    if (::fcntl(file_.get(), F_OFD_SETLK, &mine) != 0) refuse();
    void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
    if (mapped == MAP_FAILED) refuse();
    slots_ = mapped;
    of(rank).state.store(presence::here, std::memory_order_release);
}

rank_board::~rank_board() {
    leave();
    ::munmap(slots_, bytes_of(ranks_, sizeof(slot)));
}

rank_board::slot& rank_board::of(int rank) const { return static_cast<slot*>(slots_)[rank]; }

// Only a hint for messages: the order of calls is that of the collectives.
void rank_board::begin_call() noexcept { of(rank_).calls.fetch_add(1, std::memory_order_relaxed); }

void rank_board::leave() noexcept {
    if (of(rank_).state.load(std::memory_order_relaxed) == presence::here)
        of(rank_).state.store(presence::left, std::memory_order_release);
}

void rank_board::end(comm_result const& why) noexcept {
    slot& mine = of(rank_);
    if (mine.state.load(std::memory_order_relaxed) == presence::ended) return;
    mine.rank = why.rank();
    mine.kind = static_cast<std::uint32_t>(why.kind());
    std::size_t const length = std::min(why.why().size(), mine.why.size() - 1);
    std::memcpy(mine.why.data(), why.why().data(), length);
    mine.why[length] = '\0';
    mine.state.store(presence::ended, std::memory_order_release);
}

void rank_board::publish(std::span<std::uint64_t const> words) noexcept {
    slot& mine = of(rank_);
    slot::word_set& set = mine.words[++exchanges_ % 2];
    set.count = words.size();
    std::ranges::copy(words, set.words.begin());
    mine.exchanges.store(exchanges_, std::memory_order_release);
}

rank_board::collected rank_board::collect(std::span<std::uint64_t> all) const {
    for (int rank = 0; rank < ranks_; ++rank)
        if (of(rank).exchanges.load(std::memory_order_acquire) < exchanges_) return {};
    std::size_t const each = all.size() / static_cast<std::size_t>(ranks_);
    for (int rank = 0; rank < ranks_; ++rank) {
        slot::word_set const& set = of(rank).words[exchanges_ % 2];
        if (set.count != each)
            return {true, comm_result::failed(failure::mismatch, rank,
                                              "rank " + std::to_string(rank) + " gives " +
                                                  std::to_string(set.count) + " words, and rank " +
                                                  std::to_string(rank_) + " gives " + std::to_string(each))};
        std::copy_n(set.words.begin(), each, all.begin() + static_cast<std::ptrdiff_t>(each) * rank);
    }
    return {true, {}};
}

bool rank_board::is_locked(int rank) const {
    struct flock theirs {};
    theirs.l_type = F_WRLCK;
    theirs.l_start = rank;
    theirs.l_len = 1;
    return ::fcntl(file_.get(), F_OFD_GETLK, &theirs) != 0 || theirs.l_type != F_UNLCK;
}

comm_result rank_board::look() const {
    comm_result left;
    for (int rank = 0; rank < ranks_; ++rank) {
        if (rank == rank_) continue;
        slot const& theirs = of(rank);
        presence state = theirs.state.load(std::memory_order_acquire);
        if (state == presence::here && !is_locked(rank)) {
            state = theirs.state.load(std::memory_order_acquire); // it may have left in between
            if (state == presence::here)
                return comm_result::failed(failure::peer_left, rank,
                                           "the process of rank " + std::to_string(rank) + " has ended");
        }
        if (state == presence::ended)
            return comm_result::failed(static_cast<failure>(theirs.kind), theirs.rank, theirs.why.data());
        // One that has left after as many calls has done its part.
        if (state == presence::left && left.ok() && has_begun_fewer_calls(rank))
            left = comm_result::failed(failure::peer_left, rank,
                                       "rank " + std::to_string(rank) + " left the group");
    }
    return left; // less certain than a failure that a rank has told
}

bool rank_board::has_begun_fewer_calls(int rank) const {
    return of(rank).calls.load(std::memory_order_relaxed) < of(rank_).calls.load(std::memory_order_relaxed);
}

std::vector<int> rank_board::behind() const {
    std::vector<int> ranks;
    for (int rank = 0; rank < ranks_; ++rank)
        if (of(rank).state.load(std::memory_order_relaxed) == presence::none || has_begun_fewer_calls(rank))
            ranks.push_back(rank);
    return ranks;
}

} // namespace rhizome::comm
