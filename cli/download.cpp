// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/download.hpp>
#include <rhizome/cli/program.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <vector>

namespace rhizome::cli {
namespace {

namespace fs = std::filesystem;

std::uint64_t bytes_of_file(std::string const& path) {
    std::error_code none;
    auto const bytes = fs::file_size(path, none);
    return none ? 0 : bytes;
}

std::string host_of(std::string const& url) {
    auto const begin = url.find("://");
    std::string const rest = begin == std::string::npos ? url : url.substr(begin + 3);
    return rest.substr(0, rest.find('/'));
}

/// "curl: (6) Could not resolve host: x" in brackets, or nothing.
std::string quoted_words(program_end const& end) {
    return end.last_words.empty() ? "" : fmt::format(" ({})", end.last_words);
}

enum class failure { network, server, disk, cut, restart, nothing_more, other };

failure curl_failure(program_end const& end) {
    switch (end.exit_code) {
    case 5:
    case 6:
    case 7:
    case 28:
    case 35:
    case 55:
    case 60:
        return failure::network;
    case 18:
    case 52:
    case 56:
    case 92:
        return failure::cut;
    case 22: // --fail; 416: there is nothing behind the bytes so far
        return end.last_words.find("416") != std::string::npos ? failure::nothing_more : failure::server;
    case 23:
        return failure::disk;
    case 31:
    case 33:
    case 36:
        return failure::restart; // the server cannot send a part
    default:
        return failure::other;
    }
}

failure wget_failure(program_end const& end) {
    switch (end.exit_code) {
    case 3:
        return failure::disk;
    case 4:
    case 5:
        return failure::network;
    case 8:
        return failure::server;
    default:
        return failure::other;
    }
}

std::vector<std::string> curl_words(std::string const& curl, std::string const& url,
                                    std::string const& path) {
    // -q comes first: no file of settings. A server that is silent for a minute has hung.
    return {curl,
            "-q",
            "--globoff",
            "--fail",
            "--location",
            "--silent",
            "--show-error",
            "--proto",
            "=http,https",
            "--proto-redir",
            "=http,https",
            "--connect-timeout",
            "20",
            "--speed-limit",
            "1",
            "--speed-time",
            "60",
            "--continue-at",
            "-",
            "--output",
            path,
            "--url",
            url};
}

std::vector<std::string> wget_words(std::string const& wget, std::string const& url,
                                    std::string const& path) {
    return {wget,
            "--no-config",
            "--no-verbose",
            "--continue",
            "--tries=1",
            "--connect-timeout=20",
            "--read-timeout=60",
            "--output-document=" + path,
            "--",
            url};
}

std::string reason_of(failure why, std::string const& url, std::string const& path, program_end const& end) {
    std::string const words = quoted_words(end);
    switch (why) {
    case failure::network:
        return fmt::format("cannot reach {}{}", host_of(url), words);
    case failure::server:
    case failure::nothing_more:
        return fmt::format("{} does not send {}{}", host_of(url), url, words);
    case failure::disk: {
        std::error_code none;
        auto const space = fs::space(fs::path(path).parent_path(), none);
        return fmt::format("cannot write {}: {} MB are free there{}", path,
                           none ? 0 : space.available / 1'000'000, words);
    }
    case failure::cut:
        return fmt::format("{} ended the download after {} bytes{}: run the same command again, it resumes",
                           host_of(url), bytes_of_file(path), words);
    default:
        return fmt::format("cannot download {}: exit code {}{}", url, end.exit_code, words);
    }
}

} // namespace

std::uint64_t download(std::string const& url, std::string const& path,
                       std::function<void(std::uint64_t)> const& progress) {
    std::string const curl = find_program("curl");
    std::string const wget = curl.empty() ? find_program("wget") : "";
    if (curl.empty() && wget.empty()) throw download_error("there is neither curl nor wget on PATH");
    auto const tick = [&] {
        if (progress) progress(bytes_of_file(path));
    };
    auto const words = curl.empty() ? wget_words(wget, url, path) : curl_words(curl, url, path);
    std::uint64_t before = bytes_of_file(path);
    for (;;) {
        program_end const end = run_program(words, "", tick);
        if (end.exit_code == 0) return before;
        failure why = curl.empty() ? wget_failure(end) : curl_failure(end);
        if (before != 0 && why == failure::nothing_more) return before; // wget calls this success itself
        if (before != 0 && why == failure::restart) {
            fs::resize_file(path, 0); // the whole file, once
            before = 0;
            continue;
        }
        if (why == failure::network && bytes_of_file(path) > before) why = failure::cut;
        throw download_error(reason_of(why, url, path, end));
    }
}

} // namespace rhizome::cli
