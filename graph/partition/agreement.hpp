// SPDX-License-Identifier: Apache-2.0
// One vote of all ranks on a batch that each has prepared.
#pragma once

#include <rhizome/comm/communicator.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace rhizome::graph {

/// Asks every rank once whether it can apply a batch. All ranks call ask() once per vote; each learns which
/// rank refuses.
template <class Space>
class agreement {
public:
    explicit agreement(comm::communicator<Space>& self)
        : self_(&self), answers_(static_cast<std::size_t>(self.size())) {}

    /// Tells the other ranks whether this one can apply the batch. Returns whether all can. Throws nothing.
    /// One exchange of a word.
    bool ask(bool mine) noexcept {
        asked_ = true;
        std::uint64_t const word = mine ? 1 : 0;
        result_ = self_->gather_words({&word, 1}, answers_);
        if (!result_.ok()) return false;
        for (std::size_t rank = 0; rank < answers_.size(); ++rank)
            if (answers_[rank] == 0) {
                refuser_ = static_cast<int>(rank);
                return false;
            }
        return true;
    }

    [[nodiscard]] bool was_asked() const { return asked_; }
    /// Whether the ranks could communicate.
    [[nodiscard]] comm::comm_result const& result() const { return result_; }
    /// The lowest rank that refused, if one did.
    [[nodiscard]] std::optional<int> refuser() const { return refuser_; }

private:
    comm::communicator<Space>* self_;
    std::vector<std::uint64_t> answers_;
    bool asked_ = false;
    comm::comm_result result_;
    std::optional<int> refuser_;
};

} // namespace rhizome::graph
