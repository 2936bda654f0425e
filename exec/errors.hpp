// SPDX-License-Identifier: Apache-2.0
// The exceptions of exec. Exhaustion inside a kernel is a value; errors on the host are one of these.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace rhizome::exec {

/// A memory request that the space cannot serve: states the bytes needed and available.
class out_of_memory : public std::runtime_error {
public:
    /// `remark` is appended to the message: for example, why available memory cannot be used.
    out_of_memory(std::string const& what_for, std::uint64_t needed_bytes, std::uint64_t available_bytes,
                  std::string const& remark = {})
        : std::runtime_error(what_for + ": out of memory: needed " + std::to_string(needed_bytes) +
                             " bytes, available " + std::to_string(available_bytes) + " bytes" + remark),
          needed_bytes_(needed_bytes), available_bytes_(available_bytes) {}

    [[nodiscard]] std::uint64_t needed_bytes() const { return needed_bytes_; }
    [[nodiscard]] std::uint64_t available_bytes() const { return available_bytes_; }

private:
    std::uint64_t needed_bytes_;
    std::uint64_t available_bytes_;
};

/// A call of the CUDA runtime or driver failed: carries the text of the call and CUDA's message.
class cuda_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A launch was refused before any of it ran, for lack of resources or memory: what the kernel would have
/// written is as it was, and another launch may succeed.
class launch_refused : public cuda_error {
public:
    using cuda_error::cuda_error;
};

/// The emulator found every live lane waiting: says which lane waits where, and the seed that replays it.
class deadlock : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The emulator stopped a launch that did not end within its step limit: carries the seed that replays it.
class step_limit_exceeded : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace rhizome::exec
