// Files that are never half written.
#pragma once

#include <string>
#include <string_view>

namespace rhizome::io {

/// Whether a path names the standard output of this process: "-", "/dev/stdout" and the like.
[[nodiscard]] bool is_standard_output(std::string const& path);

/// Writes beside the file and takes its name at commit(): until then the file is as it was, and without
/// commit() it stays so. What is written has no name until then where the file system can do that, so that a
/// process which is ended leaves nothing behind; elsewhere it is called FILE.partial-PROCESS-N. What is not a
/// regular file (a device, a pipe) is written to directly, and so is standard output, called "-".
class output_file {
public:
    /// Throws file_error if nothing can be written there.
    explicit output_file(std::string const& path);
    output_file(output_file const&) = delete;
    output_file& operator=(output_file const&) = delete;
    /// Drops what was written, unless committed.
    ~output_file();

    /// Throws file_error; closed_pipe where the reader of a pipe has gone.
    void write(std::string_view bytes);

    /// Makes what was written the file, on the disk too: returns once a power failure could not undo it.
    /// Throws file_error; the file is then as it was, unless the disk fails after the last step.
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
