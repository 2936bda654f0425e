// SPDX-License-Identifier: Apache-2.0
#include <rhizome/stream/file_updates.hpp>

#include <filesystem>
#include <system_error>

namespace rhizome::stream {

std::uint64_t file_updates::estimated_updates() {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path_, error)) return 0;
    (void)first_batch();
    return reader_.estimated_updates();
}

} // namespace rhizome::stream
