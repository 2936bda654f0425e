// SPDX-License-Identifier: Apache-2.0
#include <rhizome/comm/bootstrap/id_exchange.hpp>
#include <rhizome/comm/deadline.hpp>

#include <boost/asio.hpp>

#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <list>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace rhizome::comm {

namespace {
namespace asio = boost::asio;
using asio::ip::tcp;
using clock = std::chrono::steady_clock;
using boost::system::error_code;

/// What a rank says when it has connected. All numbers are in the byte order of the machines, which is the
/// same in a job.
struct greeting {
    std::array<char, 8> mark{'r', 'h', 'i', 'z', 'c', 'o', 'm', '1'};
    std::uint32_t rank = 0;
    std::uint32_t ranks = 0;
    std::uint64_t bytes = 0;
};

/// What rank 0 answers before the bytes.
struct reply {
    std::uint32_t accepted = 0; ///< 1, or 0 if the greeting is not of this job
    std::uint32_t ranks = 0;    ///< of the job of rank 0
};

comm_result timed_out(int rank, std::string const& why, std::chrono::milliseconds limit) {
    return comm_result::failed(failure::timed_out, rank,
                               why + " within " + std::to_string(limit.count()) + " ms");
}
comm_result broken(int rank, std::string const& why) {
    return comm_result::failed(failure::library, rank, why);
}

/// Rank 0: accepts connections until each of the other ranks has the bytes. A connection that sends no
/// greeting of this job gets nothing, and stops nothing.
class server {
public:
    server(process_rank const& process, std::span<std::byte const> bytes)
        : process_(process), bytes_(bytes), served_(static_cast<std::size_t>(process.size), false),
          missing_(process.size - 1) {}

    comm_result run(std::chrono::milliseconds limit) {
        error_code error;
        tcp::acceptor acceptor(context_);
        if (!listen(acceptor, tcp::v6(), error) && !listen(acceptor, tcp::v4(), error))
            return broken(0, "rank 0 cannot listen on port " + std::to_string(process_.port) + ": " +
                                 error.message());
        accept(acceptor);
        auto const deadline = deadline_after(limit);
        while (missing_ != 0 && clock::now() < deadline)
            context_.run_one_until(deadline);
        if (missing_ == 0) return {};
        int first = no_rank;
        for (int rank = process_.size - 1; rank > 0; --rank)
            if (!served_[static_cast<std::size_t>(rank)]) first = rank;
        return timed_out(first,
                         "rank " + std::to_string(first) + " did not connect to rank 0 on port " +
                             std::to_string(process_.port) +
                             (missing_ > 1 ? " (missing: " + std::to_string(missing_) + " ranks)" : ""),
                         limit);
    }

private:
    struct connection {
        explicit connection(tcp::socket accepted) : socket(std::move(accepted)) {}
        tcp::socket socket;
        greeting hello;
        reply answer;
    };

    bool listen(tcp::acceptor& acceptor, tcp const& protocol, error_code& error) {
        error_code ignored;
        acceptor.close(ignored);
        acceptor.open(protocol, error);
        if (error) return false;
        acceptor.set_option(tcp::acceptor::reuse_address(true), ignored);
        if (protocol == tcp::v6()) acceptor.set_option(asio::ip::v6_only(false), ignored); // IPv4 as well
        acceptor.bind({protocol, process_.port}, error);
        if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
        return !error;
    }

    void accept(tcp::acceptor& acceptor) {
        acceptor.async_accept([this, &acceptor](error_code const& error, tcp::socket socket) {
            if (error == asio::error::operation_aborted) return;
            if (!error) greet(connections_.emplace_back(std::move(socket)));
            accept(acceptor);
        });
    }

    void greet(connection& peer) {
        asio::async_read(peer.socket, asio::buffer(&peer.hello, sizeof peer.hello),
                         [this, &peer](error_code const& error, std::size_t) {
                             if (!error && peer.hello.mark == greeting().mark)
                                 answer(peer);
                             else
                                 close(peer);
                         });
    }

    void answer(connection& peer) {
        auto const size = static_cast<std::uint32_t>(process_.size);
        bool const ours = peer.hello.ranks == size && peer.hello.bytes == bytes_.size() &&
                          peer.hello.rank > 0 && peer.hello.rank < size && !served_[peer.hello.rank];
        peer.answer = {ours ? 1u : 0u, size};
        std::array<asio::const_buffer, 2> const message{
            asio::buffer(&peer.answer, sizeof peer.answer),
            asio::buffer(bytes_.data(), ours ? bytes_.size() : 0)};
        asio::async_write(peer.socket, message, [this, &peer, ours](error_code const& error, std::size_t) {
            if (ours && !error && !served_[peer.hello.rank]) {
                served_[peer.hello.rank] = true;
                --missing_;
            }
            close(peer);
        });
    }

    static void close(connection& peer) {
        error_code ignored;
        peer.socket.shutdown(tcp::socket::shutdown_send, ignored);
        peer.socket.close(ignored);
    }

    process_rank const& process_;
    std::span<std::byte const> bytes_;
    std::vector<bool> served_;
    int missing_;
    // Sockets are destroyed before their context, which then drops handlers without calling them.
    asio::io_context context_;
    std::list<connection> connections_;
};

struct looked_up {
    error_code error;
    tcp::resolver::results_type addresses;
};

/// Looks up the addresses of a host until the deadline. The C library's search for a name cannot be stopped,
/// so a thread of its own waits for it, which may outlive the call and has copies of all that it uses.
looked_up look_up(std::string const& host, std::uint16_t port, clock::time_point deadline) {
    std::promise<looked_up> answer;
    std::future<looked_up> waiting = answer.get_future();
    try {
        std::thread([host, port, promise = std::move(answer)]() mutable {
            try {
                asio::io_context context;
                tcp::resolver resolver(context);
                looked_up found;
                found.addresses = resolver.resolve(host, std::to_string(port), found.error);
                promise.set_value(std::move(found));
            } catch (std::exception const&) { // no memory
                promise.set_exception(std::current_exception());
            }
        }).detach();
    } catch (std::system_error const& error) { // no thread
        return {error_code(error.code().value(), boost::system::system_category()), {}};
    }
    if (waiting.wait_until(deadline) != std::future_status::ready)
        return {asio::error::host_not_found_try_again, {}};
    return waiting.get();
}

/// Other ranks: connect, and try again until the deadline, because rank 0 may start later.
class client {
public:
    client(process_rank const& process, std::span<std::byte> bytes) : process_(process), bytes_(bytes) {}

    comm_result run(std::chrono::milliseconds limit) {
        auto const deadline = deadline_after(limit);
        std::string const place = process_.address + ":" + std::to_string(process_.port);
        error_code error;
        for (;;) {
            error = attempt(deadline);
            if (!error && answer_.accepted == 1) return {};
            if (!error)
                return broken(process_.rank,
                              "rank 0 at " + place + " refused rank " + std::to_string(process_.rank) +
                                  " of " + std::to_string(process_.size) + ": its job has " +
                                  std::to_string(answer_.ranks) + " ranks, or had this rank before");
            if (clock::now() + pause >= deadline)
                return timed_out(0, "rank 0 did not answer at " + place + " (" + error.message() + ")",
                                 limit);
            std::this_thread::sleep_for(pause);
        }
    }

private:
    static constexpr std::chrono::milliseconds pause{20};

    error_code attempt(clock::time_point deadline) {
        asio::io_context context;
        auto [result, addresses] = look_up(process_.address, process_.port, deadline);
        if (result) return result;
        tcp::socket socket(context);
        greeting const hello{.rank = static_cast<std::uint32_t>(process_.rank),
                             .ranks = static_cast<std::uint32_t>(process_.size),
                             .bytes = bytes_.size()};
        bool done = false;
        auto const end = [&, &result = result](error_code const& error) {
            result = error;
            done = true;
        };
        auto const read_bytes = [&](error_code const& error, std::size_t) {
            if (error || answer_.accepted == 0) return end(error);
            asio::async_read(socket, asio::buffer(bytes_.data(), bytes_.size()),
                             [&](error_code const& failed, std::size_t) { end(failed); });
        };
        asio::async_connect(socket, addresses, [&](error_code const& error, tcp::endpoint const&) {
            if (error) return end(error);
            asio::async_write(
                socket, asio::buffer(&hello, sizeof hello), [&](error_code const& unwritten, std::size_t) {
                    if (unwritten) return end(unwritten);
                    asio::async_read(socket, asio::buffer(&answer_, sizeof answer_), read_bytes);
                });
        });
        while (!done && clock::now() < deadline)
            context.run_one_until(deadline);
        return done ? result : asio::error::timed_out;
    }

    process_rank const& process_;
    std::span<std::byte> bytes_;
    reply answer_;
};

class through_tcp final : public id_exchange {
public:
    explicit through_tcp(process_rank process) : process_(std::move(process)) {}

    comm_result share(std::span<std::byte> bytes, std::chrono::milliseconds limit) override {
        return process_.rank == 0 ? server(process_, bytes).run(limit) : client(process_, bytes).run(limit);
    }

private:
    process_rank process_;
};
} // namespace

std::unique_ptr<id_exchange> tcp_exchange(process_rank const& process) {
    return std::make_unique<through_tcp>(process);
}

} // namespace rhizome::comm
