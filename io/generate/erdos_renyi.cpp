// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/host/parallel.hpp>
#include <rhizome/exec/host/primitives.hpp>
#include <rhizome/exec/host/space.hpp>
#include <rhizome/io/generate/edge_blocks.hpp>
#include <rhizome/io/generate/erdos_renyi.hpp>
#include <rhizome/io/generate/random.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::io {
namespace {

void check_vertices(std::uint64_t vertices) {
    if (vertices < 1 || vertices > largest_erdos_renyi)
        throw std::invalid_argument("erdos-renyi: the number of vertices must be from 1 to " +
                                    std::to_string(largest_erdos_renyi));
}

/// Draws different pairs of vertices.
class pair_sampler {
public:
    pair_sampler(exec::host_space machine, std::uint64_t vertices, std::uint64_t seed)
        : machine_(std::move(machine)), vertices_(vertices),
          id_bits_(static_cast<unsigned>(std::bit_width(vertices - 1))), seed_(seed) {}

    [[nodiscard]] unsigned id_bits() const { return id_bits_; }

    /// Returns the keys (key_of_pair) of `wanted` different pairs, ascending: every set of so many pairs is
    /// equally likely. The pairs are the first different ones of one sequence of random pairs: each round
    /// draws as many as are missing, so that the sequence never goes on beyond the last one needed.
    [[nodiscard]] std::vector<std::uint64_t> draw(std::uint64_t wanted) {
        std::vector<std::uint64_t> found;
        while (found.size() < wanted) {
            std::vector<std::uint64_t> drawn = draw_round(wanted - found.size());
            if (found.empty()) {
                found = std::move(drawn);
                found.erase(std::unique(found.begin(), found.end()), found.end());
            } else {
                merge(found, drawn);
            }
        }
        return found;
    }

private:
    /// Returns the keys of `count` random pairs, ascending. Equal ones may be among them.
    std::vector<std::uint64_t> draw_round(std::uint64_t count) {
        std::vector<std::uint64_t> keys(count);
        exec::parallel_for(machine_.team(), generator_blocks(count), [&](std::uint64_t block) {
            random_source random = random_source::stream(seed_, blocks_drawn_ + block);
            std::uint64_t const end = std::min(count, (block + 1) * generator_block);
            for (std::uint64_t i = block * generator_block; i < end; ++i) {
                std::uint64_t const u = random.below(vertices_);
                std::uint64_t const v = random.below(vertices_ - 1);
                keys[i] = key_of_pair(u, v + (v >= u ? 1 : 0), id_bits_); // any vertex but u
            }
        });
        blocks_drawn_ += generator_blocks(count);
        exec::buffer<exec::host_space, std::uint64_t> alternate(machine_, count);
        exec::workspace<exec::host_space> scratch(machine_);
        std::uint64_t const* const sorted =
            sort_keys(machine_, scratch, keys.data(), alternate.data(), count, 2 * id_bits_);
        if (sorted != keys.data()) std::copy(sorted, sorted + count, keys.data());
        return keys;
    }

    /// Adds the keys of `drawn` to those of `found`, each once. Both ascend.
    static void merge(std::vector<std::uint64_t>& found, std::vector<std::uint64_t> const& drawn) {
        std::vector<std::uint64_t> fresh;
        auto old = found.begin();
        for (std::uint64_t const key : drawn) {
            old = first_not_below(old, found.end(), key);
            bool const known = (old != found.end() && *old == key) || (!fresh.empty() && fresh.back() == key);
            if (!known) fresh.push_back(key);
        }
        // From the end, so that no key is overwritten before it was moved.
        std::size_t from = found.size();
        found.resize(found.size() + fresh.size());
        std::size_t to = found.size();
        while (!fresh.empty()) {
            if (from != 0 && found[from - 1] > fresh.back()) {
                found[--to] = found[--from];
            } else {
                found[--to] = fresh.back();
                fresh.pop_back();
            }
        }
    }

    /// A binary search in steps that double: fast if the key is near, as it is in a long list of keys.
    template <class Iterator>
    static Iterator first_not_below(Iterator begin, Iterator end, std::uint64_t key) {
        std::ptrdiff_t step = 1;
        while (step < end - begin && *(begin + step) < key) {
            begin += step;
            step *= 2;
        }
        return std::lower_bound(begin, begin + std::min(step + 1, end - begin), key);
    }

    exec::host_space machine_;
    std::uint64_t vertices_;
    unsigned id_bits_;
    std::uint64_t seed_;
    std::uint64_t blocks_drawn_ = 0;
};

/// Returns all pairs but those of the keys, which ascend.
std::vector<graph::edge> pairs_without(exec::thread_team& team, std::uint64_t vertices,
                                       std::vector<std::uint64_t> const& keys, unsigned id_bits) {
    return edges_of_blocks(team, vertices, [&](std::uint64_t u, auto const& emit) {
        auto left_out = std::lower_bound(keys.begin(), keys.end(), u << id_bits);
        for (std::uint64_t v = u + 1; v < vertices; ++v) {
            if (left_out != keys.end() && *left_out == key_of_pair(u, v, id_bits))
                ++left_out;
            else
                emit(graph::edge{static_cast<graph::vertex_id>(u), static_cast<graph::vertex_id>(v)});
        }
    });
}

/// Draws how many pairs lie before the next edge.
class gap_source {
public:
    /// Precondition: 0 < probability <= 1, 1 <= most.
    gap_source(double probability, std::uint64_t most) : most_(most) {
        // A gap is at least k with probability q^k, where q = 1 - probability. So it is g with a probability
        // that is proportional to q^g: a product with one factor for each bit of g. Therefore the bits are
        // independent, and bit i is set with the probability q^(2^i) / (1 + q^(2^i)).
        double power = 1 - probability;
        for (auto bits = static_cast<unsigned>(std::bit_width(most)); bits != 0; --bits) {
            bit_chances_.push_back(power / (1 + power));
            power *= power;
        }
        more_chance_ = power;
    }

    /// Returns a random gap, or `most` if it is at least that.
    std::uint64_t next(random_source& random) const {
        if (random.chance(more_chance_)) return most_;
        std::uint64_t gap = 0;
        for (std::size_t bit = bit_chances_.size(); bit-- > 0;)
            gap = gap << 1 | (random.chance(bit_chances_[bit]) ? 1 : 0);
        return std::min(gap, most_);
    }

private:
    std::uint64_t most_;
    std::vector<double> bit_chances_; ///< from the lowest bit on
    double more_chance_ = 0;          ///< that a higher bit is set
};

} // namespace

graph_file generate_gnm(std::uint64_t vertices, std::uint64_t edges, std::uint64_t seed, unsigned threads) {
    check_vertices(vertices);
    std::uint64_t const pairs = vertex_pairs(vertices);
    if (edges > pairs)
        throw std::invalid_argument("erdos-renyi: " + std::to_string(vertices) + " vertices have at most " +
                                    std::to_string(pairs) + " edges");
    exec::host_space machine({.threads = threads});
    pair_sampler sampler(machine, vertices, seed);
    graph_file file;
    file.vertex_count = vertices;
    if (edges > pairs / 2) {
        std::vector<std::uint64_t> const left_out = sampler.draw(pairs - edges);
        file.edges = pairs_without(machine.team(), vertices, left_out, sampler.id_bits());
    } else {
        std::vector<std::uint64_t> const keys = sampler.draw(edges);
        file.edges = simple_edges(machine.team(), keys.data(), keys.size(), sampler.id_bits());
    }
    return file;
}

graph_file generate_gnp(std::uint64_t vertices, double probability, std::uint64_t seed, unsigned threads) {
    check_vertices(vertices);
    if (!(probability >= 0 && probability <= 1))
        throw std::invalid_argument("erdos-renyi: the probability must be in [0, 1]");
    graph_file file;
    file.vertex_count = vertices;
    if (probability == 0) return file;
    // A block is a range of rows of the matrix above its diagonal: about generator_block edges, and not more
    // rows than that.
    double const row_edges = probability * static_cast<double>(vertices);
    auto const rows =
        static_cast<std::uint64_t>(static_cast<double>(generator_block) / std::max(row_edges, 1.0)) + 1;
    gap_source const gaps(probability, vertices);
    exec::host_space machine({.threads = threads});
    file.edges = edges_of_blocks(
        machine.team(), (vertices + rows - 1) / rows, [&](std::uint64_t block, auto const& emit) {
            random_source random = random_source::stream(seed, block);
            std::uint64_t const end = std::min(vertices, (block + 1) * rows);
            // A gap that ends beyond its row need not go on in the next row: pairs are independent.
            for (std::uint64_t u = block * rows; u < end; ++u)
                for (std::uint64_t v = u + 1 + gaps.next(random); v < vertices; v += 1 + gaps.next(random))
                    emit(graph::edge{static_cast<graph::vertex_id>(u), static_cast<graph::vertex_id>(v)});
        });
    return file;
}

} // namespace rhizome::io
