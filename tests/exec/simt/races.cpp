// SPDX-License-Identifier: Apache-2.0
// Kernels that hand plain memory from lane to lane, right and wrong, for a build with ThreadSanitizer: each
// lane is one of its fibers, so that it reports the wrong ones. Usage: simt_races <kernel> <right|wrong>
// <seeds>
#include <rhizome/exec/simt.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <type_traits>

namespace rhizome::exec {
namespace {

template <bool Right>
struct barrier {
    struct shared {
        std::uint32_t values[64];
    };
    std::uint32_t* out;

    template <class Thread>
    void operator()(Thread const& thread) const {
        auto const block = thread.block();
        block.storage().values[block.rank()] = block.rank();
        if constexpr (Right) block.sync();
        out[thread.rank()] = block.storage().values[(block.rank() + 1) % block.size()];
    }
};

template <bool Right>
struct tile_sync {
    std::uint32_t* out;

    template <class Thread>
    void operator()(Thread const& thread) const {
        auto const tile = thread.tile(width<8>);
        std::uint32_t& word = out[64 + tile.index()];
        if (tile.is_leader()) word = 1;
        static_cast<void>(tile.broadcast(1u, 0)); // brings the lanes together, and orders nothing
        if constexpr (Right) tile.sync();
        out[thread.rank()] = word;
    }
};

template <class StoreOrder, class LoadOrder>
struct message {
    std::uint32_t* out;

    template <class Thread>
    void operator()(Thread const& thread) const {
        if (thread.rank() == 0) {
            out[1] = 42;
            thread.device(out[0]).store(1, StoreOrder{});
        } else if (thread.rank() == 33) {
            while (thread.device(out[0]).load(LoadOrder{}) == 0)
                thread.relax();
            out[2] = out[1];
        }
    }
};

/// A lock that is given back without release.
template <bool Right>
struct lock {
    std::uint32_t* out;

    template <class Thread>
    void operator()(Thread const& thread) const {
        while (thread.device(out[0]).exchange(1, order::acquire) != 0)
            thread.relax();
        ++out[1];
        thread.device(out[0]).store(0, std::conditional_t<Right, order::release_t, order::relaxed_t>{});
    }
};

template <class Kernel>
void run(std::uint64_t seeds) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        simt_space space(simt_options{.seed = seed});
        buffer<simt_space, std::uint32_t> out(space, 128);
        out.fill_bytes(0);
        launch(space, {1, 64}, Kernel{out.data()});
        out.fill_bytes(0); // the end of a launch orders its writes before this, and this before the next
        launch(space, {1, 64}, Kernel{out.data()});
    }
}

template <class Right, class Wrong>
void choose(bool right, std::uint64_t seeds) {
    right ? run<Right>(seeds) : run<Wrong>(seeds);
}

} // namespace
} // namespace rhizome::exec

int main(int arguments, char** argument) {
    using namespace rhizome::exec;
    if (arguments != 4) return 2;
    std::string_view const kernel = argument[1];
    bool const right = std::string_view(argument[2]) == "right";
    std::uint64_t const seeds = std::strtoull(argument[3], nullptr, 10);
    using right_message = message<order::release_t, order::acquire_t>;
    if (kernel == "barrier") {
        choose<barrier<true>, barrier<false>>(right, seeds);
    } else if (kernel == "tile_sync") {
        choose<tile_sync<true>, tile_sync<false>>(right, seeds);
    } else if (kernel == "release") {
        choose<right_message, message<order::relaxed_t, order::acquire_t>>(right, seeds);
    } else if (kernel == "acquire") {
        choose<right_message, message<order::release_t, order::relaxed_t>>(right, seeds);
    } else if (kernel == "lock") {
        choose<lock<true>, lock<false>>(right, seeds);
    } else {
        return 2;
    }
    std::puts("done");
    return 0;
}
