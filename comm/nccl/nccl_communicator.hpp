// SPDX-License-Identifier: Apache-2.0
// The backend `nccl`: ranks are processes or threads with a GPU each.
#pragma once

#include <rhizome/comm/bootstrap/descriptor_exchange.hpp>
#include <rhizome/comm/bootstrap/id_exchange.hpp>
#include <rhizome/comm/bootstrap/rank_board.hpp>
#include <rhizome/comm/communicator.hpp>
#include <rhizome/comm/deadline.hpp>
#include <rhizome/comm/nccl/library.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/event.hpp>

#include <nccl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::comm::detail {

/// What NCCL needs of a space: `guard`, made from the space, makes its device current; `stream(space)`. Where
/// the ranks of one machine may reach each other's memory: `peers`, as cuda_peers. nccl/connect.cpp has the
/// one for cuda.
template <class Space>
struct nccl_access;

/// Ranks that never reach each other's memory.
struct no_peers {};
template <class Space>
struct peers_of {
    using type = no_peers;
};
template <class Space>
requires requires { typename nccl_access<Space>::peers; }
struct peers_of<Space> {
    using type = typename nccl_access<Space>::peers;
};

[[nodiscard]] inline ncclDataType_t nccl_type(element type) {
    switch (type) {
    case element::uint32:
        return ncclUint32;
    case element::uint64:
        return ncclUint64;
    case element::int32:
        return ncclInt32;
    case element::int64:
        return ncclInt64;
    case element::float32:
        return ncclFloat32;
    case element::float64:
        break;
    }
    return ncclFloat64;
}
[[nodiscard]] inline ncclRedOp_t nccl_operation(reduction how) {
    return how == reduction::sum ? ncclSum : how == reduction::min ? ncclMin : ncclMax;
}

/// The communicator of NCCL is non-blocking: its calls wait for no other rank. This class waits instead,
/// looks for errors of NCCL while it does, and calls ncclCommAbort after an error or at the time limit.
/// ncclCommAbort also ends kernels that wait for a rank that is gone.
///
/// NCCL starts a thread for each group of calls of a non-blocking communicator, which delays the kernel by
/// some 0.15 ms. So all_to_all, which batches wait for, has a blocking communicator, which shares the
/// connections of the first one (splitShare). It is made when every pair of ranks is connected: its calls
/// then launch a kernel and wait for no other rank either.
///
/// NCCL does not say which rank is missing. With a rank_board (process.board) this class does, and does not
/// wait for the time limit if a rank has left or its process has ended.
template <class Space>
class nccl_communicator final : public communicator<Space> {
public:
    /// Connects the ranks; all of them make their communicators at the same time. Throws comm_error within
    /// about the time limit, and exec::out_of_memory.
    nccl_communicator(std::shared_ptr<nccl_library const> library, Space space, process_rank const& process,
                      id_exchange& exchange, comm_options const& options)
        : communicator<Space>(std::move(space), process.rank, process.size, options),
          nccl_(std::move(library)), reached_(this->space()),
          words_(this->space(), words_at_once() * (ranks() + 1)) {
        typename nccl_access<Space>::guard const current(this->space());
        clock::time_point const deadline = deadline_after(this->time_limit());
        if (!process.board.empty()) board_.emplace(process.board, process.rank, process.size);
        if constexpr (reaches_peers)
            if (board_) peers_.emplace(this->space());
        ncclUniqueId id{};
        if (this->rank() == 0) check(nccl_->get_unique_id(&id), "ncclGetUniqueId").or_throw();
        std::span<char> const bytes(id.internal);
        exchange.share(std::as_writable_bytes(bytes), this->time_limit()).or_throw();
        ncclConfig_t config = this->config();
        comm_result made =
            check(nccl_->comm_init_rank_config(&comm_, this->size(), id, this->rank(), &config),
                  "ncclCommInitRankConfig");
        if (made.ok()) made = settle("ncclCommInitRankConfig", deadline);
        if (!made.ok()) do_end(made);
        made.or_throw();
        exchange.finish();
        if (board_ && this->rank() == 0) ::unlink(process.board.c_str()); // all ranks have it open
    }

    ~nccl_communicator() override {
        if (comm_ == nullptr) return;
        try {
            typename nccl_access<Space>::guard const current(this->space());
            bool const done = this->wait().ok(); // this rank's part of all calls, also for the other ranks
            if (board_) board_->leave();
            if (done && destroy_exchange() && check(nccl_->comm_finalize(comm_), "ncclCommFinalize").ok() &&
                settle("ncclCommFinalize", deadline_after(this->time_limit())).ok()) {
                static_cast<void>(nccl_->comm_destroy(comm_));
                comm_ = nullptr;
            }
        } catch (std::exception const&) { // the communicator is aborted
        }
        release_aborted();
    }

    [[nodiscard]] std::string_view backend() const override { return "nccl"; }
    /// On one machine.
    [[nodiscard]] bool may_share_memory() const override { return reaches_peers && board_.has_value(); }
    [[nodiscard]] exec::memory_resource* shareable_memory() override {
        if constexpr (reaches_peers)
            if (peers_) return peers_->memory();
        return nullptr;
    }

private:
    using peers_type = typename peers_of<Space>::type;
    static constexpr bool reaches_peers = !std::is_same_v<peers_type, no_peers>;

    using clock = std::chrono::steady_clock;
    /// How long a call goes on after a rank is found to have ended: it may have done its part before.
    static constexpr std::chrono::milliseconds peer_grace{200};
    static constexpr std::chrono::milliseconds between_looks{5}; ///< at the board
    /// So long a call polls without pause: batches and iterations of few milliseconds wait for the host
    /// often, and a thread that sleeps wakes late.
    static constexpr std::chrono::milliseconds awake{3};

    [[nodiscard]] std::uint64_t ranks() const { return static_cast<std::uint64_t>(this->size()); }
    /// So many words of each rank are gathered by one call: a count for each rank, and 1 KiB.
    [[nodiscard]] std::uint64_t words_at_once() const { return ranks() + 128; }

    /// Ok for success, and for a call that goes on while settle() waits.
    [[nodiscard]] comm_result check(ncclResult_t result, char const* call) const {
        if (result == ncclSuccess || result == ncclInProgress) return {};
        char const* const detail = comm_ == nullptr ? nullptr : nccl_->get_last_error(comm_);
        std::string why =
            "rank " + std::to_string(this->rank()) + ": " + call + ": " + nccl_->get_error_string(result);
        if (detail != nullptr && *detail != '\0') why += std::string(" (") + detail + ")";
        bool const remote = result == ncclRemoteError; // NCCL does not say which rank
        return comm_result::failed(remote ? failure::peer_left : failure::library,
                                   remote ? no_rank : this->rank(), std::move(why));
    }

    /// Waits until NCCL has taken the last call.
    [[nodiscard]] comm_result settle(char const* call, clock::time_point deadline) const {
        return poll(call, deadline, [] { return true; });
    }

    /// Waits until NCCL is not in progress and done() is true.
    template <class Done>
    [[nodiscard]] comm_result poll(char const* call, clock::time_point deadline, Done&& done) const {
        clock::time_point const sleeps_from = clock::now() + awake;
        clock::time_point next_look = clock::now() + between_looks;
        std::optional<clock::time_point> give_up;
        comm_result gone;
        for (;;) {
            bool all_taken = true;
            for (ncclComm_t const each : {comm_, exchange_}) {
                if (each == nullptr) continue;
                ncclResult_t state = ncclSuccess;
                if (comm_result asked =
                        check(nccl_->comm_get_async_error(each, &state), "ncclCommGetAsyncError");
                    !asked.ok())
                    return asked;
                if (comm_result held = check(state, call); !held.ok()) return named(std::move(held));
                all_taken = all_taken && state == ncclSuccess;
            }
            if (all_taken && done()) return {};
            clock::time_point const now = clock::now();
            if (board_ && now >= next_look) {
                next_look = now + between_looks;
                gone = board_->look();
                if (!gone.ok() && !give_up) give_up = now + peer_grace;
            }
            if (give_up && now >= *give_up) return gone;
            if (now >= deadline) return missing(call);
            if (now >= sleeps_from)
                std::this_thread::sleep_for(std::chrono::microseconds(50));
            else
                std::this_thread::yield();
        }
    }

    /// The failure at the time limit: names the ranks that have not made the call, if that is known.
    [[nodiscard]] comm_result missing(char const* call) const {
        std::string const limit = " within " + std::to_string(this->time_limit().count()) + " ms";
        std::vector<int> behind = board_ ? board_->behind() : std::vector<int>();
        if (behind.empty() && descriptors_) behind = descriptors_->missing();
        if (behind.empty())
            return comm_result::failed(failure::timed_out, no_rank,
                                       "rank " + std::to_string(this->rank()) + ": " + call +
                                           " was not done" + limit +
                                           ": a rank has not made this call, or is gone");
        std::string others;
        for (std::size_t i = 1; i < behind.size(); ++i)
            others += (i == 1 ? " (also missing: " : ", ") + std::to_string(behind[i]);
        return comm_result::failed(failure::timed_out, behind.front(),
                                   "rank " + std::to_string(behind.front()) + " did not take part in " +
                                       last_call_ + limit + others + (others.empty() ? "" : ")"));
    }

    /// The same failure, or that of the rank which caused it: NCCL may notice it before the board tells.
    [[nodiscard]] comm_result named(comm_result result) const {
        if (!board_ || result.rank() != no_rank) return result;
        for (clock::time_point const end = clock::now() + peer_grace; clock::now() < end;) {
            if (comm_result gone = board_->look(); !gone.ok()) return gone;
            std::this_thread::sleep_for(between_looks);
        }
        return result;
    }

    /// All ranks count the same calls.
    void begin(char const* call) {
        last_call_ = call;
        if (board_) board_->begin_call();
    }

    /// One group of calls of NCCL. `calls` returns its first error.
    template <class Calls>
    comm_result grouped(char const* call, Calls&& calls) {
        return grouped(call, deadline_after(this->time_limit()), calls);
    }
    template <class Calls>
    comm_result grouped(char const* call, clock::time_point deadline, Calls&& calls) {
        typename nccl_access<Space>::guard const current(this->space());
        if (comm_result started = check(nccl_->group_start(), "ncclGroupStart"); !started.ok())
            return started;
        comm_result inside = calls();
        comm_result ended =
            check(nccl_->group_end(), call); // also after an error, which else stays open in this thread
        if (!inside.ok()) return inside;
        if (!ended.ok()) return ended;
        return settle(call, deadline);
    }

    [[nodiscard]] auto stream() { return nccl_access<Space>::stream(this->space()); }

    comm_result do_all_to_all(void const* send, std::span<std::uint64_t const> send_counts, void* receive,
                              std::span<std::uint64_t const> receive_counts,
                              std::uint64_t element_bytes) override {
        begin("all_to_all");
        auto const self = static_cast<std::size_t>(this->rank());
        auto const* from = static_cast<std::byte const*>(send);
        auto* to = static_cast<std::byte*>(receive);
        auto const before = [&](std::span<std::uint64_t const> counts) {
            return std::accumulate(counts.begin(), counts.begin() + this->rank(), std::uint64_t{0}) *
                   element_bytes;
        };
        if (std::uint64_t const bytes = send_counts[self] * element_bytes;
            bytes != 0) // faster than NCCL's kernel
            this->space().copy(to + before(receive_counts), from + before(send_counts), bytes);
        if (this->size() == 1) return {};
        clock::time_point const deadline = deadline_after(this->time_limit());
        if (exchange_ == nullptr)
            if (comm_result connected = connect_exchange(deadline); !connected.ok()) return connected;
        return grouped("all_to_all (ncclSend, ncclRecv)", deadline, [&]() -> comm_result {
            for (int rank = 0; rank < this->size(); ++rank) {
                std::uint64_t const sent = send_counts[static_cast<std::size_t>(rank)] * element_bytes;
                std::uint64_t const received = receive_counts[static_cast<std::size_t>(rank)] * element_bytes;
                if (rank != this->rank())
                    if (comm_result r = send_and_receive(exchange_, rank, from, sent, to, received); !r.ok())
                        return r;
                from += sent;
                to += received;
            }
            return {};
        });
    }

    comm_result send_and_receive(ncclComm_t comm, int rank, void const* from, std::uint64_t sent, void* to,
                                 std::uint64_t received) {
        comm_result result;
        if (sent != 0) result = check(nccl_->send(from, sent, ncclUint8, rank, comm, stream()), "ncclSend");
        if (received != 0 && result.ok())
            result = check(nccl_->recv(to, received, ncclUint8, rank, comm, stream()), "ncclRecv");
        return result;
    }

    /// Makes the communicator of all_to_all. All ranks call this in their first all_to_all.
    comm_result connect_exchange(clock::time_point deadline) {
        constexpr char const* call = "the connection for all_to_all (ncclSend, ncclRecv)";
        comm_result result = grouped(call, deadline, [&] { // NCCL connects two ranks by their first message
            comm_result sent;
            for (int rank = 0; rank < this->size() && sent.ok(); ++rank)
                if (rank != this->rank())
                    sent = send_and_receive(comm_, rank, words_.data() + ranks(), sizeof(std::uint64_t),
                                            words_.data() + rank, sizeof(std::uint64_t));
            return sent;
        });
        if (result.ok()) result = wait_until(deadline);
        if (!result.ok()) return result;
        typename nccl_access<Space>::guard const current(this->space());
        ncclConfig_t config = this->config();
        config.blocking = 1;
        result = check(nccl_->comm_split(comm_, 0, this->rank(), &split_, &config), "ncclCommSplit");
        if (result.ok()) result = settle("ncclCommSplit", deadline);
        if (result.ok()) exchange_ = std::exchange(split_, nullptr);
        return result;
    }

    /// Returns whether it is gone.
    bool destroy_exchange() {
        return exchange_ == nullptr ||
               check(nccl_->comm_destroy(std::exchange(exchange_, nullptr)), "ncclCommDestroy").ok();
    }

    [[nodiscard]] ncclConfig_t config() const {
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        config.blocking = 0;
        config.splitShare = 1; // of the parent: NCCL then connects no two ranks again for its child
        config.version = static_cast<unsigned>(std::min(NCCL_VERSION_CODE, nccl_->version_code()));
        return config;
    }

    comm_result do_all_gather(void const* send, void* receive, std::span<std::uint64_t const> counts,
                              std::uint64_t element_bytes) override {
        begin("all_gather");
        bool const even =
            std::ranges::all_of(counts, [&](std::uint64_t count) { return count == counts.front(); });
        if (even && counts.front() == 0) return {};
        return grouped("all_gather", [&]() -> comm_result {
            if (even)
                return check(nccl_->all_gather(send, receive, counts.front() * element_bytes, ncclUint8,
                                               comm_, stream()),
                             "ncclAllGather");
            auto* to = static_cast<std::byte*>(receive); // NCCL has no gather of uneven counts
            for (int rank = 0; rank < this->size(); ++rank) {
                std::uint64_t const bytes = counts[static_cast<std::size_t>(rank)] * element_bytes;
                if (bytes != 0)
                    if (comm_result r = check(nccl_->broadcast(rank == this->rank() ? send : to, to, bytes,
                                                               ncclUint8, rank, comm_, stream()),
                                              "ncclBroadcast");
                        !r.ok())
                        return r;
                to += bytes;
            }
            return {};
        });
    }

    comm_result do_all_reduce(void const* send, void* receive, std::uint64_t count, element type,
                              reduction how) override {
        begin("all_reduce");
        if (count == 0) return {};
        return grouped("all_reduce", [&] {
            return check(nccl_->all_reduce(send, receive, count, nccl_type(type), nccl_operation(how), comm_,
                                           stream()),
                         "ncclAllReduce");
        });
    }

    comm_result do_broadcast(void* data, std::uint64_t bytes, int root) override {
        begin("broadcast");
        if (bytes == 0) return {};
        return grouped("broadcast", [&] {
            return check(nccl_->broadcast(data, data, bytes, ncclUint8, root, comm_, stream()),
                         "ncclBroadcast");
        });
    }

    comm_result do_gather_words(std::span<std::uint64_t const> mine, std::span<std::uint64_t> all) override {
        begin("gather_words");
        if (mine.empty()) return {};
        if (board_ && mine.size() <= rank_board::most_words) return gather_on_board(mine, all);
        comm_result result;
        for (std::size_t first = 0; first < mine.size() && result.ok(); first += words_at_once())
            result = gather_some(mine, all, first);
        return result;
    }

    /// Gathers words_at_once() words of each rank, or as many as are left, from number `first` on. Allocates
    /// nothing: a refusal would end the group, and ranks gather words also to tell that memory has run out.
    comm_result gather_some(std::span<std::uint64_t const> mine, std::span<std::uint64_t> all,
                            std::size_t first) {
        std::size_t const count = std::min<std::size_t>(mine.size() - first, words_at_once());
        std::uint64_t* const gathered = words_.data() + count;
        this->space().copy_in(words_.data(), mine.data() + first, count * sizeof(std::uint64_t));
        comm_result result = grouped("gather_words", [&] {
            return check(nccl_->all_gather(words_.data(), gathered, count, ncclUint64, comm_, stream()),
                         "ncclAllGather");
        });
        if (result.ok()) result = do_wait(); // copy_out waits without a limit
        if (!result.ok()) return result;
        // The words of a rank lie side by side in `all`; those of all ranks do if they were gathered at once.
        std::size_t const rows = count == mine.size() ? 1 : ranks();
        std::size_t const row_words = count == mine.size() ? all.size() : count;
        for (std::size_t row = 0; row < rows; ++row)
            this->space().copy_out(all.data() + row * mine.size() + first, gathered + row * count,
                                   row_words * sizeof(std::uint64_t));
        return result;
    }

    /// Exchanges words through the shared memory of the board. NCCL would launch a kernel on every GPU for
    /// them.
    comm_result gather_on_board(std::span<std::uint64_t const> mine, std::span<std::uint64_t> all) {
        // As with NCCL, the work before the call is done on all ranks behind it.
        if (comm_result reached = do_wait(); !reached.ok()) return reached;
        return meet_on_board("gather_words", mine, all, [] {});
    }
    /// The same, but waits for no work. Calls meanwhile() again and again.
    template <class Meanwhile>
    comm_result meet_on_board(char const* call, std::span<std::uint64_t const> mine,
                              std::span<std::uint64_t> all, Meanwhile&& meanwhile) {
        board_->publish(mine);
        rank_board::collected found;
        comm_result waited = poll(call, deadline_after(this->time_limit()), [&] {
            meanwhile();
            found = board_->collect(all);
            return found.complete;
        });
        return waited.ok() ? std::move(found.result) : std::move(waited);
    }

    /// What a rank tells the others of its array.
    static constexpr std::size_t told_descriptors_at = 1; // after whether it can be shown
    static constexpr std::size_t told_peers_at = told_descriptors_at + descriptor_exchange::words;

    comm_result do_share_memory([[maybe_unused]] void* mine, [[maybe_unused]] bool shares,
                                [[maybe_unused]] std::span<void*> addresses, bool& shared) override {
        shared = false;
        if constexpr (reaches_peers) {
            if (!peers_) return {};
            constexpr std::size_t words = told_peers_at + peers_type::words;
            static_assert(words <= rank_board::most_words);
            std::array<std::uint64_t, words> told{};
            descriptor shown;
            if (shares && can_pass_descriptors() &&
                peers_->show(mine, std::span(told).subspan(told_peers_at), shown)) {
                told[0] = 1;
                std::ranges::copy(descriptors_->address(), told.begin() + told_descriptors_at);
            }
            std::vector<std::uint64_t> all(words * ranks());
            if (comm_result gathered = do_gather_words(told, all); !gathered.ok()) return gathered;
            do_forget_memory(addresses);
            auto const told_by = [&](std::size_t rank) {
                return std::span<std::uint64_t const>(all).subspan(words * rank, words);
            };
            std::vector<std::uint64_t> receivers; // where each rank receives descriptors
            for (std::size_t rank = 0; rank < addresses.size(); ++rank) {
                if (told_by(rank)[0] == 0) return {}; // for all ranks
                auto const receiver = told_by(rank).subspan(told_descriptors_at, descriptor_exchange::words);
                receivers.insert(receivers.end(), receiver.begin(), receiver.end());
            }
            bool passed = false;
            if (comm_result result = pass_descriptors(std::move(shown), receivers, passed);
                !result.ok() || !passed)
                return result;
            bool reaches = true;
            for (std::size_t rank = 0; rank < addresses.size() && reaches; ++rank) {
                if (rank == static_cast<std::size_t>(this->rank()))
                    addresses[rank] = mine;
                else
                    reaches = peers_->open(told_by(rank).subspan(told_peers_at),
                                           descriptors_->take(static_cast<int>(rank)), addresses[rank]);
            }
            descriptors_->end();
            std::uint64_t const mine_reaches = reaches ? 1 : 0;
            std::vector<std::uint64_t> answers(ranks());
            if (comm_result gathered = do_gather_words({&mine_reaches, 1}, answers); !gathered.ok())
                return gathered;
            shared = std::ranges::all_of(answers, [](std::uint64_t each) { return each != 0; });
        }
        return {};
    }

    /// Where the system refuses sockets, ranks do not share memory.
    [[nodiscard]] bool can_pass_descriptors() {
        try {
            if (!descriptors_) descriptors_.emplace(this->rank(), this->size());
        } catch (comm_error const&) {
            return false;
        }
        return true;
    }

    /// Gives `shown` to all ranks, and gets theirs. `passed` is false on all ranks if some rank cannot send
    /// its own. So ranks receive only once all have told that they have sent, and none waits in vain.
    comm_result pass_descriptors(descriptor shown, std::span<std::uint64_t const> receivers, bool& passed) {
        constexpr char const* call = "share_memory";
        begin(call);
        descriptors_->begin(std::move(shown), receivers);
        // Ranks take what others send at all times: a queue holds few datagrams.
        comm_result result = poll(call, deadline_after(this->time_limit()), [&] {
            descriptors_->step();
            return descriptors_->has_sent() || descriptors_->is_refused();
        });
        if (!result.ok()) return result;
        begin(call);
        std::uint64_t const has_sent = descriptors_->has_sent() ? 1 : 0;
        std::vector<std::uint64_t> all(ranks());
        result = meet_on_board(call, {&has_sent, 1}, all, [&] { descriptors_->step(); });
        passed = result.ok() && std::ranges::all_of(all, [](std::uint64_t each) { return each != 0; });
        if (!passed) {
            descriptors_->end();
            return result;
        }
        return poll(call, deadline_after(this->time_limit()), [&] {
            descriptors_->step();
            return descriptors_->is_done();
        });
    }

    void do_forget_memory(std::span<void*> addresses) noexcept override {
        for (void*& each : addresses) {
            void* const forgotten = std::exchange(each, nullptr);
            if constexpr (reaches_peers)
                if (peers_) peers_->close(forgotten); // ignores this rank's own array
        }
    }

    /// Words wait for the work of the space themselves.
    comm_result do_follow_all() override {
        std::uint64_t const nothing = 0;
        std::vector<std::uint64_t> all(ranks());
        return do_gather_words({&nothing, 1}, all);
    }

    comm_result do_wait() override { return wait_until(deadline_after(this->time_limit())); }

    comm_result wait_until(clock::time_point deadline) {
        this->space().record(reached_);
        return poll("waiting for the space's work", deadline, [&] { return reached_.reached(); });
    }

    void do_end(comm_result const& why) noexcept override {
        if (board_) board_->end(why);
        release_aborted();
    }

    void release_aborted() noexcept {
        if (comm_ == nullptr) return;
        try {
            typename nccl_access<Space>::guard const current(this->space());
            // First the one that makes the other: this ends the making, and the kernels of both.
            static_cast<void>(nccl_->comm_abort(std::exchange(comm_, nullptr)));
            for (ncclComm_t* const made : {&split_, &exchange_})
                if (*made != nullptr) static_cast<void>(nccl_->comm_abort(std::exchange(*made, nullptr)));
        } catch (std::exception const&) { // no device: nothing that can be released
        }
    }

    std::shared_ptr<nccl_library const> nccl_;
    std::optional<rank_board> board_;
    std::optional<peers_type> peers_;                ///< with a board
    std::optional<descriptor_exchange> descriptors_; ///< from the first array on that is shown
    char const* last_call_ = "the connection of all ranks";
    ncclComm_t comm_ = nullptr;
    ncclComm_t exchange_ = nullptr; ///< of all_to_all, from its first call on
    ncclComm_t split_ = nullptr; ///< where NCCL's thread writes it; not to be used before the split is done
    exec::event<Space> reached_;
    exec::buffer<Space, std::uint64_t> words_;
};

} // namespace rhizome::comm::detail
