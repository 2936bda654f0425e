// SPDX-License-Identifier: Apache-2.0
// Files that are never half written.
#pragma once

#include <string>
#include <string_view>

namespace rhizome::io {

/// Returns whether the path is the standard output of this process: "-", "/dev/stdout" and the like.
[[nodiscard]] bool is_standard_output(std::string const& path);

/// Writes a new file beside the old one; commit() replaces the old one. Without commit() the old file stays
/// as it is. Until commit() the new file has no name, if the file system supports that, so a process that is
/// killed leaves nothing behind. Otherwise its name is FILE.partial-PROCESS-N. Devices, pipes and standard
/// output ("-") are written directly.
class output_file {
public:
    /// Throws file_error if the file cannot be written.
    explicit output_file(std::string const& path);
    output_file(output_file const&) = delete;
    output_file& operator=(output_file const&) = delete;
    /// Drops what was written, unless commit() was called.
    ~output_file();

    /// Throws file_error; closed_pipe if the process that reads the pipe has ended.
    void write(std::string_view bytes);

    /// Replaces the file, and returns when a loss of power could not undo that any more.
    /// Throws file_error; the old file is then unchanged, unless the disk failed after the last step.
    void commit();

private:
    [[nodiscard]] std::string folder() const;
    [[nodiscard]] std::string next_name();
    void open_without_name();
    void give_name();
    void sync_folder() const;
    [[noreturn]] void fail(char const* what) const;

    std::string path_;      ///< as the user named it, for messages
    std::string target_;    ///< links resolved
    std::string temporary_; ///< the name of what is written; empty while it has none
    unsigned names_ = 0;    ///< tried
    bool direct_ = false;   ///< written to the target itself
    int descriptor_ = -1;
};

} // namespace rhizome::io
