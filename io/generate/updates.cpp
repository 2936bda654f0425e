// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/generate/updates.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace rhizome::io {

void update_mix::check() const {
    auto const check_share = [](double share, char const* name) {
        if (!(share >= 0 && share <= 1))
            throw std::invalid_argument(std::string("update mix: ") + name + " must be in [0, 1]");
    };
    check_share(insert_share, "insert_share");
    check_share(near_share, "near_share");
    check_share(repeat_share, "repeat_share");
    check_share(no_effect_share, "no_effect_share");
    check_share(self_loop_share, "self_loop_share");
    check_share(burst_share, "burst_share");
    if (burst_length == 0) throw std::invalid_argument("update mix: burst_length must be at least 1");
}

update_generator::update_generator(std::uint64_t vertex_count, std::span<graph::edge const> edges,
                                   bool directed, update_mix const& mix, std::uint64_t seed)
    : vertex_count_(vertex_count), directed_(directed), mix_(mix), random_(seed) {
    mix.check();
    if (vertex_count == 0 || vertex_count > graph::no_vertex)
        throw std::invalid_argument("update generator: the graph must have 1 to 4294967295 vertices");
    if (mix.source_count > vertex_count)
        throw std::invalid_argument("update generator: there are more sources than vertices");
    // Between two bursts there are burst_length * (1 - share) / share updates on average.
    if (mix.burst_share > 0)
        burst_chance_ = mix.burst_share /
                        (static_cast<double>(mix.burst_length) * (1 - mix.burst_share) + mix.burst_share);
    draw_sources();
    keys_.reset(edges.size());
    present_.reserve(edges.size());
    for (graph::edge const edge : edges) {
        if (edge.source >= vertex_count || edge.target >= vertex_count)
            throw std::invalid_argument("update generator: an endpoint is no vertex of the graph");
        add(edge);
    }
}

/// Draws source_count different vertices: of each vertex from the last source_count on, or of one before it.
/// Source: Bentley and Floyd, A sample of brilliance (1987).
void update_generator::draw_sources() {
    if (mix_.source_count == 0) return;
    std::vector<bool> taken(vertex_count_);
    for (std::uint64_t last = vertex_count_ - mix_.source_count; last < vertex_count_; ++last) {
        std::uint64_t const drawn = random_.below(last + 1);
        std::uint64_t const source = taken[drawn] ? last : drawn;
        taken[source] = true;
        sources_.push_back(static_cast<graph::vertex_id>(source));
    }
}

/// Goes on to the next update of the present burst, or may begin one.
void update_generator::move_burst() {
    if (burst_left_ > 0) {
        if (--burst_left_ == 0) burst_source_ = graph::no_vertex;
    }
    if (burst_left_ == 0 && random_.chance(burst_chance_)) {
        burst_left_ = mix_.burst_length;
        burst_source_ = any_source();
    }
}

update update_generator::next() {
    if (burst_chance_ > 0) move_burst();
    bool const has_last = last_.edge.source != graph::no_vertex;
    if (!(has_last && random_.chance(mix_.repeat_share))) last_ = draw(); // a repeat has no effect
    return last_;
}

update update_generator::draw() {
    bool const inserts = random_.chance(mix_.insert_share);
    if (random_.chance(mix_.self_loop_share) || vertex_count_ == 1) {
        graph::vertex_id const v = any_source();
        if (!may_insert()) return erase_loop({v, v});
        add({v, v}); // later erased like any other edge, if at all
        return {operation::insert, {v, v}};
    }
    bool const no_effect = random_.chance(mix_.no_effect_share);
    if (inserts && no_effect && !present().empty()) return {operation::insert, present_[any_present()]};
    if (!inserts && no_effect) {
        graph::edge const pair = absent_pair();
        if (!keys_.contains(edge_key(pair, directed_))) return {operation::erase, pair};
    }
    if (!inserts && !present().empty()) return erase_present();
    if (may_insert()) return insert_absent();
    return {operation::erase, absent_pair()}; // there is no edge to erase
}

/// Used only if insert_share is 0.
update update_generator::erase_loop(graph::edge loop) {
    if (!keys_.contains(edge_key(loop, directed_))) return {operation::erase, loop};
    return erase_present();
}

update update_generator::insert_absent() {
    graph::edge const pair = absent_pair();
    add(pair);
    return {operation::insert, pair};
}

update update_generator::erase_present() {
    std::size_t const i = mix_.oldest_first ? oldest_ : any_present();
    graph::edge const edge = present_[i];
    keys_.erase(edge_key(edge, directed_));
    if (mix_.oldest_first) {
        // Places before the oldest edge are given up once they are most of the list.
        if (++oldest_ > present_.size() / 2) {
            present_.erase(present_.begin(), present_.begin() + static_cast<std::ptrdiff_t>(oldest_));
            oldest_ = 0;
        }
        return {operation::erase, edge};
    }
    present_[i] = present_.back();
    present_.pop_back();
    return {operation::erase, edge};
}

graph::vertex_id update_generator::any_vertex() {
    return static_cast<graph::vertex_id>(random_.below(vertex_count_));
}

/// The vertex that an inserted edge leaves.
graph::vertex_id update_generator::any_source() {
    if (burst_source_ != graph::no_vertex) return burst_source_;
    return sources_.empty() ? any_vertex() : sources_[random_.below(sources_.size())];
}

graph::edge update_generator::any_pair() {
    constexpr std::uint64_t window = 64;
    graph::vertex_id const u = any_source();
    std::uint64_t const most = vertex_count_ - 1;
    std::uint64_t const distance =
        1 + random_.below(random_.chance(mix_.near_share) ? std::min(window, most) : most);
    auto const v = static_cast<graph::vertex_id>((u + distance) % vertex_count_);
    bool const source_matters = !sources_.empty() || burst_source_ != graph::no_vertex;
    return source_matters || random_.chance(0.5) ? graph::edge{u, v} : graph::edge{v, u};
}

/// Draws an absent pair. In a nearly complete graph it may give up and return a present one.
graph::edge update_generator::absent_pair() {
    constexpr int tries = 100;
    graph::edge pair = any_pair();
    for (int i = 1; i < tries && keys_.contains(edge_key(pair, directed_)); ++i)
        pair = any_pair();
    return pair;
}

std::size_t update_generator::any_present() {
    // below() goes up to 2^32; graphs with more edges need two draws.
    std::uint64_t const count = present_.size() - oldest_;
    std::uint64_t const blocks = ((count - 1) >> 32) + 1;
    for (;;) {
        std::uint64_t const index =
            blocks == 1 ? random_.below(count)
                        : (random_.below(blocks) << 32 | random_.below(std::uint64_t{1} << 32));
        if (index < count) return oldest_ + static_cast<std::size_t>(index);
    }
}

bool update_generator::add(graph::edge edge) {
    if (keys_.size() == keys_.capacity()) {
        keys_.reset(keys_.size() * 2);
        for (graph::edge const each : present())
            keys_.insert(edge_key(each, directed_));
    }
    if (!keys_.insert(edge_key(edge, directed_))) return false;
    present_.push_back(edge);
    return true;
}

} // namespace rhizome::io
