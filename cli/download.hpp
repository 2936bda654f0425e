// SPDX-License-Identifier: Apache-2.0
// Files from the network, by curl or wget.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

namespace rhizome::cli {

/// A download did not succeed. what() is one line without the name of the file: the reason, and the words of
/// the program that downloads.
class download_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Downloads to `path`. If it exists, only what is missing is asked for; a server that cannot do that sends
/// the whole again. Returns how many bytes of before are kept: the caller must check that they belong to this
/// file, because a server sends what follows without comparing them, and calls a file whole that is too long.
/// On failure the bytes so far stay for the next attempt. Uses curl, or wget without it, with no settings of
/// the user but those of the environment. `progress` is called some ten times a second with the bytes so far;
/// may be empty. Throws download_error: no program, no network, an error of the server, no room on the disk,
/// an end before the end that the server announced.
[[nodiscard]] std::uint64_t download(std::string const& url, std::string const& path,
                                     std::function<void(std::uint64_t)> const& progress = {});

} // namespace rhizome::cli
