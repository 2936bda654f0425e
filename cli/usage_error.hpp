// SPDX-License-Identifier: Apache-2.0
// The user asked for something that the tool does not have.
#pragma once

#include <stdexcept>

namespace rhizome::cli {

/// Wrong usage: what() is one line; the tool prints it and ends with exit code 2.
class usage_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace rhizome::cli
