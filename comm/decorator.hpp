// SPDX-License-Identifier: Apache-2.0
// What decorators of communicators have in common: they forward each call to another communicator.
#pragma once

#include <rhizome/comm/communicator.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace rhizome::comm {

/// Forwards all calls to the decorated communicator, which must outlive this one. A decorator derives from
/// this class and overrides what it changes. A failure of either communicator ends both.
template <class Space>
class communicator_decorator : public communicator<Space> {
public:
    explicit communicator_decorator(communicator<Space>& decorated)
        : communicator<Space>(decorated.space(), decorated.rank(), decorated.size(),
                              {.time_limit = decorated.time_limit()}),
          decorated_(decorated) {}

    [[nodiscard]] std::string_view backend() const override { return decorated_.backend(); }
    [[nodiscard]] bool may_share_memory() const override { return decorated_.may_share_memory(); }
    [[nodiscard]] exec::memory_resource* shareable_memory() override { return decorated_.shareable_memory(); }

protected:
    [[nodiscard]] communicator<Space>& decorated() { return decorated_; }

    comm_result do_all_to_all(void const* send, std::span<std::uint64_t const> send_counts, void* receive,
                              std::span<std::uint64_t const> receive_counts,
                              std::uint64_t element_bytes) override {
        return decorated_.guarded([&] {
            return decorated_.do_all_to_all(send, send_counts, receive, receive_counts, element_bytes);
        });
    }
    comm_result do_all_gather(void const* send, void* receive, std::span<std::uint64_t const> counts,
                              std::uint64_t element_bytes) override {
        return decorated_.guarded(
            [&] { return decorated_.do_all_gather(send, receive, counts, element_bytes); });
    }
    comm_result do_all_reduce(void const* send, void* receive, std::uint64_t count, element type,
                              reduction how) override {
        return decorated_.guarded([&] { return decorated_.do_all_reduce(send, receive, count, type, how); });
    }
    comm_result do_broadcast(void* data, std::uint64_t bytes, int root) override {
        return decorated_.guarded([&] { return decorated_.do_broadcast(data, bytes, root); });
    }
    comm_result do_gather_words(std::span<std::uint64_t const> mine, std::span<std::uint64_t> all) override {
        return decorated_.guarded([&] { return decorated_.do_gather_words(mine, all); });
    }
    comm_result do_wait() override {
        return decorated_.guarded([&] { return decorated_.do_wait(); });
    }
    comm_result do_share_memory(void* mine, bool shares, std::span<void*> addresses, bool& shared) override {
        return decorated_.guarded(
            [&] { return decorated_.do_share_memory(mine, shares, addresses, shared); });
    }
    void do_forget_memory(std::span<void*> addresses) noexcept override {
        decorated_.do_forget_memory(addresses);
    }
    void do_keep(std::shared_ptr<void> shown) noexcept override { decorated_.do_keep(std::move(shown)); }
    comm_result do_follow_all() override {
        return decorated_.guarded([&] { return decorated_.do_follow_all(); });
    }
    void do_end(comm_result const& why) noexcept override {
        if (decorated_.state().ok()) decorated_.end(why);
    }

private:
    communicator<Space>& decorated_;
};

} // namespace rhizome::comm
