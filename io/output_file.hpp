// Files that are never half written.
#pragma once

#include <string>
#include <string_view>

namespace rhizome::io {

/// Writes beside the file and takes its name at commit(): until then the file is as it was, and without
/// commit() it stays so. What is not a regular file (a device, a pipe) is written to directly.
class output_file {
public:
    /// Throws file_error if nothing can be written there.
    explicit output_file(std::string const& path);
    output_file(output_file const&) = delete;
    output_file& operator=(output_file const&) = delete;
    /// Drops what was written, unless committed.
    ~output_file();

    /// Throws file_error.
    void write(std::string_view bytes);

    /// Makes what was written the file. Throws file_error; the file is then as it was.
    void commit();

private:
    [[noreturn]] void fail(char const* what) const;

    std::string path_;      ///< as the user named it, for messages
    std::string target_;    ///< links resolved
    std::string temporary_; ///< empty if written directly
    int descriptor_ = -1;
};

} // namespace rhizome::io
