// SPDX-License-Identifier: Apache-2.0
#include <rhizome/comm/bootstrap/descriptor_exchange.hpp>
#include <rhizome/comm/result.hpp>

#include <fcntl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

namespace rhizome::comm {

namespace {

constexpr std::size_t name_words = 2;

struct socket_name {
    sockaddr_un address{};
    socklen_t bytes = 0;
};

/// A name that begins with a zero byte has no file.
socket_name name_of(std::span<std::uint64_t const> words) {
    socket_name name;
    name.address.sun_family = AF_UNIX;
    int const length =
        std::snprintf(name.address.sun_path + 1, sizeof(name.address.sun_path) - 1, "rhizome-%016llx%016llx",
                      static_cast<unsigned long long>(words[0]), static_cast<unsigned long long>(words[1]));
    name.bytes =
        static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<std::size_t>(length));
    return name;
}

/// Room for one descriptor; the system may find that two fit.
union control_room {
    cmsghdr header; // for its alignment
    char bytes[CMSG_SPACE(sizeof(int))];
};

/// Takes the descriptors that came with a message: the first, and closes the others.
descriptor taken_from(msghdr& message) {
    descriptor first;
    for (cmsghdr* each = CMSG_FIRSTHDR(&message); each != nullptr; each = CMSG_NXTHDR(&message, each)) {
        if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_RIGHTS) continue;
        for (std::size_t at = CMSG_LEN(0); at + sizeof(int) <= each->cmsg_len; at += sizeof(int)) {
            int number = -1;
            std::memcpy(&number, reinterpret_cast<char const*>(each) + at, sizeof(number));
            descriptor came(number);
            if (first.get() < 0) first = std::move(came);
        }
    }
    return first;
}

} // namespace

struct descriptor_exchange::datagram {
    std::array<std::uint64_t, words - name_words> secret; ///< of the rank that receives it
    std::uint64_t exchange;                               ///< its number
    std::uint64_t sender;                                 ///< the rank
};

descriptor_exchange::descriptor_exchange(int rank, int ranks)
    : rank_(static_cast<std::size_t>(rank)), ranks_(static_cast<std::size_t>(ranks)), sent_(ranks_),
      come_(ranks_), early_(ranks_) {
    auto const refuse = [&](char const* call) {
        throw comm_error(comm_result::failed(failure::library, rank,
                                             std::string("ranks cannot pass descriptors: ") + call + ": " +
                                                 std::strerror(errno)));
    };
    if (::getrandom(address_.data(), sizeof(address_), 0) != static_cast<ssize_t>(sizeof(address_)))
        refuse("getrandom");
    socket_.reset(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (socket_.get() < 0) refuse("socket");
    socket_name const name = name_of(address_);
    if (::bind(socket_.get(), reinterpret_cast<sockaddr const*>(&name.address), name.bytes) != 0)
        refuse("bind");
}

void descriptor_exchange::begin(descriptor mine, std::span<std::uint64_t const> addresses) {
    end();
    mine_ = std::move(mine);
    addresses_.assign(addresses.begin(), addresses.end());
    sent_.assign(ranks_, false);
    sent_[rank_] = true;
    std::swap(come_, early_); // end() has emptied what becomes early_
    come_[rank_].has_come = true;
    ++exchanges_;
    under_way_ = true;
}

void descriptor_exchange::end() noexcept {
    for (arrival& each : come_) {
        each.has_come = false;
        each.its.reset();
    }
    mine_.reset();
    under_way_ = false;
    refused_ = false;
}

void descriptor_exchange::step() {
    if (!under_way_) return;
    // So many datagrams at most, so that a process that floods the socket does not keep the caller here.
    for (std::size_t most = 2 * ranks_ + 16; most != 0 && receive_one(); --most) {
    }
    for (std::size_t rank = 0; rank < ranks_ && !refused_; ++rank)
        if (!sent_[rank]) sent_[rank] = send_to(rank);
    if (has_sent()) mine_.reset();
}

/// Whether it was sent. If not, it may be the next time, unless it is refused.
bool descriptor_exchange::send_to(std::size_t rank) {
    std::span<std::uint64_t const> const to(addresses_.data() + rank * words, words);
    socket_name name = name_of(to);
    datagram content{{to[name_words], to[name_words + 1]}, exchanges_, rank_};
    iovec data{&content, sizeof(content)};
    control_room room{};
    msghdr message{};
    message.msg_name = &name.address;
    message.msg_namelen = name.bytes;
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    if (mine_.get() >= 0) {
        message.msg_control = room.bytes;
        message.msg_controllen = sizeof(room.bytes);
        cmsghdr* const header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        int const number = mine_.get();
        std::memcpy(CMSG_DATA(header), &number, sizeof(number));
    }
    if (::sendmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) return true;
    // The queue of the other rank is full: it takes what is there in its next step.
    refused_ = errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR && errno != ENOBUFS;
    return false;
}

/// Whether a datagram was there.
bool descriptor_exchange::receive_one() {
    datagram content{};
    iovec data{&content, sizeof(content)};
    control_room room{};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = room.bytes;
    message.msg_controllen = sizeof(room.bytes);
    ssize_t const bytes = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (bytes < 0) return errno == EINTR;
    descriptor its = taken_from(message);
    if (bytes == static_cast<ssize_t>(sizeof(content)) && (message.msg_flags & MSG_TRUNC) == 0)
        accept(content, std::move(its));
    return true;
}

void descriptor_exchange::accept(datagram const& message, descriptor its) {
    if (!std::ranges::equal(message.secret, std::span(address_).subspan(name_words))) return;
    if (message.sender >= ranks_) return;
    // A rank cannot be two exchanges ahead: it has not received this rank's for the next one.
    bool const is_early = message.exchange == exchanges_ + 1;
    if (message.exchange != exchanges_ && !is_early) return;
    arrival& of_sender = (is_early ? early_ : come_)[message.sender];
    if (of_sender.has_come) return;
    of_sender.has_come = true;
    of_sender.its = std::move(its);
}

bool descriptor_exchange::has_sent() const { return std::ranges::find(sent_, false) == sent_.end(); }

bool descriptor_exchange::is_done() const { return under_way_ && has_sent() && missing().empty(); }

std::vector<int> descriptor_exchange::missing() const {
    std::vector<int> ranks;
    for (std::size_t rank = 0; under_way_ && rank < ranks_; ++rank)
        if (!come_[rank].has_come) ranks.push_back(static_cast<int>(rank));
    return ranks;
}

descriptor descriptor_exchange::take(int rank) {
    return std::move(come_[static_cast<std::size_t>(rank)].its);
}

} // namespace rhizome::comm
