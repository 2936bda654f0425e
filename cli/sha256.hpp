// SPDX-License-Identifier: Apache-2.0
// Checksums of files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace rhizome::cli {

/// SHA-256 of bytes that come in pieces. Source: FIPS 180-4.
class sha256 {
public:
    void add(std::string_view bytes);
    /// 64 hexadecimal digits, in lower case. Nothing can be added after that.
    [[nodiscard]] std::string finish();

private:
    void digest(unsigned char const* block);

    static constexpr std::size_t block_bytes = 64;
    std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<unsigned char, block_bytes> pending_{};
    std::uint64_t bytes_ = 0; ///< added so far
};

/// Of a file. `progress` is called with the bytes so far; may be empty. Throws io::file_error if it cannot be
/// read.
[[nodiscard]] std::string sha256_of_file(std::string const& path,
                                         std::function<void(std::uint64_t)> const& progress = {});

} // namespace rhizome::cli
