// SPDX-License-Identifier: Apache-2.0
// The parts of an update stream in their order: parsed ahead, with vertices and lines of the whole stream.
#pragma once

#include <rhizome/io/block_parser.hpp>
#include <rhizome/io/input.hpp>
#include <rhizome/io/stream_format.hpp>
#include <rhizome/io/update_parser.hpp>
#include <rhizome/io/vertex_names.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace rhizome::io {

/// Parses a stream with several threads and gives its parts out one by one.
class update_parts {
public:
    /// `names`: those that vertices had before; new ones are added to it as parts are given out. It must
    /// outlive this object. `threads`: 0 stands for all that the machine has.
    update_parts(std::unique_ptr<input> from, stream_syntax const& syntax, vertex_names& names,
                 unsigned threads);
    update_parts(update_parts const&) = delete;
    update_parts& operator=(update_parts const&) = delete;
    /// Leaves a thread behind that waits for what is being read from a pipe.
    ~update_parts();

    /// Sets `part` to the next one. Vertices are ids, lines count from the first line of the stream. Returns
    /// false at the end. Throws as block_parser::next(); damage of a line is in part.failure.
    bool next(update_part& part);

    /// Numbers the names that were added anew: in the order in which these updates name them. Precondition:
    /// they are all updates that were given out.
    void number_names_by(std::vector<update>& updates);

    /// Returns the share of the file up to the end of that part; a negative number if it is not known.
    [[nodiscard]] double fraction_read() const { return parser_->fraction_read(); }

private:
    void resolve_names(update_part& part);

    stream_syntax syntax_;
    vertex_names& names_;
    std::uint64_t first_names_; ///< names that vertices had before
    bool is_pipe_;
    std::unique_ptr<input> input_;
    std::unique_ptr<block_parser<update_part>> parser_;
    std::vector<graph::vertex_id> ids_; ///< of the names of one part
    std::int64_t last_time_ = 0;
    bool has_time_ = false;
};

/// Reads a temporal list and returns it in the order of its times; equal times keep their order. Names are
/// numbered in this order too. Precondition: nothing was read. The parts come in this order one after the
/// other. Throws the first damage. `threads`: that sort.
[[nodiscard]] std::vector<update_part> sorted_parts(update_parts& from, unsigned threads);

} // namespace rhizome::io
