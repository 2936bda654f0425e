// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/random.hpp>
#include <rhizome/io/vertex_names.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <functional>
#include <random>
#include <stdexcept>
#include <utility>

namespace rhizome::io {
namespace {

constexpr std::uint64_t least_slots = 16;

std::uint64_t hash_of(std::uint64_t number, std::uint64_t seed) { return exec::scramble(number ^ seed); }

std::uint64_t hash_of(std::string_view text, std::uint64_t seed) {
    return hash_of(std::hash<std::string_view>()(text), seed);
}

std::uint64_t random_seed() {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
}

/// The number whose decimal text this is.
std::optional<std::uint64_t> number_of(std::string_view text) {
    if (text.empty() || (text.size() > 1 && text.front() == '0')) return std::nullopt;
    std::uint64_t value = 0;
    auto const [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
    return value;
}

} // namespace

vertex_names vertex_names::ascending(std::vector<std::uint64_t> numbers) {
    vertex_names names;
    names.numbers_ = std::move(numbers);
    return names;
}

graph::vertex_id vertex_names::find_or_add(std::uint64_t number) {
    if (is_text_) return find_or_append(std::string_view(std::to_string(number)));
    return find_or_append(number);
}

graph::vertex_id vertex_names::find_or_add(std::string_view text) {
    if (!is_text_) {
        if (std::optional<std::uint64_t> const number = number_of(text)) return find_or_append(*number);
        become_text();
    }
    return find_or_append(text);
}

std::optional<graph::vertex_id> vertex_names::find_ascending(std::uint64_t number) const {
    auto const found = std::lower_bound(numbers_.begin(), numbers_.end(), number);
    if (found == numbers_.end() || *found != number) return std::nullopt;
    return static_cast<graph::vertex_id>(found - numbers_.begin());
}

std::optional<graph::vertex_id> vertex_names::find(std::uint64_t number) const {
    if (slots_.empty()) return find_ascending(number);
    std::uint64_t const slot = is_text_ ? slot_of(std::string_view(std::to_string(number))) : slot_of(number);
    if (slots_[slot] == graph::no_vertex) return std::nullopt;
    return slots_[slot];
}

std::optional<graph::vertex_id> vertex_names::find(std::string_view text) const {
    std::optional<std::uint64_t> const number = is_text_ ? std::nullopt : number_of(text);
    if (!is_text_) return number ? find(*number) : std::nullopt;
    std::uint64_t const slot = slot_of(text);
    if (slots_[slot] == graph::no_vertex) return std::nullopt;
    return slots_[slot];
}

std::string vertex_names::name(graph::vertex_id vertex) const {
    return is_text_ ? std::string(text(vertex)) : std::to_string(numbers_[vertex]);
}

bool vertex_names::has_name(graph::vertex_id vertex, std::uint64_t number) const {
    return numbers_[vertex] == number;
}

bool vertex_names::has_name(graph::vertex_id vertex, std::string_view name) const {
    return text(vertex) == name;
}

/// The slot that holds the name, or the free one where it belongs.
template <class Name>
std::uint64_t vertex_names::slot_of(Name name) const {
    std::uint64_t const mask = slots_.size() - 1;
    std::uint64_t slot = hash_of(name, seed_) & mask;
    while (slots_[slot] != graph::no_vertex && !has_name(slots_[slot], name))
        slot = (slot + 1) & mask;
    return slot;
}

template <class Name>
graph::vertex_id vertex_names::find_or_append(Name name) {
    if (2 * (size() + 1) > slots_.size()) rebuild(std::max(least_slots, std::bit_ceil(2 * (size() + 1))));
    std::uint64_t const slot = slot_of(name);
    if (slots_[slot] != graph::no_vertex) return slots_[slot];
    if (size() >= graph::no_vertex) throw std::length_error("more vertex names than vertex ids");
    auto const vertex = static_cast<graph::vertex_id>(size());
    append(name);
    slots_[slot] = vertex;
    return vertex;
}

void vertex_names::append(std::string_view name) {
    text_ += name;
    ends_.push_back(text_.size());
}

void vertex_names::become_text() {
    for (std::uint64_t const number : numbers_)
        append(std::string_view(std::to_string(number)));
    numbers_ = {};
    is_text_ = true;
    rebuild(std::max(least_slots, std::bit_ceil(2 * (size() + 1))));
}

void vertex_names::rebuild(std::uint64_t slots) {
    if (seed_ == 0) seed_ = random_seed();
    slots_.assign(slots, graph::no_vertex);
    for (std::uint64_t v = 0; v < size(); ++v) {
        auto const vertex = static_cast<graph::vertex_id>(v);
        slots_[is_text_ ? slot_of(text(vertex)) : slot_of(numbers_[v])] = vertex;
    }
}

} // namespace rhizome::io
