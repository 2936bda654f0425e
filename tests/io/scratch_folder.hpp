// SPDX-License-Identifier: Apache-2.0
// A folder for the files of one test, gone after it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace rhizome::testing {

class scratch_folder {
public:
    scratch_folder() {
        std::string name = (std::filesystem::temp_directory_path() / "rhizome-test-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("the test cannot make a folder");
        path_ = name;
    }
    scratch_folder(scratch_folder const&) = delete;
    scratch_folder& operator=(scratch_folder const&) = delete;
    ~scratch_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] std::string path(std::string const& name) const { return (path_ / name).string(); }

    /// Writes the file and returns its path.
    std::string write(std::string const& name, std::string const& text) const {
        std::ofstream(path(name), std::ios::binary) << text;
        return path(name);
    }

    [[nodiscard]] long file_count() const {
        return std::distance(std::filesystem::directory_iterator(path_), {});
    }

private:
    std::filesystem::path path_;
};

inline std::string text_of(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// what() of the exception that the work throws; "" if it throws none of that type.
template <class Exception, class Work>
std::string message_of(Work&& work) {
    try {
        work();
    } catch (Exception const& error) {
        return error.what();
    }
    return "";
}

} // namespace rhizome::testing
