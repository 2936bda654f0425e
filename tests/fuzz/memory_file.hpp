// SPDX-License-Identifier: Apache-2.0
// A regular file in memory, for readers that take nothing else.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <string>

namespace rhizome::fuzz {

class memory_file {
public:
    memory_file(void const* bytes, std::size_t size) : descriptor_(memfd_create("fuzz", 0)) {
        // Without the file nothing is tested, which must not pass unnoticed.
        if (descriptor_ < 0 || write(descriptor_, bytes, size) != static_cast<ssize_t>(size)) std::abort();
    }
    memory_file(memory_file const&) = delete;
    memory_file& operator=(memory_file const&) = delete;
    ~memory_file() { close(descriptor_); }

    [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

private:
    int descriptor_;
};

} // namespace rhizome::fuzz
