// SPDX-License-Identifier: Apache-2.0
// The interface of a group of ranks that exchange arrays: one communicator per rank.
#pragma once

#include <rhizome/comm/elements.hpp>
#include <rhizome/comm/result.hpp>
#include <rhizome/exec/memory_resource.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::comm {

/// Options of every backend.
struct comm_options {
    /// How long a call waits for the other ranks. After this time the call returns a failure. At least 1 ms;
    /// std::chrono::milliseconds::max() stands for no limit.
    std::chrono::milliseconds time_limit = std::chrono::minutes(5);
};

/// What an all_to_all does with a rank's elements for itself.
enum class own_part {
    copied,   ///< they are in `send` and are copied, as those for other ranks are sent
    in_place, ///< they are where they belong in `receive`, and not in `send`: the rank's own send count is 0
};

template <class Space>
class communicator_decorator;

/// One rank's end of a group of `size()` ranks. All ranks make the same calls in the same order. One thread
/// uses a communicator at a time.
///
/// Collectives (all_to_all, all_gather, all_reduce, broadcast) take arrays in the memory of the space. They
/// are part of the order of the space: they read what earlier work of the space has written, and later work
/// of the space sees their results. On cuda they may return before they are done; wait() waits for them,
/// within the time limit. Arrays must stay allocated until then. Calls that return values on the host
/// (barrier, vote, gather_words, exchange_counts) wait themselves.
///
/// Errors are values. The first failure ends the group: the call returns it, calls of other ranks that wait
/// return a failure within the time limit, and every later call returns the same failure at once. What the
/// arrays of a failed call then hold is undefined. Wrong arguments that a rank notices alone throw
/// std::invalid_argument and leave the group usable: a count for each rank is missing, the root is no rank,
/// or a rank sends itself elements that it calls in place. Counts that do not fit together end the group,
/// with failure::mismatch.
///
/// The class is an interface at run time, so that code for graphs is compiled once per space, not once per
/// space and backend: a virtual call costs nothing beside an exchange between ranks.
template <class Space>
class communicator {
public:
    communicator(communicator const&) = delete;
    communicator& operator=(communicator const&) = delete;
    virtual ~communicator() = default;

    /// This rank, 0 to size() - 1.
    [[nodiscard]] int rank() const { return rank_; }
    /// The number of ranks, at least 1.
    [[nodiscard]] int size() const { return size_; }
    /// The space that holds this rank's arrays.
    [[nodiscard]] Space& space() { return space_; }
    [[nodiscard]] std::chrono::milliseconds time_limit() const { return options_.time_limit; }
    /// The name of the backend: "threads" or "nccl".
    [[nodiscard]] virtual std::string_view backend() const = 0;
    /// Ok, or the failure that ended the group, as far as this rank knows it.
    [[nodiscard]] comm_result const& state() const { return state_; }

    /// Sends send_counts[r] elements to each rank r, and receives receive_counts[r] elements from it. In
    /// `send`, the elements for rank 0 come first, then those for rank 1, and so on; `receive` is filled in
    /// the same way. Rank r must send this rank as many as this rank expects: exchange_counts() asks for the
    /// counts. Arrays of 0 elements may be null. The two arrays must not overlap. `own`: where this rank's
    /// elements for itself are; ranks may differ in that. With own_part::copied, send_counts[rank()] must be
    /// receive_counts[rank()]; otherwise the group ends with failure::mismatch. With own_part::in_place,
    /// send_counts[rank()] must be 0; otherwise the call throws std::invalid_argument. Cost: each element
    /// crosses between two ranks once.
    template <class T>
    [[nodiscard]] comm_result all_to_all(T const* send, std::span<std::uint64_t const> send_counts,
                                         T* receive, std::span<std::uint64_t const> receive_counts,
                                         own_part own = own_part::copied) {
        static_assert(std::is_trivially_copyable_v<T>);
        expect_count_per_rank("all_to_all", send_counts);
        expect_count_per_rank("all_to_all", receive_counts);
        auto const self = static_cast<std::size_t>(rank_);
        if (own == own_part::in_place && send_counts[self] != 0)
            throw std::invalid_argument("all_to_all: rank " + std::to_string(rank_) + " sends itself " +
                                        std::to_string(send_counts[self]) +
                                        " elements, although its own are in place");
        return guarded([&] {
            if (own == own_part::copied && send_counts[self] != receive_counts[self])
                return comm_result::failed(failure::mismatch, rank_,
                                           "all_to_all: rank " + std::to_string(rank_) + " expects " +
                                               std::to_string(receive_counts[self]) +
                                               " elements from itself and sends " +
                                               std::to_string(send_counts[self]));
            return do_all_to_all(send, send_counts, receive, receive_counts, sizeof(T));
        });
    }

    /// Gives every rank the `count` elements of each rank, in the order of the ranks: `receive` has room for
    /// count * size() elements. `send` must not overlap `receive`. Cost: each rank receives the elements of
    /// every other rank once.
    template <class T>
    [[nodiscard]] comm_result all_gather(T const* send, std::uint64_t count, T* receive) {
        std::vector<std::uint64_t> const counts(static_cast<std::size_t>(size_), count);
        return all_gather(send, receive, std::span<std::uint64_t const>(counts));
    }
    /// The same with counts[r] elements of rank r. `counts` is the same on all ranks.
    template <class T>
    [[nodiscard]] comm_result all_gather(T const* send, T* receive, std::span<std::uint64_t const> counts) {
        static_assert(std::is_trivially_copyable_v<T>);
        expect_count_per_rank("all_gather", counts);
        return guarded([&] { return do_all_gather(send, receive, counts, sizeof(T)); });
    }

    /// receive[i] = send[i] of rank 0 combined with send[i] of all other ranks, on every rank. `receive` may
    /// be `send`; otherwise they must not overlap. All ranks get the same bits, floating-point sums included.
    /// Unsigned sums wrap. What min and max make of a NaN is undefined. Cost: with `threads`, each rank reads
    /// the elements of all ranks; with `nccl`, that of ncclAllReduce: each rank sends and receives about
    /// twice its elements.
    template <reducible T>
    [[nodiscard]] comm_result all_reduce(T const* send, T* receive, std::uint64_t count, reduction how) {
        return guarded([&] { return do_all_reduce(send, receive, count, element_of<T>(), how); });
    }

    /// Gives every rank the `count` elements that `data` holds on rank `root`. `count` and `root` are the
    /// same on all ranks. Cost: each other rank receives the elements once.
    template <class T>
    [[nodiscard]] comm_result broadcast(T* data, std::uint64_t count, int root) {
        static_assert(std::is_trivially_copyable_v<T>);
        if (root < 0 || root >= size_)
            throw std::invalid_argument("broadcast: root is " + std::to_string(root) +
                                        ", but ranks are 0 to " + std::to_string(size_ - 1));
        return guarded([&] { return do_broadcast(data, count * sizeof(T), root); });
    }

    /// Whether share_memory() can succeed. The same on all ranks.
    [[nodiscard]] virtual bool may_share_memory() const { return false; }
    /// Where arrays come from that share_memory() is to show; nullptr: the space's allocate(). Lives as long
    /// as the communicator. It takes memory in pieces of 2 MiB on cuda: for few, large arrays.
    [[nodiscard]] virtual exec::memory_resource* shareable_memory() { return nullptr; }
    /// Shows an array of this rank's space to all ranks: addresses[r] becomes the address at which kernels of
    /// this rank write the array of rank r. The value is false on all ranks, and the addresses are nullptr,
    /// if some rank does not reach the memory of all others, or passes false for `shares`. Arrays may have
    /// different lengths, and be nullptr; they come from shareable_memory(). `addresses` holds nullptr, or
    /// what an earlier call has put there, which then becomes inaccessible. Waits. With `threads`, all ranks
    /// may share memory; with `nccl`, those of one machine that have a rank_board.
    ///
    /// Ranks write an array in turns with its owner, which follow_all() and words that ranks exchange bring
    /// about. Memory of shareable_memory() lives until its owner has freed it and all others have forgotten
    /// it: no rank waits for another, and what is written to an array that its owner has freed is lost. Other
    /// arrays stay allocated while others may write them. An owner forgets the addresses before it frees its
    /// array, or sets its own to nullptr.
    [[nodiscard]] answer<bool> share_memory(void* mine, bool shares, std::span<void*> addresses) {
        if (addresses.size() != static_cast<std::size_t>(size_))
            throw std::invalid_argument("share_memory: room for " + std::to_string(addresses.size()) +
                                        " addresses, but there are " + std::to_string(size_) + " ranks");
        bool shared = false;
        comm_result result = guarded([&] { return do_share_memory(mine, shares, addresses, shared); });
        bool const usable = result.ok() && shared;
        if (!usable) forget_memory(addresses);
        return {std::move(result), usable};
    }

    /// This rank writes no more to arrays whose addresses share_memory() has given; they become nullptr.
    /// Waits for all earlier work of the space. An array that its owner has freed,
    /// too, is gone with the last rank that forgets it.
    void forget_memory(std::span<void*> addresses) noexcept { do_forget_memory(addresses); }

    /// Keeps an array that share_memory() has shown until no rank of the group makes calls any more, if it
    /// must stay allocated: for the owner of an array that others may still be writing when a call has
    /// failed.
    void keep(std::shared_ptr<void> shown) noexcept { do_keep(std::move(shown)); }

    /// Later work of this rank's space comes after all work that any rank has given to its space before its
    /// call. May return before that work is done.
    [[nodiscard]] comm_result follow_all() {
        return guarded([&] { return do_follow_all(); });
    }

    /// Waits until all collectives given so far, and all earlier work of the space, are done on this rank.
    [[nodiscard]] comm_result wait() {
        return guarded([&] { return do_wait(); });
    }

    /// Waits until every rank has called barrier(), and until this rank's earlier collectives are done.
    [[nodiscard]] comm_result barrier() {
        std::vector<std::uint64_t> all(static_cast<std::size_t>(size_));
        std::uint64_t const mine = 0;
        if (comm_result const waited = wait(); !waited.ok()) return waited;
        return gather_words({&mine, 1}, all);
    }

    /// Whether all ranks have passed true. `value` is false after a failure. Waits.
    [[nodiscard]] answer<bool> vote(bool mine) {
        std::vector<std::uint64_t> all(static_cast<std::size_t>(size_));
        std::uint64_t const word = mine ? 1 : 0;
        comm_result result = gather_words({&word, 1}, all);
        bool agreed = result.ok();
        for (std::uint64_t const each : all)
            agreed = agreed && each == 1;
        return {std::move(result), agreed};
    }

    /// Gives every rank the words of each rank, in host memory, in the order of the ranks. Every rank passes
    /// equally many words; `all` has room for mine.size() * size(). Waits. For counts, sizes and decisions.
    [[nodiscard]] comm_result gather_words(std::span<std::uint64_t const> mine,
                                           std::span<std::uint64_t> all) {
        if (all.size() != mine.size() * static_cast<std::size_t>(size_))
            throw std::invalid_argument("gather_words: room for " + std::to_string(all.size()) +
                                        " words, but " + std::to_string(size_) + " ranks have " +
                                        std::to_string(mine.size()) + " each");
        return guarded([&] { return do_gather_words(mine, all); });
    }

    /// How many elements each rank sends to this one, where this one sends send_counts[r] to rank r. Waits.
    /// Cost: size() words from each rank to all others.
    [[nodiscard]] answer<std::vector<std::uint64_t>>
    exchange_counts(std::span<std::uint64_t const> send_counts) {
        expect_count_per_rank("exchange_counts", send_counts);
        auto const ranks = static_cast<std::size_t>(size_);
        std::vector<std::uint64_t> matrix(ranks * ranks);
        comm_result result = gather_words(send_counts, matrix);
        std::vector<std::uint64_t> received;
        for (std::size_t sender = 0; result.ok() && sender < ranks; ++sender)
            received.push_back(matrix[sender * ranks + static_cast<std::size_t>(rank_)]);
        return {std::move(result), std::move(received)};
    }

    /// Ends the group: this rank's later calls, and calls of other ranks that wait, return a failure that
    /// names this rank. With `nccl` the other ranks may learn of it only by their time limits.
    void abort(std::string const& why) noexcept {
        if (state_.ok())
            end(comm_result::failed(failure::aborted, rank_,
                                    "rank " + std::to_string(rank_) + " aborted: " + why));
    }

protected:
    communicator(Space space, int rank, int size, comm_options const& options)
        : space_(std::move(space)), rank_(rank), size_(size), options_(options) {
        if (size < 1 || rank < 0 || rank >= size)
            throw std::invalid_argument("a communicator of " + std::to_string(size) + " ranks has no rank " +
                                        std::to_string(rank));
        if (options.time_limit <= std::chrono::milliseconds(0))
            throw std::invalid_argument("the time limit of a communicator must be positive, not " +
                                        std::to_string(options.time_limit.count()) + " ms");
    }

    // What a backend implements. Counts are in elements. An exception ends the group, as a failure does.
    /// Where this rank's send count for itself is 0, its own part of `receive` is left as it is.
    virtual comm_result do_all_to_all(void const* send, std::span<std::uint64_t const> send_counts,
                                      void* receive, std::span<std::uint64_t const> receive_counts,
                                      std::uint64_t element_bytes) = 0;
    virtual comm_result do_all_gather(void const* send, void* receive, std::span<std::uint64_t const> counts,
                                      std::uint64_t element_bytes) = 0;
    virtual comm_result do_all_reduce(void const* send, void* receive, std::uint64_t count, element type,
                                      reduction how) = 0;
    virtual comm_result do_broadcast(void* data, std::uint64_t bytes, int root) = 0;
    virtual comm_result do_gather_words(std::span<std::uint64_t const> mine,
                                        std::span<std::uint64_t> all) = 0;
    virtual comm_result do_wait() = 0;
    /// A backend whose ranks do not reach each other's memory leaves the next four, and may_share_memory(),
    /// as they are. do_forget_memory() also takes what a call of do_share_memory() that failed has put there.
    virtual comm_result do_share_memory(void*, bool, std::span<void*>, bool& shared) {
        shared = false;
        return {};
    }
    virtual void do_forget_memory(std::span<void*> addresses) noexcept {
        for (void*& each : addresses)
            each = nullptr;
    }
    /// Left as it is where memory that was shown lives until the last rank has forgotten it.
    virtual void do_keep(std::shared_ptr<void>) noexcept {}
    virtual comm_result do_follow_all() {
        if (comm_result reached = do_wait(); !reached.ok()) return reached;
        std::vector<std::uint64_t> all(static_cast<std::size_t>(size_));
        std::uint64_t const mine = 0;
        return do_gather_words({&mine, 1}, all);
    }
    /// The group has ended for this rank: tell the other ranks if that is possible.
    virtual void do_end(comm_result const& why) noexcept = 0;

private:
    friend class communicator_decorator<Space>;

    void expect_count_per_rank(char const* call, std::span<std::uint64_t const> counts) const {
        if (counts.size() != static_cast<std::size_t>(size_))
            throw std::invalid_argument(std::string(call) + ": " + std::to_string(counts.size()) +
                                        " counts for " + std::to_string(size_) + " ranks");
    }

    template <class Call>
    [[nodiscard]] comm_result guarded(Call&& call) {
        if (!state_.ok()) return state_;
        comm_result result;
        try {
            result = call();
        } catch (std::exception const& error) {
            result = comm_result::failed(failure::library, rank_,
                                         "rank " + std::to_string(rank_) + " failed: " + error.what());
        }
        if (!result.ok()) end(std::move(result));
        return state_;
    }

    void end(comm_result why) noexcept {
        state_ = std::move(why);
        do_end(state_);
    }

    Space space_;
    int rank_;
    int size_;
    comm_options options_;
    comm_result state_;
};

} // namespace rhizome::comm
