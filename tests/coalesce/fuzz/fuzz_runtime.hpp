// Runs generated CUDA kernels on the host, thread after thread, and records what each thread allocates: at
// which line, how many bytes, by a plain or a static call. Loads and atomics give what this one order of
// threads gives; other orders are run too. check() then tells whether each static call was reached by all
// threads of its block or warp, the same number of times, in the same order, with the same size.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#define __global__
#define __device__
#define __constant__
#define __shared__ static
#define __forceinline__ inline

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
};

inline dim3 threadIdx, blockIdx, blockDim, gridDim;
inline int const warpSize = 32;

namespace fuzz {

enum class kind : std::uint8_t { plain, warp, block };

struct event {
    int line;
    kind how;
    unsigned long bytes;
    friend bool operator==(event const&, event const&) = default;
};

inline std::vector<event>* log = nullptr;
inline unsigned long served = 0;
alignas(16) inline char arena[1 << 16];

inline unsigned rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }

inline unsigned noise(unsigned x) { return (x ^ (x >> 15)) * 2246822519u ^ (x << 7); }
inline unsigned launches = 0;

inline void* note(int line, kind how, unsigned long bytes) {
    log->push_back({line, how, bytes});
    ++served;
    // Some requests fail. A plain one fails for its thread: nothing may depend on the outcome and be called
    // uniform. A static one fails for all threads of its block or warp.
    unsigned luck = served;
    if (how != kind::plain) {
        luck = launches * 977 + blockIdx.x * 131 + static_cast<unsigned>(line);
        for (event const& earlier : *log)
            luck += earlier.how == how ? 37 : 0;
        if (how == kind::warp) luck += 7919 * (rank() / 32 + 1);
    }
    if (noise(luck) % 8 == 0) return nullptr;
    return arena + served * 64 % 60000;
}

struct site {
    bool seen = false, is_static = false, block_uniform = true, warp_uniform = true;
};
inline std::map<int, site> sites;
inline int failures = 0;

inline std::vector<event> only(std::vector<event> const& all, auto keep) {
    std::vector<event> kept;
    std::copy_if(all.begin(), all.end(), std::back_inserter(kept), keep);
    return kept;
}

inline void fail(char const* kernel, char const* what, unsigned block, unsigned thread) {
    if (++failures <= 20) std::printf("WRONG %s: block %u, thread %u: %s\n", kernel, block, thread, what);
}

inline void judge(char const* kernel, unsigned block, std::vector<std::vector<event>> const& logs) {
    auto const is_static = [](event const& e) { return e.how != kind::plain; };
    auto const is_block = [](event const& e) { return e.how == kind::block; };
    for (unsigned t = 0; t < logs.size(); ++t) {
        if (only(logs[t], is_static) != only(logs[t / 32 * 32], is_static))
            fail(kernel, "its static calls are not those of its warp", block, t);
        if (only(logs[t], is_block) != only(logs[0], is_block))
            fail(kernel, "its block-wide calls are not those of its block", block, t);
    }
    std::set<int> lines;
    for (auto const& one : logs)
        for (event const& e : one) {
            lines.insert(e.line);
            sites[e.line].is_static |= e.how != kind::plain;
        }
    for (int const line : lines) {
        site& at = sites[line];
        at.seen = true;
        auto const here = [&](event const& e) { return e.line == line; };
        auto const sizes = [&](unsigned t) {
            std::vector<unsigned long> bytes;
            for (event const& e : only(logs[t], here))
                bytes.push_back(e.bytes);
            return bytes;
        };
        for (unsigned t = 0; t < logs.size(); ++t) {
            if (sizes(t) != sizes(0)) at.block_uniform = false;
            if (sizes(t) != sizes(t / 32 * 32)) at.warp_uniform = false;
        }
    }
}

inline int data[64];
inline unsigned words[64];

template <class Kernel>
void check(char const* name, Kernel kernel, bool one_dimensional, unsigned seed) {
    std::mt19937 dice(seed);
    for (int launch = 0; launch < 8; ++launch) {
        ++launches;
        dim3 const shapes[] = {{64, 1, 1}, {40, 1, 1}, {96, 1, 1}, {8, 9, 1}, {5, 4, 4}};
        blockDim = shapes[dice() % (one_dimensional ? 3 : 5)];
        gridDim = {2, 1, 1};
        int const a = static_cast<int>(dice() % 9), b = static_cast<int>(dice() % 70);
        for (int& one : data)
            one = static_cast<int>(dice() % 17);
        std::fill(std::begin(words), std::end(words), 0u);
        for (unsigned block = 0; block < gridDim.x; ++block) {
            blockIdx = {block, 0, 0};
            unsigned const threads = blockDim.x * blockDim.y * blockDim.z;
            std::vector<std::vector<event>> logs(threads);
            std::vector<unsigned> order(threads);
            std::iota(order.begin(), order.end(), 0u);
            if (launch % 3 == 1) std::reverse(order.begin(), order.end());
            if (launch % 3 == 2) std::shuffle(order.begin(), order.end(), dice);
            for (unsigned const t : order) {
                threadIdx = {t % blockDim.x, t / blockDim.x % blockDim.y, t / blockDim.x / blockDim.y};
                log = &logs[t];
                data[dice() % 64] = data[0] = data[1] =
                    static_cast<int>(dice() % 17); // other blocks write there
                data[dice() % 64] = static_cast<int>(dice() % 17);
                kernel(a, b, data, words);
            }
            judge(name, block, logs);
        }
    }
}

inline int report() {
    int uniform = 0, rewritten = 0, seen = 0, rewritten_seen = 0;
    for (auto const& [line, at] : sites) {
        seen += at.seen;
        rewritten_seen += at.is_static;
        bool const is_uniform = at.block_uniform || at.warp_uniform;
        uniform += is_uniform;
        rewritten += is_uniform && at.is_static;
    }
    std::printf("calls reached %d, observed uniform %d, of these rewritten %d; wrong %d\n", seen, uniform,
                rewritten, failures);
    return failures == 0 ? 0 : 1;
}

} // namespace fuzz

inline int atomicAdd(unsigned* word, unsigned by) { return static_cast<int>((*word += by) - by) & 15; }
inline int atomicCAS(unsigned* word, unsigned expected, unsigned desired) {
    unsigned const old = *word;
    if (old == expected) *word = desired;
    return static_cast<int>(old) & 15;
}
inline void __syncthreads() {}
inline void __syncwarp() {}
template <class T>
T __shfl_sync(unsigned, T value, int lane) {
    return static_cast<T>(
        fuzz::noise(static_cast<unsigned>(value) + fuzz::rank() + static_cast<unsigned>(lane)) % 16);
}
inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a > b ? a : b; }
inline int __popc(unsigned a) { return __builtin_popcount(a); }

namespace rhizome::coalesced {
enum class reached : unsigned char { by_some, by_all };
inline void* at_block(int line, unsigned long bytes, reached by = reached::by_all) {
    return fuzz::note(line, by == reached::by_all ? fuzz::kind::block : fuzz::kind::plain, bytes);
}
inline void* at_warp(int line, unsigned long bytes, reached by = reached::by_all) {
    return fuzz::note(line, by == reached::by_all ? fuzz::kind::warp : fuzz::kind::plain, bytes);
}
inline void ignore(void*) {}
} // namespace rhizome::coalesced
inline void ignore(void*) {}

#define malloc(bytes) fuzz::note(__LINE__, fuzz::kind::plain, bytes)
#define free(pointer) ignore(pointer)
#define block_malloc(...) at_block(__LINE__, __VA_ARGS__)
#define warp_malloc(...) at_warp(__LINE__, __VA_ARGS__)
