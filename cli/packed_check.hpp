// SPDX-License-Identifier: Apache-2.0
// Whether a compressed file is whole.
#pragma once

#include <functional>
#include <string>

namespace rhizome::cli {

/// Whether flaw_of_download() can see that a file of this name is cut or damaged: its name ends with .gz or
/// .bz2.
[[nodiscard]] bool has_own_checksum(std::string const& name);

/// Says what is wrong with the file that was downloaded as `name`; "" if nothing is. A file must not be
/// empty. A name that ends with .gz or .bz2 demands such a stream, which is read to its end. `tick` is called
/// with the share that is read, some times per megabyte; may be empty. Throws io::file_error if the file
/// cannot be read.
[[nodiscard]] std::string flaw_of_download(std::string const& path, std::string const& name,
                                           std::function<void(double)> const& tick = {});

} // namespace rhizome::cli
