// SPDX-License-Identifier: Apache-2.0
// Text in memory as a file.
#pragma once

#include <rhizome/io/input.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>

namespace rhizome::fuzz {

/// Gives out text that outlives it.
class memory_source : public io::byte_source {
public:
    explicit memory_source(std::string_view text) : text_(text), left_(text) {}

    std::size_t read(char* to, std::size_t size) override {
        std::size_t const got = std::min(size, left_.size());
        if (got > 0) std::memcpy(to, left_.data(), got);
        left_.remove_prefix(got);
        return got;
    }

    [[nodiscard]] double fraction_read() const override {
        return text_.empty() ? 1.0
                             : 1.0 - static_cast<double>(left_.size()) / static_cast<double>(text_.size());
    }

private:
    std::string_view text_;
    std::string_view left_;
};

/// A file of this text. It lies in no folder.
inline io::input memory_input(std::string_view text) {
    return {"<memory>", std::make_unique<memory_source>(text)};
}

} // namespace rhizome::fuzz
