// SPDX-License-Identifier: Apache-2.0
// The names that vertices have in a file: numbers of 64 bits, or text.
#pragma once

#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rhizome::io {

/// Names of the vertices 0 to size() - 1, all different, and the reverse lookup: from a name to its vertex.
/// All names are stored as numbers. Once find_or_add() gets a name that is not a number, all names are
/// stored as text. A number and its decimal text are the same name. Memory: 8 bytes per number, or the text
/// and 8 bytes per name; in addition 8 to 16 bytes per name for the lookup. Several threads may read at the
/// same time, but only one may use the object if it changes it.
class vertex_names {
public:
    /// Returns an object with these numbers as names. They must ascend strictly. Cost: none; the hash table
    /// is built when find_or_add() first adds a name.
    [[nodiscard]] static vertex_names ascending(std::vector<std::uint64_t> numbers);

    [[nodiscard]] std::uint64_t size() const { return is_text_ ? ends_.size() : numbers_.size(); }
    [[nodiscard]] bool empty() const { return size() == 0; }
    /// Returns whether any name is not a number.
    [[nodiscard]] bool is_text() const { return is_text_; }

    /// Returns the vertex of this name. If the name is new, adds it for vertex size(). Throws
    /// std::length_error if there are already as many names as vertex ids.
    graph::vertex_id find_or_add(std::uint64_t number);
    /// The same for text. "007" counts as text, not as a number, because a number would lose the zeros.
    graph::vertex_id find_or_add(std::string_view text);

    /// Returns the vertex of this name, if there is one.
    [[nodiscard]] std::optional<graph::vertex_id> find(std::uint64_t number) const;
    [[nodiscard]] std::optional<graph::vertex_id> find(std::string_view text) const;

    /// Returns the name of a vertex. Precondition: vertex < size().
    [[nodiscard]] std::string name(graph::vertex_id vertex) const;
    /// Returns the number that is the name of a vertex. Precondition: vertex < size(), not is_text().
    [[nodiscard]] std::uint64_t number(graph::vertex_id vertex) const { return numbers_[vertex]; }

    /// Returns whether both hold the same names in the same order.
    friend bool operator==(vertex_names const& a, vertex_names const& b) {
        return a.is_text_ == b.is_text_ && a.numbers_ == b.numbers_ && a.text_ == b.text_ &&
               a.ends_ == b.ends_;
    }

private:
    [[nodiscard]] std::string_view text(graph::vertex_id vertex) const {
        std::uint64_t const begin = vertex == 0 ? 0 : ends_[vertex - 1];
        return std::string_view(text_).substr(begin, ends_[vertex] - begin);
    }
    template <class Name>
    [[nodiscard]] std::uint64_t slot_of(Name name) const;
    [[nodiscard]] std::optional<graph::vertex_id> find_ascending(std::uint64_t number) const;
    [[nodiscard]] bool has_name(graph::vertex_id vertex, std::uint64_t number) const;
    [[nodiscard]] bool has_name(graph::vertex_id vertex, std::string_view name) const;
    template <class Name>
    graph::vertex_id find_or_append(Name name);
    void append(std::uint64_t number) { numbers_.push_back(number); }
    void append(std::string_view name);
    void become_text();
    void rebuild(std::uint64_t slots);

    bool is_text_ = false;
    std::vector<std::uint64_t> numbers_;
    std::string text_; ///< all names, one after the other
    std::vector<std::uint64_t> ends_;
    /// A hash table with linear probing; graph::no_vertex: free. Empty if the names are ascending numbers.
    std::vector<graph::vertex_id> slots_;
    std::uint64_t seed_ = 0; ///< of the hashes, drawn with the table: no file can be made to collide
};

} // namespace rhizome::io
