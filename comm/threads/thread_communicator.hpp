// SPDX-License-Identifier: Apache-2.0
// The backend `threads`: ranks are threads of one process.
#pragma once

#include <rhizome/comm/communicator.hpp>
#include <rhizome/comm/threads/accumulate.hpp>
#include <rhizome/comm/threads/meeting.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/event.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <forward_list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rhizome::comm {

namespace detail {

/// The device of a space; 0 for spaces that have no numbers of devices.
template <class Space>
[[nodiscard]] int device_of(Space const& space) {
    if constexpr (requires { space.device(); })
        return space.device();
    else
        return 0;
}

/// Where a rank's arrays are, and two points in the order of its space.
template <class Space>
struct rank_points {
    explicit rank_points(Space const& space) : device(device_of(space)), ready(space), done(space) {}

    int device;
    exec::event<Space> ready; ///< the arrays that the rank shows hold their values
    exec::event<Space> done;  ///< the rank has read the arrays of the others
};

/// What the ranks of a group share.
template <class Space>
struct thread_group_state {
    thread_group_state(int ranks, comm_options const& chosen)
        : options(chosen), place(ranks, chosen.time_limit), points(static_cast<std::size_t>(ranks)) {}

    comm_options options;
    meeting place;
    // A rank makes its entry before it first arrives, and keeps it; another rank looks after a meeting.
    std::vector<std::optional<rank_points<Space>>> points;
    std::mutex kept_mutex;
    std::forward_list<std::shared_ptr<void>> kept; ///< until the last communicator is gone
};

/// Receivers copy from the senders' arrays, each in the order of its own space, so that no bytes are copied
/// twice. Before it copies, a receiver lets its space wait for the sender's point `ready`. After a call, each
/// space waits for the points `done` of the others before it changes its arrays. On host and emulator all
/// points are reached at once. A space waits for points of other devices as for those of its own. Kernels of
/// the collectives read arrays of their own device only.
template <class Space>
class thread_communicator final : public communicator<Space> {
public:
    thread_communicator(Space space, int rank, std::shared_ptr<thread_group_state<Space>> group)
        : communicator<Space>(std::move(space), rank, group->place.ranks(), group->options),
          group_(std::move(group)), scratch_(this->space(), this->size() == 1 ? 0 : 2 * piece_bytes) {
        points().emplace(this->space());
    }

    ~thread_communicator() override {
        group_->place.fail(comm_result::failed(failure::peer_left, this->rank(),
                                               "rank " + std::to_string(this->rank()) + " left the group"));
    }

    [[nodiscard]] std::string_view backend() const override { return "threads"; }
    [[nodiscard]] bool may_share_memory() const override { return true; }

private:
    /// all_reduce works on pieces of this size, so that its scratch can be allocated in advance.
    static constexpr std::uint64_t piece_bytes = 256u << 10;

    [[nodiscard]] std::optional<rank_points<Space>>& points() {
        return group_->points[static_cast<std::size_t>(this->rank())];
    }
    [[nodiscard]] std::byte const* sent_by(int rank) const {
        return static_cast<std::byte const*>(group_->place.of(rank).send);
    }

    /// Shows `mine`, calls copy(), which reads the arrays of other ranks, and waits until they have read this
    /// rank's.
    template <class Copy>
    comm_result exchange(posting mine, Copy&& copy) {
        this->space().record(points()->ready);
        if (comm_result met = group_->place.arrive(this->rank(), std::move(mine)); !met.ok()) return met;
        try {
            for (int rank = 0; rank < this->size(); ++rank)
                this->space().wait_for(group_->points[static_cast<std::size_t>(rank)]->ready);
            copy();
            this->space().record(points()->done);
        } catch (std::exception const& error) {
            failed_to_copy(error.what());
        } catch (...) {
            failed_to_copy("unknown exception");
        }
        comm_result result = group_->place.finish();
        try { // also after a failure: other ranks may still read arrays that their rank frees next
            for (int rank = 0; rank < this->size(); ++rank)
                this->space().wait_for(group_->points[static_cast<std::size_t>(rank)]->done);
        } catch (std::exception const&) {
            if (result.ok()) throw;
        }
        return result;
    }

    void failed_to_copy(std::string const& what) {
        group_->place.fail(comm_result::failed(failure::library, this->rank(),
                                               "rank " + std::to_string(this->rank()) + " failed: " + what));
        try {
            this->space().synchronize();  // the other ranks may free their arrays after finish()
        } catch (std::exception const&) { // the failure is known already
        }
    }

    /// Calls function(rank) for all ranks. Each rank begins with another one, so that they do not all copy
    /// from one.
    template <class Function>
    void for_each_rank(Function&& function) {
        for (int step = 1; step <= this->size(); ++step)
            function((this->rank() + step) % this->size());
    }

    [[nodiscard]] static std::vector<std::uint64_t> begins_of(std::span<std::uint64_t const> counts) {
        std::vector<std::uint64_t> begins(counts.size() + 1, 0);
        for (std::size_t i = 0; i < counts.size(); ++i)
            begins[i + 1] = begins[i] + counts[i];
        return begins;
    }

    void copy(std::byte* to, std::byte const* from, std::uint64_t bytes) {
        if (bytes != 0 && to != from) this->space().copy(to, from, bytes);
    }
    /// Copies from an array of rank `rank`.
    void copy_of(int rank, std::byte* to, std::byte const* from, std::uint64_t bytes) {
        if constexpr (requires(Space space) { space.copy_from_device(0, to, from, bytes); }) {
            int const device = group_->points[static_cast<std::size_t>(rank)]->device;
            if (to != from) this->space().copy_from_device(device, to, from, bytes);
        } else {
            copy(to, from, bytes);
        }
    }

    comm_result do_all_to_all(void const* send, std::span<std::uint64_t const> send_counts, void* receive,
                              std::span<std::uint64_t const> receive_counts,
                              std::uint64_t element_bytes) override {
        posting mine{.call = "all_to_all", .element_bytes = element_bytes, .send = send};
        mine.send_counts = send_counts;
        mine.receive_counts = receive_counts;
        return exchange(std::move(mine), [&] {
            auto const begins = begins_of(receive_counts);
            for_each_rank([&](int rank) {
                auto const counts = group_->place.of(rank).send_counts;
                if (rank == this->rank() && counts[static_cast<std::size_t>(rank)] == 0) return; // in place
                std::uint64_t before = 0;
                for (int earlier = 0; earlier < this->rank(); ++earlier)
                    before += counts[static_cast<std::size_t>(earlier)];
                auto const sender = static_cast<std::size_t>(rank);
                copy_of(rank, static_cast<std::byte*>(receive) + begins[sender] * element_bytes,
                        sent_by(rank) + before * element_bytes, receive_counts[sender] * element_bytes);
            });
        });
    }

    comm_result do_all_gather(void const* send, void* receive, std::span<std::uint64_t const> counts,
                              std::uint64_t element_bytes) override {
        posting mine{.call = "all_gather", .element_bytes = element_bytes, .send = send};
        mine.receive_counts = counts;
        return exchange(std::move(mine), [&] {
            auto const begins = begins_of(counts);
            for_each_rank([&](int rank) {
                auto const sender = static_cast<std::size_t>(rank);
                copy_of(rank, static_cast<std::byte*>(receive) + begins[sender] * element_bytes,
                        sent_by(rank), counts[sender] * element_bytes);
            });
        });
    }

    comm_result do_all_reduce(void const* send, void* receive, std::uint64_t count, element type,
                              reduction how) override {
        std::uint64_t const bytes = bytes_of(type);
        std::uint64_t const piece = piece_bytes / bytes;
        posting mine{.call = "all_reduce", .element_bytes = bytes, .count = count, .send = send};
        mine.variant = static_cast<std::uint64_t>(type) * 256 + static_cast<std::uint64_t>(how);
        if (this->size() == 1 || count == 0)
            return exchange(std::move(mine), [&] {
                copy(static_cast<std::byte*>(receive), static_cast<std::byte const*>(send), count * bytes);
            });
        for (std::uint64_t begin = 0; begin < count; begin += piece) {
            std::uint64_t const items = std::min(piece, count - begin);
            comm_result piece_done = exchange(mine, [&] { reduce_piece(begin * bytes, items, type, how); });
            if (!piece_done.ok()) return piece_done;
            // Every rank has read its piece of `send`, which may be `receive`.
            copy(static_cast<std::byte*>(receive) + begin * bytes, scratch_.data(), items * bytes);
        }
        return {};
    }

    /// Leaves the reduction of one piece in scratch. In the order of the ranks, so that all get the same
    /// bits.
    void reduce_piece(std::uint64_t begin_bytes, std::uint64_t items, element type, reduction how) {
        std::uint64_t const bytes = items * bytes_of(type);
        std::byte* const values = scratch_.data() + piece_bytes;
        copy_of(0, scratch_.data(), sent_by(0) + begin_bytes, bytes);
        for (int rank = 1; rank < this->size(); ++rank) {
            copy_of(rank, values, sent_by(rank) + begin_bytes, bytes);
            accumulate(this->space(), type, how, scratch_.data(), values, items);
        }
    }

    comm_result do_broadcast(void* data, std::uint64_t bytes, int root) override {
        posting mine{.call = "broadcast", .element_bytes = 1, .count = bytes, .send = data};
        mine.variant = static_cast<std::uint64_t>(root);
        return exchange(std::move(mine), [&] {
            if (root != this->rank()) copy_of(root, static_cast<std::byte*>(data), sent_by(root), bytes);
        });
    }

    comm_result do_gather_words(std::span<std::uint64_t const> mine, std::span<std::uint64_t> all) override {
        posting words{.call = "gather_words"};
        words.words.assign(mine.begin(), mine.end());
        if (comm_result met = group_->place.arrive(this->rank(), std::move(words)); !met.ok()) return met;
        for (int rank = 0; rank < this->size(); ++rank)
            std::ranges::copy(group_->place.of(rank).words,
                              all.begin() + static_cast<std::ptrdiff_t>(mine.size()) * rank);
        return {};
    }

    /// Ranks have one address space, so what there is to find out is whether devices reach each other.
    comm_result do_share_memory(void* mine, bool shares, std::span<void*> addresses, bool& shared) override {
        std::size_t const self = static_cast<std::size_t>(this->rank());
        constexpr std::size_t words = 2; // the address, and whether it may be shown
        std::uint64_t const told[words] = {reinterpret_cast<std::uintptr_t>(mine), shares ? 1u : 0u};
        std::vector<std::uint64_t> all(words * addresses.size());
        if (comm_result met = do_gather_words(told, all); !met.ok()) return met;
        bool reaches = true;
        for (std::size_t rank = 0; rank < addresses.size(); ++rank)
            reaches = reaches && all[words * rank + 1] != 0 && (rank == self || reaches_memory_of(rank));
        std::uint64_t const mine_reaches = reaches ? 1 : 0;
        std::vector<std::uint64_t> answers(addresses.size());
        if (comm_result met = do_gather_words({&mine_reaches, 1}, answers); !met.ok()) return met;
        shared = std::ranges::all_of(answers, [](std::uint64_t each) { return each != 0; });
        for (std::size_t rank = 0; rank < addresses.size(); ++rank)
            addresses[rank] = reinterpret_cast<void*>(static_cast<std::uintptr_t>(all[words * rank]));
        return {};
    }
    [[nodiscard]] bool reaches_memory_of(std::size_t rank) {
        if constexpr (requires(Space space) { space.reaches_device(0); })
            return this->space().reaches_device(group_->points[rank]->device);
        else
            return true;
    }

    void do_keep(std::shared_ptr<void> shown) noexcept override {
        std::lock_guard const lock(group_->kept_mutex);
        group_->kept.push_front(std::move(shown));
    }

    comm_result do_follow_all() override {
        this->space().record(points()->ready);
        if (comm_result met = group_->place.arrive(this->rank(), {.call = "follow_all"}); !met.ok())
            return met;
        try {
            for (int rank = 0; rank < this->size(); ++rank)
                if (rank != this->rank())
                    this->space().wait_for(group_->points[static_cast<std::size_t>(rank)]->ready);
        } catch (std::exception const& error) {
            failed_to_copy(error.what());
        }
        return group_->place.finish(); // only then ranks record their points anew
    }

    comm_result do_wait() override {
        this->space().synchronize();
        return {};
    }

    void do_end(comm_result const& why) noexcept override { group_->place.fail(why); }

    std::shared_ptr<thread_group_state<Space>> group_;
    exec::buffer<Space, std::byte> scratch_;
};

} // namespace detail

/// A group of ranks in one process, for tests and for several devices of one machine. Each rank has a space
/// of its own and calls its communicator from a thread of its own. The spaces may be on one device or on
/// several of one machine, which need no access to each other. On cuda the arrays come from the space's
/// allocate() or from a pool of its device (cudaMallocAsync). The space and its memory budget serve 512 KiB
/// of scratch per rank.
///
/// Calls that do not match (another collective, other counts) fail and say what differs. A rank whose
/// communicator is destroyed has left: calls of other ranks that need it fail and name it.
template <class Space>
class thread_group {
public:
    /// A group of `ranks` ranks, at least 1.
    explicit thread_group(int ranks, comm_options const& options = {}) {
        if (ranks < 1)
            throw std::invalid_argument("a group has at least 1 rank, not " + std::to_string(ranks));
        state_ = std::make_shared<detail::thread_group_state<Space>>(ranks, options);
    }

    /// The communicator of `rank`; each rank joins once. The group may be destroyed before its communicators.
    /// Throws exec::out_of_memory if the space cannot serve the scratch.
    [[nodiscard]] std::unique_ptr<communicator<Space>> join(int rank, Space space) {
        return std::make_unique<detail::thread_communicator<Space>>(std::move(space), rank, state_);
    }

    /// Ends the group because of `rank`; its communicator may no longer exist.
    void fail(int rank, std::string const& why) {
        state_->place.fail(
            comm_result::failed(failure::peer_left, rank, "rank " + std::to_string(rank) + " " + why));
    }

private:
    std::shared_ptr<detail::thread_group_state<Space>> state_;
};

} // namespace rhizome::comm
