// SPDX-License-Identifier: Apache-2.0
// Outcomes of communication as values: ok, or what failed and at which rank.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace rhizome::comm {

/// What ended a call of a communicator.
enum class failure : std::uint8_t {
    none,      ///< the call succeeded
    timed_out, ///< a rank did not take part within the time limit
    peer_left, ///< a rank threw an exception, ended, or left the group
    aborted,   ///< a rank called abort()
    mismatch,  ///< ranks made different calls, or calls with counts that do not agree
    library,   ///< NCCL, CUDA or the operating system reported an error, or memory ran out
};

/// For example "timed out".
[[nodiscard]] std::string_view to_text(failure kind);

/// The rank of a failure whose rank is unknown.
inline constexpr int no_rank = -1;

/// The outcome of a call: ok, or a failure with the rank that caused it and a reason in one line. A copy
/// costs a reference count at most; a result that is ok allocates nothing.
// Functions that return one are [[nodiscard]]; the class is not, because nvcc 13 would warn of its
// assignments.
class comm_result {
public:
    /// Ok.
    comm_result() = default;
    /// A failure. `rank`: the rank that caused it, or no_rank.
    [[nodiscard]] static comm_result failed(failure kind, int rank, std::string why) {
        comm_result result;
        result.record_ = std::make_shared<record const>(record{kind, rank, std::move(why)});
        return result;
    }

    [[nodiscard]] bool ok() const { return record_ == nullptr; }
    [[nodiscard]] explicit operator bool() const { return ok(); }
    [[nodiscard]] failure kind() const { return ok() ? failure::none : record_->kind; }
    /// The rank that caused the failure. no_rank: none, or unknown.
    [[nodiscard]] int rank() const { return ok() ? no_rank : record_->rank; }
    /// One line that says what happened; "" if ok.
    [[nodiscard]] std::string_view why() const { return ok() ? std::string_view() : record_->why; }
    /// Throws comm_error if this is a failure.
    void or_throw() const;

private:
    struct record {
        failure kind;
        int rank;
        std::string why;
    };
    std::shared_ptr<record const> record_;
};

/// The exception of comm_result::or_throw(). Also thrown where no communicator can be made.
class comm_error : public std::runtime_error {
public:
    explicit comm_error(comm_result result)
        : std::runtime_error(std::string(result.why())), result_(std::move(result)) {}
    [[nodiscard]] comm_result const& result() const { return result_; }

private:
    comm_result result_;
};

inline void comm_result::or_throw() const {
    if (!ok()) throw comm_error(*this);
}

inline std::string_view to_text(failure kind) {
    switch (kind) {
    case failure::none:
        return "ok";
    case failure::timed_out:
        return "timed out";
    case failure::peer_left:
        return "a rank left";
    case failure::aborted:
        return "aborted";
    case failure::mismatch:
        return "calls do not match";
    case failure::library:
        return "error of a library";
    }
    return "unknown";
}

/// A result and, if it is ok, a value. After a failure `value` is T{}.
template <class T>
struct answer {
    comm_result result;
    T value{};

    [[nodiscard]] bool ok() const { return result.ok(); }
};

} // namespace rhizome::comm
